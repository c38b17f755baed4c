//! Running `perf`: a launcher that puts a worker under it, and what it recorded, as text.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// CPU time of a thread from one moment to the next: no divisor of anything, so that it does not keep step with the work.
/// The kernel keeps to it (`perf_swevent_init_hrtimer` in its `kernel/events/core.c`).
pub(crate) const PERIOD_NS: u64 = 500_251;

/// A timer that runs while a thread does, which every kernel has and every virtual machine; it counts CPU time.
const EVENT: &str = "cpu-clock";

/// Call chains: the kernel's own, and in the program as much of the stack as it takes to find the caller of a small
/// function such as `memcpy`. The C library has no frame pointers, but tables to unwind it by.
const CALL_CHAINS: &str = "dwarf,1024";

/// The profiler, ready to record one worker after another.
pub(crate) struct Perf {
    program: PathBuf,
    folder: TempDir,
}

impl Perf {
    /// Finds `perf` and sees whether it can sample the kernel too. Fails with one line that says what to do.
    pub(crate) fn find(worker: &Path) -> Result<Self, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = std::env::split_paths(&path)
            .map(|folder| folder.join("perf"))
            .find(|program| program.is_absolute() && program.is_file())
            .ok_or("`perf` is not on the path; install it (package linux-perf or linux-tools) to take profiles")?;
        let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let perf = Self { program, folder };
        perf.try_out()?;
        perf.write_launcher(worker).map_err(|error| format!("cannot write the launcher: {error}"))?;
        Ok(perf)
    }

    /// Records a program that does nothing.
    fn try_out(&self) -> Result<(), String> {
        let mut record = Command::new(&self.program);
        record.args(self.record_options()).args(["--", "/bin/sh", "-c", ":"]);
        run(&mut record)?;
        let events = text(&run(Command::new(&self.program).arg("evlist").arg("--input").arg(self.data()))?);
        // Without the right to see the kernel, perf goes on without it and renames the event.
        if events.trim() == EVENT {
            return Ok(());
        }
        let hint = "run as root, or set kernel.perf_event_paranoid to 1 or less";
        Err(format!("perf may not sample the kernel, where page faults are served; {hint}"))
    }

    fn record_options(&self) -> Vec<OsString> {
        let period = PERIOD_NS.to_string();
        let sampling = ["record", "--quiet", "--no-buildid", "--event", EVENT, "--count", &period];
        let content = ["--call-graph", CALL_CHAINS, "--clockid", "CLOCK_MONOTONIC", "--output"];
        let options = sampling.into_iter().chain(content).map(OsString::from);
        options.chain([self.data().into_os_string()]).collect()
    }

    /// The program that starts the worker, under the profiler if the [switch](Self::switch) exists.
    pub(crate) fn launcher(&self) -> PathBuf {
        self.folder.path().join("launcher")
    }

    /// While this file exists, workers are profiled.
    pub(crate) fn switch(&self) -> PathBuf {
        self.folder.path().join("switch")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("perf.data")
    }

    /// The launcher replaces itself twice, so that the worker keeps its socket, and its group that the harness kills.
    /// Workers are started without any environment, so it looks nothing up.
    fn write_launcher(&self, worker: &Path) -> std::io::Result<()> {
        let worker = quoted(worker.as_os_str());
        let options: Vec<String> = self.record_options().iter().map(|option| quoted(option)).collect();
        let script = format!(
            "#!/bin/sh\nif [ -e {} ]; then exec {} {} -- {worker}; fi\nexec {worker}\n",
            quoted(self.switch().as_os_str()),
            quoted(self.program.as_os_str()),
            options.join(" "),
        );
        std::fs::write(self.launcher(), script)?;
        std::fs::set_permissions(self.launcher(), std::fs::Permissions::from_mode(0o755))
    }

    /// What was recorded last, once: for each moment a line with its time, and one for each frame, innermost first.
    pub(crate) fn take(&self) -> Result<String, String> {
        let mut script = Command::new(&self.program);
        script.args(["script", "--no-inline", "--ns", "--fields", "time,ip,sym,dso", "--input"]).arg(self.data());
        let profile = text(&run(&mut script)?);
        std::fs::remove_file(self.data()).map_err(|error| format!("cannot remove a profile: {error}"))?;
        Ok(profile)
    }
}

/// Runs a program to its end. Fails with the last line that it printed.
fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run perf: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it says nothing");
    Err(format!("perf cannot sample here ({}): {last}", output.status))
}

/// What it printed. Names of symbols are whatever a linker wrote; where one is no text, the rest still is.
fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A word of a shell script.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_one_word_to_the_shell() {
        for word in ["plain", "two words", "it's", "$(echo no)", "`", "\\"] {
            let script = format!("printf %s {}", quoted(OsStr::new(word)));
            let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
    }

    #[test]
    fn a_failure_is_its_last_line() {
        let error =
            run(Command::new("/bin/sh").args(["-c", "echo first >&2; echo 'the reason' >&2; exit 3"])).unwrap_err();
        assert!(error.ends_with("the reason") && !error.contains("first"), "{error}");
    }
}
