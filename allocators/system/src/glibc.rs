//! What glibc and its dynamic linker say of malloc.
#![expect(
    unsafe_code,
    reason = "dladdr, dlopen, dlsym, mallinfo, malloc_trim and gnu_get_libc_version have no safe wrapper"
)]

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// glibc's version, such as `2.36`.
pub(crate) fn version() -> &'static str {
    // SAFETY: the function takes nothing and returns a static C string.
    unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) }.to_str().unwrap_or("?")
}

/// What glibc's own malloc counts, whoever serves the program.
///
/// By `mallinfo` and not `mallinfo2`, which glibc has only since 2.33 and would keep the worker from starting on older systems.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter(unsafe extern "C" fn() -> libc::mallinfo);

impl Counter {
    /// glibc's own; nothing where it cannot be found. A library that replaces malloc may bring a `mallinfo` too, which says
    /// nothing of glibc.
    pub(crate) fn of_glibc() -> Option<Self> {
        let glibc = Object::of_libc()?;
        let bound = libc::mallinfo as unsafe extern "C" fn() -> libc::mallinfo;
        if Object::of(bound as *const c_void) == Some(glibc) {
            return Some(Self(bound));
        }
        // SAFETY: the path is a C string. With RTLD_NOLOAD only a library is found that is there already, so none is initialised.
        let handle = unsafe { libc::dlopen(glibc.path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return None;
        }
        // SAFETY: a handle that dlopen gave, and a C string.
        let found = unsafe { libc::dlsym(handle, c"mallinfo".as_ptr()) };
        if Object::of(found) != Some(glibc) {
            return None;
        }
        // SAFETY: the symbol of this name in glibc is the function that its headers declare, and not null, since it lies in
        // glibc.
        Some(Self(unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> libc::mallinfo>(found) }))
    }

    /// Reads the counts.
    pub(crate) fn read(self) -> Counts {
        // SAFETY: the function takes nothing and returns numbers; it takes the locks it needs.
        let info = unsafe { (self.0)() };
        Counts {
            arenas: info.arena.cast_unsigned(),
            used: info.uordblks.cast_unsigned(),
            mapped: info.hblkhd.cast_unsigned(),
            free: info.fordblks.cast_unsigned(),
        }
    }

    /// Bytes that are in use, modulo 2^32: only differences are of use.
    pub(crate) fn in_use(self) -> u32 {
        let counts = self.read();
        counts.used.wrapping_add(counts.mapped)
    }

    /// Whether glibc's malloc has no heap at all: everything in the mapping `[heap]` is then somebody else's.
    pub(crate) fn has_no_heap(self) -> bool {
        self.read().arenas == 0
    }
}

/// What glibc counts over all its arenas, in bytes modulo 2^32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// Taken from the kernel, but for blocks that are mappings of their own.
    pub(crate) arenas: u32,
    /// In blocks in use, or in the caches of threads, but for blocks that are mappings of their own.
    pub(crate) used: u32,
    /// In blocks that are mappings of their own.
    pub(crate) mapped: u32,
    /// Free, and kept.
    pub(crate) free: u32,
}

/// Gives whole free pages of all arenas back to the kernel, see `malloc_trim(3)`.
pub(crate) fn trim() {
    // SAFETY: the function takes a number and the locks it needs; live blocks stay where they are.
    unsafe { libc::malloc_trim(0) };
}

/// The functions that `std::alloc::System` calls on Unix, malloc first, as this program is bound to them.
///
/// Not what `dlsym` finds: that passes over symbols of a version that is not the default, to which a program may be bound.
pub(crate) fn malloc_functions() -> [*const c_void; 5] {
    [
        libc::malloc as *const c_void,
        libc::calloc as *const c_void,
        libc::realloc as *const c_void,
        libc::free as *const c_void,
        libc::posix_memalign as *const c_void,
    ]
}

/// What `malloc_usable_size` says of a block of so many bytes from malloc, if it comes from the same object as malloc; asked of
/// another, it could do anything.
pub(crate) fn usable_size(size: usize) -> Option<usize> {
    type UsableSize = unsafe extern "C" fn(*mut c_void) -> usize;
    // SAFETY: RTLD_DEFAULT is a handle, the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc_usable_size".as_ptr()) };
    let [malloc, .., free, _] = malloc_functions().map(Object::of);
    if malloc.is_none() || Object::of(found) != malloc || free != malloc {
        return None;
    }
    // SAFETY: a symbol of this name beside malloc is the function that `<malloc.h>` declares; it is not null, since it lies in
    // that object.
    let usable_size = unsafe { std::mem::transmute::<*mut c_void, UsableSize>(found) };
    // SAFETY: malloc takes a number, and the block is asked about and freed by functions of the same object.
    unsafe {
        let block = libc::malloc(size);
        let usable = (!block.is_null()).then(|| usable_size(block));
        libc::free(block);
        usable
    }
}

/// A library or program that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// Where it lies, by which it is told from others.
    base: usize,
    /// Its path as the dynamic linker knows it.
    path: &'static CStr,
}

impl Object {
    /// The one that an address lies in.
    pub(crate) fn of(address: *const c_void) -> Option<Self> {
        let mut info = libc::Dl_info {
            dli_fname: std::ptr::null(),
            dli_fbase: std::ptr::null_mut(),
            dli_sname: std::ptr::null(),
            dli_saddr: std::ptr::null_mut(),
        };
        // SAFETY: `info` is valid for writes, and any address may be asked for.
        if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the linker's name of an object that stays loaded, since this program never unloads one.
        let path = unsafe { CStr::from_ptr(info.dli_fname) };
        Some(Self { base: info.dli_fbase.addr(), path })
    }

    /// The C library.
    pub(crate) fn of_libc() -> Option<Self> {
        Self::of(libc::gnu_get_libc_version as *const c_void)
    }

    /// Its file's name.
    pub(crate) fn name(self) -> &'static str {
        self.path.to_str().ok().and_then(|path| path.rsplit('/').next()).unwrap_or("?")
    }

    /// Which file it is, whatever it is called.
    pub(crate) fn file(self) -> Option<FileId> {
        FileId::of(Path::new(OsStr::from_bytes(self.path.to_bytes())))
    }
}

/// What tells a file from all others: its device and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Of the file that a path leads to.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let file = std::fs::metadata(path).ok()?;
        Some(Self(file.dev(), file.ino()))
    }
}
