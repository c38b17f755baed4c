//! Prints how often the statistics are wrong, and how often those are that others use: experiments on a simulated
//! machine with no difference, or a known one, through the same functions as real runs.
//!
//! `cargo run --release -p heapmark --example simulate [EXPERIMENTS]`; 2,000 unless told.

mod design;
mod naive;
mod noise;
mod rates;

use design::Effect;
use noise::Noise;
use rates::{BLOCKS, Ending, MARGIN};

fn main() {
    let experiments = match std::env::args().nth(1).map(|argument| argument.parse::<u64>()) {
        None => 2000,
        Some(Ok(experiments)) if experiments > 0 => experiments,
        Some(_) => {
            eprintln!("usage: simulate [EXPERIMENTS]");
            std::process::exit(2);
        }
    };
    println!("{experiments} experiments for each figure, {BLOCKS} blocks of {} turns, in percent.\n", design::TURNS);
    without_a_difference(experiments);
    to_which_side(experiments);
    twins(experiments);
    with_a_difference(experiments);
    with_a_cost_in_rare_turns(experiments);
    when_to_stop(experiments);
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn heading(columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    println!("|---|{}", "---:|".repeat(columns.len() - 1));
}

fn row(noise: Noise, figures: &[f64]) {
    let figures: Vec<String> = figures.iter().map(|&figure| percent(figure)).collect();
    println!("| {} | {} |", noise.name(), figures.join(" | "));
}

fn without_a_difference(experiments: u64) {
    println!("Two copies of one program: how often they are called different.\n");
    let margin = percent(MARGIN);
    heading(&[
        "noise",
        "typical turn, no margin",
        &format!("typical turn, margin {margin} %"),
        "uneven",
        "verdict, no margin",
        &format!("verdict, margin {margin} %"),
        "sign-flip test",
        "t-interval",
        "turns as observations, interleaved",
        "turns as observations, one after the other",
        "processes as observations, one after the other",
    ]);
    let all: Vec<_> = Noise::ALL.iter().map(|&noise| (noise, rates::false_rates(noise, experiments))).collect();
    for (noise, rates) in &all {
        row(
            *noise,
            &[
                rates.called,
                rates.called_beyond_margin,
                rates.uneven,
                rates.called_deciding,
                rates.called_deciding_beyond_margin,
                rates.sign_flip,
                rates.t,
                rates.naive_interleaved,
                rates.naive_sequential,
                rates.processes_sequential,
            ],
        );
    }
    println!("\nThe same experiments: the interval of 95 %.\n");
    heading(&["noise", "covers the truth", "half-width", "half-width of the t-interval"]);
    for (noise, rates) in &all {
        row(*noise, &[rates.covered, rates.half_width, rates.t_half_width]);
    }
}

fn to_which_side(experiments: u64) {
    println!("\nTwo copies of one program: how often one is called faster, and how often slower, with no margin.\n");
    heading(&["noise", "faster", "slower"]);
    for noise in Noise::ALL {
        let (faster, slower) = rates::false_directions(noise, experiments);
        row(noise, &[faster, slower]);
    }
}

fn twins(experiments: u64) {
    println!("\nThe twin in several workloads: how often it is called different in any of them, with no margin.\n");
    heading(&["noise", "8, each alone", "8, the control", "30, each alone", "30, the control"]);
    for noise in Noise::ALL {
        let (few, many) = (rates::twin(noise, 8, experiments), rates::twin(noise, 30, experiments));
        row(noise, &[few.0, few.1, many.0, many.1]);
    }
}

fn with_a_difference(experiments: u64) {
    println!("\nA true difference: how often it is called, with a margin of {} %.\n", percent(MARGIN));
    let effects = [1.01, 1.02, 1.03, 1.05, 1.1];
    let names = effects.map(|effect| format!("{} %", percent(effect - 1.0)));
    let mut columns = vec!["noise"];
    columns.extend(names.iter().map(String::as_str));
    columns.extend([
        "covered at 5 %",
        "minimum detectable",
        "called there",
        "unclear 2 % settled by the blocks needed",
    ]);
    heading(&columns);
    for noise in Noise::ALL {
        let mut figures: Vec<f64> = effects.iter().map(|&effect| rates::power(noise, effect, experiments).0).collect();
        figures.push(rates::power(noise, 1.05, experiments).1);
        let (called, detectable) = rates::power_at_the_minimum_detectable(noise, experiments);
        figures.extend([detectable, called]);
        figures.push(rates::settled_by_the_blocks_needed(noise, 1.02, experiments));
        row(noise, &figures);
    }
}

fn with_a_cost_in_rare_turns(experiments: u64) {
    let cost = 3.0;
    let overall = percent(Effect::Rare(cost).overall() - 1.0);
    println!(
        "\nOne of twenty turns takes {cost} times as long, which is {overall} % in all: how often that is seen.\n"
    );
    heading(&["noise", "uneven", "slower by the typical turn", "slower by the verdict"]);
    for noise in Noise::ALL {
        let (uneven, typical, verdict) = rates::rare_cost(noise, cost, experiments);
        row(noise, &[uneven, typical, verdict]);
    }
}

fn when_to_stop(experiments: u64) {
    println!("\nUp to 60 blocks of two copies of one program: how often they are called different, with no margin.\n");
    heading(&["noise", "stopped by the width", "stopped once called"]);
    for noise in Noise::ALL {
        let of = |ending| rates::false_rate_ending(noise, ending, experiments);
        row(noise, &[of(Ending::Precise), of(Ending::Called)]);
    }
}
