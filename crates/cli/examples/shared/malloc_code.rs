//! Where in a glibc the code of malloc lies.
//!
//! Most of it is static functions (`_int_malloc`, `_int_free`, `unlink_chunk`, …), whose names are not in a stripped
//! library. But all of malloc is one object file, `malloc.o` (`malloc/malloc.c` includes `arena.c` and `morecore.c`), and a
//! linker lays the code of an object file out in one piece. So it lies between the nearest exported functions around it
//! that belong to others.

use std::ops::Range;
use std::path::Path;

use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

/// Exported functions of `malloc.o` that every glibc has. Those with other names for the same code are found by address.
const OWN: [&str; 16] = [
    "aligned_alloc",
    "calloc",
    "free",
    "mallinfo",
    "malloc",
    "malloc_info",
    "malloc_stats",
    "malloc_trim",
    "malloc_usable_size",
    "mallopt",
    "memalign",
    "posix_memalign",
    "pvalloc",
    "realloc",
    "valloc",
    "__libc_malloc",
];

/// Exported by some versions.
const OWN_IN_SOME: [&str; 4] = ["__default_morecore", "__malloc_hugepage_config", "mallinfo2", "malloc_get_state"];

/// More than malloc ever had: if the neighbours are further apart, the library is laid out in another way.
const LARGEST: u64 = 128 << 10;

/// A function's name and addresses.
type Function<'a> = (&'a str, Range<u64>);

/// The offsets in the file `library` between which malloc's code lies. Fails if it is no glibc, or an unusual one.
pub(crate) fn malloc_code(library: &Path) -> Result<Range<u64>, String> {
    let name = library.display();
    let data = std::fs::read(library).map_err(|error| format!("cannot read {name}: {error}"))?;
    let file = object::File::parse(&*data).map_err(|error| format!("cannot understand {name}: {error}"))?;
    let functions: Vec<Function<'_>> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
        .filter_map(|symbol| Some((symbol.name().ok()?, symbol.address()..symbol.address() + symbol.size())))
        .collect();
    let addresses = between_neighbours(&functions).map_err(|reason| format!("{name}: {reason}"))?;
    let segment = file
        .segments()
        .find(|segment| segment.address() <= addresses.start && addresses.end <= segment.address() + segment.size());
    let segment = segment.ok_or_else(|| format!("{name}: malloc is in no segment"))?;
    let offset = |address: u64| address - segment.address() + segment.file_range().0;
    Ok(offset(addresses.start)..offset(addresses.end))
}

fn between_neighbours(functions: &[Function<'_>]) -> Result<Range<u64>, String> {
    let at = |name: &str| functions.iter().find(|function| function.0 == name).map(|function| function.1.start);
    let missing: Vec<&str> = OWN.into_iter().filter(|name| at(name).is_none()).collect();
    if !missing.is_empty() {
        return Err(format!("this is not glibc as it is known, it has no {}", missing.join(", ")));
    }
    let own: Vec<u64> = OWN.into_iter().chain(OWN_IN_SOME).filter_map(at).collect();
    let (first, last) = (own.iter().min().copied().unwrap_or(0), own.iter().max().copied().unwrap_or(0));
    let others = || functions.iter().filter(|function| !own.contains(&function.1.start));
    let start = others().filter(|function| function.1.start < first).map(|function| function.1.end).max();
    let end = others().filter(|function| function.1.start > last).map(|function| function.1.start).min();
    match (start, end) {
        (Some(start), Some(end)) if start <= first && end - start <= LARGEST => Ok(start..end),
        _ => Err("malloc's code is not in one piece between its neighbours".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(spacing: u64) -> Vec<Function<'static>> {
        let own = OWN.into_iter().zip(1..).map(|(name, i)| (name, 0x1000 + i * spacing..0x1000 + i * spacing + 8));
        let mut functions: Vec<Function<'_>> = own.collect();
        // Another name of the first, and those around.
        functions.push(("cfree", functions[0].1.clone()));
        functions.push(("before", 0xff0..0x1000));
        functions.push(("long before", 0x10..0x20));
        functions.push(("after", 0x1000 + 20 * spacing..0x1000 + 21 * spacing));
        functions.push(("long after", 0x1000_0000..0x1000_0010));
        functions
    }

    #[test]
    fn the_neighbours_bound_it_and_aliases_do_not() {
        assert_eq!(between_neighbours(&library(0x10)), Ok(0x1000..0x1140));
    }

    #[test]
    fn another_library_or_layout_is_refused() {
        assert!(between_neighbours(&library(0x10)[1..]).unwrap_err().contains("aligned_alloc"));
        assert!(between_neighbours(&library(LARGEST)).unwrap_err().contains("one piece"));
    }

    #[test]
    fn this_machine_s_own_library_has_malloc_and_not_memcpy_in_it() {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let Some(libc) =
            maps.lines().find_map(|line| line.split_once('/').filter(|(_, path)| path.ends_with("/libc.so.6")))
        else {
            return;
        };
        let path = format!("/{}", libc.1);
        let code = malloc_code(Path::new(&path)).unwrap();
        let data = std::fs::read(&path).unwrap();
        let file = object::File::parse(&*data).unwrap();
        let offset_of = |name: &str| {
            let symbol = file.dynamic_symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
            let segment = file
                .segments()
                .find(|segment| (segment.address()..segment.address() + segment.size()).contains(&symbol.address()));
            let segment = segment.unwrap();
            symbol.address() - segment.address() + segment.file_range().0
        };
        for name in ["malloc", "cfree", "malloc_info", "malloc_trim"] {
            assert!(code.contains(&offset_of(name)), "{name}");
        }
        for name in ["memcpy", "qsort", "fopen", "reallocarray", "mcheck"] {
            assert!(!code.contains(&offset_of(name)), "{name}");
        }
    }
}
