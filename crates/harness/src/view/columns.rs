//! Text in columns for a terminal: as wide as its content, coloured if wished.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// What a text is shown on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Columns that there are; nothing where lines may be of any length, as in a file.
    pub width: Option<usize>,
    /// Whether to colour verdicts.
    pub colour: bool,
}

impl Screen {
    /// Whether lines of this many columns fit.
    pub(super) fn fits(&self, columns: usize) -> bool {
        self.width.is_none_or(|width| columns <= width)
    }
}

/// How a cell is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
    Doubtful,
    Failed,
    Heading,
}

impl Tone {
    /// The tone of a verdict in words.
    pub(super) fn of_verdict(words: &str) -> Self {
        match words.split(' ').next().unwrap_or_default() {
            "faster" | "leaner" => Self::Good,
            "slower" | "fatter" | "growing" | "declining" => Self::Bad,
            "unclear" | "trade-off" => Self::Doubtful,
            "error" => Self::Failed,
            _ => Self::Plain,
        }
    }

    fn style(self) -> Style {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Good => colour(AnsiColor::Green),
            Self::Bad => colour(AnsiColor::Red),
            Self::Doubtful => colour(AnsiColor::Yellow),
            Self::Failed => colour(AnsiColor::Red).bold(),
            Self::Heading => Style::new().bold(),
        }
    }

    /// The text in this tone, where there is colour.
    pub(super) fn paint(self, text: &str, screen: &Screen) -> String {
        if !screen.colour || self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    text: String,
    tone: Tone,
    right: bool,
}

impl Cell {
    /// Text, on the left of its column.
    pub(super) fn left(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A number, on the right of its column.
    pub(super) fn right(text: impl Into<String>) -> Self {
        Self { text: text.into(), right: true, ..Self::default() }
    }

    /// A verdict, in its colour.
    pub(super) fn verdict(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { tone: Tone::of_verdict(&text), text, right: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// One step further in, for a whole line.
    pub(super) fn indented(mut self) -> Self {
        self.text.insert_str(0, "  ");
        self
    }

    pub(super) fn in_tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}

/// Rows of cells, and whole lines between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
enum Row {
    Cells(Vec<Cell>),
    /// Text over all columns, which makes none of them wider.
    Line(Cell),
}

/// Blanks between columns, and before the first.
const GAP: usize = 2;

impl Columns {
    pub(super) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(Row::Cells(row));
    }

    pub(super) fn push_line(&mut self, text: Cell) {
        self.rows.push(Row::Line(text));
    }

    fn cells(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(cells),
            Row::Line(_) => None,
        })
    }

    /// The width of each column.
    fn widths(&self) -> Vec<usize> {
        let count = self.cells().map(Vec::len).max().unwrap_or(0);
        let of = |column: usize| self.cells().filter_map(|row| row.get(column)).map(|cell| cell.text.width()).max();
        (0..count).map(|column| of(column).unwrap_or(0)).collect()
    }

    /// The width of the longest row of cells.
    pub(super) fn width(&self) -> usize {
        let widths = self.widths();
        let lines = self.cells().map(|row| line(row, &widths, &Screen::default()).width());
        lines.max().unwrap_or(0)
    }

    /// The lines, each indented, without blanks at the end. Rows of cells are as wide as they are, whole lines are wrapped.
    pub(super) fn lines(&self, screen: &Screen) -> Vec<String> {
        let widths = self.widths();
        let lines = |row: &Row| match row {
            Row::Cells(cells) => vec![line(cells, &widths, screen)],
            Row::Line(cell) => {
                let wrapped = wrapped(&cell.text, GAP, screen);
                wrapped.iter().map(|line| cell.tone.paint(line, screen)).collect()
            }
        };
        self.rows.iter().flat_map(lines).collect()
    }
}

fn line(row: &[Cell], widths: &[usize], screen: &Screen) -> String {
    let mut line = String::new();
    let mut blanks = 0;
    for (cell, width) in row.iter().zip(widths) {
        if cell.text.is_empty() {
            blanks += GAP + width;
            continue;
        }
        let room = width - cell.text.width();
        let (before, after) = if cell.right { (room, 0) } else { (0, room) };
        line.extend(std::iter::repeat_n(' ', blanks + GAP + before));
        line.push_str(&cell.tone.paint(&cell.text, screen));
        blanks = after;
    }
    line
}

/// Prose in lines that fit, the later ones indented by two further blanks. A word that is longer than a line is broken, so
/// that nothing is lost and no line is too long.
pub(super) fn wrapped(text: &str, indent: usize, screen: &Screen) -> Vec<String> {
    let Some(width) = screen.width else { return vec![format!("{:indent$}{text}", "")] };
    let mut lines: Vec<String> = Vec::new();
    let mut line = " ".repeat(indent);
    let mut is_empty = true;
    let hanging = " ".repeat(indent + GAP);
    for word in text.split(' ') {
        if !is_empty && line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, hanging.clone()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        for letter in word.chars() {
            let next = line.width() + letter.to_string().width();
            // A screen too narrow for the indentation gets a letter to a line all the same.
            if next > width && line.trim_start() != "" {
                lines.push(std::mem::replace(&mut line, hanging.clone()));
            }
            line.push(letter);
        }
        is_empty = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_content_whatever_the_script() {
        let mut columns = Columns::default();
        columns.push(vec![Cell::left("a"), Cell::right("1"), Cell::left("z")]);
        columns.push(vec![Cell::left("日本"), Cell::right("1000"), Cell::left("")]);
        columns.push(vec![Cell::left("µ"), Cell::left(""), Cell::left("end")]);
        assert_eq!(columns.lines(&Screen::default()), ["  a        1  z", "  日本  1000", "  µ           end"]);
        assert_eq!(columns.width(), 17);
        columns.push_line(Cell::left("a line over all the columns there are"));
        assert_eq!(columns.width(), 17);
        assert_eq!(columns.lines(&Screen::default())[3], "  a line over all the columns there are");
    }

    #[test]
    fn colour_changes_no_width() {
        let mut columns = Columns::default();
        columns.push(vec![Cell::verdict("faster"), Cell::verdict("fatter"), Cell::left("end")]);
        columns.push(vec![Cell::verdict("same"), Cell::verdict("unclear"), Cell::left("end")]);
        let plain = columns.lines(&Screen::default());
        assert!(plain.iter().all(|line| !line.contains('\x1b')), "{plain:?}");
        let coloured = columns.lines(&Screen { colour: true, ..Screen::default() });
        assert!(
            coloured[0].contains("\x1b[32mfaster\x1b[0m") && coloured[0].contains("\x1b[31mfatter"),
            "{coloured:?}"
        );
        let stripped = |line: &str| {
            let parts = line.split('\x1b');
            parts
                .map(|part| part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |(_, rest)| rest))
                .collect::<String>()
        };
        assert_eq!(coloured.iter().map(|line| stripped(line)).collect::<Vec<_>>(), plain);
    }

    #[test]
    fn prose_is_wrapped_and_nothing_is_lost() {
        let screen = |width| Screen { width: Some(width), colour: false };
        assert_eq!(wrapped("one two three", 2, &screen(9)), ["  one two", "    three"]);
        assert_eq!(wrapped("one two three", 2, &Screen::default()), ["  one two three"]);
        let text = "a word-that-is-far-too-long-for-any-line and more";
        for width in 1..60 {
            let lines = wrapped(text, 2, &screen(width));
            let joined: String = lines.concat().split_whitespace().collect();
            assert_eq!(joined, text.replace(' ', ""), "{width}");
            assert!(width < 6 || lines.iter().all(|line| line.width() <= width), "{width}: {lines:?}");
        }
    }
}
