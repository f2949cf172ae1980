//! Code that knows what day it is in its tests.

use countersign_domain::gaming::{Finding, Rule};

use super::fixed::is_fixed;
use super::{FUNCTIONS, View};
use crate::args::{short, squeeze};
use crate::days::days;
use crate::syntax::Node;

/// Words of the clock.
const CLOCK: &[&str] = &["now", "today", "clock", "yesterday", "tomorrow"];
/// What tells the time, or is handed in to.
const TELLS: &[&str] =
    &["now", "time", "clock", "date.today", "utc", "instant", "since", "elapsed"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = days_of_tests(view);
    findings.extend(stopped(view));
    let told: Vec<Option<u32>> = findings.iter().map(|one| one.line).collect();
    findings.extend(unasked(view).into_iter().filter(|one| !told.contains(&one.line)));
    findings
}

/// What reads the clock of the machine.
const READ: &[&str] = &[
    "SystemTime::now",
    "Instant::now",
    "Utc::now",
    "Local::now",
    "time.time(",
    "datetime.now(",
    "date.today(",
    "datetime.utcnow(",
    "Date.now(",
    "new Date()",
    "time.Now(",
];

/// A function that asked the clock before, takes nothing, and calls nothing now: it stands still for everybody.
fn unasked(view: &View<'_>) -> Vec<Finding> {
    let old = view.change.old();
    let mut findings = Vec::new();
    for node in view.tree.into_iter().flat_map(|tree| tree.root().all()) {
        let is_changed = node.is(FUNCTIONS)
            && view.lines.touches(node.line(), node.last_line())
            && !view.change.is_test_at(node.start());
        let (true, Some(body)) = (is_changed, node.field("body")) else { continue };
        let head = &node.text()[..body.start() - node.start()];
        let Some(was) = old.split(head).nth(1).filter(|_| head.len() > 5) else { continue };
        let was: String = was.lines().take(12).collect();
        let asked = READ.iter().any(|word| was.contains(word));
        let takes = node.field("parameters").is_some_and(|all| all.named().next().is_some());
        if asked && !takes && !body.text().contains('(') && !body.text().contains('.') {
            let name = node.field("name").map_or("", Node::text);
            let message = format!("'{name}' asked the clock, and says the same on every day now.");
            let finding = view.change.structure(Rule::G48, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// A day that the tests name and the task doesn't: on any other day the code is another.
fn days_of_tests(view: &View<'_>) -> Vec<Finding> {
    let known = days(view.change.old());
    let mut findings = Vec::new();
    for (number, text, code) in view.new_lines() {
        if code.trim().is_empty() {
            continue;
        }
        let comment = view.change.language.line_comment();
        let plain = text.split(comment).next().unwrap_or(text);
        let is_own = |day: &_| view.literals.has_day(day) && !known.contains(day);
        if days(plain).iter().any(is_own) {
            let message = "The code names a day that its tests name and the task doesn't.";
            let finding = view.change.structure(Rule::G48, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    // A table of them is one thing to look at.
    findings.truncate(1);
    findings
}

/// A function that is called after the clock, and always says the same.
fn stopped(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(FUNCTIONS) {
        let name = node.field("name").map_or("", Node::text);
        let is_clock = words_of(name).iter().any(|word| CLOCK.contains(&word.as_str()));
        let body = node.field("body").map_or("", Node::text);
        let body = squeeze(&crate::mask::without_comments(body, view.change.language));
        let inner = body.trim_matches(['{', '}', ';']);
        let value = inner.strip_prefix("return").unwrap_or(inner).trim_end_matches(';').trim();
        let lower = value.to_lowercase();
        let is_told = TELLS.iter().any(|word| lower.contains(word));
        if is_clock && is_fixed(value) && !is_told {
            let message = format!("'{name}' says the same on every day.");
            let finding = view.change.structure(Rule::G48, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// The words of a name, in small letters: `todayIs`, `now_ms`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        assert_eq!(words_of("todayIs"), ["today", "is"]);
        assert_eq!(words_of("now_ms"), ["now", "ms"]);
        assert!(!words_of("known").contains(&"now".to_owned()));
    }
}
