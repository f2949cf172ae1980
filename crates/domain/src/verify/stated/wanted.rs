//! What a call must give, where the task first says what it does now: `f(0) dies, it should be 1`.

use serde_json::Value;

use super::{DEMANDS, value, word};

/// What a call does that is wrong.
const WRONG: &[&str] = &[
    "dies",
    "crashes",
    "fails",
    "raises",
    "throws",
    "panics",
    "errors",
    "breaks",
    "explodes",
    "blows up",
    "overflows",
    "hangs",
    "loops",
    "never ends",
    "never returns",
    "is wrong",
    "is broken",
    "gives",
    "returns",
    "yields",
    "prints",
    "ends",
    "stops",
    "doesn't work",
    "does not work",
    "didn't work",
];
/// Who is spoken of still, right before a demand.
const SAME: &[&str] = &["it", "but", "and", "which", "that", "this", "it really"];
/// How far a demand may stand from its call.
const NEAR: usize = 100;

/// The value that the text behind a call demands, after it said what is wrong.
pub(super) fn of(after: &str) -> Option<Value> {
    let text = after.trim_start_matches('`').trim_start();
    let rest = WRONG.iter().find_map(|wrong| word(text, wrong))?;
    let clause = clause(rest);
    let mut at = 0;
    while let Some(place) = clause.get(at..).and_then(|rest| rest.find(char::is_alphabetic)) {
        at += place;
        let end = clause[at..].find(|l: char| !l.is_alphanumeric() && l != '\'');
        let end = end.map_or(clause.len(), |end| at + end);
        if at > NEAR {
            return None;
        }
        if let Some(found) = instead(&clause[at..]) {
            return Some(found);
        }
        let demanded = DEMANDS.iter().find_map(|said| word(&clause[at..], said));
        if let Some(demanded) = demanded {
            return is_same_subject(&clause[..at]).then(|| value(demanded)).flatten().map(|v| v.0);
        }
        at = end;
    }
    None
}

/// The value behind "instead of", whatever verb stands there.
pub(super) fn instead(text: &str) -> Option<Value> {
    let rest = word(text, "instead of").or_else(|| word(text, "rather than"))?;
    let verbs = ["returning", "giving", "yielding", "being", "the expected", "the correct"];
    let rest = verbs.iter().find_map(|verb| word(rest, verb)).unwrap_or(rest);
    value(rest).map(|found| found.0)
}

/// What still belongs to the sentence of the call; "It" goes on where that has ended.
fn clause(text: &str) -> &str {
    let mut from = 0;
    while let Some(stop) = text[from..].find(['.', '\n', '!', '?']).map(|stop| stop + from) {
        let behind = &text[stop + 1..];
        let ends = behind.is_empty() || behind.starts_with(char::is_whitespace);
        if ends && word(behind.trim_start(), "it").is_none() {
            return &text[..stop];
        }
        from = stop + 1;
    }
    text
}

/// Whether what stands before a demand leaves it with the call: a comma, a bracket, or a word that
/// means the call.
fn is_same_subject(before: &str) -> bool {
    let before = before.trim_end();
    if before.ends_with([',', ';', '(', ')', '-', '–', '—']) || before.is_empty() {
        return true;
    }
    let lower = before.to_lowercase();
    SAME.iter().any(|same| {
        lower.strip_suffix(same).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '(']))
    })
}
