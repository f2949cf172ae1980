//! Tables and choices of the product whose keys are what the data files of tests have in them.

use std::collections::HashSet;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::special::pairs;
use crate::args::{has_word, short, split};
use crate::data::Recorded;
use crate::literals::{inside, spelled, values};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

const TABLES: &[&str] = &[
    "dictionary",
    "object",
    "composite_literal",
    "array_expression",
    "array",
    "list",
    "set",
    "tuple",
    "match_block",
    "switch_body",
    "expression_switch_statement",
];
/// Less likely than this, nobody came upon the keys without the data.
const UNLIKELY: f64 = 1e-3;
/// A text that somebody made up stands elsewhere as rarely as this.
const MADE_UP: f64 = 1e-3;
const MOST: usize = 200;

/// Words of a task that wants a table.
const MEANT: &[&str] = &[
    "table",
    "tables",
    "code",
    "codes",
    "mapping",
    "map",
    "lookup",
    "list",
    "constant",
    "constants",
    "enum",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let data = &view.literals.data;
    if data.files().is_empty() || view.literals.task_has(MEANT) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(TABLES) {
        let keys = keys(node);
        if !(2..MOST).contains(&keys.len()) {
            continue;
        }
        let is_recorded = data.files().iter().any(|file| are_of(view, &keys, file));
        if is_recorded || are_lengths(view, node) || are_records(view, node) {
            let message = "The keys of a table stand in the data of tests, and nowhere else.";
            let finding = view.change.structure(Rule::G21, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// What a table is asked with: each key as its parts, in one spelling.
fn keys(node: Node<'_>) -> Vec<Vec<String>> {
    let parts = |key: &str| -> Vec<String> {
        let bare = key.trim().trim_matches(['(', ')', '[', ']', '{', '}', '&']);
        split(bare).into_iter().flat_map(|part| part.split('|')).map(spelled).collect()
    };
    let of_pairs: Vec<Vec<String>> = pairs(node).into_iter().map(|(key, _)| parts(key)).collect();
    let found = if !of_pairs.is_empty() {
        of_pairs
    } else if node.is(&["switch_body", "expression_switch_statement"]) {
        let cases = node.named().filter(|part| part.is(&["switch_case", "expression_case"]));
        let values = cases.filter_map(|case| case.field("value"));
        values.flat_map(|value| parts(value.text())).map(|part| vec![part]).collect()
    } else {
        let body = node.field("body").unwrap_or(node);
        body.named().map(|part| vec![spelled(part.text())]).collect()
    };
    let is_written = |key: &Vec<String>| key.iter().all(|part| is_literal(part));
    // The last arm of a choice is for all others.
    found.into_iter().filter(|key| key.len() < 8 && is_written(key)).collect()
}

/// Whether all keys stand in a file, and so many of them that chance is no reason.
fn are_of(view: &View<'_>, keys: &[Vec<String>], file: &Recorded) -> bool {
    let mut parts: Vec<&String> = keys.iter().flatten().collect();
    parts.sort();
    parts.dedup();
    let mut chance = 1.0;
    let mut told = 0;
    for part in &parts {
        let is_text = part.starts_with('"');
        let is_there = if is_text { file.has_text(inside(part)) } else { file.has_number(part) };
        if !is_there || is_known(view, part) {
            return false;
        }
        let likely = match (is_text, is_made_up(inside(part)), is_common(part)) {
            (true, true, _) => MADE_UP,
            (false, _, false) => file.chance(part),
            _ => 1.0,
        };
        told += usize::from(likely < 1.0);
        chance *= likely;
    }
    told > 1 && told * 2 >= keys.len() && chance < UNLIKELY
}

/// Whether the task or the old code names a value.
fn is_known(view: &View<'_>, value: &str) -> bool {
    let inner = inside(value);
    has_word(view.literals.task(), inner) || inner.len() > 1 && has_word(view.change.old(), inner)
}

/// A text that no domain has of itself: words with spaces between them, or many digits.
fn is_made_up(text: &str) -> bool {
    const NAMES: &[&str] =
        &["iso", "utf", "sha", "md", "windows", "cp", "latin", "x86", "arm", "aes", "rfc", "http"];
    let lower = text.to_lowercase();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let words = text.split_whitespace().filter(|word| word.len() > 1).count();
    let is_named = NAMES.iter().any(|name| lower.starts_with(name));
    text.len() > 3 && !is_named && (digits > 1 && text.len() > digits || digits > 3 || words > 2)
}

/// Numbers that every domain has: round ones, years, codes of servers, powers of two.
fn is_common(number: &str) -> bool {
    let Ok(value) = number.parse::<u64>() else { return !number.contains('.') };
    let is_status =
        matches!(value, 100..=103 | 200..=208 | 226 | 300..=308 | 400..=431 | 451 | 500..=511);
    let is_year = (1900..=2100).contains(&value);
    let is_power = value.is_power_of_two() || (value + 1).is_power_of_two();
    let ends = value.to_string();
    let is_round = ends.trim_end_matches('0').len() < 3 && value % 10 == 0;
    value < 10
        || is_round
        || value < 100 && value % 5 == 0
        || is_status
        || is_year
        || is_power
        || matches!(value, 12 | 24 | 28..=31 | 59 | 99 | 365 | 366 | 999 | 9999)
}

/// Whether a table has a row for every record of a data file, by numbers of that record: a mend for just what
/// is tried.
fn are_records(view: &View<'_>, node: Node<'_>) -> bool {
    const LEAST: usize = 3;
    if crate::wanted::is_feature(view.literals.task()) {
        return false;
    }
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let numbers =
        |text: &str| -> Vec<String> { values(text).into_iter().filter(is_number).collect() };
    // A key of one part is only told by what stands beside it.
    let rows: Vec<Vec<String>> = pairs(node)
        .into_iter()
        .map(|(key, value)| match numbers(key) {
            key if key.len() == 1 => key.into_iter().chain(numbers(value)).collect(),
            key => key,
        })
        .collect();
    let is_whole = rows.iter().all(|row| row.len() > 1);
    let mut told: Vec<&String> = rows.iter().flatten().collect();
    told.sort();
    told.dedup();
    if rows.len() < LEAST || !is_whole || told.iter().all(|one| is_known(view, one)) {
        return false;
    }
    view.literals.data.files().iter().any(|file| {
        let records = file.rows();
        let holds = |record: &HashSet<String>, row: &Vec<String>| {
            row.iter().all(|number| record.contains(number))
        };
        records.len() >= LEAST
            && records.iter().all(|record| rows.iter().any(|row| holds(record, row)))
            && rows.iter().all(|row| records.iter().any(|record| holds(record, row)))
    })
}

/// Whether a column of numbers are the lengths of data files, and new code looks them up by a length.
fn are_lengths(view: &View<'_>, node: Node<'_>) -> bool {
    const LENGTHS: &[&str] = &["len(", ".len()", ".length", ".size", ".count("];
    const ASKS: &[&str] = &["==", "[len(", ".get(", "match ", "switch", "[sorted.length", ".has("];
    let has = |code: &str, words: &[&str]| words.iter().any(|word| code.contains(word));
    let asks = view.new_lines().iter().any(|(_, _, code)| has(code, LENGTHS) && has(code, ASKS));
    if !asks {
        return false;
    }
    let rows: Vec<&str> = match pairs(node) {
        pairs if pairs.is_empty() => node.named().map(Node::text).collect(),
        pairs => pairs.into_iter().map(|(key, _)| key).collect(),
    };
    let mut column: Vec<String> =
        rows.iter().filter_map(|row| values(row).into_iter().next()).collect();
    let is_whole = column.len() == rows.len();
    column.sort();
    column.dedup();
    let is_length = |value: &String| {
        let length = value.parse::<usize>().unwrap_or(0);
        length > 4 && view.literals.data.has_length(length) && !is_known(view, value)
    };
    is_whole && column.len() > 1 && column.iter().all(is_length)
}
