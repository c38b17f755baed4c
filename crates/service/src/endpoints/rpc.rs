//! `/rpc`: a remote call as a framework with encryption and compression makes it.
//!
//! The arguments are decrypted (AES-256 in Galois/counter mode) and decompressed (LZ4), a function runs over the graph of objects
//! that they describe, its result is compressed and encrypted. The function works out what a product is made of: each part is
//! made of others, which it shares with yet others, and what is asked for is how much of each the product contains and how deep
//! it lies in it.

use std::cell::Cell;
use std::rc::Rc;

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce, aes::cipher::consts::U12};
use serde::{Deserialize, Serialize};

use super::Endpoint;
use crate::random::{Random, word};

/// What a decompressed call may take; a length that a client claims is not believed beyond it.
const LARGEST_CALL: usize = 64 << 20;

const NONCE_BYTES: usize = 12;

/// See the [module](self).
pub(super) struct Rpc {
    seed: u64,
    parts: usize,
    cipher: Aes256Gcm,
}

/// What is called, with which arguments.
#[derive(Deserialize, Serialize)]
struct Call {
    function: String,
    parts: Vec<Part>,
}

/// A part, made of so many of others: those that come before it in the list.
#[derive(Deserialize, Serialize)]
struct Part {
    name: String,
    weight: u64,
    made_of: Vec<(usize, u64)>,
}

/// What comes back.
#[derive(Deserialize, Serialize)]
struct Reply {
    function: String,
    weight: u64,
    needed: Vec<Needed>,
}

/// How much of a part the product contains, and how deep it lies in it.
#[derive(Deserialize, Serialize)]
struct Needed {
    name: String,
    count: u64,
    depth: u64,
}

/// A part among others.
struct Node {
    name: String,
    weight: u64,
    made_of: Vec<(Rc<Node>, u64)>,
    count: Cell<u64>,
    depth: Cell<u64>,
}

impl Rpc {
    pub(super) fn new(seed: u64, parts: usize) -> Self {
        let mut random = Random::new(seed);
        let mut key = [0; 32];
        for word in key.as_chunks_mut::<8>().0 {
            *word = random.next().to_le_bytes();
        }
        Self { seed, parts: parts.max(1), cipher: Aes256Gcm::new(&key.into()) }
    }

    fn call(&self) -> Call {
        let mut random = Random::new(self.seed);
        let parts = (0..self.parts).map(|place| {
            let mut made_of: Vec<(usize, u64)> = Vec::new();
            // Of the parts right before it, so that the product is deep and what is shared is near.
            for _ in 0..(1 + random.below(3)).min(place) {
                let other = place - 1 - random.below(place.min(12));
                made_of.push((other, 1 + random.next() % 3));
            }
            Part { name: word(&mut random, 16), weight: 1 + random.next() % 1000, made_of }
        });
        Call { function: "contents".into(), parts: parts.collect() }
    }

    /// Compresses and encrypts; the nonce stands before it.
    fn seal(&self, nonce: [u8; NONCE_BYTES], text: &[u8]) -> Result<Vec<u8>, String> {
        let compressed = lz4_flex::block::compress_prepend_size(text);
        let nonce: Nonce<U12> = nonce.into();
        let encrypted = self.cipher.encrypt(&nonce, compressed.as_slice()).map_err(|_| "cannot encrypt")?;
        let mut sealed = Vec::with_capacity(NONCE_BYTES + encrypted.len());
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&encrypted);
        Ok(sealed)
    }

    /// Takes apart what [`Rpc::seal`] made.
    fn open(&self, sealed: &[u8]) -> Result<([u8; NONCE_BYTES], Vec<u8>), String> {
        let (nonce, encrypted) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or("the call is too short")?;
        let compressed = self.cipher.decrypt(&(*nonce).into(), encrypted).map_err(|_| "the call is not authentic")?;
        let (length, _) = lz4_flex::block::uncompressed_size(&compressed).map_err(|error| error.to_string())?;
        if length > LARGEST_CALL {
            return Err(format!("the call claims {length} bytes"));
        }
        let text = lz4_flex::block::decompress_size_prepended(&compressed).map_err(|error| error.to_string())?;
        Ok((*nonce, text))
    }
}

impl Endpoint for Rpc {
    fn request(&self) -> Vec<u8> {
        let text = serde_json::to_vec(&self.call()).unwrap_or_default();
        let mut nonce = [0; NONCE_BYTES];
        nonce[..8].copy_from_slice(&self.seed.to_le_bytes());
        self.seal(nonce, &text).unwrap_or_default()
    }

    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, String> {
        let (mut nonce, text) = self.open(request)?;
        let call: Call = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let reply = contents(call)?;
        let text = serde_json::to_vec(&reply).map_err(|error| error.to_string())?;
        // One key serves both directions, so the nonce of an answer must be none of a call.
        nonce[NONCE_BYTES - 1] ^= 1;
        self.seal(nonce, &text)
    }
}

/// What the last part is made of, all the way down.
fn contents(call: Call) -> Result<Reply, String> {
    let mut nodes: Vec<Rc<Node>> = Vec::with_capacity(call.parts.len());
    for part in call.parts {
        let child = |(place, count): (usize, u64)| nodes.get(place).map(|node| (Rc::clone(node), count));
        let made_of = part.made_of.into_iter().map(child).collect::<Option<Vec<_>>>();
        let made_of = made_of.ok_or("a part is made of one that comes later")?;
        let node = Node { name: part.name, weight: part.weight, made_of, count: Cell::new(0), depth: Cell::new(0) };
        nodes.push(Rc::new(node));
    }
    let product = nodes.last().ok_or("there are no parts")?;
    product.count.set(1);
    // A part comes after all that it is made of, so backwards every part is complete when its own are reached.
    for node in nodes.iter().rev().filter(|node| node.count.get() > 0) {
        for (child, count) in &node.made_of {
            child.count.set(child.count.get().wrapping_add(node.count.get().wrapping_mul(*count)));
            child.depth.set(child.depth.get().max(node.depth.get() + 1));
        }
    }
    let needed = nodes.iter().filter(|node| node.count.get() > 0);
    let weight = needed.clone().map(|node| node.weight.wrapping_mul(node.count.get())).fold(0, u64::wrapping_add);
    let needed =
        needed.map(|node| Needed { name: node.name.clone(), count: node.count.get(), depth: node.depth.get() });
    Ok(Reply { function: call.function, weight, needed: needed.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, weight: u64, made_of: &[(usize, u64)]) -> Part {
        Part { name: name.into(), weight, made_of: made_of.to_vec() }
    }

    #[test]
    fn what_a_product_is_made_of_is_counted_over_all_paths() {
        let screw = part("screw", 2, &[]);
        let wheel = part("wheel", 10, &[(0, 4)]);
        let unused = part("unused", 1000, &[(0, 1)]);
        let cart = part("cart", 100, &[(1, 2), (0, 3)]);
        let reply = contents(Call { function: "contents".into(), parts: vec![screw, wheel, unused, cart] });
        let reply = reply.expect("it is sound");
        let needed: Vec<_> = reply.needed.iter().map(|needed| (&*needed.name, needed.count, needed.depth)).collect();
        assert_eq!(needed, [("screw", 11, 2), ("wheel", 2, 1), ("cart", 1, 0)]);
        assert_eq!(reply.weight, 11 * 2 + 2 * 10 + 100);
    }

    #[test]
    fn a_part_made_of_itself_or_of_a_later_one_is_refused() {
        for made_of in [[(0, 1)], [(7, 1)]] {
            let call = Call { function: String::new(), parts: vec![part("a", 1, &made_of)] };
            assert!(contents(call).is_err());
        }
        assert!(contents(Call { function: String::new(), parts: Vec::new() }).is_err());
    }

    #[test]
    fn an_answer_is_sealed_and_holds_the_reply() {
        let rpc = Rpc::new(5, 30);
        let request = rpc.request();
        let answer = rpc.answer(&request).expect("the request is sound");
        let (nonce, text) = rpc.open(&answer).expect("it is sealed with the same key");
        assert_ne!(nonce[..], request[..NONCE_BYTES], "no nonce is used twice");
        let reply: Reply = serde_json::from_slice(&text).expect("it is a reply");
        assert!(reply.needed.len() > 1 && reply.weight > 0);
    }

    #[test]
    fn what_was_changed_on_the_way_is_found() {
        let rpc = Rpc::new(5, 30);
        let request = rpc.request();
        for place in [0, NONCE_BYTES, request.len() / 2, request.len() - 1] {
            let mut changed = request.clone();
            changed[place] ^= 1;
            assert_eq!(rpc.answer(&changed).unwrap_err(), "the call is not authentic", "byte {place}");
        }
        assert!(Rpc::new(6, 30).answer(&request).is_err(), "another key opens nothing");
    }
}
