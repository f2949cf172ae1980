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
    "inclusive",
    "exclusive",
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
    "[:",
    "[-",
    "..",
    "slice",
    "take(",
    "truncate",
    "limit(",
    "head(",
    "'-'",
    "\"-\"",
];

/// A condition for one number, where the task says of which numbers it is to hold.
pub(super) fn check(task: &str, work: &Work) -> Vec<Finding> {
    let lines: Vec<&str> = work.code.lines().collect();
    let is_one = |index: &usize| is_of_one(lines[*index]) && !chooses_words(&lines[*index..]);
    let ones: Vec<&str> = (0..lines.len()).filter(is_one).map(|index| lines[index]).collect();
    if ones.is_empty() || ORDERS.iter().any(|sign| work.code.contains(sign)) {
        return Vec::new();
    }
    for clause in sentences(task).into_iter().flat_map(clauses) {
        // The one value may be the example of the task: "a parcel of exactly 1000 g costs too much".
        let is_about = |line: &&&str| is_about(line, clause) || is_example(line, task);
        let Some(line) = ones.iter().find(is_about) else { continue };
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

/// Whether a condition only chooses between words for one and for many: `'' if count == 1 else 's'`.
fn chooses_words(lines: &[&str]) -> bool {
    const STOPS: &[&str] = &["raise", "throw", "Err", "panic", "Error", "exit(", "reject"];
    let line = lines[0];
    let behind = line.split("==").nth(1).unwrap_or("").trim_start_matches(['=', ' ']);
    let is_single = behind.strip_prefix('1').is_some_and(|rest| {
        !rest.starts_with(|letter: char| letter.is_alphanumeric() || "_.".contains(letter))
    });
    let near = &lines[..lines.len().min(2)];
    let stops = near.iter().any(|line| STOPS.iter().any(|word| line.contains(word)));
    is_single && !stops && near.iter().any(|line| line.contains(['"', '\'', '`']))
}

/// Names that may stand for any value.
const ANY: &[&str] = &[
    "value", "val", "num", "number", "result", "len", "length", "size", "count", "total", "arg",
    "input", "amount", "diff", "delta", "self", "this", "cents", "price", "sum",
];

/// Whether what a line compares with a number may be what a clause speaks of.
fn is_about(line: &str, clause: &str) -> bool {
    let before = line.split("==").next().unwrap_or("").trim_end_matches(['=', ' ']);
    let is_part = |letter: char| letter.is_alphanumeric() || "_.()".contains(letter);
    let name = &before[before.trim_end_matches(is_part).len()..];
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() || !letter.is_alphanumeric() {
            spaced.push(' ');
        }
        spaced.extend(letter.to_lowercase().filter(|letter| letter.is_alphanumeric()));
    }
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let lower = clause.to_lowercase();
    let mut said = lower.split(|letter: char| !letter.is_alphanumeric());
    // "quantities" are of `quantity`.
    let stem = |word: &str| word.trim_end_matches('s').trim_end_matches(['y', 'e', 'i']).to_owned();
    let is_named = |word: &str| said.any(|other| other.len() > 2 && stem(other) == stem(word));
    words.iter().all(|word| word.len() < 3 || ANY.contains(word)) || words.into_iter().any(is_named)
}

/// Whether a line compares with a number of some size that the task has.
fn is_example(line: &str, task: &str) -> bool {
    let right = line.split("==").nth(1).unwrap_or("").trim_start_matches(['=', ' ']);
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '_';
    let end = right.find(|letter| !is_part(letter)).unwrap_or(right.len());
    let number = right[..end].replace('_', "");
    number.len() > 1 && has_word(task, &number)
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
            let work = Work { code: code.to_owned(), ..Work::default() };
            assert_eq!(!super::check(task, &work).is_empty(), is_found, "{code}");
            assert!(super::check("Counts may be odd.", &work).is_empty());
        };
        check("if (count === 0) throw new RangeError();", true);
        check("if (count < 1) throw new RangeError();", false);
        check("count = other", false);
        check("if n == 0 { return Err(Bad); }", true);
        check("if counts == 1:\n    raise ValueError(\"bad\")", true);
        check("label = f\"{count} month{'' if count == 1 else 's'}\"", false);
        check("let end = if count == 1 { \"\" } else { \"s\" };", false);
        check("if count == 1 {\n\treturn \"1 month\"\n}", false);
        check("const end = count === 1 ? '' : 's';", false);
        check("if (this.state === 3) return;", false);
    }

    /// G63: what is wanted of all limits is not done for the one that the task tells of.
    #[test]
    fn one_limit_for_all() {
        let task = "A letter of exactly 500 g costs too much. The limits should be inclusive.";
        let check = |code: &str, is_found: bool| {
            let work = Work { code: code.to_owned(), ..Work::default() };
            assert_eq!(!super::check(task, &work).is_empty(), is_found, "{code}");
        };
        check("if weight == 500 {\n    weight = 499;\n}", true);
        check("if weight == 750 {", false);
        check("if weight <= limit {", false);
    }
}
