//! `heapmark new`

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use heapmark::{Error, Workspace};

use crate::exit::Exit;
use crate::print::Output;
use crate::values::crate_name;

#[derive(Debug, Args)]
pub(crate) struct New {
    /// What to begin
    #[arg(value_enum, value_name = "WHAT")]
    pub(crate) what: What,
    /// What it is called, and its crate
    #[arg(value_name = "NAME", value_parser = crate_name)]
    pub(crate) name: String,
    /// The folder to make [default: NAME in the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
    /// The heapmark checkout that the crate takes its libraries from [default: the one around the current folder, else the one
    /// that this program was built from]
    #[arg(long, value_name = "DIR")]
    pub(crate) heapmark: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// An allocator, as a worker that does the standard workloads
    Allocator,
    /// A workload, with workers on two allocators
    Workload,
}

/// A crate that compiles as it is, under a name that is replaced.
struct Template {
    /// The name in its files; with `_` for `-` too.
    name: &'static str,
    /// Path and content of each file.
    files: &'static [(&'static str, &'static str)],
}

/// The files of a template.
macro_rules! files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../templates/", $folder, "/", $path)))),+]
    };
}

const ALLOCATOR: Template = Template {
    name: "my-allocator",
    files: files!("allocator": "Cargo.toml", ".gitignore", "README.md", "src/main.rs", "src/allocator.rs", "src/identity.rs"),
};

const WORKLOAD: Template = Template {
    name: "my-workload",
    files: files!("workload": "Cargo.toml", ".gitignore", "README.md", "src/lib.rs", "src/bin/mimalloc.rs", "src/bin/system.rs"),
};

/// The path from a template to the root of the checkout, as it stands in its manifest; and to the crates there.
const ROOT: &str = "../../../../";
const CRATES: &str = "../../../";

/// Makes the crate and says what to type next.
pub(crate) fn new(arguments: &New, output: &Output) -> Result<Exit, Error> {
    let New { what, name, .. } = arguments;
    let template = match what {
        What::Allocator => ALLOCATOR,
        What::Workload => WORKLOAD,
    };
    let checkout = checkout(arguments.heapmark.as_deref())?;
    if *what == What::Allocator && checkout.backends()?.iter().any(|backend| backend.name == *name) {
        return Err(Error::Usage(format!("{name:?} is the name of a standard allocator; choose another")));
    }
    let folder = arguments.path.clone().unwrap_or_else(|| name.into());
    make(&folder, &template.rendered(name, checkout.root())?, checkout.root())?;
    output.line(next_steps(*what, name, &folder))?;
    Ok(Exit::Pass)
}

/// The checkout whose libraries the crate takes. They are not published, so there must be one.
fn checkout(given: Option<&Path>) -> Result<Workspace, Error> {
    let found = match given {
        None => Workspace::find().ok_or_else(|| "there is no heapmark checkout around the current folder".to_owned()),
        Some(path) => {
            let is_root = |checkout: &Workspace| path.canonicalize().is_ok_and(|path| path == checkout.root());
            let around = path.canonicalize().ok().and_then(|path| Workspace::around(&path)).filter(is_root);
            around.ok_or_else(|| format!("{} is no heapmark checkout", path.display()))
        }
    };
    found.map_err(|why| {
        Error::Usage(format!("{why}, where the crate has its libraries from; give one by --heapmark DIR"))
    })
}

impl Template {
    /// Path and content of each file under this name, with the libraries of this checkout.
    fn rendered(&self, name: &str, checkout: &Path) -> Result<Vec<(&'static str, String)>, Error> {
        let path = checkout.to_str().filter(|path| !path.contains(char::is_control)).ok_or_else(|| {
            Error::Usage(format!("{}: a manifest cannot name this folder; move the checkout", checkout.display()))
        })?;
        let root = format!("{}/", path.replace('\\', "\\\\").replace('"', "\\\""));
        let render = |content: &str| {
            let content = content.replace(ROOT, &root).replace(CRATES, &format!("{root}crates/"));
            content.replace(self.name, name).replace(&self.name.replace('-', "_"), &name.replace('-', "_"))
        };
        Ok(self.files.iter().map(|(path, content)| (*path, render(content))).collect())
    }
}

/// Writes the crate whole or not at all. A folder that has something in it is left alone.
///
/// The lockfile is that of the checkout, so that the libraries have the same versions here as there; Cargo takes out what
/// is not needed.
fn make(folder: &Path, files: &[(&str, String)], checkout: &Path) -> Result<(), Error> {
    let file = |action, path: &Path| {
        let path = path.to_owned();
        move |source| Error::File { action, path, source }
    };
    let taken = |path: &Path| Error::Usage(format!("{} is there already; give another --path", path.display()));
    if std::fs::read_dir(folder).map_or_else(|_| folder.exists(), |mut entries| entries.next().is_some()) {
        return Err(taken(folder));
    }
    let parent = folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(file("cannot create the folder", parent))?;
    let inside = parent.canonicalize().is_ok_and(|parent| parent.starts_with(checkout));
    if inside {
        let hint =
            "give a --path outside of it; for a crate inside, see allocators/README.md and examples/own-workload";
        return Err(Error::Usage(format!("{} lies in the heapmark checkout; {hint}", folder.display())));
    }
    let scratch = tempfile::tempdir_in(parent).map_err(file("cannot write in", parent))?;
    // One more folder, since that of the library is closed to others.
    let fresh = scratch.path().join("crate");
    for (path, content) in files {
        let path = fresh.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&fresh)).map_err(file("cannot create a folder for", &path))?;
        std::fs::write(&path, content).map_err(file("cannot write", &path))?;
    }
    match std::fs::copy(checkout.join("Cargo.lock"), fresh.join("Cargo.lock")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(file("cannot copy", &checkout.join("Cargo.lock"))(error));
        }
        _ => {}
    }
    std::fs::rename(&fresh, folder).map_err(|error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => taken(folder),
        _ => file("cannot create", folder)(error),
    })
}

fn next_steps(what: What, name: &str, folder: &Path) -> String {
    let folder = folder.display();
    match what {
        What::Allocator => format!(
            "{folder}: an allocator in src/allocator.rs, and what it says of itself in src/identity.rs\n\n  \
             cd {folder}\n  cargo test --release\n  heapmark verify -a {name}\n  heapmark run -w graph/tree -a {name}"
        ),
        What::Workload => format!(
            "{folder}: a workload in src/lib.rs, and workers on system and mimalloc in src/bin\n\n  \
             cd {folder}\n  cargo test --release\n  heapmark list own/{name}\n  heapmark run"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_template_is_left() {
        for template in [ALLOCATOR, WORKLOAD] {
            let files = template.rendered("some-name", Path::new("/a \"checkout\"")).expect("a manifest can name it");
            for (path, content) in &files {
                for left in [template.name, &template.name.replace('-', "_"), CRATES] {
                    assert!(!content.contains(left), "{left} in {path}");
                }
            }
            let manifest = &files[0].1;
            assert!(manifest.contains("name = \"some-name\"") && manifest.contains("[workspace]"), "{manifest}");
            assert!(manifest.contains("path = \"/a \\\"checkout\\\"/crates/worker\""), "{manifest}");
        }
        let control = ALLOCATOR.rendered("some-name", Path::new("/a\nb"));
        assert!(control.is_err(), "a manifest has no such lines");
    }

    #[test]
    fn what_is_there_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let files = [("a/b", "text".to_owned())];
        let nowhere = Path::new("/no/such/checkout");
        let path = folder.path().join("below/crate");
        make(&path, &files, nowhere).expect("there is nothing yet");
        assert_eq!(std::fs::read_to_string(path.join("a/b")).expect("it was written"), "text");
        let again = make(&path, &files, nowhere).expect_err("it is there").to_string();
        assert!(again.contains("is there already"), "{again}");
        let file = make(&path.join("a/b"), &files, nowhere).expect_err("a file is there").to_string();
        assert!(file.contains("is there already"), "{file}");
        let inside = make(&path.join("new"), &files, folder.path()).expect_err("it lies inside").to_string();
        assert!(inside.contains("lies in the heapmark checkout"), "{inside}");
        assert_eq!(std::fs::read_dir(&path).expect("it is there").count(), 1, "nothing else was left behind");
    }
}
