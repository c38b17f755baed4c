//! Proof that glibc's malloc serves; under `LD_PRELOAD`, that the preloaded library does.

use std::fmt;

use heapmark_worker::{Proof, TestBlock};

use crate::glibc;

/// What was seen.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    /// The library that malloc comes from.
    malloc: Option<&'static str>,
    /// Whether the other functions come from the same: a library that replaces some of them only gets blocks of another.
    whole: bool,
    /// The C library.
    libc: Option<&'static str>,
    /// By how much glibc's counter moved when the program took a block of [`TestBlock::SIZE`] bytes.
    moved: u32,
}

/// glibc's counter moves by a block that the program takes, or the dynamic linker binds malloc to another library.
///
/// The block at hand plays no part: glibc has no function that may be asked about a block which could be foreign.
pub(crate) fn proof(_: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    let libraries = glibc::malloc_functions().map(glibc::library_of);
    let evidence = Evidence {
        malloc: libraries[0],
        whole: libraries.iter().all(|library| *library == libraries[0]),
        libc: glibc::libc_name(),
        moved: moved_by_a_block(),
    };
    // The text is for a reader; where it ends early, the answer still stands.
    let _ = evidence.describe(out);
    evidence.weigh()
}

/// The library that replaces glibc's malloc, if one does.
pub(crate) fn replacement() -> Option<&'static str> {
    let malloc = glibc::library_of(glibc::malloc_functions()[0])?;
    (Some(malloc) != glibc::libc_name()).then_some(malloc)
}

/// By how much glibc's counter moves when the program takes a block.
///
/// A block from a thread's cache is counted already, so that several may be needed before the counter moves; 64 is far above
/// the seven blocks that a cache keeps of each size (`TCACHE_FILL_COUNT` in glibc's malloc.c).
fn moved_by_a_block() -> u32 {
    let mut kept = [const { None }; 64];
    for slot in &mut kept {
        let before = glibc::in_use();
        *slot = Some(TestBlock::new());
        let moved = glibc::in_use().wrapping_sub(before);
        if moved != 0 {
            return moved;
        }
    }
    0
}

impl Evidence {
    fn weigh(self) -> Proof {
        // A header, alignment, and a remainder too small to split off come on top.
        const SIZE: u64 = TestBlock::SIZE as u64;
        match self.malloc {
            Some(_) if !self.whole => Proof::None,
            Some(malloc) if Some(malloc) != self.libc => Proof::Symbol,
            Some(_) if (SIZE..=SIZE + 64).contains(&u64::from(self.moved)) => Proof::Api,
            _ => Proof::None,
        }
    }

    fn describe(self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "malloc from {}; ", self.malloc.unwrap_or("an unknown library"))?;
        if !self.whole {
            write!(out, "calloc, realloc, free or posix_memalign from another; ")?;
        }
        write!(out, "glibc counts {} bytes more for a block of {}", self.moved, TestBlock::SIZE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLIBC: Evidence = Evidence { malloc: Some("libc.so.6"), whole: true, libc: Some("libc.so.6"), moved: 272 };

    #[test]
    fn glibc_serves_when_its_counter_moves_by_the_block() {
        assert_eq!(GLIBC.weigh(), Proof::Api);
        assert_eq!(Evidence { moved: 0, ..GLIBC }.weigh(), Proof::None, "another #[global_allocator] serves");
        assert_eq!(
            Evidence { moved: 4096, ..GLIBC }.weigh(),
            Proof::None,
            "another allocator takes its pages from glibc"
        );
    }

    #[test]
    fn a_preloaded_library_must_replace_all_of_malloc() {
        let preloaded = Evidence { malloc: Some("libother.so"), moved: 0, ..GLIBC };
        assert_eq!(preloaded.weigh(), Proof::Symbol);
        assert_eq!(Evidence { whole: false, ..preloaded }.weigh(), Proof::None);
        assert_eq!(Evidence { malloc: None, ..preloaded }.weigh(), Proof::None);
    }
}
