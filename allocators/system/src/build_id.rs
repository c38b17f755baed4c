//! The build id of a loaded library: what the linker that made it wrote into it, to tell builds of one version apart.
#![expect(unsafe_code, reason = "dl_iterate_phdr calls back with pointers to what is loaded")]

use std::ffi::{c_int, c_void};
use std::fmt;

/// `NT_GNU_BUILD_ID` of elf.h.
const BUILD_ID: u32 = 3;

/// The longest id that is kept; usual are 20 bytes.
const ROOM: usize = 32;

/// An id, shown in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuildId {
    bytes: [u8; ROOM],
    length: usize,
}

impl BuildId {
    /// Of the library that this address lies in; nothing if it has none.
    pub(crate) fn at(address: *const c_void) -> Option<Self> {
        let mut search = Search { address: address.addr(), found: None };
        // SAFETY: the callback is handed `search`, which lives until the call returns and is used by nobody else meanwhile.
        unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
        search.found
    }

    /// The id among notes, each of three numbers, a name and a description, both padded to a multiple of `align`.
    fn among(mut notes: &[u8], align: usize) -> Option<Self> {
        // Notes of 64-bit files are padded to 4 all the same, unless their segment is aligned to 8 (the gABI and what became of it).
        let align = if align == 8 { 8 } else { 4 };
        loop {
            let number = |at: usize| notes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
            let (name_size, size, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
            let name = notes.get(12..12_usize.checked_add(name_size)?)?;
            let start = (12 + name_size).next_multiple_of(align);
            let end = start.checked_add(size)?;
            let description = notes.get(start..end)?;
            if kind == BUILD_ID && name == b"GNU\0" && (1..=ROOM).contains(&size) {
                let mut bytes = [0; ROOM];
                bytes[..size].copy_from_slice(description);
                return Some(Self { bytes, length: size });
            }
            notes = notes.get(end.next_multiple_of(align)..)?;
        }
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes[..self.length].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

struct Search {
    address: usize,
    found: Option<BuildId>,
}

/// What the dynamic linker calls with each object that is loaded. Anything but 0 ends the search.
unsafe extern "C" fn look_at(object: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the linker passes on the pointer that it was given in `at`, which is to a live `Search`.
    let search = unsafe { &mut *search.cast::<Search>() };
    // SAFETY: the linker passes an object that is valid during the call.
    let object = unsafe { &*object };
    if object.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the linker's own table of the object's segments, with the number of them.
    let segments = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    let base = usize::try_from(object.dlpi_addr).unwrap_or_default();
    let size = |bytes| usize::try_from(bytes).unwrap_or_default();
    let start = |address| base.wrapping_add(size(address));
    let mut loaded = segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD);
    if !loaded.any(|segment| search.address.wrapping_sub(start(segment.p_vaddr)) < size(segment.p_memsz)) {
        return 0;
    }
    for segment in segments.iter().filter(|segment| segment.p_type == libc::PT_NOTE) {
        let notes = std::ptr::with_exposed_provenance::<u8>(start(segment.p_vaddr));
        // SAFETY: notes are a part of a segment that the linker has mapped for reading, and stay as they are while the object is
        // loaded, which this program's objects always are.
        let notes = unsafe { std::slice::from_raw_parts(notes, size(segment.p_filesz)) };
        search.found = search.found.or(BuildId::among(notes, size(segment.p_align)));
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &[u8], kind: u32, description: &[u8], align: usize) -> Vec<u8> {
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_ne_bytes();
        let mut note = [size(name), size(description), kind.to_ne_bytes()].concat();
        note.extend(name);
        note.resize(note.len().next_multiple_of(align), 0);
        note.extend(description);
        note.resize(note.len().next_multiple_of(align), 0);
        note
    }

    #[test]
    fn the_id_is_found_among_other_notes() {
        for align in [4, 8] {
            let notes = [
                note(b"GNU\0", 5, &[9; 16], align),
                note(b"stapsdt\0", BUILD_ID, &[8; 5], align),
                note(b"GNU\0", BUILD_ID, &[0x0a, 0xbc, 0x01], align),
            ];
            let found = BuildId::among(&notes.concat(), align).map(|id| id.to_string());
            assert_eq!(found.as_deref(), Some("0abc01"));
        }
    }

    #[test]
    fn what_is_cut_or_too_long_is_none() {
        let whole = note(b"GNU\0", BUILD_ID, &[1; 20], 4);
        assert!(BuildId::among(&whole, 4).is_some());
        for end in 0..whole.len() {
            assert_eq!(BuildId::among(&whole[..end], 4), None);
        }
        assert_eq!(BuildId::among(&note(b"GNU\0", BUILD_ID, &[1; ROOM + 1], 4), 4), None);
        assert_eq!(BuildId::among(&[0xff; 64], 4), None);
    }

    #[test]
    fn an_address_in_no_library_has_none() {
        assert_eq!(BuildId::at(std::ptr::null()), None);
    }
}
