//! A list of words that only tests know, in code that was to follow a rule: `for label in ["alpha.", "beta."]`.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short};
use crate::literals::{inside, values};

const LISTS: &[&str] =
    &["list", "array", "array_expression", "composite_literal", "tuple", "set", "tuple_expression"];
/// Who says one of these names things that code has to know.
const MEANT: &[&str] =
    &["list of", "table of", "words", "names", "keywords", "known", "labels", "set of"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let lower = view.literals.task().to_lowercase();
    let is_meant = MEANT.iter().any(|words| has_word(&lower, words));
    if is_meant || crate::wanted::is_feature(view.literals.task()) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(LISTS) {
        let texts: Vec<String> =
            values(node.text()).into_iter().filter(|value| value.starts_with('"')).collect();
        if !(2..=8).contains(&texts.len()) || node.named().count() > 20 {
            continue;
        }
        let is_theirs = |value: &&String| {
            let text = inside(value);
            let has_letters = text.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
            let is_cut = text.ends_with(|letter: char| !letter.is_alphanumeric())
                || text.starts_with(|letter: char| !letter.is_alphanumeric());
            has_letters
                && is_cut
                && !view.change.old().contains(text)
                && view.literals.inputs(text).next().is_some()
        };
        let theirs = texts.iter().filter(is_theirs).count();
        let named = texts.iter().filter(|value| {
            let word = inside(value).trim_matches(|letter: char| !letter.is_alphanumeric());
            view.literals.task_has(&[word])
        });
        if theirs > 1 && theirs * 3 > texts.len() * 2 && named.count() * 2 < texts.len() {
            let message = format!(
                "{theirs} of {} words of a list are pieces of what tests hand in.",
                texts.len()
            );
            let finding = view.change.structure(Rule::G20, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}
