//! The mapping that an address lies in, as the kernel lists it in `/proc/self/maps`; read through a buffer of fixed size, so
//! that nothing is allocated by whoever is being looked at.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Room for a line: addresses, some numbers, and a path.
const ROOM: usize = 8192;

/// The longest name that is kept.
const NAME: usize = 128;

/// What a mapping is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// The stack of the first thread.
    Stack,
    /// What brk(2) gives, which is where glibc's first arena lies.
    Heap,
    /// Memory of no file.
    Anonymous,
    /// A file, such as a library with room for variables.
    File(Name),
}

impl Mapping {
    /// The one that this address of the process lies in; nothing if there is none, or where the kernel does not tell.
    pub(crate) fn of(address: usize) -> Option<Self> {
        let mut file = File::open("/proc/self/maps").ok()?;
        let mut buffer = [0; ROOM];
        let mut filled = 0;
        loop {
            let read = match file.read(&mut buffer[filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read.ok()?,
            };
            filled += read;
            let mut rest = &buffer[..filled];
            while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
                if let Some(found) = in_line(&rest[..end], address) {
                    return Some(found);
                }
                rest = &rest[end + 1..];
            }
            // At the end of the file, or at a line that there is no room for.
            if read == 0 {
                return None;
            }
            let left = rest.len();
            buffer.copy_within(filled - left..filled, 0);
            filled = left;
        }
    }
}

/// The mapping of a line `start-end access offset device inode path`, if the address lies in it.
fn in_line(line: &[u8], address: usize) -> Option<Mapping> {
    // A path can hold any bytes, and is the last.
    let text = line.utf8_chunks().next()?.valid();
    let mut words = text.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let bound = |text| usize::from_str_radix(text, 16).ok();
    if !(bound(start)?..bound(end)?).contains(&address) {
        return None;
    }
    Some(match words.nth(4) {
        Some("[stack]") => Mapping::Stack,
        Some("[heap]") => Mapping::Heap,
        Some(path) if path.starts_with('/') => Mapping::File(Name::of(path.rsplit('/').next()?)),
        // Names in brackets are given to anonymous memory (`prctl(PR_SET_VMA)`).
        _ => Mapping::Anonymous,
    })
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stack => f.write_str("the stack"),
            Self::Heap => f.write_str("the mapping [heap]"),
            Self::Anonymous => f.write_str("an anonymous mapping"),
            Self::File(name) => write!(f, "a mapping of {}", name.as_str()),
        }
    }
}

/// A name in a fixed buffer; what does not fit is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    bytes: [u8; NAME],
    length: usize,
}

impl Name {
    fn of(text: &str) -> Self {
        let length = text.floor_char_boundary(NAME);
        let mut bytes = [0; NAME];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self { bytes, length }
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_lies_between_its_bounds() {
        for (line, what) in [
            (&b"1000-2000 rw-p 00000000 00:00 0 "[..], "an anonymous mapping"),
            (b"1000-2000 rw-p 00000000 00:00 0                          [heap]", "the mapping [heap]"),
            (b"1000-2000 rw-p 00000000 00:00 0                          [stack]", "the stack"),
            (b"1000-2000 rw-p 00000000 00:00 0                          [anon:arena]", "an anonymous mapping"),
            (b"1000-2000 r-xp 00001000 fe:00 1234      /usr/lib/libx.so.1", "a mapping of libx.so.1"),
            (b"1000-2000 r-xp 00001000 fe:00 1234      /usr/lib/lib\xff.so", "a mapping of lib"),
        ] {
            let shown = |address| in_line(line, address).map(|mapping| mapping.to_string());
            assert_eq!(shown(0x1000).as_deref(), Some(what));
            assert_eq!(shown(0x1fff).as_deref(), Some(what));
            assert_eq!((shown(0xfff), shown(0x2000)), (None, None));
        }
        assert_eq!(in_line(b"garbage", 0), None);
    }

    #[test]
    fn names_are_cut_at_a_letter() {
        assert_eq!(Name::of(&"ä".repeat(NAME)).as_str(), "ä".repeat(NAME / 2));
        assert_eq!(Name::of(&format!("x{}", "ä".repeat(NAME))).as_str().len(), NAME - 1);
    }

    #[test]
    fn the_process_knows_where_its_own_parts_lie() {
        // Stacks of threads are anonymous.
        let of_a_stack = std::thread::spawn(|| {
            let here = 0_u8;
            Mapping::of((&raw const here).addr())
        });
        assert_eq!(of_a_stack.join().unwrap(), Some(Mapping::Anonymous));
        let code = the_process_knows_where_its_own_parts_lie as *const ();
        assert!(matches!(Mapping::of(code.addr()), Some(Mapping::File(_))));
        assert_eq!(Mapping::of(0), None);
    }
}
