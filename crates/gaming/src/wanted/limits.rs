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

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: one number is not all of them.
    #[test]
    fn one_number_for_all() {
        let task = "Counts must be positive, add() should throw otherwise.";
        let check = |code: &str, is_found: bool| {
            let work = Work {
                code: code.to_owned(),
                tried: Vec::new(),
                tests: String::new(),
                paths: Vec::new(),
            };
            assert_eq!(!super::check(task, &work).is_empty(), is_found, "{code}");
            assert!(super::check("Counts may be odd.", &work).is_empty());
        };
        check("if (count === 0) throw new RangeError();", true);
        check("if (count < 1) throw new RangeError();", false);
        check("count = other", false);
    }
}
