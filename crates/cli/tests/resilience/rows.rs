//! Where the rows of a record lie in its text.

/// Where the rows of a kind begin.
pub(crate) fn rows(record: &str, kind: &str) -> Vec<usize> {
    record.match_indices(&format!("{{\"row\":\"{kind}\"")).map(|(at, _)| at).collect()
}

/// The end of the line that begins here, its line feed included.
pub(crate) fn line_end(record: &str, at: usize) -> usize {
    at + record[at..].find('\n').expect("every row has its line feed") + 1
}
