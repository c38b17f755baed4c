//! Proof that glibc's malloc serves; under `LD_PRELOAD`, that the very library that was preloaded does.

use std::fmt;
use std::path::Path;

use heapmark_worker::{Proof, TestBlock};

use crate::glibc::{self, Counter, FileId, Object};
use crate::mapping::Mapping;

/// What names the library to be preloaded.
const PRELOAD: &str = "LD_PRELOAD";

/// What was seen.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    /// The library that malloc comes from.
    malloc: Option<&'static str>,
    /// Whether that is the C library.
    glibc: bool,
    /// Whether the other functions come from the same: a library that replaces some of them only gets blocks of another.
    whole: bool,
    /// Whether malloc comes from the file that was to be preloaded; nothing where none was.
    as_asked: Option<bool>,
    /// By how much glibc's counter moved when the program took a block of [`TestBlock::SIZE`] bytes.
    moved: Option<u32>,
    /// What the library's own `malloc_usable_size` says of a block of that size, where it has one.
    usable: Option<usize>,
    /// Where the program's block lies.
    mapping: Option<Mapping>,
    /// Whether glibc's malloc has no heap that the block could lie in.
    no_glibc_heap: bool,
}

/// glibc's counter moves by a block that the program takes; or the dynamic linker binds all of malloc to another library, which
/// is the one that was asked for, the counter does not move, and the block lies where neither glibc's heap is nor the stack.
///
/// glibc has no function that may be asked about a block which could be foreign. A library may have one, but it is asked about a
/// block of its own only.
pub(crate) fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    let evidence = Evidence::gather(block);
    // The text is for a reader; where it ends early, the answer still stands.
    let _ = evidence.describe(out);
    evidence.weigh()
}

/// The library that replaces glibc's malloc, if one does.
pub(crate) fn replacement() -> Option<Object> {
    let malloc = Object::of(glibc::malloc_functions()[0])?;
    (Some(malloc) != Object::of_libc()).then_some(malloc)
}

/// By how much glibc's counter moves when the program takes a block.
///
/// A block from a thread's cache is counted already, so that several may be needed before the counter moves; 64 is far above
/// the seven blocks that a cache keeps of each size (`TCACHE_FILL_COUNT` in glibc's malloc.c).
fn moved_by_a_block(counter: Counter) -> u32 {
    let mut kept = [const { None }; 64];
    for slot in &mut kept {
        let before = counter.in_use();
        *slot = Some(TestBlock::new());
        let moved = counter.in_use().wrapping_sub(before);
        if moved != 0 {
            return moved;
        }
    }
    0
}

impl Evidence {
    fn gather(block: &TestBlock) -> Self {
        let objects = glibc::malloc_functions().map(Object::of);
        let (malloc, libc) = (objects[0], Object::of_libc());
        let glibc = malloc.is_some() && malloc == libc;
        let whole = objects.iter().all(|object| *object == malloc);
        let counter = Counter::of_glibc();
        let asked = std::env::var_os(PRELOAD);
        let asked = asked.map(|path| {
            let asked = FileId::of(Path::new(&path));
            asked.is_some() && asked == malloc.and_then(Object::file)
        });
        Self {
            malloc: malloc.map(Object::name),
            glibc,
            whole,
            as_asked: asked,
            moved: counter.map(moved_by_a_block),
            usable: if whole && !glibc { glibc::usable_size(TestBlock::SIZE) } else { None },
            mapping: Mapping::of(block.address().addr()),
            no_glibc_heap: counter.is_some_and(Counter::has_no_heap),
        }
    }

    fn weigh(self) -> Proof {
        // A header, alignment, and a remainder too small to split off come on top.
        const SIZE: u64 = TestBlock::SIZE as u64;
        if self.malloc.is_none() || !self.whole || self.as_asked == Some(false) {
            return Proof::None;
        }
        match self.moved {
            Some(moved) if self.glibc && (SIZE..=SIZE + 64).contains(&u64::from(moved)) => Proof::Api,
            Some(0) if !self.glibc && self.usable.is_none_or(plausible) && self.lies_apart() => Proof::Symbol,
            _ => Proof::None,
        }
    }

    /// Whether the block lies where another allocator may keep it.
    fn lies_apart(self) -> bool {
        match self.mapping {
            // Others take memory from brk too, as long as glibc does not.
            Some(Mapping::Heap) => self.no_glibc_heap,
            Some(Mapping::Anonymous | Mapping::File(_)) => true,
            Some(Mapping::Stack) | None => false,
        }
    }

    fn describe(self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "malloc from {}; ", self.malloc.unwrap_or("an unknown library"))?;
        if self.as_asked == Some(false) {
            write!(out, "that is not the library that was to be preloaded; ")?;
        }
        if !self.whole {
            write!(out, "calloc, realloc, free or posix_memalign from another; ")?;
        }
        if !self.glibc {
            match self.usable {
                Some(usable) => write!(out, "its malloc_usable_size says {usable}; ")?,
                None => write!(out, "without a malloc_usable_size of its own; ")?,
            }
            match self.mapping {
                Some(mapping) => write!(out, "the block lies in {mapping}; ")?,
                None => write!(out, "the block lies in no mapping that is known; ")?,
            }
        }
        match self.moved {
            Some(moved) => write!(out, "glibc counts {moved} bytes more for a block of {}", TestBlock::SIZE),
            None => write!(out, "glibc's counter is not to be found"),
        }
    }
}

/// Whether an allocator may say that a block of the test's size has room for so much: for the block, and for not much more than
/// the largest unit that anyone rounds up to.
fn plausible(usable: usize) -> bool {
    (TestBlock::SIZE..=TestBlock::SIZE + (64 << 10)).contains(&usable)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLIBC: Evidence = Evidence {
        malloc: Some("libc.so.6"),
        glibc: true,
        whole: true,
        as_asked: None,
        moved: Some(272),
        usable: None,
        mapping: Some(Mapping::Heap),
        no_glibc_heap: false,
    };

    const PRELOADED: Evidence = Evidence {
        malloc: Some("libother.so"),
        glibc: false,
        as_asked: Some(true),
        moved: Some(0),
        usable: Some(256),
        mapping: Some(Mapping::Anonymous),
        no_glibc_heap: true,
        ..GLIBC
    };

    #[test]
    fn glibc_serves_when_its_counter_moves_by_the_block() {
        assert_eq!(GLIBC.weigh(), Proof::Api);
        assert_eq!(Evidence { moved: Some(0), ..GLIBC }.weigh(), Proof::None, "another #[global_allocator] serves");
        assert_eq!(
            Evidence { moved: Some(4096), ..GLIBC }.weigh(),
            Proof::None,
            "another allocator takes its pages from glibc"
        );
    }

    #[test]
    fn a_preloaded_library_must_replace_all_of_malloc_by_itself() {
        assert_eq!(PRELOADED.weigh(), Proof::Symbol);
        for (evidence, why) in [
            (Evidence { as_asked: None, ..PRELOADED }, "not by LD_PRELOAD, but all the same"),
            (Evidence { usable: None, ..PRELOADED }, "it has no malloc_usable_size"),
            (Evidence { mapping: Some(Mapping::Heap), ..PRELOADED }, "it takes its memory from brk"),
        ] {
            assert_eq!(evidence.weigh(), Proof::Symbol, "{why}");
        }
        for (evidence, why) in [
            (Evidence { as_asked: Some(false), ..GLIBC }, "the dynamic linker only warned"),
            (Evidence { as_asked: Some(false), ..PRELOADED }, "another library came before it"),
            (Evidence { whole: false, ..PRELOADED }, "it replaces malloc only"),
            (Evidence { malloc: None, ..PRELOADED }, "nobody knows where malloc is"),
            (Evidence { moved: Some(272), ..PRELOADED }, "it takes blocks from glibc"),
            (Evidence { moved: None, ..PRELOADED }, "nobody knows what glibc counts"),
            (Evidence { usable: Some(255), ..PRELOADED }, "the block has less room than was asked for"),
            (Evidence { usable: Some(usize::MAX), ..PRELOADED }, "the block has more room than there is"),
            (Evidence { mapping: Some(Mapping::Heap), no_glibc_heap: false, ..PRELOADED }, "it may be glibc's heap"),
            (Evidence { mapping: Some(Mapping::Stack), ..PRELOADED }, "the stack is no heap"),
            (Evidence { mapping: None, ..PRELOADED }, "nobody knows where the block lies"),
        ] {
            assert_eq!(evidence.weigh(), Proof::None, "{why}");
        }
    }

    #[test]
    fn what_was_seen_is_told() {
        let told = |evidence: Evidence| {
            let mut text = String::new();
            evidence.describe(&mut text).expect("a string takes everything");
            text
        };
        assert_eq!(told(GLIBC), "malloc from libc.so.6; glibc counts 272 bytes more for a block of 256");
        assert_eq!(
            told(PRELOADED),
            "malloc from libother.so; its malloc_usable_size says 256; the block lies in an anonymous mapping; \
             glibc counts 0 bytes more for a block of 256"
        );
        let not_there = told(Evidence { as_asked: Some(false), ..GLIBC });
        assert!(not_there.contains("not the library that was to be preloaded"), "{not_there}");
    }
}
