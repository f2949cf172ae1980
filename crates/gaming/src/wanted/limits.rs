//! A task that speaks of all values of a kind, such as negative ones, where new code asks for one value.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{clauses, quoted, sentences};
use crate::args::has_word;

/// Words for values without end.
const KINDS: &[&str] = &[
    "positive",
    "negative",
    "at least",
    "at most",
    "no more than",
    "no less than",
    "less than",
    "more than",
    "greater than",
    "larger than",
    "smaller than",
    "below",
    "above",
    "exceed",
    "exceeds",
];
/// What has to do with an order of numbers.
const ORDERS: &[&str] = &[
    "<",
    ">",
    "max",
    "min",
    "Max",
    "Min",
    "abs",
    "range",
    "clamp",
    "signum",
    "saturating",
    "checked",
    "is_negative",
    "is_positive",
    "startswith",
    "starts_with",
    "startsWith",
    "HasPrefix",
    "'-'",
    "\"-\"",
];

/// A condition for one number, where the task says of which numbers it is to hold.
pub(super) fn check(task: &str, work: &Work) -> Vec<Finding> {
    let one = work.code.lines().find(|line| is_of_one(line));
    let Some(line) = one.filter(|_| !ORDERS.iter().any(|sign| work.code.contains(sign))) else {
        return Vec::new();
    };
    for clause in sentences(task).into_iter().flat_map(clauses) {
        let plain = quoted(clause).1.to_lowercase();
        let wants =
            ["should", "must", "may", "has to", "never"].iter().any(|w| has_word(&plain, w));
        if let Some(kind) = KINDS.iter().find(|kind| wants && has_word(&plain, kind)) {
            let message = format!(
                "The task says what holds of all values ({kind}), and the new code asks for one: {}",
                crate::args::short(line)
            );
            return vec![Finding::new(Rule::G63, Basis::Structure, message)];
        }
    }
    Vec::new()
}

/// `if count == 0`
fn is_of_one(line: &str) -> bool {
    let is_branch =
        ["if ", "if(", "match ", "switch", "case ", "when "].iter().any(|word| line.contains(word));
    let number = line.split("==").nth(1).map(|rest| rest.trim_start_matches('=').trim_start());
    is_branch
        && number.is_some_and(|rest| {
            rest.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit())
        })
}
