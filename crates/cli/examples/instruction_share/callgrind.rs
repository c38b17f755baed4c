//! Running callgrind: how a worker is started under it, and what it counted, as text.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Every name and every address in full, so that a line can be read without those before it; and addresses at all, since
/// most of malloc is nameless in a stripped library.
const FORMAT: [&str; 3] = ["--compress-strings=no", "--compress-pos=no", "--dump-instr=yes"];

/// Callgrind, ready to count one program after another.
pub(crate) struct Callgrind {
    program: PathBuf,
    folder: TempDir,
}

impl Callgrind {
    /// Finds Valgrind and sees whether it runs. Fails with one line that says what to do.
    pub(crate) fn find(program: Option<&Path>) -> Result<Self, String> {
        let program = program.map(Path::to_owned).or_else(on_the_path).ok_or(
            "`valgrind` is not on the path; install it, or give --valgrind PROGRAM (scripts/debian-valgrind unpacks \
             Debian's and prints this option)",
        )?;
        let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let callgrind = Self { program, folder };
        try_out(&mut callgrind.command(Path::new("/bin/true")))?;
        callgrind.take()?;
        Ok(callgrind)
    }

    /// What runs a program under it, without any environment of ours.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear();
        // Where it was unpacked and not installed it does not find its tools by itself.
        command.envs(tools_beside(&self.program).map(|tools| ("VALGRIND_LIB", tools)));
        let mut output = std::ffi::OsString::from("--callgrind-out-file=");
        output.push(self.counts());
        command.args(["--quiet", "--tool=callgrind"]).args(FORMAT).arg(output).arg(program);
        command
    }

    fn counts(&self) -> PathBuf {
        self.folder.path().join("counts")
    }

    /// What was counted last, once.
    pub(crate) fn take(&self) -> Result<String, String> {
        let counts = std::fs::read(self.counts()).map_err(|error| format!("callgrind has written nothing: {error}"))?;
        std::fs::remove_file(self.counts()).map_err(|error| format!("cannot remove what was counted: {error}"))?;
        // Names of symbols are whatever a linker wrote; where one is no text, the rest still is.
        Ok(String::from_utf8_lossy(&counts).into_owned())
    }
}

/// Debian's `valgrind` is a script that sets variables for the program that lies beside it.
fn on_the_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let find = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file());
    find("valgrind.bin").or_else(|| find("valgrind"))
}

/// Where Valgrind's tools lie, if beside the program.
fn tools_beside(program: &Path) -> Option<PathBuf> {
    let above = program.parent()?.parent()?;
    ["libexec/valgrind", "lib/valgrind"].iter().map(|folder| above.join(folder)).find(|folder| folder.is_dir())
}

/// Runs a program to its end. Fails with the last line that it printed.
fn try_out(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run valgrind: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it says nothing");
    Err(format!("callgrind cannot run here ({}): {last}", output.status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_were_unpacked_beside_the_program_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("usr/bin/valgrind.bin");
        assert_eq!(tools_beside(&program), None);
        let tools = folder.path().join("usr/libexec/valgrind");
        std::fs::create_dir_all(&tools).unwrap();
        assert_eq!(tools_beside(&program), Some(tools));
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let error = try_out(Command::new("/bin/sh").args(["-c", "echo the reason >&2; exit 3"])).unwrap_err();
        assert!(error.ends_with("the reason"), "{error}");
    }
}
