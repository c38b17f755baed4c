//! With which parameters a workload is checked: what follows from its own description, so that nobody has to keep a list.

use heapmark_worker::{About, Values};

/// A parameter and its value.
pub type Setting = (String, String);

/// The settings of each variant of a workload; `fixed` goes for all of them, and no variant touches the parameters in it.
///
/// These are: one thread and three; each way to touch blocks with one thread, and all of each block with three too; each word of any
/// other parameter with one thread and all of each block touched, and with three threads.
pub fn of(about: &About, fixed: &[Setting]) -> Vec<Vec<Setting>> {
    let is_free = |name: &str| fixed.iter().all(|(other, _)| other != name);
    let setting = |name: &str, value: &str| is_free(name).then(|| (name.to_owned(), value.to_owned()));
    let choices: Vec<(&str, &[&str])> = about
        .parameters
        .iter()
        .filter_map(|parameter| match parameter.values {
            // The first word is the default.
            Values::Choice(words) => Some((parameter.name, &words[1..])),
            Values::Number { .. } | Values::Threads => None,
        })
        .collect();
    let threads = |number: &str| setting("threads", number);
    let all_touched = || {
        let (name, words) = choices.iter().find(|(name, _)| *name == TOUCH)?;
        words.contains(&ALL).then(|| setting(name, ALL)).flatten()
    };
    let mut variants = vec![vec![threads("1")], vec![threads("3")], vec![threads("3"), all_touched()]];
    for (name, words) in &choices {
        for word in *words {
            let chosen = || setting(name, word);
            if *name == TOUCH {
                variants.push(vec![threads("1"), chosen()]);
            } else {
                variants.push(vec![threads("1"), all_touched(), chosen()]);
                variants.push(vec![threads("3"), chosen()]);
            }
        }
    }
    let mut settled: Vec<Vec<Setting>> = Vec::new();
    for variant in variants {
        let variant: Vec<_> = fixed.iter().cloned().chain(variant.into_iter().flatten()).collect();
        if !settled.contains(&variant) {
            settled.push(variant);
        }
    }
    settled
}

/// The parameter that says what of a block is written and read, and its word for everything.
const TOUCH: &str = "touch";
const ALL: &str = "all";

/// Settings as a text, with blanks between them.
pub fn text(settings: &[Setting]) -> String {
    settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use heapmark_worker::Parameter;

    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter::number("size", 1, 1, 9, ""),
        Parameter::choice("heap", &["fresh", "aged"], ""),
        Parameter::choice("touch", &["first", "pages", "all"], ""),
        Parameter::threads(),
    ];

    fn texts(parameters: &'static [Parameter], fixed: &[(&str, &str)]) -> Vec<String> {
        let about = About { name: "a/b", summary: "", unit: "", details: "", parameters };
        let fixed: Vec<_> = fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        of(&about, &fixed).iter().map(|variant| text(variant)).collect()
    }

    #[test]
    fn each_word_comes_by_with_one_thread_and_with_three() {
        assert_eq!(
            texts(PARAMETERS, &[]),
            [
                "threads=1",
                "threads=3",
                "threads=3 touch=all",
                "threads=1 touch=all heap=aged",
                "threads=3 heap=aged",
                "threads=1 touch=pages",
                "threads=1 touch=all",
            ]
        );
        assert_eq!(texts(&PARAMETERS[3..], &[]), ["threads=1", "threads=3"]);
    }

    #[test]
    fn what_is_fixed_stays() {
        assert_eq!(
            texts(PARAMETERS, &[("heap", "aged"), ("touch", "first")]),
            ["heap=aged touch=first threads=1", "heap=aged touch=first threads=3"]
        );
        assert_eq!(
            texts(PARAMETERS, &[("threads", "2"), ("heap", "fresh")]),
            ["threads=2 heap=fresh", "threads=2 heap=fresh touch=all", "threads=2 heap=fresh touch=pages",]
        );
    }
}
