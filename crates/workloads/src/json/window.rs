//! The documents that a lane keeps alive, as a service keeps those of its open requests and its cache.

use fastrand::Rng;

/// Holds up to a fixed number of documents; a new one takes the place of a random one, so that their ages mix.
pub(super) struct Window<T> {
    kept: Vec<T>,
    capacity: usize,
}

impl<T> Window<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self { kept: Vec::with_capacity(capacity), capacity }
    }

    /// Keeps `document`. Returns the one that has to go for it, if any; with no room at all, `document` itself.
    pub(super) fn keep(&mut self, document: T, rng: &mut Rng) -> Option<T> {
        if self.kept.len() < self.capacity {
            self.kept.push(document);
            return None;
        }
        if self.capacity == 0 {
            return Some(document);
        }
        Some(std::mem::replace(&mut self.kept[rng.usize(..self.capacity)], document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_its_capacity_and_nothing_is_lost() {
        for capacity in [0, 1, 3, 8] {
            let mut rng = Rng::with_seed(5);
            let mut window = Window::new(capacity);
            let mut seen: Vec<u32> = (0..100).filter_map(|document| window.keep(document, &mut rng)).collect();
            assert_eq!(window.kept.len(), capacity);
            seen.append(&mut window.kept);
            seen.sort_unstable();
            assert_eq!(seen, (0..100).collect::<Vec<_>>());
        }
    }
}
