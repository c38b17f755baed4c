//! How the `serde_json` in this program behaves: its features change the work, and Cargo unifies them across a build.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Number, Value};

/// Pinned exactly in the workspace's manifest; the library does not tell its version itself.
const VERSION: &str = "1.0.154";

/// Writes the version and what the features `preserve_order` and `arbitrary_precision` make of maps and numbers.
/// Allocates nothing, so that the greeting leaves the heap alone.
pub fn features(out: &mut dyn fmt::Write) -> fmt::Result {
    let order = if keeps_insertion_order() { "as inserted" } else { "sorted" };
    let numbers = if keeps_number_text() { "as text" } else { "native" };
    write!(out, "serde_json {VERSION}: key order {order}, numbers {numbers}")
}

/// With `preserve_order` a map is an index map, several times the size of the sorted map it is otherwise. (To insert two
/// keys and look would allocate.)
fn keeps_insertion_order() -> bool {
    size_of::<Map<String, Value>>() != size_of::<BTreeMap<String, Value>>()
}

/// With `arbitrary_precision` a number is the text that it was read from, so `1.50` is not `1.5`.
fn keeps_number_text() -> bool {
    let parsed = serde_json::from_str::<Number>("1.50");
    parsed.ok() != Number::from_f64(1.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reported_is_how_maps_and_numbers_behave() {
        let mut map = Map::new();
        map.insert("b".to_owned(), Value::Null);
        map.insert("a".to_owned(), Value::Null);
        let as_inserted = map.keys().next().map(String::as_str) == Some("b");
        let as_text = serde_json::from_str::<Number>("1.50").unwrap().to_string() == "1.50";
        assert_eq!((keeps_insertion_order(), keeps_number_text()), (as_inserted, as_text));
    }

    #[test]
    fn the_version_is_the_one_in_the_lock_file() {
        let lock = include_str!("../../../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"serde_json\"\nversion = \"{VERSION}\"")));
    }

    #[test]
    fn the_line_names_both() {
        let mut line = String::new();
        features(&mut line).unwrap();
        assert_eq!(line, "serde_json 1.0.154: key order sorted, numbers native");
    }
}
