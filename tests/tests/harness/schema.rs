//! Holds lines of a record against `record.schema.json`.
//!
//! A small reader of JSON Schema instead of a library, which would bring dozens of packages along: it knows the keywords that
//! the file has, and panics at any other. It is stricter, too: a key that the schema does not describe is an error.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The schema, as it lies in the library's folder.
pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn read() -> Self {
        let text = include_str!("../../../crates/harness/record.schema.json");
        Self(serde_json::from_str(text).expect("the file is JSON"))
    }

    pub(crate) fn id(&self) -> &str {
        self.0["$id"].as_str().expect("the schema has a name")
    }

    /// Whether a line is what the schema says; else what is wrong.
    pub(crate) fn check(&self, line: &str) -> Result<(), String> {
        let line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        self.fits(&line, &self.0)
    }

    /// Whether the value is as described, and all of it is.
    fn fits(&self, value: &Value, schema: &Value) -> Result<(), String> {
        let described = self.described(value, schema)?;
        let mut keys = value.as_object().into_iter().flat_map(Map::keys);
        keys.find(|key| !described.contains(*key)).map_or(Ok(()), |key| Err(format!("{key:?} is not described")))
    }

    /// The keys of an object that the schema describes. Fails if the value is not as described.
    fn described(&self, value: &Value, schema: &Value) -> Result<BTreeSet<String>, String> {
        let Value::Object(keywords) = schema else {
            return if *schema == Value::Bool(true) { Ok(BTreeSet::new()) } else { Err("nothing fits here".into()) };
        };
        let mut described = BTreeSet::new();
        for (keyword, what) in keywords {
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default" => {}
                "$ref" => described.extend(self.described(value, self.named(what))?),
                "type" => check_type(value, what)?,
                "const" => require(value == what, || format!("{value} is not {what}"))?,
                "enum" => require(list(what).contains(value), || format!("{value} is not one of {what}"))?,
                "minimum" => {
                    let least = what.as_f64().expect("a bound is a number");
                    require(value.as_f64().is_none_or(|number| number >= least), || {
                        format!("{value} is below {what}")
                    })?;
                }
                "minItems" => require(length(value) >= what.as_u64(), || format!("fewer than {what} items"))?,
                "maxItems" => require(length(value) <= what.as_u64(), || format!("more than {what} items"))?,
                "items" => value.as_array().into_iter().flatten().try_for_each(|item| self.fits(item, what))?,
                "prefixItems" => {
                    let mut items = value.as_array().into_iter().flatten().zip(list(what));
                    items.try_for_each(|(item, schema)| self.fits(item, schema))?;
                }
                "required" => {
                    let mut missing =
                        list(what).iter().filter(|key| value.get(key.as_str().unwrap_or_default()).is_none());
                    missing.next().map_or(Ok(()), |key| Err(format!("{key} is missing")))?;
                }
                "properties" => {
                    for (key, schema) in what.as_object().expect("properties are an object") {
                        if let Some(value) = value.get(key) {
                            self.fits(value, schema).map_err(|why| format!("{key}: {why}"))?;
                            described.insert(key.clone());
                        }
                    }
                }
                "additionalProperties" => {
                    let known = keywords.get("properties");
                    for (key, value) in value.as_object().into_iter().flatten() {
                        if known.is_none_or(|known| known.get(key).is_none()) {
                            self.fits(value, what).map_err(|why| format!("{key}: {why}"))?;
                            described.insert(key.clone());
                        }
                    }
                }
                "oneOf" | "anyOf" => {
                    let results: Vec<_> = list(what).iter().map(|schema| self.described(value, schema)).collect();
                    let fitting = results.iter().flatten().count();
                    let enough = fitting == 1 || (fitting > 1 && keyword == "anyOf");
                    require(enough, || format!("{fitting} alternatives fit: {results:?}"))?;
                    described.extend(results.into_iter().flatten().flatten());
                }
                other => panic!("the schema has the keyword {other:?}, which is not understood here"),
            }
        }
        Ok(described)
    }

    /// What a reference within the file names.
    fn named(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
        pointer.and_then(|pointer| self.0.pointer(pointer)).expect("references lead to what is in the file")
    }
}

fn require(condition: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(why()) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("this keyword has a list")
}

/// The length of a list; the bounds for lists say nothing about other values, which fail for their type.
fn length(value: &Value) -> Option<u64> {
    value.as_array().map(|list| list.len() as u64)
}

fn check_type(value: &Value, allowed: &Value) -> Result<(), String> {
    let is = |name: &Value| match name.as_str().expect("types have names") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other:?} is no type"),
    };
    let fits = allowed.as_array().map_or_else(|| is(allowed), |names| names.iter().any(is));
    require(fits, || format!("{value} is not of type {allowed}"))
}
