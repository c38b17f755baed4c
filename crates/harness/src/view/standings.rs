//! Who stands where, on a terminal.

use super::columns::{Cell, Columns, Screen, Tone, wrapped};
use super::numbers::ratio;
use crate::{Place, Quantity, Standing, Standings, Weights, Where};

/// A block of lines for each case and one over all, and below them what the words and weights mean.
pub fn standings(standings: &Standings, screen: &Screen) -> String {
    let all: Vec<&Standing> = standings.cases.iter().chain(&standings.overall).collect();
    let fits = all.iter().all(|standing| screen.fits(wide(standing, standings).width()));
    let mut lines = Vec::new();
    for standing in all {
        lines.extend(wrapped(&heading(standing, standings), 0, screen).iter().map(|l| Tone::Heading.paint(l, screen)));
        let columns = if fits { wide(standing, standings) } else { stacked(standing, standings) };
        lines.extend(columns.lines(screen));
        lines.push(String::new());
    }
    for note in notes(standings) {
        lines.extend(wrapped(&note, 0, screen));
    }
    lines.join("\n")
}

fn heading(standing: &Standing, standings: &Standings) -> String {
    match &standing.case {
        Some(case) => case.to_string(),
        None => {
            format!("over all: geometric means of {} of {} workloads", standings.shared.len(), standings.cases.len())
        }
    }
}

fn wide(standing: &Standing, standings: &Standings) -> Columns {
    let weighed = standings.weights.is_some();
    let mut columns = Columns::default();
    let left = |text: &str| Cell::left(text).in_tone(Tone::Heading);
    let right = |text: &str| Cell::right(text).in_tone(Tone::Heading);
    let mut names = if weighed { vec![right("place"), left(""), right("score")] } else { Vec::new() };
    names.extend([left("allocator"), right(time_name(standings.time)), right("peak RSS"), left("front")]);
    columns.push(names);
    for place in &standing.places {
        let mut cells = if weighed { order_cells(place).to_vec() } else { Vec::new() };
        cells.push(Cell::left(&place.contender));
        cells.extend(front_cells(place));
        columns.push(cells);
    }
    columns
}

fn stacked(standing: &Standing, standings: &Standings) -> Columns {
    let weighed = standings.weights.is_some();
    let mut columns = Columns::default();
    let right = |text: &str| Cell::right(text).in_tone(Tone::Heading);
    let mut names = vec![Cell::left("")];
    names.extend(if weighed { vec![right("place"), right(""), right("score")] } else { Vec::new() });
    names.extend([right(time_name(standings.time)), right("peak RSS")]);
    columns.push(names);
    for place in &standing.places {
        columns.push_line(Cell::left(&place.contender));
        let mut cells = vec![Cell::left("")];
        cells.extend(if weighed { order_cells(place).to_vec() } else { Vec::new() });
        let [time, memory, front] = front_cells(place);
        cells.extend([time, memory]);
        columns.push(cells);
        if !front.is_empty() {
            columns.push_line(front.indented());
        }
    }
    columns
}

fn order_cells(place: &Place) -> [Cell; 3] {
    let number = place.place.map_or_else(|| "–".into(), |place| place.to_string());
    let score = place.score.map_or_else(|| "–".into(), ratio);
    [Cell::right(number), Cell::left(if place.tied { "~" } else { "" }), Cell::right(score)]
}

fn front_cells(place: &Place) -> [Cell; 3] {
    let number = |value: Option<f64>| Cell::right(value.map_or_else(|| "–".into(), ratio));
    let by = place.beaten_by.as_deref().unwrap_or_default();
    let front = match place.front {
        Some(Where::Front) => Cell::left("on the front").in_tone(Tone::Good),
        Some(Where::Beaten) => Cell::left(format!("beaten by {by}")),
        Some(Where::Unclear) => Cell::left(format!("unclear: perhaps beaten by {by}")).in_tone(Tone::Doubtful),
        None if place.status.is_ok() => Cell::left("not measured"),
        None => Cell::left(place.status.label()).in_tone(Tone::Failed),
    };
    [number(place.time), number(place.memory), front]
}

fn time_name(time: Quantity) -> &'static str {
    if time == Quantity::Cpu { "CPU time" } else { "wall time" }
}

/// What must stand below the places.
fn notes(standings: &Standings) -> Vec<String> {
    let mut notes = vec![format!(
        "Ratios are to {}; below 1 is less. On the front is what nothing beats: nothing is called better in time or memory by \
         more than {} % and is not worse in the other. Unclear: the estimates say that it is beaten, the intervals do not.",
        standings.reference,
        standings.margin * 100.0
    )];
    if standings.overall.is_some() {
        notes.push(
            "Over all the front goes by the means, which have no intervals; beaten there needs a difference that some \
             workload calls. Time and memory are not mixed."
                .into(),
        );
    } else if standings.cases.len() > 1 {
        notes.push("There is no workload in which all were measured, so there are no means over all.".into());
    }
    if !standings.left_out.is_empty() && standings.overall.is_some() {
        let left_out: Vec<String> = standings.left_out.iter().map(ToString::to_string).collect();
        notes.push(format!("Not in the means, since not all were measured there: {}.", left_out.join(", ")));
    }
    if let Some(weights) = &standings.weights {
        notes.push(meaning(weights));
        notes.push(
            "Places go by the estimates and ignore the intervals; ~ marks one that no called difference, in anything that has \
             a weight, parts from the place above."
                .into(),
        );
    }
    notes
}

/// What a tenth less of the first quantity is worth in each of the others.
fn meaning(weights: &Weights) -> String {
    let pairs = weights.pairs();
    let name = |quantity: Quantity| match quantity {
        Quantity::Throughput | Quantity::Wall => "wall time",
        Quantity::Cpu => "CPU time",
        Quantity::PeakRss => "peak RSS",
        Quantity::Retained => "retained memory",
        Quantity::Slope => "growth",
        Quantity::P50 => "p50 latency",
        Quantity::P99 => "p99 latency",
        Quantity::P999 => "p99.9 latency",
        Quantity::MaxLatency => "max latency",
    };
    let listed: Vec<String> =
        pairs.iter().map(|(quantity, weight)| format!("{} (weight {weight})", name(*quantity))).collect();
    let mut sentences =
        vec![format!("A score is the weighted geometric mean of {}; less is better.", listed.join(" and "))];
    if let [(first, weight), others @ ..] = pairs {
        for (other, its) in others {
            let more = ((1.0_f64 / 0.9).powf(weight / its) - 1.0) * 100.0;
            sentences.push(format!("10 % less {} makes up for {more:.1} % more {}.", name(*first), name(*other)));
        }
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_explained() {
        let weights = Weights::new([(Quantity::Throughput, 2.0), (Quantity::PeakRss, 1.0)]).unwrap();
        let text = meaning(&weights);
        assert!(text.contains("wall time (weight 2) and peak RSS (weight 1)"), "{text}");
        // (1 ÷ 0.9)² = 1.2346.
        assert!(text.contains("10 % less wall time makes up for 23.5 % more peak RSS"), "{text}");
    }
}
