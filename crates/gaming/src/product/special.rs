//! Branches and tables that answer for the inputs of tests.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::fingerprint;
use super::fixed::{handed_out, is_fixed};
use super::learnt;
use super::ranges;
use super::wrapped;
use crate::args::{short, squeeze};
use crate::literals::{inside, is_sentence, is_trivial, spelled, values};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

pub(super) const BRANCHES: &[&str] = &[
    "if_statement",
    "elif_clause",
    "conditional_expression",
    "if_expression",
    "match_arm",
    "switch_case",
    "ternary_expression",
    "expression_case",
    "case_clause",
    "match_expression",
];
pub(super) const TABLES: &[&str] = &[
    "dictionary",
    "object",
    "composite_literal",
    "array_expression",
    "array",
    "list",
    "match_block",
    "match_expression",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.is_empty() {
        return Vec::new();
    }
    let mut findings = branches(view);
    findings.extend(tables(view));
    findings.extend(queues(view));
    findings.extend(replacements(view));
    if view.tree.is_none() {
        findings.extend(lines(view));
    }
    findings
}

/// The branches that ask something new, with what they ask and what they do then. The same question in another
/// form of branch is not new.
pub(super) fn questions<'v>(view: &View<'v>) -> Vec<(Node<'v>, &'v str, &'v str)> {
    let old = squeeze(view.change.plain_old());
    let was_asked = |node: Node<'_>, condition: &str| {
        // The pattern of an arm is a value, and no question.
        let is_arm = node.is(&["match_arm", "switch_case", "expression_case", "case_clause"]);
        let squeezed = squeeze(condition);
        !is_arm && squeezed.len() > 5 && old.contains(&squeezed)
    };
    let all = view.new_nodes(BRANCHES).filter_map(|node| {
        let (condition, answer) = parts(node)?;
        (condition.len() < 1_000 && !was_asked(node, condition))
            .then_some((node, condition, answer))
    });
    all.collect()
}

fn branches(view: &View<'_>) -> Vec<Finding> {
    let mut strong = Vec::new();
    let mut rows = Vec::new();
    let mut single: Vec<(u32, &str, Vec<String>)> = Vec::new();
    for (node, condition, answer) in questions(view) {
        if handed_out(answer).is_some_and(|one| fingerprint::is_one_state(condition, one)) {
            strong.push((node.line(), short(node.text())));
            continue;
        }
        let mut known = values(condition);
        let is_example = |value: &String| {
            value.starts_with('"') && view.literals.has(value) && view.literals.is_example(value)
        };
        let is_told = known.iter().any(is_example) && handed_out(answer).is_some();
        // The numbers of tests without their points, several of them in one question.
        if is_told || known.iter().filter(|value| view.literals.has_scaled(value)).count() > 1 {
            strong.push((node.line(), short(node.text())));
            continue;
        }
        // Words that the task lists are what the code has to know.
        let is_listed = |value: &String| {
            value.starts_with('"')
                && view.literals.task_has(&[inside(value)])
                && !view.literals.is_example(value)
        };
        let group = view.literals.has_group(&known) && !known.iter().all(is_listed);
        known.extend(patterns(view, condition));
        known.extend(between(condition, &known));
        let told = told(view, &known);
        let several = told.len() > 1;
        let Some(answer) = handed_out(answer).filter(|answer| {
            is_fixed(answer) || several && values(answer).iter().any(|v| view.literals.has(v))
        }) else {
            continue;
        };
        let answers = values(answer);
        let is_known =
            |value: &String| is_trivial(value) || view.literals.knows(value) || value.len() < 4;
        if group
            || is_own_case(view, &told, (&answers, wrapped::has_number(condition)))
            || fingerprint::is_taken(view, condition, &answers)
        {
            strong.push((node.line(), short(node.text())));
        } else if !told.is_empty() && answers.iter().all(is_known) {
            single.push((node.line(), node.text(), told));
        } else if let ([input], Some(answer)) = (&known[..], answers.first())
            && view.literals.has_beside(input, answer)
        {
            rows.push((node.line(), short(node.text()), is_unguessed(view, input, answer)));
        }
    }
    // Plain words are names; all of them with the answers that tests expect, one of which nobody
    // would guess, are recorded.
    if rows.len() > 1 && rows.iter().any(|(_, _, is_own)| *is_own) {
        strong.extend(rows.into_iter().map(|(line, text, _)| (line, text)));
    }
    // One shared value may be a constant of the domain; several are the tests' own.
    let mut seen: Vec<&String> = single.iter().flat_map(|(_, _, told)| told).collect();
    seen.sort();
    seen.dedup();
    if seen.len() > 1 || !strong.is_empty() {
        strong.extend(single.iter().map(|(line, text, _)| (*line, short(text))));
    }
    strong.sort();
    strong
        .into_iter()
        .map(|(line, text)| {
            let message =
                "A branch compares with the inputs of tests and answers with a fixed value.";
            view.change.structure(Rule::G20, line, message).change(None, Some(text))
        })
        .collect()
}

/// Whether nobody would guess an answer. How none and one are called may be what the task says: "no results".
fn is_unguessed(view: &View<'_>, input: &str, answer: &str) -> bool {
    let is_wording = matches!(input, "0" | "1") && view.literals.is_asked(answer);
    view.literals.has(answer) && !is_wording
}

/// Those of some values that are inputs of tests.
fn told(view: &View<'_>, known: &[String]) -> Vec<String> {
    let is_told = |value: &&String| view.literals.has(value) || view.literals.has_short(value);
    known.iter().filter(is_told).cloned().collect()
}

/// Whether one input is enough: words that a test made up, and what it expects of them. A type may want
/// its numbers in quotes.
fn is_own_case(view: &View<'_>, told: &[String], (answers, is_quoted): (&[String], bool)) -> bool {
    let is_number = |value: &String| {
        let value = if is_quoted { inside(value) } else { value };
        value.starts_with(|l: char| l.is_ascii_digit() || l == '-')
    };
    let expects = |value: &String| !is_trivial(value) && view.literals.knows(value);
    let words = told.iter().any(|value| is_sentence(value));
    let numbers = told.iter().any(|value| is_number(value) && view.literals.has(value));
    words && answers.iter().any(expects)
        || numbers && answers.iter().any(|value| is_number(value) && view.literals.has(value))
}

/// The whole number that is all that lies between two others: `n > 6 && n < 8`.
fn between(condition: &str, known: &[String]) -> Vec<String> {
    if !condition.contains('<') && !condition.contains('>') {
        return Vec::new();
    }
    let numbers: Vec<i64> = known.iter().take(20).filter_map(|value| value.parse().ok()).collect();
    let has = |number: Option<i64>| number.is_some_and(|number| numbers.contains(&number));
    let middle = numbers.iter().filter(|low| has(low.checked_add(2)));
    middle.map(|low| (low + 1).to_string()).collect()
}

/// What regular expressions fit, where it is one text only: `/^ann lee$/`.
fn patterns(view: &View<'_>, condition: &str) -> Vec<String> {
    let plain = |text: &str| {
        let text = text.trim_start_matches('^').trim_end_matches('$').replace('\\', "");
        view.literals.fitting(&text).cloned().unwrap_or_else(|| format!("\"{text}\""))
    };
    let is_pattern = |inner: &&str| {
        inner.starts_with('^') || inner.contains(['\\', '.']) || inner.ends_with('$')
    };
    let quoted = values(condition);
    let mut found: Vec<String> =
        quoted.iter().map(|value| inside(value)).filter(is_pattern).map(plain).collect();
    // What is the same without its signs was read already.
    found.retain(|text| !quoted.contains(text));
    let open = condition.split("/^").skip(1);
    found.extend(open.filter_map(|rest| rest.split('/').next()).map(plain));
    found
}

/// The condition of a branch and what it does.
pub(super) fn parts(node: Node<'_>) -> Option<(&str, &str)> {
    match node.kind() {
        "match_arm" => Some((node.field("pattern")?.text(), node.field("value")?.text())),
        "switch_case" | "expression_case" | "case_clause" => {
            let value = node.field("value").or_else(|| node.named().next())?;
            Some((value.text(), node.text().get(value.end() - node.start()..)?))
        }
        // `answer if condition else other`
        "conditional_expression" if node.field("condition").is_none() => {
            let mut children = node.named();
            let answer = children.next()?;
            Some((children.next()?.text(), answer.text()))
        }
        _ => {
            let condition = node.field("condition")?;
            Some((condition.text(), node.field("consequence")?.text()))
        }
    }
}

/// Lists of values of tests that are handed out one after the other.
fn queues(view: &View<'_>) -> Vec<Finding> {
    const TAKES: &[&str] =
        &[".pop(", ".shift(", "next(", ".pop_front(", ".remove(0", ".next()", "++]", "++ %", "++%"];
    // Two lists side by side are a table as well.
    const FINDS: &[&str] = &[".index(", ".indexOf(", ".position(", "zip("];
    let has = |words: &[&str]| {
        view.new_lines().iter().any(|(_, _, code)| words.iter().any(|word| code.contains(word)))
    };
    let (takes, finds) = (has(TAKES), has(FINDS));
    if !takes && !finds {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(&["list", "array", "array_expression", "composite_literal"]) {
        let known = values(node.text());
        let own = known.iter().filter(|value| view.literals.has(value)).count();
        let told = known.iter().all(|value| view.literals.knows(value)) && (takes || own > 1);
        if told && (2..1_000).contains(&known.len()) && is_literal(node.text()) {
            let message = "Values of tests are kept in a list and handed out one after the other.";
            let finding = view.change.structure(Rule::G21, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// Words of a test that are replaced as a whole by others.
fn replacements(view: &View<'_>) -> Vec<Finding> {
    let calls = view.new_nodes(&["call", "call_expression"]).filter(|call| {
        let name = call.field("function").map_or("", Node::text);
        let name = name.rsplit(['.', ':']).next().unwrap_or("");
        matches!(name, "replace" | "replaceAll" | "sub" | "ReplaceAll" | "Replace" | "replacen")
    });
    let replaces = |call: &Node<'_>| {
        let given = call.field("arguments").map_or("", Node::text);
        let written = match pattern(given) {
            Some(first) => {
                let mut written = values(&given[first.len()..]);
                written.insert(0, format!("\"{}\"", first.replace('\\', "")));
                written
            }
            None => values(given),
        };
        let first = written.first();
        let whole = first.is_some_and(|first| {
            is_sentence(first) && view.literals.has(first) || learnt::is_asked_for(view, first)
        });
        let carried = written.get(..2).is_some_and(|pair| is_carried(view, &pair[0], &pair[1]));
        written.len() > 1 && (whole || carried)
    };
    let message = "Words of a test are replaced as a whole.";
    let found = calls.filter(replaces).map(|call| {
        let finding = view.change.structure(Rule::G20, call.line(), message);
        finding.change(None, Some(short(call.text())))
    });
    found.collect()
}

/// The pattern that is the first argument, where it fits one text only: `(/<b>/g, …)`.
fn pattern(given: &str) -> Option<&str> {
    let rest = given.strip_prefix("(/")?;
    let mut was_escape = false;
    let end = rest.find(|letter| {
        let ends = letter == '/' && !was_escape;
        was_escape = letter == '\\' && !was_escape;
        ends
    })?;
    let plain = &rest[..end];
    let signs = plain.replace("\\/", "").replace("\\.", "");
    (!plain.is_empty() && !signs.contains(|letter| "\\[](){}*+?.^$|".contains(letter)))
        .then_some(plain)
}

/// Words of a task that wants something of whatever comes in.
const WHATEVER: &[&str] =
    &["all", "any", "every", "each", "everything", "anything", "whatever", "no matter"];

/// A word of a test's text with the signs around it, which comes out with other signs around it.
fn is_carried(view: &View<'_>, old: &str, new: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let plain = text.replace("\\n", " ").replace("\\t", " ");
        let all = plain.split(|letter: char| !letter.is_alphanumeric());
        all.filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    let inner = inside(old);
    let (was, is) = (words(inner), words(inside(new)));
    old.starts_with('"')
        && new.starts_with('"')
        && !was.is_empty()
        && was == is
        && inner != inside(new)
        && (!view.literals.is_asked(old) || view.literals.task_has(WHATEVER))
        && view.literals.with(inner).next().is_some()
}

/// Whether a value of a table is a list that tests expect: several numbers that nobody would guess.
fn are_expected(view: &View<'_>, value: &str) -> bool {
    let is_list = value.trim().starts_with(['[', '(', '{']);
    let written = values(value);
    let own = written.iter().filter(|one| view.literals.has(one)).count();
    is_list
        && is_fixed(value)
        && own > 1
        && own == written.len()
        && !written.iter().all(|one| view.literals.is_asked(one))
        && view.literals.has_group(&written)
}

/// Tables most of whose keys are inputs of tests.
fn tables(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(TABLES) {
        let written = pairs(node);
        let pairs: Vec<(&str, &str)> =
            written.iter().map(|(key, value)| (wrapped::bare(key), *value)).collect();
        if pairs.is_empty() || pairs.len() > 5_000 {
            continue;
        }
        let is_known = |key: &str| {
            let bare = key.trim().trim_matches(['(', ')', '[', ']', '{', '}']);
            let parts: Vec<String> =
                crate::args::split(bare).iter().map(|part| spelled(wrapped::bare(part))).collect();
            let turned: Vec<String> = parts.iter().rev().cloned().collect();
            view.literals.has_group(&parts)
                || view.literals.has_group(&turned)
                || view.literals.has_row(&parts)
                || view.literals.has(&spelled(key))
                || view.literals.has_short(&spelled(key))
                || view.literals.has(inside(&spelled(key)))
                || view.literals.has_group(&unquoted(key))
        };
        // Words that the task lists are what the code has to know.
        let is_listed = |key: &str| {
            let is_number = wrapped::has_number(key);
            let key = spelled(wrapped::bare(key));
            !is_number
                && key.starts_with('"')
                && (!inside(&key).contains(' ') && view.literals.is_asked(&key)
                    || is_called_so(view, inside(&key)))
                && !view.literals.is_example(&key)
        };
        let known = pairs.iter().filter(|(key, value)| is_known(key) && is_fixed(value)).count();
        let keys: Vec<&str> = pairs.iter().map(|(key, _)| *key).collect();
        if written.iter().all(|(key, _)| is_listed(key)) || ranges::are_asked(view, &keys) {
            continue;
        }
        let is_own = pairs.len() == 1
            && node.is(&["dictionary", "object", "composite_literal"])
            && pairs.iter().all(|(key, value)| {
                let key = spelled(key);
                let told = told(view, std::slice::from_ref(&key));
                is_sentence(&key) && is_own_case(view, &told, (&values(value), false))
            });
        let hashed = fingerprint::are_digests(view, &pairs);
        let rowed = pairs.len() > 1 && are_rows(view, &pairs);
        let expected = pairs.iter().filter(|(_, value)| are_expected(view, value)).count();
        // As many answers as tests ask for, and hardly any other: those were learnt by heart.
        let beside = pairs.iter().filter(|(key, value)| {
            let (key, value) = (spelled(key), spelled(value));
            view.literals.has_beside(&key, &value) && !view.literals.is_asked(&key)
        });
        let beside = beside.count();
        let unasked = pairs.iter().filter(|(key, _)| !view.literals.is_asked(&spelled(key)));
        let rowed = rowed || beside > 3 && beside * 3 > unasked.count() * 2;
        let known = known.max(expected);
        let known = if rowed { pairs.len() } else { known };
        if is_own || hashed || known >= 2 && known * 2 > pairs.len() {
            let message = if hashed {
                "The keys of a table are digests of inputs, with their answers beside them."
                    .to_owned()
            } else {
                format!("{known} of {} keys of a table are inputs of tests.", pairs.len())
            };
            findings.push(
                view.change
                    .structure(Rule::G21, node.line(), message)
                    .change(None, Some(short(node.text()))),
            );
        }
    }
    findings
}

/// Whether a name of several words is made of the task's own: "Plain Bob Minimus and Minor".
pub(super) fn is_called_so(view: &View<'_>, name: &str) -> bool {
    let mut words = name.split(' ').peekable();
    name.contains(' ')
        && name.chars().all(|letter| letter.is_alphabetic() || letter == ' ')
        && words.all(|word| word.len() > 2 && view.literals.task_has(&[word]))
}

/// Whether every pair stands in a test as it is, and one answer is nothing that one would guess.
fn are_rows(view: &View<'_>, pairs: &[(&str, &str)]) -> bool {
    let beside = |(key, value): &(&str, &str)| {
        values(value).first().is_some_and(|value| view.literals.has_beside(&spelled(key), value))
    };
    pairs.iter().all(beside)
        && pairs.iter().any(|(_, value)| view.literals.has(&spelled(wrapped::bare(value))))
}

/// `"2,3"` is a spelling of the arguments 2 and 3.
fn unquoted(key: &str) -> Vec<String> {
    let inner = key.trim().trim_matches(['"', '\'', '`']);
    inner.split(',').map(|part| part.trim().to_owned()).collect()
}

pub(super) fn pairs(node: Node<'_>) -> Vec<(&str, &str)> {
    match node.kind() {
        "dictionary" | "object" => node
            .named()
            .filter_map(|pair| Some((pair.field("key")?.text(), pair.field("value")?.text())))
            .collect(),
        "composite_literal" => node
            .field("body")
            .into_iter()
            .flat_map(Node::named)
            .filter_map(|element| {
                if element.is(&["keyed_element"]) {
                    let mut sides = element.named();
                    return Some((sides.next()?.text(), sides.next()?.text()));
                }
                let row = element.text().strip_prefix('{')?.strip_suffix('}')?;
                match crate::args::split(row)[..] {
                    [key, value] => Some((key, value)),
                    _ => None,
                }
            })
            .collect(),
        "match_block" => node
            .named()
            .filter(|arm| arm.is(&["match_arm"]))
            .filter_map(|arm| {
                Some((
                    arm.field("pattern")?.text(),
                    arm.field("value")?.text().trim_end_matches(','),
                ))
            })
            .collect(),
        "array_expression" | "array" | "list" => node
            .named()
            .filter_map(|row| {
                let text = row.text();
                let open = |start, end| text.strip_prefix(start)?.strip_suffix(end);
                let inner = open('(', ')').or_else(|| open('[', ']'))?;
                let value = *crate::args::split(inner).last()?;
                let key = inner.trim_end().trim_end_matches(',').trim_end().strip_suffix(value)?;
                Some((key.trim_end().strip_suffix(',')?.trim(), value))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Without a tree: a new line that compares with values of tests and returns one.
fn lines(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let all = view.new_lines();
    for (index, (number, text, code)) in all.iter().enumerate() {
        let compares = code.contains("==")
            || code.contains(".equals(")
            || code.contains(" case ")
            || code.trim().starts_with("case ");
        let next = all.get(index + 1).map_or("", |(_, text, _)| *text);
        let answer = text
            .split_once("return ")
            .or_else(|| next.split_once("return "))
            .map_or("", |(_, rest)| rest);
        let fixed = is_literal(answer.trim_end_matches([';', '}', ' ']));
        let known = values(text.split("return ").next().unwrap_or(""));
        let told = known.iter().filter(|value| view.literals.has(value)).count();
        if compares && fixed && (view.literals.has_group(&known) || told > 1) {
            let message =
                "A branch compares with the inputs of tests and answers with a fixed value.";
            findings.push(
                view.change.text(Rule::G20, *number, message).change(None, Some(short(text))),
            );
        }
    }
    findings
}
