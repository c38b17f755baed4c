//! `/lotofobjects`: 3,000 objects in 251,001 bytes of JSON, built for each request.
//!
//! The document of `json/lotofobjects`, here with a server around it: a tree of values, a text that grows while it is
//! written, and the copy into the socket.

use heapmark_workloads::ObjectLists;

use super::Endpoint;

/// See the [module](self).
pub(super) struct LotOfObjects {
    lists: ObjectLists,
    objects: usize,
}

impl LotOfObjects {
    pub(super) fn new(seed: u64, objects: usize) -> Self {
        Self { lists: ObjectLists::new(seed), objects }
    }
}

impl Endpoint for LotOfObjects {
    fn request(&self) -> Vec<u8> {
        Vec::new()
    }

    fn answer(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        serde_json::to_vec(&self.lists.list(self.objects, 0)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_s_document_has_251_001_bytes() {
        for seed in 0..5 {
            let endpoint = LotOfObjects::new(seed, 3000);
            assert_eq!(endpoint.answer(&[]).expect("it is built").len(), 251_001);
        }
    }
}
