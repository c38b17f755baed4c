//! What callgrind counted, read from the file that it writes.
//!
//! The format is described in Valgrind's manual, "Callgrind Format Specification". With names and positions in full, a
//! line of costs is an address, a line number, and the count; the names before it say whose it is.

use std::collections::BTreeMap;

/// Instructions by where they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// Instructions of each place, in no other.
    pub(crate) places: BTreeMap<Place, u64>,
    /// Who calls each function, and how many instructions that took, with all that was called in turn.
    pub(crate) callers: BTreeMap<String, BTreeMap<String, u64>>,
}

/// An address in a function of a program or library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The program or library.
    pub(crate) file: String,
    /// The function, or the nearest symbol before it.
    pub(crate) function: String,
    /// The address, as the linker has laid it out in that file.
    pub(crate) address: u64,
}

impl Profile {
    /// Reads it. Fails where it is not what it should be, or where what it says in sum is not what it says one by one.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut profile = Self::default();
        let (mut file, mut function, mut callee) = (String::new(), String::new(), String::new());
        let mut totals = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let wrong = || format!("callgrind wrote what is no part of its format: {line:?}");
            if let Some(name) = line.strip_prefix("ob=") {
                name.clone_into(&mut file);
            } else if let Some(name) = line.strip_prefix("fn=") {
                name.clone_into(&mut function);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                name.clone_into(&mut callee);
            } else if line.starts_with("calls=") {
                // What the callee took, which is counted where it was.
                let (_, count) = lines.next().and_then(costs).ok_or_else(wrong)?;
                *profile.callers.entry(callee.clone()).or_default().entry(function.clone()).or_default() += count;
            } else if let Some(count) = line.strip_prefix("totals: ") {
                totals = Some(count.trim().parse::<u64>().map_err(|_| wrong())?);
            } else if line.starts_with("0x") {
                let (address, count) = costs(line).ok_or_else(wrong)?;
                let place = Place { file: file.clone(), function: function.clone(), address };
                *profile.places.entry(place).or_default() += count;
            }
        }
        let sum: u64 = profile.places.values().sum();
        match totals {
            Some(totals) if totals == sum => Ok(profile),
            Some(totals) => Err(format!("callgrind counted {totals} instructions, and {sum} one by one")),
            None => Err("callgrind did not finish its file".into()),
        }
    }
}

/// The address and the count in `0x1234 56 789`; a line without a count costs nothing.
fn costs(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    let _line_number = words.next()?;
    Some((address, words.next().map_or(Some(0), |count| count.parse().ok())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# callgrind format
version: 1
positions: instr line
events: Ir
summary: 130

ob=/a worker
fl=src/lib.rs
fn=<A as B>::turn
0x1000 7 10
fi=src/other.rs
0x1004 9 20
cfi=malloc.c
cob=/libc.so.6
cfn=malloc
calls=5 0x96b22 0
0x1008 9 100
0x1008 9 1

ob=/libc.so.6
fl=malloc.c
fn=malloc
0x96b22 0 99

totals: 130
";

    #[test]
    fn every_instruction_is_counted_where_it_is() {
        let profile = Profile::parse(TEXT).unwrap();
        let place =
            |file: &str, function: &str, address| Place { file: file.into(), function: function.into(), address };
        let expected = [
            (place("/a worker", "<A as B>::turn", 0x1000), 10),
            (place("/a worker", "<A as B>::turn", 0x1004), 20),
            (place("/a worker", "<A as B>::turn", 0x1008), 1),
            (place("/libc.so.6", "malloc", 0x96b22), 99),
        ];
        assert_eq!(profile.places, BTreeMap::from(expected));
        let callers = BTreeMap::from([("<A as B>::turn".to_owned(), 100)]);
        assert_eq!(profile.callers, BTreeMap::from([("malloc".to_owned(), callers)]));
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        assert!(Profile::parse(&TEXT.replace("totals: 130", "totals: 131")).unwrap_err().contains("131"));
        assert!(Profile::parse(&TEXT.replace("totals: 130", "")).unwrap_err().contains("finish"));
        assert!(Profile::parse(&TEXT.replace("0x1004 9 20", "0x1004 9 twenty")).unwrap_err().contains("twenty"));
    }
}
