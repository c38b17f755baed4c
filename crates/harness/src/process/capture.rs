//! What a worker prints: drained, so that it never blocks, and kept, so that it can be shown.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// How much of a stream is kept: its end, which is where the reason of a crash stands.
const KEPT: usize = 16 * 1024;

/// What a pipe holds unless told otherwise, see pipe(7).
const PIPE: usize = 64 * 1024;

/// One output stream of a worker.
#[derive(Debug)]
pub(crate) struct Capture {
    /// Closed once the worker has closed its end.
    pipe: Option<File>,
    kept: Vec<u8>,
}

impl Capture {
    /// Takes the reading end of a pipe, which becomes non-blocking.
    pub(crate) fn new(pipe: OwnedFd) -> std::io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(File::from(pipe)), kept: Vec::new() })
    }

    /// The descriptor to wait for, while there is one.
    pub(crate) fn waiting(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Reads what is there, without waiting: what a pipe holds, and no more, since a worker may print without end.
    pub(crate) fn drain(&mut self) {
        let mut buffer = [0; 4096];
        for _ in 0..PIPE / buffer.len() {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(bytes) => {
                    self.kept.extend_from_slice(&buffer[..bytes]);
                    if self.kept.len() > 2 * KEPT {
                        self.kept.drain(..self.kept.len() - KEPT);
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    /// The last line that says something, at most 200 characters; empty if nothing was printed.
    pub(crate) fn last_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.kept);
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.starts_with("note: "));
        line.unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_without_end_is_drained_in_pieces() {
        let endless = File::open("/dev/zero").unwrap();
        let mut capture = Capture { pipe: Some(endless), kept: Vec::new() };
        capture.drain();
        assert!(capture.waiting().is_some());
        assert!(capture.kept.len() >= KEPT && capture.kept.len() <= 2 * KEPT, "{}", capture.kept.len());
    }
}
