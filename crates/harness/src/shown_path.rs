//! Paths as text: what is no UTF-8 in them is shown byte by byte, so that no two paths look alike.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Shows a path as it is, but for bytes that are no UTF-8: those become `\\xFF`.
#[derive(Clone, Copy, Debug)]
pub struct ShownPath<'a>(pub &'a Path);

impl fmt::Display for ShownPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_os_str().as_bytes().utf8_chunks() {
            f.write_str(chunk.valid())?;
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02X}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn bytes_that_are_no_text_are_shown_each() {
        let shown = |bytes: &[u8]| ShownPath(Path::new(OsStr::from_bytes(bytes))).to_string();
        assert_eq!(shown("a folder/größer.jsonl".as_bytes()), "a folder/größer.jsonl");
        assert_eq!(shown(b"run\xFF\xC3.jsonl"), "run\\xFF\\xC3.jsonl");
        assert_ne!(shown(b"run\xFE"), shown(b"run\xFF"));
        assert_eq!(shown(b""), "");
    }
}
