//! A resumed run stops when its record says.

use crate::rows::{line_end, rows};
use crate::stage::{Stage, assert_complete, fixed};

#[test]
fn the_rule_of_the_record_holds() {
    let stage = Stage::new();
    let (_, whole) = stage.undisturbed();
    // Two blocks of each of two workloads, in both arrangements.
    let two_blocks = &whole[..line_end(&whole, rows(&whole, "block")[7])];
    for (rule, blocks) in [
        ("{\"blocks\":1}", 2),
        ("{\"blocks\":2}", 2),
        ("{\"blocks\":4}", 4),
        // Used up by the blocks that there are.
        ("{\"budget\":1}", 2),
        // The blocks of these workers are as good as equal, and first looked at after 12.
        ("{\"precision\":0.05}", 12),
    ] {
        let record = two_blocks.replacen("\"stop\":{\"blocks\":7}", &format!("\"stop\":{rule}"), 1);
        assert!(record.contains(rule));
        std::fs::write(stage.record(), record).expect("it is ours");
        stage.resume();
        assert_complete(&fixed(&stage.record()), blocks);
    }
}
