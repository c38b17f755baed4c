//! The standard workloads, each with its loss.

use heapmark_worker::{Catalogue, Workload};

use crate::handicapped::Handicapped;

const COUNT: usize = heapmark_workloads::CATALOGUE.workloads.len();

static HANDICAPPED: [Handicapped; COUNT] = {
    let mut all = [Handicapped(heapmark_workloads::CATALOGUE.workloads[0]); COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = Handicapped(heapmark_workloads::CATALOGUE.workloads[index]);
        index += 1;
    }
    all
};

static WORKLOADS: [&dyn Workload; COUNT] = {
    let mut all: [&dyn Workload; COUNT] = [&HANDICAPPED[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = &HANDICAPPED[index];
        index += 1;
    }
    all
};

/// Every standard workload under its own name, with the loss that the knobs say.
pub const CATALOGUE: Catalogue = Catalogue { workloads: &WORKLOADS, ..heapmark_workloads::CATALOGUE };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_is_there_under_its_own_description() {
        let standard = heapmark_workloads::CATALOGUE.workloads;
        assert_eq!(CATALOGUE.workloads.len(), standard.len());
        for (ours, standard) in CATALOGUE.workloads.iter().zip(standard) {
            assert!(ours.is_handicapped() && !standard.is_handicapped());
            assert!(std::ptr::eq(ours.about(), standard.about()), "{}", ours.about().name);
        }
    }
}
