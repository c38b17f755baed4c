//! `/session`: state that stays for a while, survivors among the requests.
//!
//! A client posts its cart, the server makes a session of it and keeps that in the place of another, which may have been there for
//! long. So most blocks of a request go with it, some stay among those of many others, and what is freed was allocated long ago
//! and mostly by another thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Endpoint;
use crate::random::{Random, word};

/// Pages that a session has seen, at most.
const MOST_PAGES: usize = 16;

/// Bytes that are kept of a page, at most.
const LARGEST_PAGE: usize = 1024;

/// See the [module](self).
pub(super) struct Session {
    seed: u64,
    capacity: usize,
    /// Made with the first request, so that a server that is asked for other things holds none.
    kept: OnceLock<Box<[Mutex<Option<Kept>>]>>,
    made: AtomicU64,
}

/// What a client posts.
#[derive(Deserialize, Serialize)]
struct Visit {
    user: String,
    cart: Vec<Line>,
}

#[derive(Deserialize, Serialize)]
struct Line {
    article: String,
    quantity: u32,
}

/// What the server keeps of it.
struct Kept {
    visit: Visit,
    token: String,
    pages: Vec<Box<[u8]>>,
    checksum: u32,
}

impl Session {
    pub(super) fn new(seed: u64, capacity: usize) -> Self {
        Self { seed, capacity: capacity.max(1), kept: OnceLock::new(), made: AtomicU64::new(0) }
    }

    /// Puts a session in the place of another. Fails if that is not what it was.
    fn keep(&self, visit: Visit) -> Result<(), String> {
        let mut random = Random::new(self.seed ^ self.made.fetch_add(1, Ordering::Relaxed));
        let pages = (0..=random.below(MOST_PAGES)).map(|_| {
            let byte = b'a' + u8::try_from(random.below(26)).unwrap_or_default();
            vec![byte; 1 + random.below(LARGEST_PAGE)].into_boxed_slice()
        });
        let pages: Vec<_> = pages.collect();
        let mut kept = Kept { visit, token: word(&mut random, 43), pages, checksum: 0 };
        kept.checksum = kept.contents();
        let places = self.kept.get_or_init(|| (0..self.capacity).map(|_| Mutex::new(None)).collect());
        let place = &places[random.below(places.len())];
        let old = place.lock().unwrap_or_else(PoisonError::into_inner).replace(kept);
        match old {
            Some(old) if old.contents() != old.checksum => Err("a session is not what it was".into()),
            _ => Ok(()),
        }
    }
}

impl Kept {
    /// CRC-32 over all of it.
    fn contents(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for line in &self.visit.cart {
            hasher.update(line.article.as_bytes());
            hasher.update(&line.quantity.to_le_bytes());
        }
        for page in &self.pages {
            hasher.update(page);
        }
        for text in [&self.visit.user, &self.token] {
            hasher.update(text.as_bytes());
        }
        hasher.finalize()
    }
}

impl Endpoint for Session {
    fn request(&self) -> Vec<u8> {
        let mut random = Random::new(self.seed);
        let line = |_| Line {
            article: word(&mut random, 14),
            quantity: 1 + u32::try_from(random.below(5)).unwrap_or_default(),
        };
        let cart = (0..12).map(line).collect();
        let visit = Visit { user: word(&mut random, 12), cart };
        serde_json::to_vec(&visit).unwrap_or_default()
    }

    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, String> {
        let visit: Visit = serde_json::from_slice(request).map_err(|error| error.to_string())?;
        let pieces: u64 = visit.cart.iter().map(|line| u64::from(line.quantity)).sum();
        let answer = json!({ "user": visit.user, "lines": visit.cart.len(), "pieces": pieces });
        self.keep(visit)?;
        serde_json::to_vec(&answer).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_stay_until_others_take_their_place() {
        let endpoint = Session::new(1, 8);
        let request = endpoint.request();
        assert!(endpoint.kept.get().is_none(), "nobody came yet");
        for _ in 0..200 {
            endpoint.answer(&request).expect("it is a visit");
        }
        let places = endpoint.kept.get().expect("somebody came");
        let kept = places.iter().filter(|place| place.lock().is_ok_and(|place| place.is_some()));
        assert_eq!(kept.count(), 8, "of 200 sessions in 8 places, the last of each stays");
    }

    #[test]
    fn a_session_that_was_spoilt_is_found() {
        let endpoint = Session::new(1, 1);
        let request = endpoint.request();
        endpoint.answer(&request).expect("it is a visit");
        let places = endpoint.kept.get().expect("somebody came");
        places[0].lock().expect("nobody panicked").as_mut().expect("it is kept").token.push('x');
        assert_eq!(endpoint.answer(&request).unwrap_err(), "a session is not what it was");
        assert!(endpoint.answer(&request).is_ok());
    }
}
