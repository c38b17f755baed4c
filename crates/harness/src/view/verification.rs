//! What a verification says: a table of checks and contenders, and below it everything that is not simply passed.

use std::fmt::Write;

use super::columns::{Cell, Columns, Screen, Tone, wrapped};
use super::table::{Style, escaped, grid, render};
use crate::verify::{Checked, Examined, Soundness, State};

/// The table on a terminal. Where there are more contenders than fit beside each other, they are in several tables.
pub fn soundness(soundness: &Soundness, screen: &Screen) -> String {
    let mut lines = Vec::new();
    let examined: Vec<&Examined> = soundness.contenders.iter().filter(|contender| contender.status.is_ok()).collect();
    let mut rest = examined.as_slice();
    while !rest.is_empty() && !soundness.checks.is_empty() {
        let fits = |count: &usize| screen.fits(columns(soundness, &rest[..*count]).width());
        let count = (1..=rest.len()).rev().find(fits).unwrap_or(1);
        lines.extend(columns(soundness, &rest[..count]).lines(screen));
        lines.push(String::new());
        rest = &rest[count..];
    }
    for note in notes(soundness) {
        lines.extend(wrapped(&note, 0, screen));
    }
    lines.extend(wrapped(&summary(soundness), 0, screen));
    lines.join("\n")
}

/// The table and its notes for a document.
pub fn soundness_markdown(soundness: &Soundness) -> String {
    let mut table = grid(Style::Markdown);
    let examined = || soundness.contenders.iter().filter(|contender| contender.status.is_ok());
    table.set_header(std::iter::once("check".to_owned()).chain(examined().map(|one| escaped(&one.name))));
    for check in &soundness.checks {
        let cells = examined().map(|contender| label(contender.result(&check.name)).to_owned());
        table.add_row(std::iter::once(format!("`{}`: {}", check.name, escaped(&check.summary))).chain(cells));
    }
    let mut text = render(&table);
    text.push('\n');
    // Writing to a string cannot fail.
    for note in notes(soundness) {
        let _ = write!(text, "\n- {}", in_document(&note));
    }
    let _ = write!(text, "\n\n{}", summary(soundness));
    text
}

/// Everything that failed, then what is a known limit, skipped, or a limit that was not seen.
fn notes(soundness: &Soundness) -> Vec<String> {
    let cannot = soundness.contenders.iter().filter(|contender| !contender.status.is_ok());
    let mut notes: Vec<String> =
        cannot.map(|contender| format!("{}: cannot be examined: {}", contender.name, contender.status)).collect();
    let of = |wanted: &dyn Fn(&Checked) -> bool| -> Vec<String> {
        let of_one = |contender: &Examined| -> Vec<String> {
            let wanted = contender.results.iter().filter(|result| wanted(result));
            wanted.map(|result| format!("{}: {result}", contender.name)).collect()
        };
        soundness.contenders.iter().flat_map(of_one).collect()
    };
    notes.extend(of(&|result| result.state == State::Fail));
    notes.extend(of(&|result| result.state == State::KnownLimit));
    notes.extend(of(&|result| result.state == State::Skipped));
    notes.extend(of(&Checked::limit_not_seen));
    notes
}

/// How many checks came to what.
fn summary(soundness: &Soundness) -> String {
    let results = || soundness.contenders.iter().flat_map(|contender| &contender.results);
    let count = |state| results().filter(|result| result.state == state).count();
    let states = [State::Fail, State::KnownLimit, State::Skipped].map(|state| (state, count(state)));
    let mut parts = vec![format!("{} of {} passed", count(State::Pass), results().count())];
    parts.extend(states.iter().filter(|(_, count)| *count > 0).map(|(state, count)| match state {
        State::Fail => format!("{count} failed"),
        State::KnownLimit => format!("{count} known limits"),
        _ => format!("{count} skipped"),
    }));
    let broken = soundness.contenders.iter().filter(|contender| !contender.status.is_ok()).count();
    if broken > 0 {
        parts.push(format!("{broken} contenders could not be examined"));
    }
    format!("Checks: {}.", parts.join(", "))
}

fn columns(soundness: &Soundness, contenders: &[&Examined]) -> Columns {
    let mut columns = Columns::default();
    let heading = |text: &str| Cell::left(text).in_tone(Tone::Heading);
    columns.push(std::iter::once("check").chain(contenders.iter().map(|one| one.name.as_str())).map(heading).collect());
    for check in &soundness.checks {
        let cells = contenders.iter().map(|contender| {
            let result = contender.result(&check.name);
            Cell::left(label(result)).in_tone(tone(result))
        });
        columns.push(std::iter::once(Cell::left(&check.name)).chain(cells).collect());
    }
    columns
}

/// The state in the table; a dash where a contender does not have the check.
fn label(result: Option<&Checked>) -> &'static str {
    match result.map(|result| result.state) {
        None => "–",
        Some(State::KnownLimit) => "limit",
        Some(state) => state.word(),
    }
}

fn tone(result: Option<&Checked>) -> Tone {
    match result.map(|result| result.state) {
        Some(State::Pass) => Tone::Good,
        Some(State::KnownLimit) => Tone::Doubtful,
        Some(State::Fail) => Tone::Failed,
        Some(State::Skipped) | None => Tone::Plain,
    }
}

/// Text that an allocator printed, or that came from elsewhere, as plain text in Markdown.
fn in_document(text: &str) -> String {
    let escape = |letter: char| if "\\`*_<>[]|#".contains(letter) { format!("\\{letter}") } else { letter.to_string() };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::verify::{CheckInfo, Finding};

    fn result(check: &str, state: State) -> Checked {
        let finding = (state >= State::KnownLimit).then_some(Finding::Refused);
        let limit = (state == State::KnownLimit).then(|| "by design".to_owned());
        Checked { check: check.into(), state, finding, detail: "3 of <8>".into(), limit, runs: 1, seen: 1 }
    }

    fn example() -> Soundness {
        let check = |name: &str| CheckInfo { name: name.into(), summary: format!("does {name}") };
        let one = |name: &str, status, results| Examined { name: name.into(), status, version: None, results };
        Soundness {
            checks: vec![check("align/page"), check("fork")],
            contenders: vec![
                one("good", Status::Ok, vec![result("align/page", State::Pass), result("fork", State::Skipped)]),
                one("limited", Status::Ok, vec![result("align/page", State::KnownLimit)]),
                one("bad", Status::Ok, vec![result("align/page", State::Pass), result("fork", State::Fail)]),
                one("old", Status::Refused { detail: "no checks".into() }, vec![]),
            ],
        }
    }

    #[test]
    fn a_table_has_a_row_for_each_check_and_notes_for_what_is_not_passed() {
        let shown = soundness(&example(), &Screen::default());
        let expected = "  check       good     limited  bad
  align/page  pass     limit    pass
  fork        skipped  –        FAIL

old: cannot be examined: refused: no checks
bad: fork: FAIL: refused: 3 of <8>
limited: align/page: known limit: refused: 3 of <8> (by design)
good: fork: skipped: 3 of <8>
Checks: 2 of 5 passed, 1 failed, 1 known limits, 1 skipped, 1 contenders could not be examined.";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_narrow_screen_has_several_tables_with_everyone_in_them() {
        let shown = soundness(&example(), &Screen { width: Some(24), colour: false });
        assert_eq!(shown.matches("  check").count(), 3, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 24), "{shown}");
        for name in ["good", "limited", "bad", "old"] {
            assert!(shown.contains(name), "{name}: {shown}");
        }
    }

    #[test]
    fn a_document_has_a_pipe_table_and_plain_notes() {
        let shown = soundness_markdown(&example());
        let rows: Vec<_> = shown.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 4, "{shown}");
        assert!(rows.iter().all(|row| row.matches('|').count() == 5), "{shown}");
        assert!(rows[2].contains("`align/page`: does align/page"), "{shown}");
        assert!(shown.contains("\n- bad: fork: FAIL: refused: 3 of \\<8\\>\n"), "{shown}");
    }
}
