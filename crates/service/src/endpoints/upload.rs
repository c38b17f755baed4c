//! `/upload`: JSON posted, parsed, edited, returned.
//!
//! An order of many items. The server parses it into a tree of values, works out what each item costs, leaves out the notes, adds
//! a line to the history of each, and returns the whole.

use serde_json::{Map, Value, json};

use super::Endpoint;
use crate::random::{Random, word};

/// See the [module](self).
pub(super) struct Upload {
    seed: u64,
    items: usize,
}

impl Upload {
    pub(super) fn new(seed: u64, items: usize) -> Self {
        Self { seed, items }
    }
}

impl Endpoint for Upload {
    fn request(&self) -> Vec<u8> {
        let mut random = Random::new(self.seed);
        let items: Vec<Value> = (0..self.items).map(|_| item(&mut random)).collect();
        let order = json!({ "order": word(&mut random, 16), "customer": word(&mut random, 12), "items": items });
        order.to_string().into_bytes()
    }

    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, String> {
        let mut order: Value = serde_json::from_slice(request).map_err(|error| error.to_string())?;
        let items = order.get_mut("items").and_then(Value::as_array_mut).ok_or("the order has no items")?;
        let mut total = 0;
        for item in items {
            let item = item.as_object_mut().ok_or("an item is no object")?;
            total += edit(item)?;
        }
        order["total"] = total.into();
        serde_json::to_vec(&order).map_err(|error| error.to_string())
    }
}

fn item(random: &mut Random) -> Value {
    let tags: Vec<String> = (0..random.below(5)).map(|_| word(random, 6)).collect();
    let note = word(random, 20);
    json!({
        "name": word(random, 10),
        "price": random.below(10_000),
        "quantity": 1 + random.below(9),
        "tags": tags,
        "note": note,
        "history": [{ "state": "created", "by": word(random, 8) }],
    })
}

/// Edits one item and says what it costs.
fn edit(item: &mut Map<String, Value>) -> Result<u64, String> {
    let number = |name: &str| item.get(name).and_then(Value::as_u64).ok_or_else(|| format!("an item has no {name}"));
    let cost = number("price")?.saturating_mul(number("quantity")?);
    item.remove("note");
    item.insert("cost".to_owned(), cost.into());
    if let Some(Value::String(name)) = item.get_mut("name") {
        *name = name.to_uppercase();
    }
    let history = item.get_mut("history").and_then(Value::as_array_mut).ok_or("an item has no history")?;
    history.push(json!({ "state": "priced", "by": "server" }));
    Ok(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_comes_back_edited() {
        let endpoint = Upload::new(3, 7);
        let answer = endpoint.answer(&endpoint.request()).expect("it is an order");
        let order: Value = serde_json::from_slice(&answer).expect("the answer is JSON");
        let items = order["items"].as_array().expect("it has items");
        assert_eq!(items.len(), 7);
        let costs: u64 = items.iter().map(|item| item["cost"].as_u64().expect("each has its cost")).sum();
        assert_eq!(order["total"], costs);
        for item in items {
            assert_eq!(item["note"], Value::Null);
            assert_eq!(item["history"].as_array().map(Vec::len), Some(2));
            let name = item["name"].as_str().expect("each has its name");
            assert!(name.bytes().all(|byte| byte.is_ascii_uppercase()));
        }
    }
}
