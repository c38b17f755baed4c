//! Whether this program's snmalloc was compiled with its assertions, asked of the program itself.
//!
//! Every assertion brings its message along (`SNMALLOC_ASSERT_MSG` in `ds_core/defines.h`), and NDEBUG removes it with the
//! assertion. Flags in the environment of the build say less: they may reach the compiler or not. The file is read and not
//! the mapped program, so that no pages become resident that the allocator did not ask for.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};

/// How the messages start, complemented: this program must not contain the text on its own account.
const COMPLEMENTED: [u8; 27] = complement(*b"assert fail: {} in {} on {}");

/// Whether the program that runs contains messages of snmalloc's assertions.
pub(crate) fn compiled_in() -> io::Result<bool> {
    contains(File::open("/proc/self/exe")?, black_box(&COMPLEMENTED))
}

const fn complement<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    let mut index = 0;
    while index < N {
        bytes[index] = !bytes[index];
        index += 1;
    }
    bytes
}

/// Whether the file contains the complement of `complemented`; on the stack, since the heap is not ours.
fn contains(mut file: impl Read, complemented: &[u8]) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    let mut kept = 0;
    loop {
        let read = match file.read(&mut buffer[kept..]) {
            Ok(0) => return Ok(false),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let filled = kept + read;
        let mut windows = buffer[..filled].windows(complemented.len());
        if windows.any(|window| window.iter().zip(complemented).all(|(byte, complement)| *byte == !complement)) {
            return Ok(true);
        }
        // What could be the beginning of the text is looked at again together with what follows.
        kept = filled.min(complemented.len() - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives `step` bytes at a time.
    struct Steps<'a>(&'a [u8], usize);

    impl Read for Steps<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(self.1).min(buffer.len());
            let (now, rest) = self.0.split_at(length);
            buffer[..length].copy_from_slice(now);
            self.0 = rest;
            Ok(length)
        }
    }

    #[test]
    fn the_text_is_found_wherever_reads_end() {
        for step in [1, 2, 5, 16, usize::MAX] {
            for before in [0, 1, 26, 27, 28, 4_090, 4_096, 20_000] {
                let mut file = vec![b'a'; before];
                assert!(!contains(Steps(&file, step), &COMPLEMENTED).unwrap());
                file.extend(COMPLEMENTED.map(|byte| !byte));
                assert!(contains(Steps(&file, step), &COMPLEMENTED).unwrap(), "{before} bytes before, {step} a read");
                file.pop();
                assert!(!contains(Steps(&file, step), &COMPLEMENTED).unwrap(), "the last byte is missing");
            }
        }
    }
}
