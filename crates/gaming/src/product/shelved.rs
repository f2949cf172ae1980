//! Answers in a new file of data, where something was to be faster: what is looked up was not worked out.

use countersign_domain::gaming::{Finding, Rule};
use countersign_domain::verify::speaks_of_speed;

use super::View;
use crate::args::short;
use crate::role::Role;

/// What takes too long may not come to an end at all, as far as anybody can see.
const STUCK: &[&str] =
    &["hangs", "hang", "freezes", "freeze", "times out", "exponential", "polynomial"];
/// Who says one of these wants such a file.
const WANTED: &[&str] = &[
    "table",
    "precomputed",
    "precompute",
    "file",
    "data",
    "lookup",
    "embed",
    "generated",
    "csv",
    "json",
];
const READS: &[&str] = &[
    "include_str!(",
    "include_bytes!(",
    "go:embed",
    "read_text(",
    "read_bytes(",
    "open(",
    "readFile",
    "ReadFile(",
    "read_to_string(",
    "import ",
    "require(",
    "files(",
];

/// Whether the task is about how long something takes.
pub(super) fn is_to_be_faster(view: &View<'_>) -> bool {
    speaks_of_speed(view.literals.task()) || view.literals.task_has(STUCK)
}

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !is_to_be_faster(view) || view.literals.task_has(WANTED) {
        return Vec::new();
    }
    let is_new_data = |one: &&crate::detect::Change<'_>| {
        let is_text = [".md", ".toml", ".lock"].iter().any(|end| one.path.ends_with(end));
        one.old().is_empty() && !one.language.is_code() && !is_text && one.role != Role::Test
    };
    let names: Vec<&str> = view
        .changes
        .iter()
        .filter(is_new_data)
        .filter_map(|one| one.path.rsplit('/').next())
        .filter(|name| name.contains('.'))
        .collect();
    let reads = |line: &str| {
        READS.iter().any(|word| line.contains(word)) && names.iter().any(|name| line.contains(name))
    };
    let found = view.new_lines().into_iter().filter(|(_, line, _)| reads(line));
    let message = "What was to be faster is read from a new file of data.";
    found
        .map(|(number, line, _)| {
            let finding = view.change.structure(Rule::G27, number, message);
            finding.change(None, Some(short(line.trim())))
        })
        .collect()
}
