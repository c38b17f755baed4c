//! The worker's end of the control channel: descriptor 0, read and written without touching the heap.
#![expect(unsafe_code, reason = "read(2) and write(2) on a descriptor, into buffers of known length")]

use heapmark_protocol::MAX_LINE;

/// The descriptor that the harness made the worker's standard input: one end of a stream socket.
const CHANNEL: libc::c_int = 0;

/// Reads lines into a fixed buffer.
pub(crate) struct LineReader {
    buffer: [u8; MAX_LINE],
    filled: usize,
    /// Length of the line handed out last, which is dropped at the next read.
    consumed: usize,
}

/// Why no further line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// The harness is gone, or closed the channel.
    EndOfFile,
    /// The line is longer than the protocol allows.
    TooLong,
}

impl LineReader {
    pub(crate) const fn new() -> Self {
        Self { buffer: [0; MAX_LINE], filled: 0, consumed: 0 }
    }

    /// The next line without its line feed.
    pub(crate) fn next(&mut self) -> Result<&[u8], Closed> {
        self.buffer.copy_within(self.consumed..self.filled, 0);
        self.filled -= self.consumed;
        self.consumed = 0;
        loop {
            if let Some(end) = self.buffer[..self.filled].iter().position(|&byte| byte == b'\n') {
                self.consumed = end + 1;
                return Ok(&self.buffer[..end]);
            }
            let free = &mut self.buffer[self.filled..];
            if free.is_empty() {
                return Err(Closed::TooLong);
            }
            // SAFETY: `free` is valid for writes of its length, and the kernel writes at most that much.
            let got = unsafe { libc::read(CHANNEL, free.as_mut_ptr().cast(), free.len()) };
            match usize::try_from(got) {
                Ok(0) => return Err(Closed::EndOfFile),
                Ok(bytes) => self.filled += bytes,
                Err(_) if interrupted() => {}
                Err(_) => return Err(Closed::EndOfFile),
            }
        }
    }
}

/// Writes a whole line. Fails if the harness is gone.
pub(crate) fn send(line: &[u8]) -> Result<(), Closed> {
    let mut rest = line;
    while !rest.is_empty() {
        // SAFETY: `rest` is valid for reads of its length.
        let sent = unsafe { libc::write(CHANNEL, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(sent) {
            Ok(bytes) => rest = &rest[bytes..],
            Err(_) if interrupted() => {}
            Err(_) => return Err(Closed::EndOfFile),
        }
    }
    Ok(())
}

fn interrupted() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
}
