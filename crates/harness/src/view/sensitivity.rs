//! How much each workload gains from its allocator.

use super::columns::{Screen, wrapped};
use super::csv::{csv, optional, parameters};
use super::figures::{Figures, Heading, pipe_table};
use super::numbers::interval;
use crate::{Sensitivity, Spread};

/// What the columns mean.
const LEGEND: &str = "Best ÷ worst of throughput, and worst ÷ best of CPU time and peak RSS, with 95 % intervals: how much of each \
                      the choice among these contenders is worth to a workload, the most sensitive first. Who is best and worst \
                      is chosen by what was measured, so that a little above 1 is what chance alone makes.";

/// A line for each workload, on a terminal. Nothing where there is none to compare.
pub fn sensitivity_text(all: &[Sensitivity], screen: &Screen) -> Option<String> {
    let mut lines = figures(all).lines(screen);
    (!lines.is_empty()).then(|| {
        lines.push(String::new());
        lines.extend(wrapped(LEGEND, 0, screen));
        lines.join("\n")
    })
}

/// The same in Markdown.
pub fn sensitivity_markdown(all: &[Sensitivity]) -> Option<String> {
    let table = pipe_table(&["workload"], &[(Vec::new(), figures(all))])?;
    Some(format!("{table}\n\n{LEGEND}"))
}

/// The same as comma-separated values: a line for each workload and metric.
pub fn sensitivity_csv(all: &[Sensitivity]) -> Option<String> {
    let names = ["workload", "parameters", "metric", "ratio", "low", "high", "blocks", "best", "worst"];
    let rows = all.iter().flat_map(|sensitivity| {
        let metrics =
            [("throughput", &sensitivity.throughput), ("cpu", &sensitivity.cpu), ("peak-rss", &sensitivity.peak_rss)];
        metrics.into_iter().filter_map(|(metric, spread)| Some((metric, spread.as_ref()?))).map(|(metric, spread)| {
            [
                sensitivity.case.workload.clone(),
                parameters(&sensitivity.case),
                metric.to_owned(),
                spread.estimate.ratio.to_string(),
                optional(spread.estimate.low),
                optional(spread.estimate.high),
                spread.estimate.blocks.to_string(),
                spread.best.clone(),
                spread.worst.clone(),
            ]
        })
    });
    (!all.is_empty()).then(|| csv(&names, rows))
}

fn figures(all: &[Sensitivity]) -> Figures {
    let headings = ["throughput", "CPU", "RSS"].into_iter().flat_map(|metric| {
        let (best, worst) = ("best", "worst");
        let ratio = if metric == "throughput" {
            format!("{metric} {best} ÷ {worst}")
        } else {
            format!("{metric} {worst} ÷ {best}")
        };
        [Heading::number(ratio), Heading::text(best), Heading::text(worst)]
    });
    let rows = all.iter().map(|sensitivity| {
        let spreads = [&sensitivity.throughput, &sensitivity.cpu, &sensitivity.peak_rss];
        (sensitivity.case.to_string(), spreads.into_iter().flat_map(|spread| values(spread.as_ref())).collect())
    });
    Figures { title: "workload".into(), headings: headings.collect(), rows: rows.collect() }
}

fn values(spread: Option<&Spread>) -> [String; 3] {
    spread.map_or_else(
        || ["n/a", "", ""].map(str::to_owned),
        |spread| [interval(spread.estimate), spread.best.clone(), spread.worst.clone()],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Case;
    use crate::stats::Estimate;

    fn sensitivity(workload: &str, ratio: f64) -> Sensitivity {
        let estimate = Estimate { ratio, low: Some(ratio - 0.1), high: Some(ratio + 0.1), blocks: 8 };
        let spread = Spread { best: "mimalloc".into(), worst: "system".into(), estimate };
        let (case, cpu) = (Case::new("service/x").with("stack", workload), None);
        Sensitivity { case, throughput: Some(spread.clone()), cpu, peak_rss: Some(spread) }
    }

    #[test]
    fn every_workload_is_a_line() {
        let all = [sensitivity("actix", 2.0), sensitivity("hyper", 1.2)];
        let text = sensitivity_text(&all, &Screen::default()).unwrap();
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            lines[1],
            "service/x?stack=actix 2.000 [1.900, 2.100] mimalloc system n/a 2.000 [1.900, 2.100] mimalloc system"
        );
        assert!(lines[2].starts_with("service/x?stack=hyper 1.200"), "{text}");
        assert_eq!(sensitivity_text(&[], &Screen::default()), None);
    }

    #[test]
    fn programs_and_documents_get_the_same() {
        let all = [sensitivity("actix", 2.0)];
        let text = sensitivity_csv(&all).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 3, "{text}");
        assert_eq!(rows[1], "service/x,stack=actix,throughput,2,1.9,2.1,8,mimalloc,system");
        let table = sensitivity_markdown(&all).unwrap();
        assert!(table.lines().nth(2).is_some_and(|line| line.starts_with("| service/x?stack=actix")), "{table}");
        assert_eq!((sensitivity_csv(&[]), sensitivity_markdown(&[])), (None, None));
    }
}
