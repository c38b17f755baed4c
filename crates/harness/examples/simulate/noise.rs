//! A machine that is not there: how long turns take, with the noises that benchmarks meet.

use fastrand::Rng;

/// What disturbs the time of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    /// The textbook case.
    Normal,
    /// Lognormal: never much faster, sometimes much slower.
    Skewed,
    /// Student's t with two degrees of freedom, which has no variance.
    HeavyTailed,
    /// Every third process or so is 5 % slower from start to end, as an unlucky layout of memory makes it.
    Bimodal,
    /// A turn resembles the one before it of the same process: an autoregression of the first order with 0.6.
    Autocorrelated,
    /// The speed of the machine is a random walk that all share, with a step before every turn.
    Drifting,
}

impl Noise {
    pub(crate) const ALL: [Self; 6] =
        [Self::Normal, Self::Skewed, Self::HeavyTailed, Self::Bimodal, Self::Autocorrelated, Self::Drifting];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Skewed => "skewed",
            Self::HeavyTailed => "heavy-tailed",
            Self::Bimodal => "bimodal",
            Self::Autocorrelated => "autocorrelated",
            Self::Drifting => "drifting",
        }
    }
}

/// Spread between processes of one program.
const BETWEEN_PROCESSES: f64 = 0.01;

/// Spread between turns of one process.
const BETWEEN_TURNS: f64 = 0.03;

/// A step of the drift.
const DRIFT: f64 = 0.01;

const AUTOREGRESSION: f64 = 0.6;

/// The machine: what its processes share.
pub(crate) struct Machine {
    noise: Noise,
    pub(crate) rng: Rng,
    /// Logarithm of the time that everything takes at the moment.
    level: f64,
}

/// A process, with what stays the same from its start to its end.
pub(crate) struct Process {
    offset: f64,
    last: f64,
}

impl Machine {
    pub(crate) fn new(noise: Noise, seed: u64) -> Self {
        Self { noise, rng: Rng::with_seed(seed), level: 0.0 }
    }

    pub(crate) fn start(&mut self) -> Process {
        let offset = match self.noise {
            Noise::Bimodal if self.rng.f64() < 0.3 => 0.05,
            _ => 0.0,
        };
        Process { offset: offset + BETWEEN_PROCESSES * self.draw(), last: self.normal() }
    }

    /// How long the next turn of the process takes, in units of what it would without noise.
    pub(crate) fn turn(&mut self, process: &mut Process) -> f64 {
        let draw = match self.noise {
            Noise::Autocorrelated => {
                let fresh = (1.0 - AUTOREGRESSION * AUTOREGRESSION).sqrt();
                process.last = AUTOREGRESSION * process.last + fresh * self.normal();
                process.last
            }
            _ => self.draw(),
        };
        if self.noise == Noise::Drifting {
            self.level += DRIFT * self.normal();
        }
        (self.level + process.offset + BETWEEN_TURNS * draw).exp()
    }

    fn draw(&mut self) -> f64 {
        match self.noise {
            Noise::Skewed => self.normal().exp() - 1.0,
            // A normal number over the root of a chi-square one with two degrees of freedom, halved, which is
            // exponential. Kept away from zero, so that a turn always takes a finite time.
            Noise::HeavyTailed => self.normal() / (-(1.0 - self.rng.f64()).ln()).sqrt().max(1e-3),
            _ => self.normal(),
        }
    }

    /// Box and Muller's transformation.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.rng.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.rng.f64()).cos()
    }
}
