//! Fields that a task lists as what things are equal, sorted or grouped by, of which the new code knows only
//! some.

mod lists;

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::detect::{Change, File};
use crate::mask;
use crate::product::FUNCTIONS;
use crate::role::Role;
use crate::syntax::{Node, Tree};

/// Ways to compare things as they are, with all that they have.
const WHOLE: &[&str] = &[
    "JSON.stringify(",
    "eepEqual(",
    "eepStrictEqual(",
    "derive(",
    "dataclass",
    "__dict__",
    "vars(",
    "astuple(",
    "asdict(",
    "Object.values(",
    "Object.entries(",
    "Object.keys(",
    "NamedTuple",
    "fields(",
    "attrgetter(",
    "itemgetter(",
];

/// Lists of the task of which the changed code names one field, and not another that things have.
pub(crate) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let lists = lists::of(task);
    if lists.is_empty() {
        return Vec::new();
    }
    let product = || changes.iter().filter(|one| one.role == Role::Product && one.after.is_some());
    let code: String = product().map(touched).collect();
    if code.is_empty() || WHOLE.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let named = parts(&code);
    let mut known = String::new();
    for change in changes {
        known.push_str(&mask::code(change.current(), change.language));
        known.push_str(&mask::code(change.old(), change.language));
    }
    for file in tests {
        let text = String::from_utf8_lossy(file.bytes);
        known.push_str(&mask::code(&text, crate::language::Language::of(file.path)));
    }
    let is_named = |field: &String| named.iter().any(|part| is_one_or_many(part, field));
    let missing = |list: &Vec<String>| {
        let begun = list.iter().any(|field| is_named(field) && is_field(&known, field));
        list.iter().find(|field| begun && !is_named(field) && is_field(&known, field)).cloned()
    };
    let found = lists.iter().filter_map(missing).take(1).map(|field| {
        let message = format!(
            "The task lists '{field}' among what things are compared, sorted or grouped by, and the new code never looks at it."
        );
        Finding::new(Rule::G63, Basis::Text, message)
    });
    found.collect()
}

/// The functions and classes of a file with a new line in them, and its new lines, without comments.
fn touched(change: &Change<'_>) -> String {
    let lines = change.lines();
    let plain = change.plain();
    let mut wanted: Vec<bool> = plain.lines().map(|_| false).collect();
    let mut mark = |first: u32, last: u32| {
        for line in first..=last {
            let at = (line as usize).checked_sub(1);
            if let Some(wanted) = at.and_then(|at| wanted.get_mut(at)) {
                *wanted = true;
            }
        }
    };
    for (number, _) in &lines.added {
        mark(*number, *number);
    }
    let tree = Tree::parse(change.language, change.current());
    let all = tree.iter().flat_map(|tree| tree.root().all());
    let around = |node: &Node<'_>| {
        node.is(FUNCTIONS) || node.is(&["class_definition", "class_declaration", "impl_item"])
    };
    for node in all.filter(around).filter(|node| lines.touches(node.line(), node.last_line())) {
        mark(node.line(), node.last_line());
    }
    let mut offset = 0;
    let mut text = String::new();
    for (line, wanted) in plain.lines().zip(wanted) {
        if wanted && !change.is_test_at(offset) {
            text.push_str(line);
            text.push('\n');
        }
        offset += line.len() + 1;
    }
    text
}

/// The words that names are made of, in small letters: `payeeOf` and `by_payee`.
fn parts(code: &str) -> std::collections::BTreeSet<String> {
    let mut found = std::collections::BTreeSet::new();
    for name in code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
        found.insert(name.to_lowercase());
        let mut part = String::new();
        for letter in name.chars() {
            if (letter == '_' || letter.is_uppercase()) && !part.is_empty() {
                found.insert(std::mem::take(&mut part));
            }
            if letter != '_' {
                part.extend(letter.to_lowercase());
            }
        }
        found.insert(part);
    }
    found
}

fn is_one_or_many(one: &str, other: &str) -> bool {
    let adds = |many: &str, one: &str| {
        many.strip_suffix('s') == Some(one) || many.strip_suffix("es") == Some(one)
    };
    one == other || adds(one, other) || adds(other, one)
}

/// Whether something has a field of this name: `.payee`, `payee:`, `payee=`.
fn is_field(code: &str, field: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let lower = code.to_lowercase();
    lower.match_indices(field).any(|(at, _)| {
        let (before, after) = (&lower[..at], &lower[at + field.len()..]);
        let ends = after.strip_prefix("es").filter(|rest| !rest.starts_with(is_part));
        let ends =
            ends.or_else(|| after.strip_prefix('s').filter(|rest| !rest.starts_with(is_part)));
        let after = ends.unwrap_or(after);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            return false;
        }
        // The name of a row of a table of tests is none of the product's.
        let of_row = ["tt.", "tc.", "test.", "case.", "c."]
            .iter()
            .any(|row| before.strip_suffix(row).is_some_and(|rest| !rest.ends_with(is_part)));
        let is_read = before.ends_with('.') && !before.ends_with("..") && !after.starts_with('(');
        let is_given =
            after.starts_with(':') && !after.starts_with("::") && !after.starts_with(":=");
        let is_set =
            after.starts_with('=') && !after.starts_with("==") && before.ends_with(['(', ' ']);
        !of_row && (is_read || is_given || is_set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: a field, and what only looks like one.
    #[test]
    fn what_is_a_field() {
        assert!(is_field("t.payee == x", "payee") && is_field("{ payee: 1 }", "payee"));
        assert!(is_field("Row(payee=1)", "payee") && !is_field("payee(x)", "payee"));
        assert!(!is_field("tt.name, func", "name") && !is_field("let renamed: u8", "name"));
    }
}
