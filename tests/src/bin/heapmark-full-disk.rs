//! Writes a record to a disk that becomes full, goes on, and finds room again. Prints how many rows were written.

use heapmark::Settings;
use heapmark::machine::{Load, Machine, Tool};
use heapmark::record::{EndRow, RecordFile, Row, RunRow, SCHEMA};
use heapmark_tests::limit_file_size;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of the record")?;
    let mut file = RecordFile::create(path, false)?;
    let run = RunRow {
        schema: SCHEMA,
        tool: Tool::default(),
        machine: Machine::default(),
        load: Load::default(),
        started: 0,
        settings: Settings::default(),
        reference: "system".into(),
    };
    file.append(&Row::Run(Box::new(run)))?;
    let row = Row::End(EndRow { load: Load::default() });
    let mut rows = 1;
    limit_file_size(Some(4000))?;
    while file.append(&row).is_ok() {
        rows += 1;
    }
    limit_file_size(None)?;
    file.append(&row)?;
    println!("{}", rows + 1);
    Ok(())
}
