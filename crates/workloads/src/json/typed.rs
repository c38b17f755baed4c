//! The embedded documents as a program would declare them: structs with owned strings, optional members, tagged enums.
//!
//! Members that are absent stay absent, so that a document survives the round trip unchanged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::documents::Document;

/// Any of the documents in its typed form.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Typed {
    Atlas(Box<Topology>),
    Mime(BTreeMap<String, MediaType>),
    Grammar(Box<Grammar>),
    Compat(BTreeMap<String, Feature>),
}

impl Typed {
    pub(super) fn parse(document: Document) -> serde_json::Result<Self> {
        let text = document.text().as_bytes();
        Ok(match document {
            Document::Atlas => Self::Atlas(serde_json::from_slice(text)?),
            Document::Mime => Self::Mime(serde_json::from_slice(text)?),
            Document::Grammar => Self::Grammar(serde_json::from_slice(text)?),
            Document::Compat => Self::Compat(serde_json::from_slice(text)?),
        })
    }
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Topology {
    #[serde(rename = "type")]
    kind: String,
    bbox: [Number; 4],
    transform: Transform,
    objects: BTreeMap<String, Geometry>,
    arcs: Vec<Vec<[i64; 2]>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Transform {
    scale: [Number; 2],
    translate: [Number; 2],
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "type")]
pub(super) enum Geometry {
    #[serde(rename = "GeometryCollection")]
    Collection { geometries: Vec<Geometry> },
    Polygon {
        arcs: Vec<Vec<i64>>,
        #[serde(flatten)]
        about: About,
    },
    MultiPolygon {
        arcs: Vec<Vec<Vec<i64>>>,
        #[serde(flatten)]
        about: About,
    },
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct About {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct MediaType {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    charset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compressible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extensions: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Grammar {
    #[serde(rename = "$schema")]
    schema: String,
    name: String,
    word: String,
    rules: BTreeMap<String, Rule>,
    extras: Vec<Rule>,
    conflicts: Vec<Vec<String>>,
    precedences: Vec<Vec<Rule>>,
    externals: Vec<Rule>,
    inline: Vec<String>,
    supertypes: Vec<String>,
    reserved: BTreeMap<String, Vec<Rule>>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Rule {
    Blank,
    String { value: String },
    Pattern { value: String },
    Symbol { name: String },
    Seq { members: Vec<Rule> },
    Choice { members: Vec<Rule> },
    Repeat { content: Box<Rule> },
    Repeat1 { content: Box<Rule> },
    Token { content: Box<Rule> },
    ImmediateToken { content: Box<Rule> },
    Field { name: String, content: Box<Rule> },
    Alias { content: Box<Rule>, named: bool, value: String },
    Reserved { content: Box<Rule>, context_name: String },
    Prec { value: Precedence, content: Box<Rule> },
    PrecLeft { value: Precedence, content: Box<Rule> },
    PrecRight { value: Precedence, content: Box<Rule> },
    PrecDynamic { value: Precedence, content: Box<Rule> },
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Precedence {
    Level(i64),
    Name(String),
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Feature {
    #[serde(rename = "__compat", skip_serializing_if = "Option::is_none")]
    compat: Option<Compat>,
    #[serde(flatten)]
    features: BTreeMap<String, Feature>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Compat {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mdn_url: Option<String>,
    source_file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec_url: Option<OneOrMany<String>>,
    status: Status,
    support: BTreeMap<String, OneOrMany<Support>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Status {
    deprecated: bool,
    experimental: bool,
    standard_track: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Support {
    version_added: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_last: Option<Version>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_removed: Option<Version>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_implementation: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<Vec<Flag>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impl_url: Option<OneOrMany<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<OneOrMany<String>>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Version {
    Known(bool),
    Number(String),
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Flag {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_to_set: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The typed form holds everything that the text does, and so does what is written from either form.
    #[test]
    fn every_document_survives_the_round_trip_in_both_forms() {
        for document in Document::ALL {
            let value: Value = serde_json::from_str(document.text()).unwrap();
            let typed = Typed::parse(document).unwrap();
            assert!(serde_json::to_value(&typed).unwrap() == value, "{document:?} loses something when typed");
            let again: Value = serde_json::from_slice(&serde_json::to_vec(&value).unwrap()).unwrap();
            assert!(again == value, "{document:?} changes when written and read");
            let again: Value = serde_json::from_slice(&serde_json::to_vec(&typed).unwrap()).unwrap();
            assert!(again == value, "{document:?} changes when written from its typed form and read");
        }
    }
}
