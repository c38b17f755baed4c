//! A library that replaces malloc, preloaded into a worker by the dynamic linker.
//!
//! ld.so only warns of a library that it cannot preload, and goes on with the C library's malloc. So whatever can be known
//! beforehand is looked at here, and the worker has to prove that the very file serves.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::Status;

/// A library as the dynamic linker is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Preload {
    /// Its path, from the root.
    path: String,
    /// Its folder, where the libraries that it needs may lie.
    folder: String,
}

impl Preload {
    /// A library to be preloaded into `program`. Fails with why it cannot be.
    pub(crate) fn of(library: &Path, program: &Path) -> Result<Self, Status> {
        let no = |why: String| {
            // The file's name and not its path: records are shared between machines.
            let name = library.file_name().unwrap_or(library.as_os_str()).to_string_lossy();
            Status::FailedToStart { detail: format!("cannot preload {name:?}: {why}") }
        };
        let header = Header::read(library).map_err(|error| no(error.to_string()))?;
        let header = header.ok_or_else(|| no("it is no shared library".into()))?;
        // A program that is a script has no architecture of its own; the proof has to do.
        if let Ok(Some(worker)) = Header::read(program)
            && !worker.is_of_the_same_kind_as(header)
        {
            return Err(no("it is built for another architecture than the worker".into()));
        }
        if !header.is_shared() {
            return Err(no("it is no shared library, but a program or an object file".into()));
        }
        // Its real name says more of its version than a link to it; but a link may be there for the sake of its path.
        let paths = [std::fs::canonicalize(library), std::path::absolute(library)];
        let told = paths.into_iter().flatten().find_map(|path| Some((legible(&path)?, legible(path.parent()?)?)));
        let (path, folder) = told.ok_or_else(|| {
            no("the dynamic linker splits paths at spaces and colons and replaces what follows a `$`: make a link to it \
                whose path has none of them"
                .into())
        })?;
        Ok(Self { path, folder })
    }

    /// What the dynamic linker is told, see ld.so(8).
    pub(crate) fn variables(&self) -> [(String, String); 2] {
        [("LD_PRELOAD".into(), self.path.clone()), ("LD_LIBRARY_PATH".into(), self.folder.clone())]
    }
}

/// The path as a text that the dynamic linker takes for a single path.
fn legible(path: &Path) -> Option<String> {
    path.to_str().filter(|text| !text.contains([' ', ':', ';', '$'])).map(str::to_owned)
}

/// The beginning of an ELF file, up to what says for which machine it is (elf(5)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header([u8; 20]);

impl Header {
    /// Reads it; nothing where the file does not begin so.
    fn read(path: &Path) -> std::io::Result<Option<Self>> {
        let mut header = [0; 20];
        match File::open(path)?.read_exact(&mut header) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
            Ok(()) => Ok(header.starts_with(b"\x7fELF").then_some(Self(header))),
        }
    }

    /// Word length, byte order and machine.
    fn is_of_the_same_kind_as(self, other: Self) -> bool {
        let kind = |Self(header): Self| [header[4], header[5], header[18], header[19]];
        kind(self) == kind(other)
    }

    /// `ET_DYN`, in either byte order.
    fn is_shared(self) -> bool {
        matches!(self.0[16..18], [3, 0] | [0, 3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that begins like a shared library for this machine, changed at one place.
    fn library(folder: &Path, name: &str, at: usize, byte: u8) -> std::path::PathBuf {
        let mut header = Header::read(&program()).unwrap().expect("this program is one").0;
        (header[16], header[17]) = (3, 0);
        header[at] = byte;
        let path = folder.join(name);
        std::fs::write(&path, header).unwrap();
        path
    }

    fn program() -> std::path::PathBuf {
        std::env::current_exe().unwrap()
    }

    #[test]
    fn a_library_is_preloaded_by_its_real_name_from_its_own_folder() {
        let folder = tempfile::tempdir().unwrap();
        let real = library(folder.path(), "libx.so.1.2", 0, 0x7f);
        let link = folder.path().join("libx.so");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let [preload, path] = Preload::of(&link, &program()).unwrap().variables();
        assert_eq!(preload.0, "LD_PRELOAD");
        assert!(preload.1.ends_with("/libx.so.1.2") && preload.1.starts_with('/'), "{preload:?}");
        assert_eq!((path.0.as_str(), Path::new(&path.1)), ("LD_LIBRARY_PATH", Path::new(&preload.1).parent().unwrap()));
    }

    #[test]
    fn a_path_that_would_be_split_needs_a_link() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a b.so", "a:b.so", "a;b.so", "$LIB.so"] {
            let real = library(folder.path(), name, 0, 0x7f);
            let status = Preload::of(&real, &program()).unwrap_err();
            assert!(status.detail().contains("make a link"), "{status}");
            let link = folder.path().join("link.so");
            std::os::unix::fs::symlink(&real, &link).unwrap();
            let [preload, _] = Preload::of(&link, &program()).unwrap().variables();
            assert!(preload.1.ends_with("/link.so"), "{preload:?}");
            std::fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn what_is_no_library_of_this_machine_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text.so");
        std::fs::write(&text, "not a library, but a text of some length").unwrap();
        let short = folder.path().join("short.so");
        std::fs::write(&short, "\x7fELF").unwrap();
        for (path, reason) in [
            (folder.path().join("gone.so"), "No such file"),
            (folder.path().to_owned(), "directory"),
            (text, "no shared library"),
            (short, "no shared library"),
            (library(folder.path(), "object.o", 16, 1), "an object file"),
            (library(folder.path(), "other.so", 18, 0xff), "another architecture"),
            (library(folder.path(), "short-words.so", 4, 9), "another architecture"),
        ] {
            let status = Preload::of(&path, &program()).unwrap_err();
            assert_eq!(status.label(), "failed to start");
            assert!(status.detail().contains(reason), "{}: {status}", path.display());
            let folder = folder.path().to_str().unwrap();
            assert!(!status.detail().contains(&format!("{folder}/")), "no path in {status}");
        }
    }
}
