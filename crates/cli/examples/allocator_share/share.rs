//! Whose CPU time a moment is.

use std::ops::Range;
use std::path::Path;

use crate::malloc_code::malloc_code;
use crate::profile::{Frame, Moment, Profile};

/// Whose time it is, and the name that it goes by in the legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// In malloc, or in a function of the C library that malloc called, such as the copy that `realloc` makes.
    Allocator(String),
    /// In the kernel, to give memory to the process or to take it back.
    KernelMemory(&'static str),
    /// In the kernel for another reason.
    Kernel(String),
    /// Anything else.
    Program,
}

/// Functions of the kernel that are entered for memory, by a part of their names that all processors share.
const MEMORY: [(&str, &str); 10] = [
    ("page_fault", "page faults"),
    ("mem_abort", "page faults"),
    ("sys_brk", "brk"),
    ("sys_munmap", "munmap"),
    ("vm_munmap", "munmap"),
    ("sys_mmap", "mmap"),
    ("mmap_pgoff", "mmap"),
    ("sys_madvise", "madvise"),
    ("sys_mremap", "mremap"),
    ("sys_mprotect", "mprotect"),
];

/// Sorts the moments of a profile.
pub(crate) struct Classifier<'a> {
    /// The C library in use.
    library: &'a str,
    /// The offsets in it between which malloc lies.
    malloc: Range<u64>,
}

impl<'a> Classifier<'a> {
    /// Finds the C library that the profile's program uses, and malloc in it.
    pub(crate) fn new(profile: &'a Profile) -> Result<Self, String> {
        let frames = || profile.moments.iter().flat_map(|moment| &moment.frames);
        if frames().any(|frame| frame.in_kernel() && frame.symbol == "[unknown]") {
            return Err("the kernel hides its symbols; run as root, or set kernel.kptr_restrict to 0".into());
        }
        let is_library = |frame: &&Frame| {
            let name = Path::new(&frame.file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            !frame.in_kernel() && (name.starts_with("libc.so") || name.starts_with("libc-2."))
        };
        let library = &frames().find(is_library).ok_or("no moment of the profile is in a C library")?.file;
        let length = std::fs::metadata(library).map_err(|error| format!("cannot read {library}: {error}"))?.len();
        if frames().any(|frame| frame.file == *library && frame.place >= length) {
            return Err(format!("this perf prints addresses in {library}, not offsets; another version is needed"));
        }
        Ok(Self { library, malloc: malloc_code(Path::new(library))? })
    }

    /// Whose time this moment is.
    pub(crate) fn classify(&self, moment: &Moment) -> Share {
        let Some(innermost) = moment.frames.first() else { return Share::Program };
        if innermost.in_kernel() {
            return kernel_share(&moment.frames);
        }
        let mut within = moment.frames.iter().take_while(|frame| frame.file == self.library);
        if within.any(|frame| self.malloc.contains(&frame.place)) {
            return Share::Allocator(innermost.symbol.clone());
        }
        Share::Program
    }
}

/// What the kernel was entered for: its outermost frame that says so.
fn kernel_share(frames: &[Frame]) -> Share {
    let kernel = frames.iter().take_while(|frame| frame.in_kernel());
    let names: Vec<&str> = kernel.map(|frame| frame.symbol.as_str()).collect();
    let reason = |name: &&str| MEMORY.iter().find(|(part, _)| name.contains(part));
    if let Some((_, label)) = names.iter().rev().find_map(reason) {
        return Share::KernelMemory(label);
    }
    let is_call = |name: &&&str| name.contains("sys_") && !name.ends_with("sys_call");
    let call = names.iter().rev().find(is_call).or(names.last());
    Share::Kernel(call.map_or_else(String::new, |name| (*name).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: u64 = 0xffff_ffff_8000_0000;

    fn classified(frames: &[(u64, &str, &str)]) -> Share {
        let frame = |(place, symbol, file): &(u64, &str, &str)| Frame {
            place: *place,
            symbol: (*symbol).to_owned(),
            file: (*file).to_owned(),
        };
        let moment = Moment { time_ns: 0, frames: frames.iter().map(frame).collect() };
        Classifier { library: "/libc.so.6", malloc: 0x100..0x200 }.classify(&moment)
    }

    #[test]
    fn malloc_is_known_by_its_place_and_by_who_called_the_library() {
        let (libc, program) = ("/libc.so.6", "/program");
        let allocator = |symbol: &str| Share::Allocator(symbol.to_owned());
        assert_eq!(classified(&[(0x150, "[unknown]", libc), (0x9, "main", program)]), allocator("[unknown]"));
        assert_eq!(classified(&[(0x900, "memmove", libc), (0x1ff, "realloc", libc)]), allocator("memmove"));
        assert_eq!(classified(&[(0x900, "memmove", libc), (0x150, "main", program)]), Share::Program);
        assert_eq!(classified(&[(0x200, "mcheck", libc)]), Share::Program);
        assert_eq!(classified(&[(0x150, "main", program)]), Share::Program);
        // A callback out of the library into the program, as of qsort, is the program's.
        assert_eq!(classified(&[(0x150, "less", program), (0x150, "malloc", libc)]), Share::Program);
        assert_eq!(classified(&[]), Share::Program);
    }

    #[test]
    fn the_kernel_is_known_by_what_it_was_entered_for() {
        let kernel = |names: &[&str]| {
            let mut frames: Vec<_> = names.iter().map(|name| (KERNEL, *name, "[kernel.kallsyms]")).collect();
            frames.push((0x150, "_int_malloc", "/libc.so.6"));
            classified(&frames)
        };
        let fault = ["clear_page_erms", "handle_mm_fault", "exc_page_fault", "asm_exc_page_fault"];
        assert_eq!(kernel(&fault), Share::KernelMemory("page faults"));
        let trim = ["zap_pte_range", "__x64_sys_madvise", "x64_sys_call", "do_syscall_64", "entry_SYSCALL_64"];
        assert_eq!(kernel(&trim), Share::KernelMemory("madvise"));
        let wait = ["futex_wait", "__x64_sys_futex", "x64_sys_call", "do_syscall_64", "entry_SYSCALL_64"];
        assert_eq!(kernel(&wait), Share::Kernel("__x64_sys_futex".to_owned()));
        assert_eq!(kernel(&["schedule", "asm_sysvec_timer"]), Share::Kernel("asm_sysvec_timer".to_owned()));
        // A call for something else that runs into a page which is not there yet.
        let read = ["exc_page_fault", "copy_user", "__x64_sys_read", "do_syscall_64"];
        assert_eq!(kernel(&read), Share::KernelMemory("page faults"));
    }
}
