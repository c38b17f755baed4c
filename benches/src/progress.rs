//! What happens while heapmark measures, on standard error: criterion says nothing until it has a sample.

use heapmark::{Event, record::Record};

/// How many workers a block has.
pub(crate) fn workers_of(record: &Record) -> usize {
    record.contenders.iter().filter(|row| row.status.is_ok()).count()
}

/// One line for each case, and one for whoever cannot take part.
pub(crate) fn show(event: &Event<'_>, workers: usize, blocks: u32) {
    match event {
        Event::Greeted { contender, status } if !status.is_ok() => eprintln!("{contender} cannot take part: {status}"),
        Event::Calibrated(row) => {
            let alone = row.no_turns.as_ref().map(|why| format!("; one after another: {why}")).unwrap_or_default();
            let (case, units, unit) = (&row.case, row.turn_units, &row.unit);
            eprintln!("measuring {case}: {blocks} blocks of {workers} workers; a turn is {units} × {unit}{alone}");
        }
        _ => {}
    }
}
