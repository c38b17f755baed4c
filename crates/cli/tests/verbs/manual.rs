//! `heapmark completions` and `heapmark man`

use crate::{printed, reason};

const VERBS: [&str; 13] =
    ["list", "new", "build", "run", "cmp", "rank", "report", "verify", "load", "serve", "doctor", "completions", "man"];

#[test]
fn every_shell_completes_every_verb() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        for verb in VERBS {
            assert!(script.contains(verb), "{shell}: {verb}");
        }
        assert!(script.contains("dirty") || script.contains("weigh"), "{shell} has options");
    }
}

#[test]
fn a_page_has_options_and_exit_codes() {
    let page = printed(&["man"]);
    assert!(page.contains(".SH \"EXIT STATUS\"") && page.contains("\\fB5\\fR"), "{page}");
    for verb in VERBS {
        assert!(page.contains(&format!("heapmark\\-{verb}(1)")), "{verb}");
        let page = printed(&["man", verb]);
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH \"EXIT STATUS\""), "{verb}");
    }
    assert!(printed(&["man", "run"]).contains("\\-\\-budget"));
    assert!(reason(&["man", "frobnicate"], 2).contains("doctor"));
}

#[test]
fn a_folder_gets_a_file_for_each_verb() {
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().join("share/man1");
    assert_eq!(printed(&["man", "--dir", into.to_str().expect("UTF-8")]), "");
    let mut files: Vec<String> = std::fs::read_dir(&into)
        .expect("the folder is made")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    files.sort();
    let mut expected: Vec<String> = VERBS.iter().map(|verb| format!("heapmark-{verb}.1")).collect();
    expected.push("heapmark.1".into());
    expected.sort();
    assert_eq!(files, expected);
    let page = std::fs::read_to_string(into.join("heapmark-run.1")).expect("the page is there");
    assert_eq!(page, printed(&["man", "run"]));
}
