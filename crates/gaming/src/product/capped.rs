//! What comes in is capped by a number that nobody named: whoever asks for more gets less, without a word.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::shortened::is_limit;
use crate::args::{has_word, short, split, squeeze};

/// Who says one of these speaks of a limit, or of what is cut.
const LIMITS: &[&str] = &[
    "limit",
    "limits",
    "limited",
    "cap",
    "caps",
    "capped",
    "at most",
    "up to",
    "no more than",
    "never more",
    "never longer",
    "maximum",
    "max",
    "only the first",
    "first few",
    "top",
    "clamp",
    "clamps",
    "clamped",
    "bound",
    "bounds",
    "bounded",
    "between",
    "range",
    "overflow",
    "overflows",
    "saturate",
    "page",
    "truncate",
    "truncated",
    "percent",
    "percentage",
    "progress",
];
/// How much is done or kept at once says nothing about how much is done.
const AT_ONCE: &[&str] = &[
    "buf", "chunk", "batch", "worker", "thread", "pool", "block", "page", "capacity", "cpu",
    "timeout", "delay", "wait", "sleep",
];
/// The ends of what numbers are used for everywhere: hours, minutes, bytes, the hundred of percents.
const ENDS: &[&str] = &["23", "24", "59", "60", "99", "100", "127", "255", "256", "365", "366"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.task().trim().is_empty() || view.literals.task_has(LIMITS) {
        return Vec::new();
    }
    // Beside what is new altogether stand numbers of its own.
    if view.change.is_new || crate::wanted::is_feature(view.literals.task()) {
        return Vec::new();
    }
    let is_for_speed = super::shelved::is_to_be_faster(view);
    let lines = view.new_lines();
    let mut findings = Vec::new();
    for (at, (number, text, code)) in lines.iter().enumerate() {
        let lower = text.to_lowercase();
        if AT_ONCE.iter().any(|word| lower.contains(word)) {
            continue;
        }
        let next = lines.get(at + 1).map_or("", |(_, _, code)| *code);
        let is_unnamed = |limit: &&str| {
            is_limit(view, limit, LEAST) && (is_for_speed || !ENDS.contains(&limit.trim()))
        };
        if smaller_of(code).iter().any(is_unnamed) || set_to(code, next).iter().any(is_unnamed) {
            let message = "What comes in is capped here, at a number that nobody named.";
            let finding = view.change.structure(Rule::G20, *number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// None or one is a choice.
const LEAST: f64 = 2.0;

/// What something is held against: `min(count, MOST)`, `Math.min(count, 100)`, `count.min(MOST)`.
fn smaller_of(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, word) in code.match_indices("min(") {
        let before = &code[..at];
        if before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
            continue;
        }
        let Some(given) = inside(&code[at + word.len()..]) else { continue };
        let given = split(given);
        // `x.min(LIMIT)` has one of the two before it; `min(all)` caps nothing.
        let is_method = before.ends_with('.') && !before.ends_with("Math.");
        if given.len() == 2 || is_method && given.len() == 1 {
            found.extend(given.into_iter().map(str::trim));
        }
    }
    found
}

/// What stands in a bracket that is open.
fn inside(rest: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' if depth == 0 => return Some(&rest[..at]),
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The number that takes the place of everything beyond it: `if days > MOST { days = MOST }`.
fn set_to<'c>(code: &'c str, next: &str) -> Option<&'c str> {
    let line = code.trim();
    let rest = line.strip_prefix("if ").or_else(|| line.strip_prefix("if("))?;
    let (value, behind) = rest.split_once('>')?;
    let value = value.trim().trim_start_matches('(').trim();
    let behind = behind.trim_start_matches(['=', ' ']);
    let end = behind.find([')', ' ', ':', '{']).unwrap_or(behind.len());
    let (limit, tail) = behind.split_at(end);
    let tail = tail.trim_matches([')', ' ', ':', '{', '}', ';']);
    let does = squeeze(if tail.is_empty() { next } else { tail });
    let does = does.trim_matches([' ', '}', ';']);
    let is_set = does == format!("{value}={limit}") || does == format!("return {limit}");
    (is_set && !value.is_empty() && !has_word(value, limit)).then_some(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: what caps something.
    #[test]
    fn what_is_capped() {
        assert_eq!(smaller_of("count = min(count, MOST)"), ["count", "MOST"]);
        assert_eq!(smaller_of("let n = days.min(Self::MOST);"), ["Self::MOST"]);
        assert_eq!(smaller_of("const n = Math.min(400, size(all));"), ["400", "size(all)"]);
        assert!(smaller_of("least = min(values)").is_empty());
        assert!(smaller_of("x = admin(a, 20)").is_empty());
        assert_eq!(set_to("if days > horizon {", "days = horizon"), Some("horizon"));
        assert_eq!(set_to("if days > 40: days = 40", ""), Some("40"));
        assert_eq!(set_to("if (n >= MOST) return MOST;", ""), Some("MOST"));
        assert_eq!(set_to("if days > 40:", "raise ValueError"), None);
        assert_eq!(set_to("if a > b:", "a = c"), None);
    }
}
