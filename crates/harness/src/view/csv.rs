//! Comma-separated values as RFC 4180 has them: what holds a comma, a quote or a line feed is quoted.

use std::fmt::Display;

use crate::Case;

/// The names of the columns and the rows below them. Numbers have points, whatever the locale says.
pub(super) fn csv<const N: usize>(names: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A row of another length would be an error, which the types exclude; and memory takes every write.
    let _ = writer.write_record(names);
    for row in rows {
        let _ = writer.write_record(&row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A value, or nothing.
pub(super) fn optional(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The parameters of a case in one field: `live=200&threads=1`.
pub(super) fn parameters(case: &Case) -> String {
    let pairs: Vec<String> = case.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_holds_stays_one_field() {
        let row = ["a,b".to_owned(), "say \"hi\"\nthere".to_owned(), String::new()];
        let text = csv(&["x", "y", "z"], std::iter::once(row.clone()));
        assert_eq!(text, "x,y,z\n\"a,b\",\"say \"\"hi\"\"\nthere\",\n");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(read, [csv::StringRecord::from(row.to_vec())]);
    }
}
