//! The lines of pytest, one at a time.

use countersign_domain::qa::{Outcome, Totals};

use crate::reports::words::{counts, framed, number, whole_number};

#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Nothing,
    /// `==== test session starts ====`
    Begin,
    /// `==== FAILURES ====`: what tests printed may follow.
    Section,
    /// `==== short test summary info ====`
    ShortSummary,
    /// `collected 17 items / 14 deselected / 3 selected`
    Collected(u64),
    /// `!!!! KeyboardInterrupt !!!!`, `ERROR: usage: …`
    Stopped(&'a str),
    /// `4 failed, 9 passed in 0.12s`, framed or not.
    Final(Final),
}

/// What the last line counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Final {
    pub(super) totals: Totals,
    /// A count that we don't know.
    pub(super) strange: Option<String>,
}

pub(super) fn read(line: &str) -> Said<'_> {
    if let Some(title) = framed(line, '=') {
        return match title {
            "test session starts" => Said::Begin,
            "short test summary info" => Said::ShortSummary,
            title => last(title).map_or(Said::Section, Said::Final),
        };
    }
    if let Some(what) = framed(line, '!') {
        return Said::Stopped(what);
    }
    if line.starts_with("ERROR: ") || line.starts_with("INTERNALERROR> ") {
        return Said::Stopped(line);
    }
    if let Some(count) = collected(line) {
        return Said::Collected(count);
    }
    last(line).map_or(Said::Nothing, Said::Final)
}

fn collected(line: &str) -> Option<u64> {
    let line = line.strip_prefix("collecting ... ").unwrap_or(line);
    if let Some(rest) = line.strip_prefix("collected ") {
        let (count, rest) = number(rest)?;
        let rest = rest.strip_prefix(" item")?;
        let selected = rest.rsplit_once(" / ").and_then(|(_, last)| last.strip_suffix(" selected"));
        return selected.map_or(Some(count), whole_number);
    }
    // xdist: `2 workers [17 items]`
    let (_, rest) = number(line)?;
    let items = rest.strip_prefix(" workers [").or_else(|| rest.strip_prefix(" worker ["))?;
    number(items.strip_suffix(" items]").or_else(|| items.strip_suffix(" item]"))?).map(|(n, _)| n)
}

/// `4 failed, 9 passed in 0.12s (0:01:05)`, `no tests ran in 0.01s`
fn last(text: &str) -> Option<Final> {
    let (said, time) = text.rsplit_once(" in ")?;
    let time = time.split_once(" (").map_or(time, |(time, _)| time);
    let amount = time.strip_suffix('s').or_else(|| time.strip_suffix(" seconds"))?;
    amount.parse::<f64>().ok()?;
    let mut totals = Totals::default();
    let mut strange = None;
    if !matches!(said, "no tests ran") && !said.starts_with("no tests collected") {
        for (count, what) in counts(said, ", ")? {
            match counted(what) {
                Counted::Tests(outcome) => {
                    let total = totals.of_mut(outcome);
                    *total = total.saturating_add(count);
                }
                Counted::Others => {}
                Counted::Strange => drop(strange.get_or_insert(format!("{count} {what}"))),
            }
        }
    }
    Some(Final { totals, strange })
}

/// What a word of the last line counts.
enum Counted {
    Tests(Outcome),
    /// Warnings, and tests that were not run.
    Others,
    Strange,
}

fn counted(what: &str) -> Counted {
    match what {
        "passed" | "subtests passed" | "subtest passed" => Counted::Tests(Outcome::Passed),
        "failed" | "subtests failed" | "subtest failed" => Counted::Tests(Outcome::Failed),
        "error" | "errors" => Counted::Tests(Outcome::Errored),
        "skipped" | "xfailed" | "xpassed" | "subtests skipped" | "subtest skipped" => {
            Counted::Tests(Outcome::Skipped)
        }
        "deselected" | "warning" | "warnings" | "rerun" | "tests collected" | "test collected" => {
            Counted::Others
        }
        _ => Counted::Strange,
    }
}

/// One test on a line of its own.
#[derive(Debug, PartialEq)]
pub(super) struct Told<'a> {
    pub(super) id: String,
    pub(super) word: Word,
    pub(super) message: Option<&'a str>,
    /// Which process of xdist ran it.
    pub(super) worker: &'a str,
    /// Whether how far the run is stands behind it, which no test would print.
    pub(super) is_marked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Word {
    Outcome(Outcome),
    /// It failed, and will be run again.
    Rerun,
}

const WORDS: [(&str, Word); 13] = [
    ("PASSED", Word::Outcome(Outcome::Passed)),
    ("FAILED", Word::Outcome(Outcome::Failed)),
    ("ERROR", Word::Outcome(Outcome::Errored)),
    ("SKIPPED", Word::Outcome(Outcome::Skipped)),
    ("XFAIL", Word::Outcome(Outcome::Skipped)),
    ("XPASS", Word::Outcome(Outcome::Skipped)),
    ("RERUN", Word::Rerun),
    ("SUBPASSED", Word::Outcome(Outcome::Passed)),
    ("SUBFAILED", Word::Outcome(Outcome::Failed)),
    ("SUBSKIPPED", Word::Outcome(Outcome::Skipped)),
    ("SUBPASS", Word::Outcome(Outcome::Passed)),
    ("SUBFAIL", Word::Outcome(Outcome::Failed)),
    ("SUBSKIP", Word::Outcome(Outcome::Skipped)),
];

/// `test_a.py::test_b PASSED [ 50%]`, or what xdist makes of it.
pub(super) fn told(line: &str) -> Option<Told<'_>> {
    if let Some(rest) = line.strip_prefix("[gw") {
        let (worker, rest) = rest.split_once("] [")?;
        let (_, rest) = rest.split_once("] ")?;
        let (word, id) = rest.split_once(' ')?;
        let word = WORDS.iter().find(|(name, _)| *name == word)?.1;
        let is_id = is_node(id);
        return is_id.then(|| Told {
            id: id.to_owned(),
            word,
            message: None,
            worker,
            is_marked: true,
        });
    }
    let (text, is_marked) = unmarked(line);
    if !text.contains("::") {
        return None;
    }
    // Most of a long text is no test, so the first letter is looked at first.
    let is_word = |at: usize| text.as_bytes().get(at + 1).is_some_and(|b| b"PFESXR".contains(b));
    let words = text.match_indices(' ').filter(|(at, _)| is_word(*at));
    words.into_iter().find_map(|(at, _)| {
        let (id, rest) = (&text[..at], &text[at + 1..]);
        let (name, word) = WORDS.iter().find(|(name, _)| begins_with_word(rest, name))?;
        let rest = &rest[name.len()..];
        let is_sub = name.starts_with("SUB");
        let message = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
        let is_end = rest.is_empty() || message.is_some() || is_sub && rest.ends_with([')', ']']);
        let is_id = is_node(id) || is_sub && is_node(id.split(' ').next().unwrap_or(id));
        let id = if is_sub && !rest.is_empty() {
            format!("{id} {}", rest.trim_start())
        } else {
            id.to_owned()
        };
        let message = message.filter(|_| !is_sub);
        (is_end && is_id).then_some(Told { id, word: *word, message, worker: "", is_marked })
    })
}

/// Whether a text begins with how a test ended.
pub(super) fn begins_with_outcome(text: &str) -> bool {
    WORDS.iter().any(|(name, _)| begins_with_word(text, name))
}

fn begins_with_word(text: &str, word: &str) -> bool {
    let after = text.strip_prefix(word).and_then(|rest| rest.chars().next().or(Some(' ')));
    after.is_some_and(|letter| matches!(letter, ' ' | '(' | '['))
}

/// Whether a text names a test: no spaces after its file, unless they are in its parameters.
pub(super) fn is_node(id: &str) -> bool {
    let Some((file, name)) = id.split_once("::") else { return false };
    let is_whole = match name.split_once('[') {
        Some((function, _)) => !function.contains(' ') && name.ends_with(']'),
        None => !name.contains(' '),
    };
    !file.is_empty() && !name.is_empty() && is_whole
}

/// The line without how far the run is: `[ 50%]`, `[ 5/17]` or `12.3ms`.
pub(super) fn unmarked(line: &str) -> (&str, bool) {
    let line = line.trim_end();
    let mark = line.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    let is_mark = |mark: &str| {
        let count = mark.trim_start();
        count.strip_suffix('%').is_some_and(|n| whole_number(n).is_some())
            || count.split_once('/').is_some_and(|(done, all)| {
                whole_number(done.trim()).is_some() && whole_number(all).is_some()
            })
    };
    if let Some((text, _)) = mark.filter(|(_, mark)| is_mark(mark)) {
        return (text.trim_end(), true);
    }
    let time = line.rsplit_once(' ').filter(|(text, time)| {
        text.ends_with(' ') && crate::reports::words::duration(time).is_some()
    });
    time.map_or((line, false), |(text, _)| (text.trim_end(), true))
}

/// `test_a.py ..F.s [ 50%]`: the file, the outcomes and whether it says how far the run is.
pub(super) fn dots(line: &str) -> Option<(Option<&str>, Totals, bool)> {
    let (text, is_marked) = unmarked(line);
    let (file, dots) = match text.rsplit_once(' ') {
        Some((file, dots)) => (Some(file), dots),
        None => (None, text),
    };
    if file.is_some_and(|file| file.contains("::") || !file.contains('.')) || dots.is_empty() {
        return None;
    }
    let mut totals = Totals::default();
    for letter in dots.chars() {
        match letter {
            '.' | ',' => totals.passed += 1,
            'F' | 'u' => totals.failed += 1,
            'E' => totals.errored += 1,
            's' | 'x' | 'X' | '-' => totals.skipped += 1,
            'R' => {}
            _ => return None,
        }
    }
    Some((file, totals, is_marked))
}

/// A line below `short test summary info`.
pub(super) fn short(line: &str) -> Option<Told<'_>> {
    let (before, word, rest) =
        line.match_indices(|c: char| c.is_ascii_uppercase()).find_map(|(at, _)| {
            let is_start = at == 0 || line[..at].ends_with(' ');
            let (name, word) =
                WORDS.iter().find(|(name, _)| begins_with_word(&line[at..], name))?;
            is_start.then_some((line[..at].trim_end(), (*name, *word), &line[at + name.len()..]))
        })?;
    // A parameter may hold what stands before the message.
    let split = |text: &'static str| rest.split_once(text);
    let (named, message) = match split("] - ") {
        Some((named, message)) if named.contains('[') => (format!("{named}]"), Some(message)),
        _ => split(" - ").map_or((rest.to_owned(), None), |(id, why)| (id.to_owned(), Some(why))),
    };
    let is_sub = word.0.starts_with("SUB");
    // `SUBFAILED(i=1) id` and `(i=1) SUBFAIL id`
    let at = named.rfind(' ').filter(|_| is_sub);
    let (label, id) =
        at.map_or(("", named.trim_start()), |at| (named[..at].trim(), &named[at + 1..]));
    let label = if label.is_empty() { before } else { label };
    let is_known = !id.is_empty() && !id.starts_with('[') && (is_sub || before.is_empty());
    let id = if is_sub && !label.is_empty() { format!("{id} {label}") } else { id.to_owned() };
    is_known.then_some(Told { id, word: word.1, message, worker: "", is_marked: false })
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
