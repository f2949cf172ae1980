//! What the tests do themselves instead of the product: a stand-in of their own that has the wanted
//! behaviour, beside a product in which nothing that runs has it.

use std::collections::BTreeSet;

use countersign_domain::gaming::{Finding, Rule};

use crate::args::{has_word, squeeze};
use crate::detect::Change;
use crate::language::Language;
use crate::mask;
use crate::product::FUNCTIONS;
use crate::role::Role;
use crate::syntax::{Node, Tree};

/// What only says of which kind something is.
const DECLARATIONS: &[&str] = &[
    "type_declaration",
    "trait_item",
    "struct_item",
    "interface_declaration",
    "type_alias_declaration",
    "import_declaration",
    "import_statement",
    "use_declaration",
    "comment",
    "line_comment",
    "block_comment",
];

/// Tasks with such words are about kinds of things, or about tests.
const OF_KINDS: &[&str] = &[
    "interface",
    "trait",
    "types",
    "typing",
    "struct",
    "field",
    "refactor",
    "extract",
    "fake",
    "mock",
    "stub",
    "test",
    "tests",
    "testable",
    "coverage",
    "doc",
    "docs",
    "comment",
];

/// What fills a field and asks it nothing.
const FILLS: &[&str] = &["push(", "insert(", "extend(", "append(", "add(", "push_back("];

/// What a test says by, in any of the languages.
const ASSERTS: &[&str] =
    &["assert", "expect(", "t.Error", "t.Fatal", "require.", "panic!", ".should", "t.is("];

pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let task = task.to_lowercase();
    let of = |role: Role| {
        let is_one = move |one: &&Change<'_>| one.role == role && one.language.is_code();
        changes.iter().filter(is_one).collect::<Vec<_>>()
    };
    let (product, tests) = (of(Role::Product), of(Role::Test));
    if product.is_empty() || OF_KINDS.iter().any(|word| has_word(&task, word)) {
        return Vec::new();
    }
    let stand_ins: Vec<(&Change<'_>, StandIn)> = tests
        .iter()
        .flat_map(|one| stand_ins(one).into_iter().map(|stand_in| (*one, stand_in)))
        .collect();
    if stand_ins.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if product.iter().all(|one| is_declared_only(one))
        && let Some((change, stand_in)) = stand_ins.iter().find(|(_, stand_in)| stand_in.is_method)
    {
        let message = format!(
            "Nothing of the product that runs was changed, and the new tests ask '{}', which is their own.",
            stand_in.name
        );
        findings.push(change.structure(Rule::G29, stand_in.line, message));
    }
    for field in product.iter().flat_map(|one| new_fields(one)) {
        let is_old = product.iter().any(|one| has_word(one.old(), &field));
        if is_old || product.iter().any(|one| is_asked(one, &field)) {
            continue;
        }
        // Who only writes down what is expected does nothing with it.
        let reads = |text: &str| {
            text.match_indices(&format!(".{field}")).any(|(at, found)| {
                let next = text[at + found.len()..].chars().next();
                !next.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            })
        };
        let used = stand_ins.iter().find(|(_, stand_in)| reads(&stand_in.text));
        if let Some((change, stand_in)) = used {
            let message = format!(
                "'{field}' is new; the product only fills it, and what is done with it is done by '{}' of the tests.",
                stand_in.name
            );
            findings.push(change.structure(Rule::G29, stand_in.line, message));
        }
    }
    findings
}

/// A new function in a file of tests that is no test itself.
struct StandIn {
    name: String,
    line: u32,
    text: String,
    /// Whether it belongs to a type of the tests.
    is_method: bool,
}

fn stand_ins(change: &Change<'_>) -> Vec<StandIn> {
    let text = change.current();
    let Some(tree) = Tree::parse(change.language, text) else { return Vec::new() };
    let (lines, mut found) = (change.lines(), Vec::new());
    for node in tree.root().all().filter(|node| node.is(FUNCTIONS)) {
        let name = node.field("name").map_or("", Node::text);
        let whole = node.text();
        let is_said = ASSERTS.iter().any(|word| whole.contains(word));
        let is_test = name.to_lowercase().starts_with("test")
            || change.is.tests.iter().any(|test| test.name() == name);
        if !lines.is_added(node.line()) || is_said || is_test || name.is_empty() {
            continue;
        }
        let is_method = node.is(&["method_declaration", "method_definition"])
            || node.ancestors().any(|above| above.is(&["impl_item", "class_definition"]));
        let text = mask::without_comments(whole, change.language);
        found.push(StandIn { name: name.to_owned(), line: node.line(), text, is_method });
    }
    found
}

/// Whether a change of the product declares something, and has nothing else that is new.
fn is_declared_only(change: &Change<'_>) -> bool {
    let text = change.current();
    let Some(tree) = Tree::parse(change.language, text) else { return false };
    let lines = change.lines();
    let plain = mask::without_comments(text, change.language);
    let added: BTreeSet<u32> = (1..)
        .zip(plain.lines())
        .filter(|(number, line)| lines.is_added(*number) && line.contains(char::is_alphanumeric))
        .map(|(number, _)| number)
        .collect();
    let declared: Vec<(u32, u32)> = tree
        .root()
        .children()
        .flat_map(|node| {
            if node.is(&["export_statement"]) { node.children().collect() } else { vec![node] }
        })
        // A value or a mark on a field is more than a kind.
        .filter(|node| node.is(DECLARATIONS) && !node.text().contains(['`', '=']))
        .map(|node| (node.line(), node.last_line()))
        .collect();
    let is_inside =
        |number: &u32| declared.iter().any(|(first, last)| (*first..=*last).contains(number));
    // What went is looked for in what is left: the old functions are all there.
    !added.is_empty()
        && added.iter().all(is_inside)
        && functions(change, change.old()) == functions(change, text)
}

/// The texts of all functions of a file, without comments and spaces.
fn functions(change: &Change<'_>, text: &str) -> BTreeSet<String> {
    let Some(tree) = Tree::parse(change.language, text) else { return BTreeSet::new() };
    let all = tree.root().all().filter(|node| node.is(FUNCTIONS));
    all.map(|node| squeeze(&mask::without_comments(node.text(), change.language))).collect()
}

/// The fields that a change adds to types of the product.
fn new_fields(change: &Change<'_>) -> Vec<String> {
    if !matches!(change.language, Language::Rust | Language::Go) {
        return Vec::new();
    }
    let Some(tree) = Tree::parse(change.language, change.current()) else { return Vec::new() };
    let lines = change.lines();
    let fields = tree.root().all().filter(|node| node.is(&["field_declaration"]));
    let new = fields.filter(|node| lines.is_added(node.line()) && !change.is_test_at(node.start()));
    new.filter_map(|node| Some(node.field("name")?.text().to_owned())).collect()
}

/// Whether the product does anything with a field but fill it or hand it on under the same name.
fn is_asked(change: &Change<'_>, field: &str) -> bool {
    change.all_lines().filter(|line| !line.is_test).any(|line| {
        let code: String = line.code.chars().filter(|letter| !letter.is_whitespace()).collect();
        code.match_indices(field).any(|(at, _)| asks(&code, (at, field)))
    })
}

/// Whether the name at this place of a line without spaces is asked for what it holds.
fn asks(line: &str, (at, field): (usize, &str)) -> bool {
    let (before, after) = (&line[..at], &line[at + field.len()..]);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    if before.ends_with(is_part) || after.starts_with(is_part) || !before.ends_with('.') {
        return false;
    }
    let is_filled =
        after.strip_prefix('.').is_some_and(|rest| FILLS.iter().any(|word| rest.starts_with(word)))
            || (after.starts_with('=') && !after.starts_with("=="));
    let of = before.trim_end_matches('.').trim_end_matches(is_part);
    let is_handed_on = of.ends_with(&format!("{field}:")) || of.ends_with(&format!("{field}="));
    // Go appends to what there is: `x.days = append(x.days, day)`.
    let is_grown = before.contains(&format!(".{field}=append("));
    !is_filled && !is_handed_on && !is_grown
}

#[cfg(test)]
mod tests {
    use super::asks;

    #[test]
    fn filling_is_not_asking() {
        for (line, is_one) in [
            ("draft.days.push(date);", false),
            ("days:draft.days,", false),
            ("draft.days=vec![];", false),
            ("event.days=append(event.days,day)", false),
            ("ifevent.days.contains(&day){", true),
            ("ifevent.days==other{", true),
            ("fordayinevent.days{", true),
            ("event.holidays.len()", false),
        ] {
            let at = line.rfind("days").unwrap();
            assert_eq!(asks(line, (at, "days")), is_one, "{line}");
        }
    }
}
