//! Backends apart from their workspace: each is built by itself, and one that cannot be built hurts no other.

use std::path::Path;

use heapmark::Workspace;

fn write(folder: &Path, file: &str, content: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
    std::fs::write(path, content).expect("the file can be written");
}

/// A package with these programs, and a lockfile for this version of it.
fn package(folder: &Path, name: &str, programs: &[(&str, &str)], locked: &str) {
    let manifest = "[package]\nname = \"NAME\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    write(folder, "Cargo.toml", &manifest.replace("NAME", name));
    write(folder, "Cargo.lock", &format!("version = 4\n[[package]]\nname = \"{name}\"\nversion = \"{locked}\"\n"));
    for (program, code) in programs {
        write(folder, &format!("src/bin/heapmark-worker-{program}.rs"), code);
    }
}

#[test]
fn what_cannot_be_built_is_a_row_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    // As Cargo names it, without symbolic links on the way.
    let root = folder.path().canonicalize().expect("it is there");
    let table = "[workspace.metadata.heapmark]\nworkers = \"allocators\"\napart = \"apart\"\n";
    let workspace =
        format!("[workspace]\nmembers = [\"allocators/*\"]\nexclude = [\"apart\"]\nresolver = \"3\"\n{table}");
    write(&root, "Cargo.toml", &workspace);
    let ours = "[package]\nname = \"ours\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    write(&root, "allocators/ours/Cargo.toml", ours);
    write(&root, "allocators/ours/src/bin/heapmark-worker-ours.rs", "fn main() {}");
    let apart = root.join("apart");
    let sound = "fn main() {}";
    package(&apart.join("c-two"), "two", &[("two", sound), ("two-more", sound)], "0.1.0");
    package(&apart.join("a-wrong-code"), "wrong-code", &[("wrong-code", "fn main() { no such thing }")], "0.1.0");
    package(&apart.join("b-stale-lockfile"), "stale-lockfile", &[("stale-lockfile", sound)], "0.0.9");
    package(&apart.join("d-no-worker"), "no-worker", &[], "0.1.0");
    write(&apart, "d-no-worker/src/lib.rs", "");
    write(&apart, "e-wrong-manifest/Cargo.toml", "[package\n");
    write(&apart, "no-package/README.md", "nothing here");

    let workspace = Workspace::at(&root);
    let backends = workspace.backends().expect("the workspace is sound");
    let expected = [
        ("ours", false),
        ("wrong-code", true),
        ("stale-lockfile", true),
        ("two", true),
        ("two-more", true),
        ("d-no-worker", true),
        ("e-wrong-manifest", true),
    ];
    let names: Vec<_> = backends.iter().map(|backend| (backend.name.as_str(), backend.apart)).collect();
    assert_eq!(names, expected);
    assert!(backends.iter().all(|backend| backend.opt_in == backend.apart), "who lies apart must be named");

    let workers = workspace.build(|_| true).expect("Cargo runs");
    assert_eq!(workers.iter().map(|worker| worker.name.as_str()).collect::<Vec<_>>(), expected.map(|(name, _)| name));
    for worker in workers {
        match worker.name.as_str() {
            "ours" | "two" | "two-more" => {
                let program = worker.program.expect("it can be built");
                assert!(program.is_file(), "{}", program.display());
                // All are built into one folder, where what they have in common is built once.
                assert_eq!(program.parent(), Some(workspace.target_folder().unwrap().join("release").as_path()));
            }
            name => {
                let reason = worker.program.expect_err("it cannot be built");
                let part = match name {
                    "wrong-code" => "in apart/a-wrong-code",
                    "stale-lockfile" => "--locked",
                    "d-no-worker" => "no program heapmark-worker-NAME",
                    _ => "apart/e-wrong-manifest",
                };
                assert!(reason.contains(part), "{name}: {reason}");
                assert!(!reason.contains(root.to_str().expect("UTF-8")), "{name} tells where it was built: {reason}");
            }
        }
    }
    assert!(!apart.join("c-two/target").exists());
}
