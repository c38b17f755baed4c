//! Documents parsed, edited in place, and serialised again.
//!
//! Models a service that patches stored documents, or a tool that rewrites its configuration. Stresses what building and
//! dropping alone do not: single members and elements that come and go in the middle of a tree, so that holes of odd sizes
//! appear between blocks of one age and are filled by copies from elsewhere; then a text that grows while it is written.
//! Read throughput and peak memory from it, and compare with `json/parse`: the difference is the editing and the writing.

use fastrand::Rng;
use heapmark_worker::{About, Job, Lane, Parameter, Setup, Tally, Turn, Workload};
use serde_json::Value;

use super::documents::{CHOICES, Deal, Document, TREE_BYTES};
use super::sample::sample;
use super::turnstile::Turnstile;
use super::window::Window;
use crate::checksum::{mix, mix_bytes};
use crate::memory_limit::within_memory;
use crate::random::stream;

/// See the [module](self).
pub(crate) struct Edit;

static ABOUT: About = About {
    name: "json/edit",
    summary: "real documents parsed, edited at random places, serialised",
    unit: "document",
    details: "Each unit parses one of the four real documents of json/parse to a value tree, makes `edits` changes at random \
              places near its leaves (a member or element is added, removed, or replaced, with copies of small parts of \
              all documents), and serialises it into a text that grows as it is written. The edited tree gets a place \
              among the `live` documents of its thread and replaces a random one, which is sampled and dropped. Compare \
              throughput, CPU time and peak memory, and with json/parse, which does the first part only.",
    parameters: &[
        Parameter::threads(),
        Parameter::choice("document", CHOICES, "which document"),
        Parameter::number("edits", 64, 0, 10_000, "changes to each document"),
        Parameter::number("live", 8, 0, 256, "documents that each thread keeps alive"),
    ],
};

/// How many small parts there are to copy from.
const PARTS: usize = 64;

/// A container with more children than this, or with containers among them, is not one thing to remove, replace or copy.
const SMALL: usize = 4;

/// So much memory an edit adds to a document at most, on average: as many remove a part as add one.
const EDIT_BYTES: usize = 256;

impl Workload for Edit {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let (lanes, live, edits) = (setup.size("threads"), setup.size("live"), setup.size("edits"));
        within_memory(ABOUT.name, lanes, (lanes * (live + 1) * (TREE_BYTES + edits * EDIT_BYTES)) as u64)?;
        let documents = Document::chosen(setup.choice("document"));
        let (parts, turnstile) = (parts(setup.seed), Turnstile::default());
        Ok(Box::new(Editor { lanes, live, edits, documents, parts, seed: setup.seed, turnstile }))
    }
}

struct Editor {
    lanes: usize,
    live: usize,
    edits: usize,
    documents: &'static [Document],
    parts: Vec<Value>,
    seed: u64,
    turnstile: Turnstile,
}

impl Job for Editor {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let (rng, deal) = (stream(self.seed, index as u64), Deal::new(self.documents));
        Box::new(self.turnstile.pass(index, Editing { editor: self, rng, deal, window: Window::new(self.live) }))
    }
}

struct Editing<'a> {
    editor: &'a Editor,
    rng: Rng,
    deal: Deal,
    window: Window<Value>,
}

impl Lane for Editing<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..turn.share() {
            let document = self.deal.next(&mut self.rng);
            let mut tree = serde_json::from_slice(document.text().as_bytes()).expect("the embedded documents parse");
            for _ in 0..self.editor.edits {
                edit(&mut tree, &self.editor.parts, &mut self.rng);
            }
            let text = serde_json::to_vec(&tree).expect("a value tree serialises");
            let mut checksum = mix_bytes(0, &text);
            drop(text);
            if let Some(old) = self.window.keep(tree, &mut self.rng) {
                checksum = mix(checksum, sample(&old, checksum));
            }
            tally.add(checksum);
        }
        tally
    }
}

/// Makes one change: goes down to a random small part and adds one beside it, removes it, or replaces it.
fn edit(tree: &mut Value, parts: &[Value], rng: &mut Rng) {
    let mut place = tree;
    loop {
        let children = children(place);
        let index = if children == 0 { 0 } else { rng.usize(..children) };
        match child(place, index) {
            Some(child) if !is_small(child) => place = child_mut(place, index).expect("it was there"),
            _ => return change(place, index, parts, rng),
        }
    }
}

/// Changes the container `place` at its child `index`; if it is empty, only adding does anything.
fn change(place: &mut Value, index: usize, parts: &[Value], rng: &mut Rng) {
    let (action, number) = (rng.u8(..3), rng.u16(..));
    let mut copy = || rng.choice(parts).expect("there are parts to copy").clone();
    match (action, place) {
        (0, Value::Array(array)) => array.insert(index, copy()),
        (0, Value::Object(object)) => {
            object.insert(format!("added-{number}"), copy());
        }
        (1, Value::Array(array)) if index < array.len() => drop(array.remove(index)),
        (1, Value::Object(object)) => {
            if let Some(name) = object.keys().nth(index).cloned() {
                object.remove(&name);
            }
        }
        (_, place) => {
            if let Some(old) = child_mut(place, index) {
                *old = copy();
            }
        }
    }
}

fn children(value: &Value) -> usize {
    match value {
        Value::Array(array) => array.len(),
        Value::Object(object) => object.len(),
        _ => 0,
    }
}

fn child(value: &Value, index: usize) -> Option<&Value> {
    match value {
        Value::Array(array) => array.get(index),
        Value::Object(object) => object.values().nth(index),
        _ => None,
    }
}

fn child_mut(value: &mut Value, index: usize) -> Option<&mut Value> {
    match value {
        Value::Array(array) => array.get_mut(index),
        Value::Object(object) => object.values_mut().nth(index),
        _ => None,
    }
}

/// Whether a value is one thing to add, remove or replace: a scalar, or a few of them.
fn is_small(value: &Value) -> bool {
    let count = children(value);
    count <= SMALL && (0..count).all(|index| child(value, index).is_some_and(|child| children(child) == 0))
}

/// Small parts of all documents, to copy from.
fn parts(seed: u64) -> Vec<Value> {
    let mut small = Vec::new();
    for document in Document::ALL {
        let tree = serde_json::from_str(document.text()).expect("the embedded documents parse");
        collect_small(tree, &mut small);
    }
    stream(seed, u64::MAX).shuffle(&mut small);
    small.truncate(PARTS);
    small.shrink_to_fit();
    small
}

fn collect_small(value: Value, small: &mut Vec<Value>) {
    if is_small(&value) {
        small.push(value);
        return;
    }
    match value {
        Value::Array(array) => array.into_iter().for_each(|child| collect_small(child, small)),
        Value::Object(object) => object.into_iter().for_each(|(_, child)| collect_small(child, small)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_edit_adds_removes_or_replaces_one_small_part() {
        let parts = [json!("part")];
        let before = json!({"a": [1, 2], "b": {"c": {"d": [[3], {"e": 4}]}}, "f": 5});
        let mut after: Vec<String> = Vec::new();
        for seed in 0..2000 {
            let mut tree = before.clone();
            edit(&mut tree, &parts, &mut stream(seed, 0));
            let mut text = tree.to_string();
            if let Some(start) = text.find("added-") {
                let end = start + text[start..].find('"').unwrap();
                text.replace_range(start..end, "added");
            }
            after.push(text);
        }
        after.sort_unstable();
        after.dedup();
        for expected in [
            json!({"a": [1, 2], "b": {"c": {"d": [[3], {"e": 4}]}}}),
            json!({"a": [1, 2], "b": {"c": {"d": [[3], {"e": 4}]}}, "f": "part"}),
            json!({"a": [1, 2], "added": "part", "b": {"c": {"d": [[3], {"e": 4}]}}, "f": 5}),
            json!({"a": "part", "b": {"c": {"d": [[3], {"e": 4}]}}, "f": 5}),
            json!({"b": {"c": {"d": [[3], {"e": 4}]}}, "f": 5}),
            json!({"a": [1, 2], "b": {"c": {"d": [{"e": 4}]}}, "f": 5}),
            json!({"a": [1, 2], "b": {"c": {"d": [[3], "part"]}}, "f": 5}),
            json!({"a": [1, 2], "b": {"c": {"d": [[3], "part", {"e": 4}]}}, "f": 5}),
        ] {
            assert!(after.contains(&expected.to_string()), "{expected} in {after:#?}");
        }
    }

    #[test]
    fn what_becomes_empty_can_be_edited_on() {
        for mut tree in [json!([]), json!({})] {
            let mut rng = stream(1, 1);
            let sizes: Vec<_> = (0..200)
                .map(|_| {
                    edit(&mut tree, &[json!(1)], &mut rng);
                    children(&tree)
                })
                .collect();
            assert!(sizes.contains(&0) && sizes.contains(&2));
        }
    }

    #[test]
    fn there_are_enough_parts_and_they_are_small() {
        let parts = parts(1);
        assert_eq!(parts.len(), PARTS);
        assert!(parts.iter().all(|part| is_small(part) && part.to_string().len() < 1000));
        assert!(parts.iter().any(Value::is_object) && parts.iter().any(Value::is_string));
    }

    #[test]
    fn documents_keep_about_their_size() {
        for document in Document::ALL {
            let mut tree: Value = serde_json::from_str(document.text()).unwrap();
            let before = tree.to_string().len();
            let (parts, mut rng) = (parts(2), stream(2, 0));
            (0..64).for_each(|_| edit(&mut tree, &parts, &mut rng));
            let after = tree.to_string().len();
            assert!(after.abs_diff(before) < before / 4, "{document:?}: {before} bytes, then {after}");
        }
    }
}
