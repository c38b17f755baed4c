//! Records on disk and in memory.

use std::fs::{File, OpenOptions};
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
    /// The cases in the order in which they were measured.
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
            Row::Case(case) => self.cases.push(*case),
            Row::Sample(sample) => self.push_sample(*sample),
            Row::Block(block) => self.blocks.push(block),
            Row::Counts(counts) => self.counts.push(counts),
            Row::End(end) => self.end = Some(end),
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

    /// Reads a record. A last line that was torn off is left out: the run was interrupted while it wrote.
    ///
    /// Fails naming the file and the line for anything else that is not a row, and for a newer schema.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read(path).map_err(Error::file("cannot read", path))?;
        let wrong = |reason: String| Error::Record { path: path.to_owned(), reason };
        let mut record = Self::default();
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let number = index + 1;
            let value: serde_json::Value = match serde_json::from_slice(line) {
                Ok(value) => value,
                Err(_) if lines.peek().is_none() && !line.ends_with(b"\n") && record.run.is_some() => break,
                Err(error) => return Err(wrong(format!("line {number} is not JSON: {error}"))),
            };
            if index == 0 {
                check_schema(&value).map_err(wrong)?;
            }
            let row: Row =
                serde_json::from_value(value).map_err(|error| wrong(format!("line {number} is not a row: {error}")))?;
            record.push(row);
        }
        if record.run.is_some() { Ok(record) } else { Err(wrong("the record is empty".into())) }
    }
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
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// Where the last whole row ends.
    length: u64,
}

impl RecordFile {
    /// Begins a new record; a file that is there is replaced only with `replace`.
    pub fn create(path: impl Into<PathBuf>, replace: bool) -> Result<Self, Error> {
        let path = path.into();
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(Error::file("cannot create the folder", folder))?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(replace).create_new(!replace);
        let file = options.open(&path).map_err(Error::file("cannot create", &path))?;
        Ok(Self { path, file, length: 0 })
    }

    /// Opens a record to go on with. A last line that was torn off is cut away.
    pub fn append_to(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let content = std::fs::read(&path).map_err(Error::file("cannot read", &path))?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let file = OpenOptions::new().append(true).open(&path).map_err(Error::file("cannot open", &path))?;
        file.set_len(whole as u64).map_err(Error::file("cannot cut the torn last line of", &path))?;
        Ok(Self { path, file, length: whole as u64 })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a row, in one write. Where that fails, what was written of the row is taken back, so that a later one does not
    /// follow on a torn line.
    pub fn append(&mut self, row: &Row) -> Result<(), Error> {
        let mut line = serde_json::to_vec(row).map_err(|error| Error::Record {
            path: self.path.clone(),
            reason: format!("cannot encode a row: {error}"),
        })?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        match &written {
            Ok(()) => self.length += line.len() as u64,
            Err(_) => {
                // The error to report is the first. What is no regular file has nothing that could be taken back.
                let _ = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            }
        }
        written.map_err(Error::file("cannot write to", &self.path))
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
