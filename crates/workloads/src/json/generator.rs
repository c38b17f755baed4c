//! Makes documents of a chosen character and size out of random numbers.
//!
//! The text in them is cut out of a pool that is drawn beforehand, so that building spends its time on the tree and not
//! on random letters.

use fastrand::Rng;
use serde_json::{Map, Value};

use crate::random::stream;

/// What most of a document consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// Records with some members of a few bytes each.
    ManySmallStrings,
    /// Few texts of a kibibyte to a quarter of the document, written piece by piece.
    FewBigStrings,
    /// Series of integers and fractions.
    Numbers,
    /// Objects and arrays in each other, to a hundred levels.
    Deep,
}

/// The words of the parameter `profile`.
pub(super) const CHOICES: &[&str] = &["many-small-strings", "few-big-strings", "numbers", "deep"];

impl Profile {
    pub(super) const ALL: [Self; 4] = [Self::ManySmallStrings, Self::FewBigStrings, Self::Numbers, Self::Deep];

    /// The profile that a word of [`CHOICES`] stands for.
    pub(super) fn chosen(word: &str) -> Self {
        let index = CHOICES.iter().position(|choice| *choice == word);
        Self::ALL[index.expect("the word is one of the choices")]
    }

    /// A tree takes at most so many bytes of memory for each byte of its text. A node of the standard library's B-tree has
    /// room for eleven members, so a map takes over 600 bytes, however few it holds; an array that grows may have twice
    /// the room it needs.
    pub(super) fn memory_factor(self) -> usize {
        match self {
            Self::FewBigStrings => 3,
            Self::Numbers => 7,
            Self::ManySmallStrings => 8,
            Self::Deep => 18,
        }
    }
}

/// Member names as they occur in the documents of web services.
const NAMES: [&str; 48] = [
    "id",
    "name",
    "type",
    "status",
    "created_at",
    "updated_at",
    "url",
    "title",
    "author",
    "email",
    "tags",
    "count",
    "parent",
    "children",
    "description",
    "language",
    "country",
    "city",
    "street",
    "zip",
    "phone",
    "price",
    "currency",
    "quantity",
    "total",
    "discount",
    "sku",
    "category",
    "rating",
    "reviews",
    "image",
    "width",
    "height",
    "format",
    "version",
    "license",
    "homepage",
    "owner",
    "members",
    "role",
    "scope",
    "token",
    "expires",
    "locale",
    "timezone",
    "enabled",
    "visible",
    "notes",
];

/// The length of the text that strings are cut out of.
const POOL: usize = 1 << 16;

/// A text that is written piece by piece grows by this much.
const PIECE: usize = 512;

/// No document nests deeper than this; `serde_json` reads 128 levels.
const DEEPEST: usize = 100;

/// The shortest of the big strings.
const BIG: usize = 1024;

/// Makes documents.
pub(super) struct Generator {
    profile: Profile,
    size: usize,
    pool: Box<str>,
}

impl Generator {
    /// Documents of about `size` bytes of text.
    pub(super) fn new(profile: Profile, size: usize, seed: u64) -> Self {
        let mut rng = stream(seed, u64::MAX);
        let letter = |_| if rng.u8(..6) == 0 { ' ' } else { rng.lowercase() };
        Self { profile, size, pool: (0..POOL).map(letter).collect() }
    }

    /// The next document that `rng` leads to.
    pub(super) fn document(&self, rng: &mut Rng) -> Value {
        let mut left = self.size;
        let mut parts = Vec::new();
        while left > 0 {
            let (part, length) = match self.profile {
                Profile::ManySmallStrings => self.record(rng),
                Profile::FewBigStrings => self.page(rng, left),
                Profile::Numbers => self.series(rng, left),
                Profile::Deep => self.chain(rng, left),
            };
            left = left.saturating_sub(length);
            parts.push(part);
        }
        Value::Array(parts)
    }

    /// A piece of text that needs no escapes.
    fn text(&self, rng: &mut Rng, length: usize) -> &str {
        let start = rng.usize(..=self.pool.len() - length);
        &self.pool[start..start + length]
    }

    /// An object of 4 to 12 members with short strings in them, some in an array.
    fn record(&self, rng: &mut Rng) -> (Value, usize) {
        let members = rng.usize(4..=12);
        let first = rng.usize(..NAMES.len());
        let mut record = Map::new();
        let mut length = 0;
        for place in first..first + members {
            let name = NAMES[place % NAMES.len()];
            let value = if rng.u8(..8) == 0 {
                let mut words = Vec::new();
                for _ in 0..rng.usize(1..=6) {
                    words.push(self.short_string(rng, &mut length));
                }
                Value::Array(words)
            } else {
                self.short_string(rng, &mut length)
            };
            length += name.len() + 4;
            record.insert(name.to_owned(), value);
        }
        (Value::Object(record), length)
    }

    /// A string of 1 to 40 bytes; adds its length in the text to `length`.
    fn short_string(&self, rng: &mut Rng, length: &mut usize) -> Value {
        let bytes = rng.usize(1..=40);
        let text = self.text(rng, bytes).to_owned();
        *length += text.len() + 3;
        Value::String(text)
    }

    /// An object with a title and a big text, which is written piece by piece like a page from a template.
    fn page(&self, rng: &mut Rng, left: usize) -> (Value, usize) {
        let target = log_uniform(rng, BIG, (self.size / 4).max(BIG)).min(left.max(64));
        let mut body = String::new();
        while body.len() < target {
            body.push_str(self.text(rng, PIECE.min(target - body.len())));
        }
        let mut length = body.len() + 12;
        let mut page = Map::new();
        page.insert("title".to_owned(), self.short_string(rng, &mut length));
        page.insert("body".to_owned(), Value::String(body));
        (Value::Object(page), length)
    }

    /// An object with a name and 4 to 4,096 numbers, most of them integers.
    fn series(&self, rng: &mut Rng, left: usize) -> (Value, usize) {
        let count = log_uniform(rng, 4, 4096);
        let mut length = 24;
        let mut values = Vec::new();
        for _ in 0..count {
            let value = rng.u32(..10_000_000);
            values.push(if rng.u8(..4) == 0 { Value::from(f64::from(value) / 128.0) } else { Value::from(value) });
            length += 9;
            if length > left {
                break;
            }
        }
        let mut series = Map::new();
        series.insert("name".to_owned(), self.short_string(rng, &mut length));
        series.insert("values".to_owned(), Value::Array(values));
        (Value::Object(series), length)
    }

    /// Objects and arrays in each other, each with a short string beside its child.
    fn chain(&self, rng: &mut Rng, left: usize) -> (Value, usize) {
        let mut length = 0;
        let mut inner = self.short_string(rng, &mut length);
        // The outermost array and the string count as levels.
        for _ in 0..rng.usize(10..=DEEPEST - 2) {
            let beside = self.short_string(rng, &mut length);
            inner = if rng.u8(..3) == 0 {
                length += 3;
                Value::Array(vec![beside, inner])
            } else {
                length += 16;
                let mut node = Map::new();
                node.insert("value".to_owned(), beside);
                node.insert("child".to_owned(), inner);
                Value::Object(node)
            };
            if length > left {
                break;
            }
        }
        (inner, length)
    }
}

/// A number from `min` to `max`, each power of two as likely as the next.
fn log_uniform(rng: &mut Rng, min: usize, max: usize) -> usize {
    let octaves = (max / min).ilog2();
    let low = min << rng.u32(..=octaves);
    rng.usize(low..=(2 * low - 1).min(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(value: &Value) -> usize {
        1 + match value {
            Value::Array(array) => array.iter().map(depth).max().unwrap_or(0),
            Value::Object(object) => object.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    #[test]
    fn documents_have_about_the_size_and_survive_the_round_trip() {
        for profile in Profile::ALL {
            for size in [1 << 10, 1 << 14, 1 << 18] {
                let generator = Generator::new(profile, size, 7);
                for seed in 0..8 {
                    let document = generator.document(&mut stream(seed, 0));
                    let text = serde_json::to_vec(&document).unwrap();
                    // What exceeds the size is the part that it ran out in; numbers and names are counted roughly.
                    let range = size / 2..size * 3 / 2 + 1024;
                    assert!(range.contains(&text.len()), "{profile:?}: {} instead of {size}", text.len());
                    let again: Value = serde_json::from_slice(&text).unwrap();
                    assert_eq!(again, document, "{profile:?}");
                    assert!(depth(&document) <= DEEPEST);
                }
            }
        }
    }

    #[test]
    fn the_random_numbers_decide_and_nothing_else() {
        for profile in Profile::ALL {
            let generator = Generator::new(profile, 10_000, 1);
            let one = generator.document(&mut stream(1, 0));
            assert_eq!(one, generator.document(&mut stream(1, 0)));
            assert_ne!(one, generator.document(&mut stream(2, 0)));
            assert_ne!(one, Generator::new(profile, 10_000, 2).document(&mut stream(1, 0)));
        }
    }

    #[test]
    fn log_uniform_stays_in_range() {
        let mut rng = stream(1, 1);
        for (min, max) in [(4, 4096), (1024, 1024), (1024, 65_536), (1024, 5000)] {
            let drawn: Vec<_> = (0..2000).map(|_| log_uniform(&mut rng, min, max)).collect();
            assert!(drawn.iter().all(|n| (min..=max).contains(n)));
            assert!(*drawn.iter().min().unwrap() < min * 2 && *drawn.iter().max().unwrap() > max / 2);
        }
    }
}
