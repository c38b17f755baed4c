//! Figures under headings: a line for each of whom they are, or everything below each other where lines are too long.

use super::Style;
use super::columns::{Cell, Columns, Screen, Tone};
use super::table::{escaped, grid, render};

/// What some, contenders or workloads, have under the same headings.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    /// What stands above the names.
    pub(super) title: String,
    pub(super) headings: Vec<Heading>,
    /// Each with a value for every heading.
    pub(super) rows: Vec<(String, Vec<String>)>,
}

/// What stands above a column.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// On the right.
    Number,
    /// On the left.
    Text,
    /// On the left, in its colour.
    Verdict,
}

impl Heading {
    pub(super) fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Number }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Text }
    }

    pub(super) fn verdict(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Verdict }
    }

    fn above(&self) -> Cell {
        self.cell(&self.text).in_tone(Tone::Heading)
    }

    fn cell(&self, value: &str) -> Cell {
        match self.kind {
            Kind::Number => Cell::right(value),
            Kind::Text => Cell::left(value),
            Kind::Verdict => Cell::verdict(value),
        }
    }
}

impl Figures {
    /// The lines, in the widest layout that fits; none where nobody has figures.
    pub(super) fn lines(&self, screen: &Screen) -> Vec<String> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let wide = self.wide();
        if screen.fits(wide.width()) { wide.lines(screen) } else { self.stacked().lines(screen) }
    }

    /// The same in two parts, of which the first has so many headings.
    pub(super) fn split(self, first: usize) -> (Self, Self) {
        let (mut left, mut right) = (self.clone(), self);
        left.headings.truncate(first);
        left.rows.iter_mut().for_each(|(_, values)| values.truncate(first));
        right.headings.drain(..first);
        right.rows.iter_mut().for_each(|(_, values)| drop(values.drain(..first)));
        (left, right)
    }

    /// The columns that a line for each takes.
    pub(super) fn width(&self) -> usize {
        self.wide().width()
    }

    /// The lines with everything below each other.
    pub(super) fn lines_below(&self, screen: &Screen) -> Vec<String> {
        self.stacked().lines(screen)
    }

    fn wide(&self) -> Columns {
        let mut columns = Columns::default();
        let title = Cell::left(self.title.as_str()).in_tone(Tone::Heading);
        columns.push(std::iter::once(title).chain(self.headings.iter().map(Heading::above)).collect());
        for (name, values) in &self.rows {
            let cells = self.headings.iter().zip(values).map(|(heading, value)| heading.cell(value));
            columns.push(std::iter::once(Cell::left(name.as_str())).chain(cells).collect());
        }
        columns
    }

    fn stacked(&self) -> Columns {
        let mut columns = Columns::default();
        if !self.title.is_empty() {
            columns.push_line(Cell::left(self.title.as_str()).in_tone(Tone::Heading));
        }
        for (name, values) in &self.rows {
            if !name.is_empty() {
                columns.push_line(Cell::left(name.as_str()));
            }
            for (heading, value) in self.headings.iter().zip(values) {
                let value = if heading.kind == Kind::Verdict { Cell::verdict(value) } else { Cell::right(value) };
                columns.push(vec![Cell::left(""), Cell::left(heading.text.as_str()), value]);
            }
        }
        columns
    }
}

/// A pipe table with the figures of several, which all have the headings of the first: each with what stands before its
/// names. Nothing where nobody has figures.
pub(super) fn pipe_table(first: &[&str], figures: &[(Vec<String>, Figures)]) -> Option<String> {
    let (_, model) = figures.iter().find(|(_, figures)| !figures.rows.is_empty())?;
    let mut table = grid(Style::Markdown);
    let headings = model.headings.iter().map(|heading| escaped(&heading.text));
    table.set_header(first.iter().map(|name| (*name).to_owned()).chain(headings));
    for (before, figures) in figures {
        for (name, values) in &figures.rows {
            let cells = before.iter().chain([name]).chain(values);
            table.add_row(cells.map(|cell| escaped(cell)));
        }
    }
    Some(render(&table))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    fn figures() -> Figures {
        Figures {
            title: "shapes".into(),
            headings: vec![Heading::number("corners"), Heading::text("colour"), Heading::verdict("trend")],
            rows: vec![
                ("square".into(), ["4", "blue", "growing"].map(str::to_owned).into()),
                ("a|b".into(), ["1000", "red", "flat"].map(str::to_owned).into()),
            ],
        }
    }

    #[test]
    fn numbers_stand_on_the_right_and_words_on_the_left() {
        assert_eq!(
            figures().lines(&Screen::default()),
            [
                "  shapes  corners  colour  trend",
                "  square        4  blue    growing",
                "  a|b        1000  red     flat"
            ]
        );
        let coloured = figures().lines(&Screen { width: None, colour: true });
        assert!(coloured[1].contains("\x1b[31mgrowing"), "{coloured:?}");
        assert!(Figures::default().lines(&Screen::default()).is_empty());
    }

    #[test]
    fn what_does_not_fit_stands_below_each_other() {
        let lines = figures().lines(&Screen { width: Some(20), colour: false });
        assert!(lines.iter().all(|line| line.width() <= 20), "{lines:#?}");
        let all = lines.join(" ");
        for part in ["shapes", "square", "corners", "1000", "growing", "a|b"] {
            assert!(all.contains(part), "{part} in {lines:#?}");
        }
    }

    #[test]
    fn a_pipe_table_holds_whatever_names_hold() {
        let table = pipe_table(&["what", "name"], &[(vec!["x".into()], figures())]).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4, "{table}");
        assert!(lines[3].contains(r"a\|b") && lines[3].contains("1000"), "{table}");
        assert_eq!(pipe_table(&["what", "name"], &[(vec!["x".into()], Figures::default())]), None);
    }
}
