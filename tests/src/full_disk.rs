//! A disk that is full, as a process sees it.
#![expect(unsafe_code, reason = "signal(2) has no safe wrapper")]

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets no file of this process grow beyond so many bytes; without a number, lets files grow again.
pub fn limit_file_size(bytes: Option<u64>) -> std::io::Result<()> {
    // The kernel would end the process by a signal before the write could fail, see setrlimit(2).
    // SAFETY: ignoring a signal installs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: bytes.or(maximum), maximum })?;
    Ok(())
}
