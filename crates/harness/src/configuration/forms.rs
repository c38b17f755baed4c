//! The values of a `heapmark.toml` that can be written in more than one way. What is wrong with one is said with the line that
//! it stands in, so everything is read in place.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::contender::{is_name, not_a_contender, read_knobs};
use crate::{Case, ContenderName, HugePages};

/// A name in a `heapmark.toml`, which never has to be quoted on a command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Name(pub(super) String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let form = "a name has letters, digits, `-`, `_`, `.` and `+`";
        if is_name(&name) { Ok(Self(name)) } else { Err(format!("{name:?} is no name: {form}")) }
    }
}

/// A text, a number or a truth value, as the text that it becomes in an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word(pub(super) String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, true or false")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
                if text.is_empty() { Err(E::custom("an empty text sets nothing")) } else { Ok(Word(text.into())) }
            }
            fn visit_i64<E>(self, number: i64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }
        }
        deserializer.deserialize_any(Words)
    }
}

/// Reads a value that is either a text or a table: the text by `T::of_text`, the table as `T::Table`.
trait TextOrTable: Sized {
    /// The table.
    type Table: for<'de> Deserialize<'de>;
    /// What it is, for whoever wrote something else.
    const WHAT: &'static str;
    fn of_text(text: &str) -> Result<Self, String>;
    fn of_table(table: Self::Table) -> Result<Self, String>;
}

fn text_or_table<'de, T: TextOrTable, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Either<T>(PhantomData<T>);
    impl<'de, T: TextOrTable> Visitor<'de> for Either<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::WHAT)
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::of_text(text).map_err(E::custom)
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::of_table(T::Table::deserialize(MapAccessDeserializer::new(map))?).map_err(A::Error::custom)
        }
    }
    deserializer.deserialize_any(Either(PhantomData))
}

/// A contender in full, in the place of `"backend@knob:value"`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ContenderTable {
    /// The backend, or a worker or library of this file.
    #[cfg_attr(test, schemars(with = "String"))]
    backend: Name,
    /// Its knobs by name; numbers and truth values need no quotes.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    knobs: BTreeMap<Name, Word>,
    /// What its process may do with transparent huge pages: `host`, `never`, `advised` or `always`; the same as the knob `thp`.
    thp: Option<HugePages>,
}

impl TextOrTable for ContenderName {
    type Table = ContenderTable;
    const WHAT: &'static str = "a contender: \"backend@knob:value\" or a table with backend, knobs and thp";

    fn of_text(text: &str) -> Result<Self, String> {
        Self::read(text)
    }

    fn of_table(table: ContenderTable) -> Result<Self, String> {
        let knobs = table.knobs.into_iter().map(|(Name(name), Word(value))| (name, value)).collect();
        let name = Self { backend: table.backend.0, knobs };
        let thp = table.thp.map(|mode| (HugePages::KNOB.to_owned(), mode.word().to_owned()));
        name.with_knobs(thp.as_slice()).map_err(|error| error.to_string())
    }
}

impl<'de> Deserialize<'de> for ContenderName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_table(deserializer)
    }
}

/// What stands for contenders where several are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// One: a backend with or without knobs, or a name of a `heapmark.toml`.
    One(ContenderName),
    /// Every backend that takes part as it is, with these knobs: `*@thp:never`.
    All {
        /// Names and values.
        knobs: Vec<(String, String)>,
    },
}

impl Member {
    /// Reads `NAME`, `NAME@knob:value,…` or `*@knob:value,…`. Fails with what the form should be.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix("*@") {
            Some(knobs) => Ok(Self::All { knobs: read_knobs(knobs).map_err(|why| not_a_contender(text, why))? }),
            None => ContenderName::read(text).map(Self::One),
        }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(name) => name.fmt(f),
            // A name with a star is shown as it is read.
            Self::All { knobs } => ContenderName { backend: "*".into(), knobs: knobs.clone() }.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Member;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a contender: \"NAME\", \"NAME@knob:value\" or \"*@knob:value\"")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Member, E> {
                Member::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// A workload with parameters, in the place of `"family/name?parameter=value"`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct WorkloadTable {
    /// The workload.
    workload: String,
    /// Its parameters by name; numbers need no quotes.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    parameters: BTreeMap<String, Word>,
}

/// A case as it is written in a `heapmark.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen(pub(super) Case);

impl TextOrTable for Chosen {
    type Table = WorkloadTable;
    const WHAT: &'static str = "a workload: \"family/name?parameter=value\" or a table with workload and parameters";

    fn of_text(text: &str) -> Result<Self, String> {
        Case::parse(text).map(Self).map_err(|error| error.to_string())
    }

    fn of_table(table: WorkloadTable) -> Result<Self, String> {
        let parameters = table.parameters.into_iter().map(|(name, Word(value))| (name, value)).collect();
        Ok(Self(Case { workload: table.workload, parameters }))
    }
}

impl<'de> Deserialize<'de> for Chosen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_table(deserializer)
    }
}

/// Parameters that differ from a workload's defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeMap<String, ForOneOrAll>")]
pub struct Parameters {
    /// For every workload that has the parameter.
    for_all: BTreeMap<String, String>,
    /// By workload, for that one.
    for_one: BTreeMap<String, BTreeMap<String, String>>,
}

/// A value for all workloads, or values for one.
enum ForOneOrAll {
    All(Word),
    One(BTreeMap<String, Word>),
}

impl<'de> Deserialize<'de> for ForOneOrAll {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ForOneOrAll;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value for all workloads, or a table of one workload's parameters")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<ForOneOrAll, E> {
                Ok(ForOneOrAll::All(Word(text.into())))
            }
            fn visit_i64<E>(self, number: i64) -> Result<ForOneOrAll, E> {
                Ok(ForOneOrAll::All(Word(number.to_string())))
            }
            fn visit_u64<E>(self, number: u64) -> Result<ForOneOrAll, E> {
                Ok(ForOneOrAll::All(Word(number.to_string())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ForOneOrAll, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(ForOneOrAll::One)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl From<BTreeMap<String, ForOneOrAll>> for Parameters {
    fn from(table: BTreeMap<String, ForOneOrAll>) -> Self {
        let mut parameters = Self::default();
        for (name, value) in table {
            match value {
                ForOneOrAll::All(Word(value)) => {
                    parameters.for_all.insert(name, value);
                }
                ForOneOrAll::One(values) => {
                    let values = values.into_iter().map(|(name, Word(value))| (name, value)).collect();
                    parameters.for_one.insert(name, values);
                }
            }
        }
        parameters
    }
}

impl Parameters {
    /// The case with the parameters that it does not set itself. Those for all go where `has` says that the workload has them;
    /// those for this workload go into it in any case, so that a wrong name is noticed.
    #[must_use]
    pub fn fill_in(&self, mut case: Case, has: impl Fn(&str) -> bool) -> Case {
        let own = self.for_one.get(&case.workload).into_iter().flatten();
        let everyones = self.for_all.iter().filter(|(name, _)| has(name));
        // The first that sets a parameter wins.
        for (name, value) in own.chain(everyones) {
            case.parameters.entry(name.clone()).or_insert_with(|| value.clone());
        }
        case
    }
}
