//! How the turns of two contenders are laid out in time.

use heapmark::stats::BlockRatio;

use crate::noise::Machine;

/// Turns of a process.
pub(crate) const TURNS: usize = 40;

/// The turns of a block.
pub(crate) struct Block {
    pub(crate) contender: Vec<f64>,
    pub(crate) reference: Vec<f64>,
}

/// What the contender costs in a turn, in units of what the reference costs.
#[derive(Clone, Copy)]
pub(crate) enum Effect {
    /// The same in every turn.
    Even(f64),
    /// So much in one of twenty turns, else the same as the reference.
    Rare(f64),
}

impl Effect {
    fn in_turn(self, turn: usize) -> f64 {
        match self {
            Self::Even(ratio) => ratio,
            Self::Rare(ratio) if turn % 20 == 7 => ratio,
            Self::Rare(_) => 1.0,
        }
    }

    /// Contender ÷ reference over all turns.
    pub(crate) fn overall(self) -> f64 {
        (0..TURNS).map(|turn| self.in_turn(turn)).sum::<f64>() / TURNS as f64
    }
}

/// A block as heapmark makes it: a fresh process each, which take turns; every random order is followed by its reverse.
pub(crate) fn interleaved(machine: &mut Machine, effect: Effect) -> Block {
    let (mut ours, mut theirs) = (machine.start(), machine.start());
    let mut block = Block { contender: Vec::with_capacity(TURNS), reference: Vec::with_capacity(TURNS) };
    let mut contender_first = false;
    for turn in 0..TURNS {
        contender_first = if turn % 2 == 0 { machine.rng.bool() } else { !contender_first };
        for contenders_turn in [contender_first, !contender_first] {
            if contenders_turn {
                block.contender.push(machine.turn(&mut ours) * effect.in_turn(turn));
            } else {
                block.reference.push(machine.turn(&mut theirs));
            }
        }
    }
    block
}

/// The same processes as many benchmarks run them: first all of one, then all of the other.
pub(crate) fn sequential(machine: &mut Machine, blocks: usize) -> Vec<Block> {
    let mut all_of_one = || -> Vec<Vec<f64>> {
        let mut one = || {
            let mut process = machine.start();
            (0..TURNS).map(|_| machine.turn(&mut process)).collect()
        };
        (0..blocks).map(|_| one()).collect()
    };
    let (contender, reference) = (all_of_one(), all_of_one());
    contender.into_iter().zip(reference).map(|(contender, reference)| Block { contender, reference }).collect()
}

/// The block as heapmark reduces it.
pub(crate) fn reduced(block: &Block) -> BlockRatio {
    BlockRatio::of(&block.contender, &block.reference).expect("simulated turns take time")
}
