//! Memory of this process as the kernel accounts it, read without allocating.
//!
//! The peak is `VmHWM` and never `ru_maxrss`: on Linux the latter starts at the peak of the *parent*, even across exec
//! (the kernel keeps the greater of both in `signal->maxrss`, see `getrusage` and `exec_mmap`).
#![expect(
    unsafe_code,
    reason = "open(2), read(2), write(2) and close(2) on procfs files, into buffers of known length"
)]

use std::ffi::CStr;

/// Room for the files read here; `status` is about 1.5 KiB and `smaps_rollup` about 0.8 KiB.
const FILE_ROOM: usize = 4096;

/// Resident memory of this process, in bytes. A field that cannot be read is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// Now.
    pub now: Option<u64>,
    /// At its peak: since the preparation was over, or since the start where the kernel's peak could not be reset.
    pub peak: Option<u64>,
}

/// Reads how much memory of this process is resident, and was: `VmRSS` and `VmHWM`. It allocates nothing, so that a workload
/// may call it between or within turns; the kernel writes a page of text for it, which takes some microseconds.
///
/// The kernel's counters are batched, so that both can be off by some pages, and the peak can be less than what is
/// resident now.
pub fn resident() -> Resident {
    with_file(c"/proc/self/status", |text| Resident { now: field(text, "VmRSS:"), peak: field(text, "VmHWM:") })
        .unwrap_or_default()
}

/// Makes the kernel's peak start again from what is resident now. Whether it did: not every kernel allows it.
///
/// Writing 5 to `clear_refs` resets `VmHWM` (Documentation/filesystems/proc.rst).
pub(crate) fn reset_peak() -> bool {
    // SAFETY: the path is a C string, the buffer is valid for reads of one byte, and the descriptor is ours to close.
    unsafe {
        let file = libc::open(c"/proc/self/clear_refs".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let written = libc::write(file, b"5".as_ptr().cast(), 1);
        libc::close(file);
        written == 1
    }
}

/// The sum over all mappings, in bytes. A field that the kernel lacks is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rollup {
    pub(crate) rss: Option<u64>,
    pub(crate) anonymous: Option<u64>,
    pub(crate) lazy_free: Option<u64>,
    pub(crate) private_dirty: Option<u64>,
    pub(crate) huge: Option<u64>,
}

/// Reads `smaps_rollup`. Walks the page tables, so it belongs after a phase and never into a timed part.
pub(crate) fn rollup() -> Rollup {
    with_file(c"/proc/self/smaps_rollup", |text| Rollup {
        rss: field(text, "Rss:"),
        anonymous: field(text, "Anonymous:"),
        lazy_free: field(text, "LazyFree:"),
        private_dirty: field(text, "Private_Dirty:"),
        huge: field(text, "AnonHugePages:"),
    })
    .unwrap_or_default()
}

/// The value of a line such as `VmHWM:    13624 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kib.checked_mul(1024)
}

/// Hands the content of a small file to `read`, or nothing where it cannot be opened.
fn with_file<T>(path: &CStr, read: impl FnOnce(&str) -> T) -> Option<T> {
    let mut buffer = [0_u8; FILE_ROOM];
    let mut filled = 0;
    // SAFETY: `path` is a C string, and the descriptor is closed below and nowhere else.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return None;
    }
    while filled < buffer.len() {
        let free = &mut buffer[filled..];
        // SAFETY: `free` is valid for writes of its length.
        match usize::try_from(unsafe { libc::read(file, free.as_mut_ptr().cast(), free.len()) }) {
            Ok(0) | Err(_) => break,
            Ok(bytes) => filled += bytes,
        }
    }
    // SAFETY: `file` was opened above.
    unsafe { libc::close(file) };
    // A file cut by the buffer could end inside a character; what comes before it is still good.
    let text = std::str::from_utf8(&buffer[..filled])
        .unwrap_or_else(|error| std::str::from_utf8(&buffer[..error.valid_up_to()]).unwrap_or_default());
    Some(read(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_by_its_whole_name() {
        let text = "VmHWM:\t   13624 kB\nRss:                1796 kB\nLazyFree:              0 kB\nShmem: huge\n";
        assert_eq!(field(text, "VmHWM:"), Some(13624 * 1024));
        assert_eq!(field(text, "Rss:"), Some(1796 * 1024));
        assert_eq!(field(text, "LazyFree:"), Some(0));
        assert_eq!(field(text, "AnonHugePages:"), None, "a field that the kernel lacks is absent, not 0");
        assert_eq!(field(text, "Shmem:"), None);
    }

    #[test]
    fn the_kernel_gives_memory_figures() {
        let resident = resident();
        assert!(resident.now.is_some_and(|bytes| bytes > 100_000), "{resident:?}");
        assert!(resident.peak >= resident.now.map(|now| now / 2), "{resident:?}");
        assert!(rollup().rss.is_some_and(|bytes| bytes > 100_000));
    }
}
