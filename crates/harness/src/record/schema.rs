//! The JSON Schema of a line of a record, written from the types that write records.

use std::path::Path;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::json;

use super::{Row, SCHEMA};

/// Set to anything, it has the test write the file.
const UPDATE: &str = "HEAPMARK_UPDATE_SCHEMA";

/// Documentation links read as what they name.
#[derive(Clone)]
struct PlainDescriptions;

impl Transform for PlainDescriptions {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(serde_json::Value::String(text)) = schema.get_mut("description") {
            *text = text.replace("[`", "`").replace("`]", "`");
        }
        transform_subschemas(self, schema);
    }
}

fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(PlainDescriptions);
    let mut schema = settings.into_generator().into_root_schema_for::<Row>();
    schema.insert("$id".into(), json!(format!("urn:heapmark:record:{SCHEMA}")));
    schema.insert("title".into(), json!(format!("One line of a heapmark record, schema {SCHEMA}")));
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

#[test]
fn the_file_says_what_the_types_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("record.schema.json");
    let schema = schema();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &schema).expect("the crate's folder can be written to");
    }
    let file = std::fs::read_to_string(&path).unwrap_or_default();
    let update = "cargo test -p heapmark --lib record::schema";
    assert!(file == schema, "record.schema.json is not what the types say; `{UPDATE}=1 {update}` writes it anew");
}
