//! Text without the heap.

use std::fmt;

/// A short text in a fixed buffer of `ROOM` bytes; what does not fit is cut.
#[derive(Clone, Copy)]
pub struct Text<const ROOM: usize> {
    bytes: [u8; ROOM],
    length: usize,
}

impl<const ROOM: usize> Text<ROOM> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self { bytes: [0; ROOM], length: 0 }
    }

    /// What is formatted, as far as it fits.
    pub fn of(text: fmt::Arguments<'_>) -> Self {
        let mut all = Self::new();
        // Only what is formatted could fail, and then what came before stands.
        let _ = fmt::write(&mut all, text);
        all
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// What was written.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl<const ROOM: usize> Default for Text<ROOM> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const ROOM: usize> fmt::Write for Text<ROOM> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut end = text.len().min(ROOM - self.length);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.bytes[self.length..self.length + end].copy_from_slice(&text.as_bytes()[..end]);
        self.length += end;
        Ok(())
    }
}

impl<const ROOM: usize> fmt::Display for Text<ROOM> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<const ROOM: usize> fmt::Debug for Text<ROOM> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_between_letters() {
        assert_eq!(Text::<4>::of(format_args!("{}{}", 12, 345)).as_str(), "1234");
        assert_eq!(Text::<4>::of(format_args!("abcß")).as_str(), "abc");
        let mut text = Text::<8>::of(format_args!("one"));
        text.clear();
        assert_eq!(text.to_string(), "");
    }
}
