//! One run of a C program.
#![expect(unsafe_code, reason = "only wait4(2) tells the CPU time of one child, and it has no safe wrapper")]

use std::io::Read;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A library that replaces malloc.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    /// CPU time of the whole process, start and end included.
    pub(crate) cpu: Duration,
    /// What it printed.
    pub(crate) output: String,
}

/// Runs a program to its end, in an empty environment but for the library, and in a folder of its own. Fails if the program
/// does, or if the library could not be preloaded: the dynamic linker only warns of that.
pub(crate) fn run(program: &Path, arguments: &[&str], library: Option<&Library>) -> Result<Run, String> {
    let name = program.display();
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let file = |name: &str| {
        let options = std::fs::File::options().create_new(true).read(true).write(true).open(folder.path().join(name));
        options.map_err(|error| format!("cannot write into a temporary folder: {error}"))
    };
    // Files and no pipes, so that nobody has to empty them while the program runs.
    let (output, complaints) = (file("output")?, file("complaints")?);
    let mut command = Command::new(program);
    command.args(arguments).env_clear().current_dir(folder.path()).stdin(Stdio::null());
    command.stdout(clone(&output)?).stderr(clone(&complaints)?);
    if let Some(library) = library {
        command.env("LD_PRELOAD", &library.path);
        // The libraries that it needs may lie beside it.
        command.envs(library.path.parent().map(|folder| ("LD_LIBRARY_PATH", folder)));
    }
    let child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
    let (status, cpu) = wait(&child).map_err(|error| format!("cannot wait for {name}: {error}"))?;
    let complaints = content(complaints)?;
    if complaints.contains("ld.so") || status != 0 {
        return Err(format!("{name} failed with status {status:#x}: {}", complaints.trim()));
    }
    Ok(Run { cpu, output: content(output)? })
}

fn clone(file: &std::fs::File) -> Result<std::fs::File, String> {
    file.try_clone().map_err(|error| error.to_string())
}

/// What somebody else has written into the file.
fn content(mut file: std::fs::File) -> Result<String, String> {
    use std::io::Seek;
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot read what a program printed: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Waits for the child's end: its status as wait(2) gives it, and the user and system time of all its threads.
fn wait(child: &Child) -> std::io::Result<(i32, Duration)> {
    let id = libc::pid_t::try_from(child.id()).map_err(std::io::Error::other)?;
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both addresses are valid for what wait4(2) writes there.
    while unsafe { libc::wait4(id, &raw mut status, 0, usage.as_mut_ptr()) } < 0 {
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: numbers only, which were zeroes before the kernel wrote them.
    let usage = unsafe { usage.assume_init() };
    let duration = |time: libc::timeval| {
        let (seconds, micros) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_usec));
        Duration::from_secs(seconds.unwrap_or(0)) + Duration::from_micros(micros.unwrap_or(0))
    };
    Ok((status, duration(usage.ru_utime) + duration(usage.ru_stime)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, library: Option<&Library>) -> Result<Run, String> {
        run(Path::new("/bin/sh"), &["-c", script], library)
    }

    #[test]
    fn a_program_s_output_and_cpu_time_come_back() {
        let run = shell("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo $i", None).unwrap();
        assert_eq!(run.output, "100000\n");
        assert!(run.cpu > Duration::ZERO);
    }

    #[test]
    fn a_program_runs_in_a_folder_of_its_own_without_an_environment() {
        let run = shell("echo $HOME; touch here; ls", None).unwrap();
        assert_eq!(run.output, "\ncomplaints\nhere\noutput\n");
    }

    #[test]
    fn a_failure_is_told_with_what_was_said() {
        let error = shell("echo the reason >&2; exit 3", None).unwrap_err();
        assert!(error.contains("0x300") && error.ends_with("the reason"), "{error}");
    }

    #[test]
    fn a_library_that_cannot_be_preloaded_is_a_failure() {
        let library = Library { name: "gone".into(), path: "/gone.so".into() };
        assert!(shell("true", Some(&library)).unwrap_err().contains("gone.so"));
    }
}
