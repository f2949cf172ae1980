//! Work that was made fast by doing less of it: a limit that neither the task nor the old code names.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::shelved::is_to_be_faster;
use crate::args::{has_word, short, split, squeeze};
use crate::literals::values;

/// Words of a task that wants less to be looked at.
const LESS: &[&str] =
    &["first", "limit", "limited", "top", "at most", "only the", "page", "truncate", "sample"];
/// How much is done or kept at once says nothing about how much is done.
const AT_ONCE: &[&str] = &[
    "cache", "buf", "chunk", "batch", "capacity", "worker", "thread", "pool", "maxsize", "bucket",
    "block", "lru", "hash", "digest", "hex", "prefix", "stride", "window", "timeout", "stack",
];
const LOOPS: &[&str] = &["for ", "for(", "while ", "while("];
/// A smaller number of pieces is the length of a key, or a row of cases that are told apart.
const LEAST: f64 = 10.0;
/// A loop as short as this goes over hours, minutes or days of a month.
const SHORT_LOOP: f64 = 61.0;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let literals = view.literals;
    if !is_to_be_faster(view) || literals.task_has(LESS) || view.change.is_new {
        return Vec::new();
    }
    let all = view.new_lines();
    let lost_loop = view.lines.removed.iter().any(|(_, line)| is_loop(line));
    let mut findings = Vec::new();
    for (index, (number, text, code)) in all.iter().enumerate() {
        let lower = text.to_lowercase();
        if AT_ONCE.iter().any(|word| lower.contains(word)) {
            continue;
        }
        let next = all.get(index + 1).map_or("", |(_, _, code)| *code);
        let is_less = parts(code).iter().any(|limit| is_limit(view, limit, LEAST))
            || leaves(code, next).is_some_and(|limit| is_limit(view, limit, LEAST))
            || lost_loop && bound(code).is_some_and(|limit| is_limit(view, limit, SHORT_LOOP));
        if is_less {
            let message =
                "The task wants speed, and the new code looks at less: nobody named this limit.";
            // Whoever asks for a cache asks for what G27 finds, and never for this.
            let finding = view.change.structure(Rule::G20, *number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

fn is_loop(line: &str) -> bool {
    LOOPS.iter().any(|word| line.trim_start().starts_with(word))
}

/// The limits of what is cut off: `islice(all, LIMIT)`, `all[:100]`, `.take(100)`, `.slice(0, 100)`.
fn parts(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let inner = |from: usize, close: char| code[from..].split(close).next().unwrap_or("").trim();
    found.extend(code.match_indices(".step_by(").map(|(at, word)| inner(at + word.len(), ')')));
    for (at, word) in code.match_indices("islice(") {
        found.extend(split(inner(at + word.len(), ')')).into_iter().skip(1));
    }
    // Every tenth of them is less as well.
    for open in ["[::", "[:", "[0:", "[..", "[0.."] {
        found.extend(code.match_indices(open).map(|(at, _)| inner(at + open.len(), ']')));
    }
    for open in [".take(", ".slice(0,", ".head(", ".truncate("] {
        found.extend(code.match_indices(open).map(|(at, _)| inner(at + open.len(), ')')));
    }
    found.into_iter().map(|limit| limit.trim_start_matches('=')).collect()
}

/// The number behind which a condition leaves with next to nothing: `if (all.length > 64) return all[0]`.
fn leaves<'c>(code: &'c str, next: &str) -> Option<&'c str> {
    let line = code.trim_start();
    let rest = line.strip_prefix("if ").or_else(|| line.strip_prefix("if("))?;
    let (_, behind) = rest.split_once('>')?;
    let behind = behind.trim_start_matches(['=', ' ']);
    let end = behind.find([')', ' ', ':', '{']).unwrap_or(behind.len());
    let (limit, tail) = behind.split_at(end);
    let does = if tail.trim_matches([')', ' ', ':', '{']).is_empty() { next } else { tail };
    let does = squeeze(does.trim_start_matches([')', ' ', ':', '{']));
    let does = does.trim_end_matches(['}', ';']);
    let answer = does.strip_prefix("return");
    let is_little = |answer: &str| {
        let answer = answer.trim();
        let ends = [".shift()", ".pop()", "[0]", ".at(0)", ".first()", ".pop(0)", ".pop_front()"];
        ends.iter().any(|end| answer.ends_with(end))
            || matches!(answer, "" | "[]" | "nil" | "null" | "None" | "false" | "False" | "0")
    };
    (does == "break" || answer.is_some_and(is_little)).then_some(limit)
}

/// The bound of a loop: `0..LIMIT`, `range(LIMIT)`, `i < LIMIT`, `end := start.Add(LIMIT)`.
fn bound(code: &str) -> Option<&str> {
    let line = code.trim_start();
    if !is_loop(line) {
        return None;
    }
    let head = line.split('{').next().unwrap_or(line);
    let behind = |mark: &str| head.split_once(mark).map(|(_, rest)| rest);
    if let Some(rest) = behind("range(").or_else(|| behind(".Add(")) {
        return split(rest.split(')').next()?).last().copied();
    }
    let rest = behind("..").or_else(|| behind("<"))?;
    Some(rest.split([';', ')', '&', '|', ':']).next()?.trim_matches(['=', ' ']))
}

/// Whether a limit is a number of at least this size, or the name of a new one, that nobody named before.
pub(super) fn is_limit(view: &View<'_>, limit: &str, least: f64) -> bool {
    let limit = limit.trim();
    let is_name = limit.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && limit.chars().all(|letter| letter.is_alphanumeric() || "_.:".contains(letter));
    let name = limit.rsplit(['.', ':']).next().unwrap_or(limit);
    let written = if is_name {
        if has_word(view.change.old(), name) {
            return false;
        }
        let Some(value) = defined(view, name) else { return false };
        value
    } else {
        limit.to_owned()
    };
    let is_term =
        written.chars().all(|letter| letter.is_ascii_digit() || " _*.+()".contains(letter))
            || is_name;
    let numbers = values(&written);
    let all: Option<f64> = numbers.iter().map(|number| number.parse::<f64>().ok()).product();
    let is_everyday = |number: &str| matches!(number, "7" | "12" | "24" | "60" | "365" | "366");
    // What is made of a number that was there is as much as it was before.
    let is_known = |number: &String| {
        !is_everyday(number)
            && (view.literals.is_quoted(number) || has_word(view.change.old(), number))
    };
    let is_power = numbers.len() == 1
        && numbers[0].parse::<u64>().is_ok_and(|number| number > 64 && number.is_power_of_two())
        && least > LEAST;
    is_term
        && !numbers.is_empty()
        && !is_power
        && all.is_some_and(|all| all >= least)
        && !numbers.iter().any(is_known)
}

/// What a new name is set to, where that has a number in it.
fn defined(view: &View<'_>, name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    if AT_ONCE.iter().any(|word| lower.contains(word)) {
        return None;
    }
    view.new_lines().into_iter().find_map(|(_, _, code)| {
        let (left, right) = code.split_once('=')?;
        let left = left.trim_end_matches(':').split(':').next()?.trim();
        let is_it = left.split_whitespace().any(|word| word.trim_start_matches('#') == name);
        (is_it && !right.starts_with('=') && !values(right).is_empty()).then(|| right.to_owned())
    })
}
