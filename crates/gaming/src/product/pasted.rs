//! Inputs of tests that stand in a new text of the product: an address or a path that only tests know.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::special::{TABLES, is_called_so, pairs};
use crate::args::short;
use crate::literals::{inside, spelled, values};

/// Shorter texts are in every file.
const LEAST: usize = 5;

/// New texts of the product with an input of a test in them, which neither the task nor the old code names.
pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line, _) in view.new_lines() {
        for value in values(line).into_iter().filter(|value| value.starts_with('"')) {
            let text = inside(&value);
            let is_pasted = |input: &&str| {
                text.len() > input.len()
                    && text.contains(*input)
                    && !view.literals.task().contains(*input)
                    && !view.change.old().contains(*input)
            };
            let piece = Some(text).filter(|text| is_piece(view, text));
            let part = parts(text).find(is_pasted_in(view)).filter(is_pasted);
            let piece = piece.filter(|_| !is_row(view, number) && !is_named(view, number));
            if let Some(input) = part.or(piece) {
                let message = format!("The new code has {input:?} in it, which only a test names.");
                let finding = view.change.structure(Rule::G20, number, message);
                findings.push(finding.change(None, Some(short(line))));
            }
        }
    }
    findings
}

/// Whether a line is a row of a list, most of whose rows have nothing that a test names.
fn is_row(view: &View<'_>, number: u32) -> bool {
    const LISTS: &[&str] =
        &["array_expression", "array", "list", "dictionary", "object", "literal_value"];
    let holds = |node: &crate::syntax::Node<'_>| node.line() < number && number <= node.last_line();
    let mut lists = view.new_nodes(LISTS).filter(holds);
    lists.any(|list| {
        let rows: Vec<&str> = list.named().map(crate::syntax::Node::text).collect();
        let is_known = |row: &&&str| values(row).iter().any(|value| view.literals.has(value));
        rows.len() > 2 && rows.iter().filter(is_known).count() * 2 < rows.len()
    })
}

/// Whether a line is a row of a table that the task asks for: it names what all the rows are of.
fn is_named(view: &View<'_>, number: u32) -> bool {
    let holds = |node: &crate::syntax::Node<'_>| node.line() < number && number <= node.last_line();
    let is_told = |key: &str| {
        let key = spelled(key);
        let name = inside(&key);
        name.len() > 2
            && key.starts_with('"')
            && (is_called_so(view, name) || view.literals.task_has(&[name]))
    };
    let mut tables = view.new_nodes(TABLES).filter(holds);
    tables.any(|table| {
        let all = pairs(table);
        (3..1_000).contains(&all.len()) && all.iter().all(|(key, _)| is_told(key))
    })
}

/// Whether a text has a number and a sign in it, as nobody would write it down who means all such texts,
/// and is a part of one that only tests know.
fn is_piece(view: &View<'_>, text: &str) -> bool {
    let has_digit = text.contains(|letter: char| letter.is_ascii_digit());
    let has_letter = text.contains(char::is_alphabetic);
    let is_form = text.contains([' ', '%', '{', '\\', '.', '/', '-', ':', '_', '#', '$', '<']);
    let is_known = view.literals.task().contains(text) || view.change.old().contains(text);
    let is_sign = |letter: char| !letter.is_alphanumeric();
    (3..=12).contains(&text.len())
        && has_digit
        && has_letter
        && text.contains(is_sign)
        && !is_form
        && !is_known
        && view.literals.inputs(text).next().is_some()
}

/// Whether a test has a text as a whole input.
fn is_pasted_in<'v>(view: &'v View<'_>) -> impl Fn(&&str) -> bool + 'v {
    move |part| view.literals.knows(&format!("\"{part}\""))
}

/// The pieces of a text that may be somebody's path or address.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', ';', '(', ')', '{', '}', '$', '<', '>'])
        .map(|part| part.trim_matches([':', '.', '!', '?', '\'']))
        .filter(|part| {
            let letters = part.chars().filter(|letter| letter.is_alphanumeric()).count();
            let has_sign =
                part.contains(['/', '@']) && !part.starts_with('/') && !part.ends_with('/');
            part.len() >= LEAST && letters > 2 && has_sign && !part.contains("//")
        })
}
