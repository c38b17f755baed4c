//! Real documents of different character. Where they come from and their licences: `documents/README.md`.

use fastrand::Rng;

/// A document that is built into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Document {
    /// `TopoJSON` map: numbers in short arrays.
    Atlas,
    /// Media types: many short strings and member names, flat.
    Mime,
    /// Grammar of a programming language: a deep recursive tree.
    Grammar,
    /// Compatibility tables: nested objects, strings, booleans, links.
    Compat,
}

/// The words of the parameter `document`.
pub(super) const CHOICES: &[&str] = &["all", "atlas", "mime", "grammar", "compat"];

/// No document's tree of values takes more memory than this.
pub(super) const TREE_BYTES: usize = 3 << 20;

impl Document {
    pub(super) const ALL: [Self; 4] = [Self::Atlas, Self::Mime, Self::Grammar, Self::Compat];

    /// The documents that a word of [`CHOICES`] stands for.
    pub(super) fn chosen(word: &str) -> &'static [Self] {
        match CHOICES.iter().position(|choice| *choice == word) {
            Some(index @ 1..) => &Self::ALL[index - 1..index],
            _ => &Self::ALL,
        }
    }

    /// Its text.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Atlas => include_str!("../../documents/countries-110m.json"),
            Self::Mime => include_str!("../../documents/mime-db.json"),
            Self::Grammar => include_str!("../../documents/javascript-grammar.json"),
            Self::Compat => include_str!("../../documents/css-at-rules.json"),
        }
    }
}

/// Deals out documents in random order such that each comes equally often: all of them, shuffled, then all again. Turns of
/// the same length then cost about the same.
pub(super) struct Deal {
    documents: [Document; 4],
    count: usize,
    next: usize,
}

impl Deal {
    pub(super) fn new(chosen: &[Document]) -> Self {
        let mut documents = Document::ALL;
        documents[..chosen.len()].copy_from_slice(chosen);
        Self { documents, count: chosen.len(), next: 0 }
    }

    pub(super) fn next(&mut self, rng: &mut Rng) -> Document {
        if self.next == 0 {
            rng.shuffle(&mut self.documents[..self.count]);
        }
        let document = self.documents[self.next];
        self.next = (self.next + 1) % self.count;
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_stands_for_its_documents() {
        assert_eq!(Document::chosen("all"), Document::ALL);
        for (word, document) in CHOICES[1..].iter().zip(Document::ALL) {
            assert_eq!(Document::chosen(word), [document]);
        }
    }

    #[test]
    fn each_document_comes_equally_often_and_not_in_one_order() {
        let mut rng = Rng::with_seed(3);
        let mut deal = Deal::new(&Document::ALL);
        let dealt: Vec<_> = (0..80).map(|_| deal.next(&mut rng)).collect();
        for document in Document::ALL {
            for round in dealt.chunks(4) {
                assert_eq!(round.iter().filter(|dealt| **dealt == document).count(), 1);
            }
        }
        assert!(dealt.chunks(4).any(|round| round != &dealt[..4]));
        let mut one = Deal::new(&[Document::Mime]);
        assert!((0..5).all(|_| one.next(&mut rng) == Document::Mime));
    }
}
