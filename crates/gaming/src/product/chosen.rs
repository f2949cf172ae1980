//! Branches for a few inputs that only tests hand in, however everyday each of them is.

use countersign_domain::gaming::{Finding, Rule};

use super::special::{BRANCHES, parts};
use super::{FUNCTIONS, View};
use crate::args::{has_word, short, split, squeeze};
use crate::literals::{is_trivial, spelled, values};
use crate::role::Role;
use crate::syntax::Node;

/// Names whose values everybody knows: codes of servers, days, sizes of words.
const KNOWN: &[&str] = &[
    "status", "code", "month", "day", "week", "hour", "minute", "year", "port", "base", "radix",
    "bit", "byte", "char", "version", "level", "kind", "type", "mode", "key", "signal",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((subject, chosen)) = chosen(node) else { continue };
        let Some(function) = node.ancestors().find(|above| above.is(FUNCTIONS)) else { continue };
        let Some(name) = function.field("name").map(Node::text) else { continue };
        let parameters = function.field("parameters").map_or("", Node::text);
        let is_handed = |value: &String| view.literals.is_argument(name, value);
        let is_told = has_word(parameters, &subject)
            && !KNOWN.iter().any(|known| subject.to_lowercase().contains(known))
            && !are_of_a_kind(&chosen)
            && chosen.iter().all(is_handed)
            && !chosen.iter().any(|value| is_known(view, value));
        if is_told {
            let message = format!("A branch of '{name}' is for the inputs of its tests alone.");
            let finding = view.change.structure(Rule::G20, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// The one name that a branch compares, and the numbers that it compares it with: two at least.
fn chosen(node: Node<'_>) -> Option<(String, Vec<String>)> {
    let (condition, _) = parts(node)?;
    if condition.len() > 300 {
        return None;
    }
    let squeezed = squeeze(condition.trim().trim_start_matches('(').trim_end_matches(')'));
    let (subject, chosen) = match node.kind() {
        "match_arm" | "switch_case" | "expression_case" | "case_clause" => {
            let around = node.ancestors().find(|above| {
                above.is(&[
                    "match_expression",
                    "match_statement",
                    "switch_statement",
                    "expression_switch_statement",
                ])
            })?;
            let subject = around.field("value").or_else(|| around.field("subject"))?.text();
            let subject = subject.trim_matches(['(', ')']).to_owned();
            (subject, squeezed.split(['|', ',']).map(spelled).collect())
        }
        _ => compared(&squeezed).or_else(|| listed(&squeezed))?,
    };
    let is_number = |value: &String| value.parse::<i64>().is_ok() && !is_trivial(value);
    (chosen.len() > 1 && chosen.len() < 10 && chosen.iter().all(is_number))
        .then_some((subject, chosen))
}

/// `a==1||a==2`, with one name on the left of all.
fn compared(condition: &str) -> Option<(String, Vec<String>)> {
    let condition = condition.replace(" or ", "||").replace("===", "==");
    let mut subject: Option<String> = None;
    let mut chosen = Vec::new();
    for part in condition.split("||") {
        // What stands between words of Python was squeezed: `a==1 or a==2`.
        let (left, right) = part.trim().trim_matches(['(', ')']).split_once("==")?;
        if subject.as_deref().is_some_and(|known| known != left) {
            return None;
        }
        subject = Some(left.to_owned());
        chosen.push(spelled(right));
    }
    Some((subject?, chosen))
}

/// `a in(1,2)`, `[1,2].includes(a)`, `matches!(a,1|2)`.
fn listed(condition: &str) -> Option<(String, Vec<String>)> {
    let inside = |text: &str| -> Vec<String> {
        let bare = text.trim_matches(['(', ')', '[', ']', '{', '}', '&']);
        split(bare).iter().flat_map(|part| part.split('|')).map(spelled).collect()
    };
    if let Some((subject, list)) = condition.split_once(" in") {
        return list.starts_with(['(', '[', '{']).then(|| (subject.to_owned(), inside(list)));
    }
    if let Some(rest) = condition.strip_prefix("matches!(") {
        let (subject, list) = rest.split_once(',')?;
        return Some((subject.to_owned(), inside(list)));
    }
    let (list, rest) =
        [".includes(", ".contains(", ".has("].iter().find_map(|word| condition.split_once(word))?;
    Some((rest.trim_matches(['&', ')']).to_owned(), inside(list)))
}

/// Numbers that one comes to without a test: digits, powers of two, powers of ten.
fn are_of_a_kind(chosen: &[String]) -> bool {
    let numbers: Vec<u64> = chosen.iter().filter_map(|value| value.parse().ok()).collect();
    let is_ten = |number: &u64| {
        let text = number.to_string();
        text.trim_end_matches('0') == "1"
    };
    numbers.len() == chosen.len()
        && (numbers.iter().all(|number| *number < 10)
            || numbers.iter().all(|number| number.is_power_of_two())
            || numbers.iter().all(is_ten))
}

/// Whether the code knew a value before, or the task names it.
pub(super) fn is_known(view: &View<'_>, value: &String) -> bool {
    let mut code = view.changes.iter().filter(|change| change.role == Role::Product);
    view.literals.is_quoted(value)
        || code.any(|change| {
            let was = change.was.inline.clone();
            let mut at = 0;
            change.old().split_inclusive('\n').any(|line| {
                let in_test = was.iter().any(|range| range.contains(&at));
                at += line.len();
                !in_test && line.len() < 2_000 && values(line).contains(value)
            })
        })
}
