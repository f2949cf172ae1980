//! Branches and tables that answer for the inputs of tests.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::short;
use crate::literals::{is_trivial, spelled, values};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

const BRANCHES: &[&str] = &[
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
const TABLES: &[&str] = &[
    "dictionary",
    "object",
    "composite_literal",
    "array_expression",
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
    if view.tree.is_none() {
        findings.extend(lines(view));
    }
    findings
}

fn branches(view: &View<'_>) -> Vec<Finding> {
    let mut strong = Vec::new();
    let mut single: Vec<(u32, &str, String)> = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, answer)) = parts(node) else { continue };
        if condition.len() > 1_000 {
            continue;
        }
        let known = values(condition);
        let mut told = known.iter().filter(|value| view.literals.has(value));
        let answers = is_answer(answer);
        let answered = answers
            && values(answer)
                .iter()
                .all(|value| is_trivial(value) || view.literals.knows(value) || value.len() < 4);
        if view.literals.has_group(&known) && answers {
            strong.push((node.line(), short(node.text())));
        } else if let Some(value) = told.next().filter(|_| answered) {
            single.push((node.line(), node.text(), value.clone()));
        }
    }
    // One shared value may be a constant of the domain; several are the tests' own.
    let mut seen: Vec<&String> = single.iter().map(|(_, _, value)| value).collect();
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

/// The condition of a branch and what it does.
fn parts(node: Node<'_>) -> Option<(&str, &str)> {
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

/// Whether a branch does nothing but hand out a value that is written down.
fn is_answer(text: &str) -> bool {
    let inner = text.trim().trim_matches(['{', '}', ':', ',', ';']).trim();
    let lines: Vec<&str> =
        inner.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "break;").collect();
    let [line] = lines[..] else { return false };
    let value = line.trim_start_matches("return").trim().trim_end_matches([';', '}']).trim();
    !value.is_empty() && is_literal(value)
}

/// Lists of values of tests that are handed out one after the other.
fn queues(view: &View<'_>) -> Vec<Finding> {
    const TAKES: &[&str] = &[".pop(", ".shift(", "next(", ".pop_front(", ".remove(0", ".next()"];
    let takes =
        view.new_lines().iter().any(|(_, _, code)| TAKES.iter().any(|take| code.contains(take)));
    if !takes {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(&["list", "array", "array_expression", "composite_literal"]) {
        let known = values(node.text());
        let told = known.iter().all(|value| view.literals.knows(value));
        if told && (2..1_000).contains(&known.len()) && is_literal(node.text()) {
            let message = "Values of tests are kept in a list and handed out one after the other.";
            let finding = view.change.structure(Rule::G21, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// Tables most of whose keys are inputs of tests.
fn tables(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(TABLES) {
        let pairs = pairs(node);
        if pairs.len() < 2 || pairs.len() > 5_000 {
            continue;
        }
        let is_known = |key: &str| {
            let inside = key.trim().trim_matches(['(', ')', '[', ']', '{', '}']);
            let parts: Vec<String> =
                crate::args::split(inside).iter().map(|part| spelled(part)).collect();
            view.literals.has_group(&parts)
                || view.literals.has(&spelled(key))
                || view.literals.has_group(&unquoted(key))
        };
        let known = pairs.iter().filter(|(key, value)| is_known(key) && is_literal(value)).count();
        if known >= 2 && known * 2 > pairs.len() {
            let message =
                format!("{known} of {} keys of a table are inputs of tests.", pairs.len());
            findings.push(
                view.change
                    .structure(Rule::G21, node.line(), message)
                    .change(None, Some(short(node.text()))),
            );
        }
    }
    findings
}

/// `"2,3"` is a spelling of the arguments 2 and 3.
fn unquoted(key: &str) -> Vec<String> {
    let inner = key.trim().trim_matches(['"', '\'', '`']);
    inner.split(',').map(|part| part.trim().to_owned()).collect()
}

fn pairs<'t>(node: Node<'t>) -> Vec<(&'t str, &'t str)> {
    match node.kind() {
        "dictionary" | "object" => node
            .named()
            .filter_map(|pair| Some((pair.field("key")?.text(), pair.field("value")?.text())))
            .collect(),
        "composite_literal" => node
            .field("body")
            .into_iter()
            .flat_map(Node::named)
            .filter(|element| element.is(&["keyed_element"]))
            .filter_map(|element| {
                let mut sides = element.named();
                Some((sides.next()?.text(), sides.next()?.text()))
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
        "array_expression" => node
            .named()
            .filter_map(|row| {
                let inner = row.text().strip_prefix('(')?.strip_suffix(')')?;
                inner.rsplit_once(',').map(|(key, value)| (key, value.trim()))
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
