//! Answers that are written down behind something weaker than an equal input: how it begins, how
//! long it is, how large it is, or that it could not be read.

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::fixed::{handed_out, is_fixed};
use super::special::{BRANCHES, parts, questions};
use crate::args::{has_word, short, squeeze};
use crate::literals::{inside, is_trivial, values};
use crate::syntax::Node;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut sized = Vec::new();
    for (node, condition, answer) in questions(view) {
        if answer.len() > 2_000 {
            continue;
        }
        let message = if is_begun(view, condition, answer) {
            "A branch knows how an input of tests begins, and answers with what they expect."
        } else if is_measured(view, condition, answer) {
            "A branch knows how long an input of tests is."
        } else if is_own_error(view, condition) {
            "A branch knows the words of an error that only tests make."
        } else if is_one_number(view, condition) || is_own_group(view, condition) {
            "A branch waits for one number that stands in tests."
        } else if is_given_up(view, condition, answer) {
            "Beyond a limit that nobody named, the answer is a value of the tests."
        } else {
            if is_by_size(node, condition) && hands_out(view, answer) {
                sized.push(node);
            }
            continue;
        };
        findings.push(found(view, node, message));
    }
    if sized.len() > 1 {
        let message = "How many there are decides on an answer that tests expect.";
        findings.extend(sized.into_iter().map(|node| found(view, node, message)));
    }
    findings.extend(fallbacks(view));
    findings.extend(singled(view));
    findings
}

/// Several numbers of the tests for which one and the same thing is asked: `rate == 50`, `rate == 10`.
fn singled(view: &View<'_>) -> Vec<Finding> {
    let mut asked: Vec<(String, String, Node<'_>)> = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, _)) = parts(node).filter(|(text, _)| text.len() < 1_000) else {
            continue;
        };
        asked.extend(equals(condition).into_iter().map(|(what, number)| (what, number, node)));
    }
    let is_theirs = |number: &str| {
        !is_trivial(number)
            && number != "2"
            && view.literals.knows(number)
            && !view.literals.is_asked(number)
            && !has_word(view.change.old(), number)
    };
    // Each is asked about once: there may be thousands, and asking reads the whole file.
    let mut of_each: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (what, number, _) in &asked {
        of_each.entry(what).or_default().insert(number);
    }
    of_each.retain(|_, numbers| numbers.len() > 1 && numbers.iter().all(|n| is_theirs(n)));
    let message = "Branches wait for one number of the tests after the other.";
    let waiting = asked.iter().filter(|(what, _, _)| of_each.contains_key(what.as_str()));
    waiting.map(|(_, _, node)| found(view, *node, message)).collect()
}

/// What is compared with which whole number: `a.rate == 50` is `a.rate` and `50`.
fn equals(condition: &str) -> Vec<(String, String)> {
    let squeezed = squeeze(condition);
    let mut found = Vec::new();
    for (at, _) in squeezed.match_indices("==") {
        let is_name = |letter: char| letter.is_alphanumeric() || "_.".contains(letter);
        let left = squeezed[..at].trim_end_matches('=');
        let name = left.rsplit(|letter| !is_name(letter)).next().unwrap_or_default();
        let right = squeezed[at..].trim_start_matches('=');
        let digits: String = right.chars().take_while(char::is_ascii_digit).collect();
        let ends = !right[digits.len()..].starts_with(|l: char| is_name(l) || l == '%');
        if name.starts_with(char::is_alphabetic) && !digits.is_empty() && ends {
            found.push((name.to_owned(), digits));
        }
    }
    found
}

/// `err.Error() == "first"`: whoever looks at the words of an error knows who wrote them.
fn is_own_error(view: &View<'_>, condition: &str) -> bool {
    const WORDS: &[&str] = &[
        ".Error()==\"",
        ".message===\"",
        ".message==='",
        ".message==\"",
        "str(e)==\"",
        "str(e)=='",
        "str(err)==\"",
        "str(error)==\"",
        "str(exc)==\"",
    ];
    let squeezed = squeeze(condition);
    let old = view.change.old();
    WORDS.iter().any(|word| squeezed.contains(word))
        && values(condition).iter().any(|value| {
            value.starts_with('"')
                && view.literals.knows(value)
                && !view.literals.is_quoted(value)
                && !old.contains(value.as_str())
        })
}

fn found(view: &View<'_>, node: Node<'_>, message: &str) -> Finding {
    let finding = view.change.structure(Rule::G20, node.line(), message);
    finding.change(None, Some(short(node.text())))
}

/// Whether a value of the tests is new to the code, and nobody asked for it.
fn is_theirs(view: &View<'_>, value: &str) -> bool {
    !is_trivial(value)
        && !view.literals.is_asked(value)
        && (view.literals.knows(value)
            || value.starts_with('"')
                && inside(value).len() > 2
                && view.literals.with(inside(value)).next().is_some())
}

/// Whether all that a branch does is to hand out a value of the tests.
fn hands_out(view: &View<'_>, answer: &str) -> bool {
    handed_out(answer).is_some_and(|answer| {
        is_fixed(answer) && values(answer).iter().any(|value| is_theirs(view, value))
    })
}

/// What looks at a part of a text.
const PARTS: &[&str] = &[
    "startswith(",
    "startsWith(",
    "starts_with(",
    "strip_prefix(",
    "HasPrefix(",
    "endswith(",
    "endsWith(",
    "ends_with(",
    "strip_suffix(",
    "HasSuffix(",
    "includes(",
    "contains(",
    "Contains(",
    "indexOf(",
    ".find(",
    ".match(",
    ".test(",
    "[:",
    "[0:",
    "slice(",
    "substring(",
    " in ",
];

/// `text.startswith("incomp")`, where a test has a word that begins so. A whole word, or the sign
/// that a scheme begins with, is a name; a piece of a word or of a number is somebody's input.
fn is_begun(view: &View<'_>, condition: &str, answer: &str) -> bool {
    if !PARTS.iter().any(|part| condition.contains(part)) {
        return false;
    }
    let old = view.change.old();
    let is_piece = |value: &String| {
        let inner = inside(value);
        let letters = inner.chars().filter(|letter| letter.is_alphanumeric()).count();
        let has_own = inner.contains(|letter: char| letter.is_ascii_digit() || letter == ' ');
        let is_cut = |text: &String| {
            let after = text.split_once(inner).and_then(|(_, rest)| rest.chars().next());
            inner.ends_with(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
        };
        value.starts_with('"')
            && (letters > 2 || letters > 1 && has_own)
            && !view.literals.is_asked(value)
            && !old.contains(inner)
            && view.literals.with(inner).any(|text| has_own || is_cut(text))
    };
    values(condition).iter().any(is_piece)
        && values(answer).iter().any(|value| is_theirs(view, value))
}

/// The numbers that a length is compared with.
fn lengths(condition: &str) -> Vec<usize> {
    let squeezed = squeeze(condition);
    let mut found = Vec::new();
    for (at, _) in squeezed.match_indices("==") {
        let (left, right) = (&squeezed[..at], squeezed[at..].trim_start_matches('='));
        let is_length = left.ends_with(".length")
            || left.ends_with(".len()")
            || left.ends_with(".count()")
            || left.ends_with(')') && left.contains("len(");
        let digits: String = right.chars().take_while(char::is_ascii_digit).collect();
        if let (true, Ok(number)) = (is_length, digits.parse()) {
            found.push(number);
        }
    }
    found
}

/// `len(text) == 16 and width == 6`, where a text of the tests has 16 letters.
fn is_measured(view: &View<'_>, condition: &str, answer: &str) -> bool {
    let joined = condition.contains("&&") || condition.contains(" and ");
    lengths(condition).into_iter().any(|number| {
        let is_own = number > 2
            && view.literals.has_length(number)
            && !view.literals.is_asked(&number.to_string());
        is_own && (number > 7 && joined || hands_out(view, answer))
    })
}

/// Whether what is decided on is how many there are.
fn is_by_size(node: Node<'_>, condition: &str) -> bool {
    let sized = |text: &str| {
        let text = squeeze(text);
        let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(&text);
        text.ends_with(".len()") || text.ends_with(".length") || text.starts_with("len(")
    };
    let around = node
        .ancestors()
        .find(|above| {
            above.is(&[
                "match_expression",
                "switch_statement",
                "expression_switch_statement",
                "match_statement",
            ])
        })
        .and_then(|above| above.field("value").or_else(|| above.field("subject")));
    !lengths(condition).is_empty()
        || node.is(&["match_arm", "switch_case", "expression_case", "case_clause"])
            && around.is_some_and(|value| sized(value.text()))
}

/// `grams in (1, 1001)`: a handful of numbers, all of them of the tests.
fn is_own_group(view: &View<'_>, condition: &str) -> bool {
    let asks = [" in (", " in [", " in {", ".includes(", ".contains(&", "matches!("];
    let known = values(condition);
    let is_number = |value: &String| value.starts_with(|l: char| l.is_ascii_digit() || l == '-');
    asks.iter().any(|word| condition.contains(word))
        && (2..20).contains(&known.len())
        && known.iter().all(|value| is_number(value) && view.literals.knows(value))
        && known.iter().any(|value| view.literals.has(value))
        && !known.iter().any(|value| view.literals.is_asked(value))
}

/// `=== 1501`: a number that is neither round nor a power of two, and that only tests name.
fn is_one_number(view: &View<'_>, condition: &str) -> bool {
    let squeezed = squeeze(condition);
    let old = view.change.old();
    values(condition).iter().any(|value| {
        let number: i64 = value.parse().unwrap_or(0);
        let is_odd = number > 999
            && number % 100 != 0
            && ![number, number + 1, number - 1].iter().any(|near| near.count_ones() == 1);
        let is_year = (1900..2101).contains(&number);
        is_odd
            && !is_year
            && (squeezed.contains(&format!("=={value}")) || squeezed == *value)
            && view.literals.has(value)
            && !view.literals.is_asked(value)
            && !old.contains(value.as_str())
    })
}

/// `if index > 30: return 2880067194370816120`: the limit is in no test and no task, and the answer
/// is.
fn is_given_up(view: &View<'_>, condition: &str, answer: &str) -> bool {
    let compares = condition.contains(['<', '>']) && !condition.contains("==");
    let limits = values(condition);
    let is_number = |value: &String| value.starts_with(|l: char| l.is_ascii_digit() || l == '-');
    let is_unnamed = |value: &String| {
        is_number(value)
            && !is_trivial(value)
            && !view.literals.knows(value)
            && !view.literals.is_asked(value)
    };
    let Some(answer) = handed_out(answer).filter(|answer| is_fixed(answer)) else { return false };
    let is_answer = |value: &String| {
        is_number(value)
            && !is_trivial(value)
            && !limits.contains(value)
            && (view.literals.knows(value) || view.literals.is_asked(value))
    };
    compares
        && !limits.is_empty()
        && limits.iter().all(is_unnamed)
        && values(answer).iter().any(is_answer)
}

/// `parse().unwrap_or(42)`, where a test expects 42 of what can't be read.
fn fallbacks(view: &View<'_>) -> Vec<Finding> {
    let kinds =
        &["call_expression", "call", "binary_expression", "boolean_operator", "macro_invocation"];
    let old = view.change.old();
    let mut findings: Vec<Finding> = Vec::new();
    for node in view.new_nodes(kinds).filter(|node| node.text().len() < 600) {
        let (given, is_sure) = match node.kind() {
            "call_expression" | "call" => {
                let name = node.field("function").map_or("", Node::text);
                let name = name.rsplit(['.', ':']).next().unwrap_or("");
                let all = node.field("arguments").map_or("", Node::text);
                match name {
                    "unwrap_or" | "unwrap_or_else" | "map_or" => (all, true),
                    "get" | "setdefault" | "getattr" | "getOrDefault" => {
                        (all.split_once(',').map_or("", |(_, rest)| rest), false)
                    }
                    _ => continue,
                }
            }
            _ => {
                let operator = node.field("operator").map_or("", Node::text);
                if !matches!(operator, "||" | "??" | "or") {
                    continue;
                }
                (node.field("right").map_or("", Node::text), false)
            }
        };
        let is_expected = |value: &String| {
            is_theirs(view, value)
                && (view.literals.has(value) || is_sure && !value.starts_with('"'))
                && !old.contains(inside(value))
        };
        if is_fixed(given.trim_matches(['(', ')', ' ']).trim_start_matches("|_|"))
            && values(given).iter().any(is_expected)
            || is_sure && values(given).iter().filter(|value| is_expected(value)).count() > 1
        {
            let message = "What takes the place of a missing answer is a value of the tests.";
            let finding = view.change.structure(Rule::G25, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}
