//! heapmark reads criterion's command line too, so it has to know which options take a value: an unknown one would make a
//! filter of its value. Criterion lists its options in its help.
//!
//! Without the test harness, since it is this program's own command line that criterion reads.

use std::process::Command;

use criterion::Criterion;
use heapmark_criterion::Arguments;

fn main() {
    if std::env::args().any(|argument| argument == "--help") {
        // Prints the help and exits.
        drop(Criterion::default().configure_from_args());
    }
    let program = std::env::current_exe().expect("the system knows this program");
    let output = Command::new(program).arg("--help").output().expect("this program can be started");
    let help = String::from_utf8(output.stdout).expect("criterion's help is text");
    let (mut with_value, mut flags) = (0, 0);
    for line in help.lines() {
        // `-n, --noplot` or `--color <color>`; what follows is explained further right or on the next line.
        let words = line.split_whitespace().skip_while(|word| word.starts_with('-') && word.ends_with(','));
        let words: Vec<&str> = words.take(2).collect();
        let Some(option) = words.first().filter(|word| word.starts_with("--")) else { continue };
        let takes_value = words.get(1).is_some_and(|word| word.starts_with('<'));
        let arguments = Arguments::read(["--bench", option, "word"].map(Into::into)).expect("the filter is a pattern");
        assert_eq!(arguments.is_filtered(), !takes_value, "{option}: {line}");
        *(if takes_value { &mut with_value } else { &mut flags }) += 1;
    }
    assert!(with_value >= 10 && flags >= 5, "the help has changed: {with_value} and {flags} options are found\n{help}");
}
