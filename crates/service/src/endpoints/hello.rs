//! `/hello`: a small JSON object. Next to nothing is done in it, so what is measured is the stack.

use serde::Serialize;

use super::Endpoint;
use crate::random::{Random, word};

/// See the [module](self).
pub(super) struct Hello {
    seed: u64,
}

impl Hello {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }
}

#[derive(Serialize)]
struct Greeting {
    message: String,
    visitor: String,
    languages: Vec<&'static str>,
}

impl Endpoint for Hello {
    fn request(&self) -> Vec<u8> {
        Vec::new()
    }

    fn answer(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        let visitor = word(&mut Random::new(self.seed), 12);
        let message = format!("Hello, {visitor}!");
        let greeting = Greeting { message, visitor, languages: vec!["en", "de", "pt"] };
        serde_json::to_vec(&greeting).map_err(|error| error.to_string())
    }
}
