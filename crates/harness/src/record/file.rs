//! Records on disk and in memory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::rows::{BlockRow, CaseRow, ContenderRow, CountsRow, EndRow, Row, RunRow, SCHEMA, Sample};
use crate::{Arrangement, Case, Error};

/// A whole record in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// How and where the run was made.
    pub run: Option<RunRow>,
    /// The contenders, the reference first.
    pub contenders: Vec<ContenderRow>,
    /// What is to be measured, whether it was already or not.
    pub planned: Vec<Case>,
    /// The cases in the order in which they were calibrated.
    pub cases: Vec<CaseRow>,
    /// The samples in the order in which they ended; those of incomplete blocks among them.
    pub samples: Vec<Sample>,
    /// The blocks that are complete.
    pub blocks: Vec<BlockRow>,
    /// What the counting backend saw.
    pub counts: Vec<CountsRow>,
    /// How the run ended; absent if it was interrupted.
    pub end: Option<EndRow>,
}

impl Record {
    /// Adds a row.
    pub fn push(&mut self, row: Row) {
        match row {
            Row::Run(run) => self.run = Some(*run),
            Row::Contender(contender) => self.contenders.push(*contender),
            Row::Plan(plan) => self.plan(plan.cases),
            Row::Case(case) => {
                self.plan([case.case.clone()]);
                self.cases.push(*case);
            }
            Row::Sample(sample) => self.push_sample(*sample),
            Row::Block(block) => self.blocks.push(block),
            Row::Counts(counts) => self.counts.push(counts),
            Row::End(end) => self.end = Some(end),
        }
    }

    /// Why a row cannot come after those that are here: it would hide one of them, or be shown nowhere.
    fn check(&self, row: &Row) -> Result<(), String> {
        let knows = |name: &str| self.contenders.iter().any(|row| row.name == name);
        match row {
            Row::Run(_) if self.run.is_some() => Err("begins another run: a record has one".into()),
            Row::Contender(row) if knows(&row.name) => Err(format!("is a second row of the contender {:?}", row.name)),
            Row::Case(row) if self.cases.iter().any(|known| known.case == row.case) => {
                Err(format!("is a second row of the case {}", row.case))
            }
            Row::Sample(sample) if !knows(&sample.contender) => {
                Err(format!("is a sample of {:?}, which has no row before it", sample.contender))
            }
            _ => Ok(()),
        }
    }

    /// Adds the cases that are not planned yet.
    fn plan(&mut self, cases: impl IntoIterator<Item = Case>) {
        for case in cases {
            if !self.planned.contains(&case) {
                self.planned.push(case);
            }
        }
    }

    /// Adds a sample in place of an earlier one of the same contender and block, which a resumed run measured again.
    fn push_sample(&mut self, sample: Sample) {
        let is_same = |earlier: &Sample| {
            (earlier.block, earlier.arrangement) == (sample.block, sample.arrangement)
                && earlier.contender == sample.contender
                && earlier.case == sample.case
        };
        self.samples.retain(|earlier| !is_same(earlier));
        self.samples.push(sample);
    }

    /// Whether a block of a case is complete in this arrangement.
    pub fn is_complete(&self, case: &Case, block: u32, arrangement: Arrangement) -> bool {
        self.blocks.iter().any(|row| row.block == block && row.arrangement == arrangement && row.case == *case)
    }

    /// The samples of one case that count: those of complete blocks, and every failure.
    pub fn counting_samples<'a>(&'a self, case: &'a Case) -> impl Iterator<Item = &'a Sample> {
        self.samples_of(case).filter(|s| !s.status.is_ok() || self.is_complete(case, s.block, s.arrangement))
    }

    /// All samples of one case.
    pub fn samples_of<'a>(&'a self, case: &'a Case) -> impl Iterator<Item = &'a Sample> {
        self.samples.iter().filter(move |sample| sample.case == *case)
    }

    /// Reads the record of a run that was interrupted. Fails like [`Record::read`], and if there is nothing to resume.
    pub fn read_unfinished(path: &Path) -> Result<Self, Error> {
        let record = Self::read(path)?;
        let no = |why: &str| Err(Error::Usage(format!("{}: {why}; there is nothing to resume", path.display())));
        if record.end.is_some() {
            return no("the run is complete");
        }
        if record.planned.is_empty() {
            return no("the run was interrupted before anything was measured");
        }
        Ok(record)
    }

    /// Reads a record. A last line that was torn off is left out: the run was interrupted while it wrote.
    ///
    /// Control characters in its texts, of which this program writes none, become visible escapes: records are shared, and what
    /// is shown of one must neither break a line nor move a cursor.
    ///
    /// Fails naming the file and the line for anything else that is not a row, for a newer schema, and for rows that cannot stand in
    /// one record: of a second run, of the same contender or case once more, of a contender that has no row.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read(path).map_err(Error::file("cannot read", path))?;
        // An editor's mark of UTF-8 says nothing of the record.
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        let wrong = |reason: String| Error::Record { path: path.to_owned(), reason };
        let mut record = Self::default();
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let number = index + 1;
            let mut value: serde_json::Value = match serde_json::from_slice(line) {
                Ok(value) => value,
                Err(_) if lines.peek().is_none() && !line.ends_with(b"\n") && record.run.is_some() => break,
                Err(error) => return Err(wrong(format!("line {number} is not JSON: {error}"))),
            };
            make_plain(&mut value);
            if index == 0 {
                check_schema(&value).map_err(wrong)?;
            }
            let row: Row =
                serde_json::from_value(value).map_err(|error| wrong(format!("line {number} is not a row: {error}")))?;
            record.check(&row).map_err(|why| wrong(format!("line {number} {why}")))?;
            record.push(row);
        }
        if record.run.is_some() { Ok(record) } else { Err(wrong("the record is empty".into())) }
    }
}

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Escapes the control characters of every text in it, the keys included. What has none stays as it is.
fn make_plain(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::String(text) if text.contains(char::is_control) => *text = plain(text),
        Value::Array(values) => values.iter_mut().for_each(make_plain),
        Value::Object(pairs) => {
            if pairs.keys().any(|key| key.contains(char::is_control)) {
                *pairs = std::mem::take(pairs).into_iter().map(|(key, value)| (plain(&key), value)).collect();
            }
            pairs.values_mut().for_each(make_plain);
        }
        _ => {}
    }
}

/// The text with its control characters as escapes.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            plain.extend(letter.escape_default());
        } else {
            plain.push(letter);
        }
    }
    plain
}

/// The first line must say which schema follows, and one that is known here.
fn check_schema(first: &serde_json::Value) -> Result<(), String> {
    let schema = first["schema"].as_u64().filter(|_| first["row"] == "run");
    match schema {
        Some(schema) if schema <= u64::from(SCHEMA) => Ok(()),
        Some(schema) => {
            Err(format!("it has schema {schema}, this heapmark knows up to {SCHEMA}; use a newer heapmark"))
        }
        None => Err("it does not begin with the row of a run: not a heapmark record".into()),
    }
}

/// A record being written: every row is on its way to the disk before the next sample starts.
///
/// What is there already is not touched before the first row. A file that was made for a run and got none is removed again.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// Where the last whole row ends.
    length: u64,
    /// Whether something stands behind it that has to go before another row comes.
    rubbish: bool,
    /// Whether it lacks its line feed.
    unended: bool,
    /// Whether the file was made for this run.
    new: bool,
}

impl RecordFile {
    /// Begins a new record; a file that is there is replaced only with `replace`, once there is a row to replace it by. Fails
    /// if another process is writing it.
    pub fn create(path: impl Into<PathBuf>, replace: bool) -> Result<Self, Error> {
        let path = path.into();
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(Error::file("cannot create the folder", folder))?;
        }
        let there = || OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let (opened, new) = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && replace => (there(), false),
            opened => (opened, true),
        };
        let file = opened.map_err(Error::file("cannot create", &path))?;
        lock(&file, &path)?;
        Ok(Self { path, file, length: 0, rubbish: !new, unended: false, new })
    }

    /// Opens a record to go on with. A last line that was torn off is cut away before the next one comes; one that lacks
    /// nothing but its line feed gets it then. Fails if another process is writing it.
    pub fn append_to(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let file = OpenOptions::new().append(true).open(&path).map_err(Error::file("cannot open", &path))?;
        lock(&file, &path)?;
        let content = std::fs::read(&path).map_err(Error::file("cannot read", &path))?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let unended = serde_json::from_slice::<Row>(&content[whole..]).is_ok();
        let length = if unended { content.len() } else { whole };
        Ok(Self { path, file, length: length as u64, rubbish: length < content.len(), unended, new: false })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a row, in one write. Where that fails, what was written of the row is taken back, so that a later one does not
    /// follow on a torn line.
    pub fn append(&mut self, row: &Row) -> Result<(), Error> {
        let mut text = if self.unended { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut text, row).map_err(|error| Error::Record {
            path: self.path.clone(),
            reason: format!("cannot encode a row: {error}"),
        })?;
        text.push(b'\n');
        if self.rubbish {
            self.cut().map_err(Error::file("cannot cut off what is not a row of", &self.path))?;
        }
        let written = self.file.write_all(&text);
        if written.is_ok() {
            self.length += text.len() as u64;
            self.unended = false;
        } else {
            self.rubbish = true;
            // The error to report is the first.
            let _ = self.cut();
        }
        written.map_err(Error::file("cannot write to", &self.path))
    }

    /// Cuts the file off behind the last whole row. What is no regular file has nothing that could be cut off.
    fn cut(&mut self) -> std::io::Result<()> {
        if self.file.metadata()?.is_file() {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
        }
        self.rubbish = false;
        Ok(())
    }

    /// Waits until everything appended is on the disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        match self.file.sync_data() {
            // What fsync(2) says of a file that is on no disk, such as a pipe.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
            result => result.map_err(Error::file("cannot flush", &self.path)),
        }
    }
}

impl Drop for RecordFile {
    fn drop(&mut self) {
        if self.new && self.length == 0 {
            // Best effort: an empty file hurts nobody.
            let _ = std::fs::remove_file(&self.path);
        }
        // Closing would do, but for a child that was forked and has not yet become its program: it holds the lock too.
        let _ = self.file.unlock();
    }
}

/// Keeps other processes from writing the file, for as long as it is open. What is no regular file is for everyone, and a file
/// system that has no locks is used without.
fn lock(file: &File, path: &Path) -> Result<(), Error> {
    let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    match file.try_lock() {
        Err(TryLockError::WouldBlock) if regular => {
            Err(Error::Record { path: path.to_owned(), reason: "another heapmark is writing it".into() })
        }
        _ => Ok(()),
    }
}
