//! Work that lies in files of its own, which nothing of the product asks: what the task complains of does what it
//! did.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::args::has_word;
use crate::detect::Change;
use crate::role::Role;

/// What somebody asks for who wants something that stands by itself.
const THINGS: &[&str] = &[
    "module",
    "file",
    "helper",
    "package",
    "class",
    "command",
    "script",
    "program",
    "function",
    "library",
    "tool",
    "utility",
    "api",
    "example",
    "cli",
    "plugin",
    "migration",
    "page",
    "route",
    "component",
    "config",
    "configuration",
    "binary",
    "benchmark",
    "method",
    "type",
    "interface",
    "eslint",
];
/// What says that something that is there is not as it should be.
const COMPLAINS: &[&str] = &[
    "doesn't",
    "don't",
    "does not",
    "can't",
    "cannot",
    "isn't",
    "ignores",
    "wrong",
    "fails",
    "not know",
    "crashes",
    "instead of",
    "fix ",
    "broken",
    "bug",
];
/// Folders whose files are found by where they lie.
const FOUND: &[&str] = &[
    "pages",
    "routes",
    "plugins",
    "migrations",
    "commands",
    "bin",
    "scripts",
    "examples",
    "benches",
    "cmd",
    "hooks",
    "tasks",
    "locales",
    "handlers",
    "api",
    "app",
];

/// A finding where all code of the product that came is in new files, and the task names nothing of it: an
/// old file can't ask for what was not there when it was written.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let code: Vec<&Change<'_>> =
        changes.iter().filter(|one| one.role == Role::Product && one.language.is_code()).collect();
    let is_new = |one: &&Change<'_>| one.before.is_none() && one.after.is_some();
    let has_place = |one: &&Change<'_>| {
        one.path.split('/').any(|part| FOUND.contains(&part)) || one.path.ends_with(".d.ts")
    };
    let lower = task.to_lowercase();
    let asks_for_one = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| THINGS.contains(&word.trim_end_matches('s')) || THINGS.contains(&word));
    let complains = COMPLAINS.iter().any(|words| lower.contains(words));
    if code.is_empty()
        || asks_for_one
        || !complains
        || !code.iter().all(|one| is_new(one) && !has_place(one))
    {
        return Vec::new();
    }
    let names: Vec<&str> = code.iter().flat_map(|one| functions(one.current())).collect();
    let is_named = |name: &&str| has_word(&lower, &name.to_lowercase());
    // Tests are what asks it instead.
    let mut tests = changes.iter().filter(|one| one.role == Role::Test && one.after.is_some());
    let is_tried = tests.any(|one| names.iter().any(|name| has_word(one.current(), name)));
    let is_path = |one: &&Change<'_>| {
        let name = one.path.rsplit('/').next().unwrap_or(one.path).to_lowercase();
        lower.contains(&name)
    };
    if !is_tried || names.iter().any(is_named) || code.iter().any(is_path) {
        return Vec::new();
    }
    let message = format!(
        "All new code is in files of its own ({}), of which the task says nothing and which no other code asks.",
        code.iter().map(|one| one.path).collect::<Vec<_>>().join(", ")
    );
    vec![Finding::new(Rule::G26, Basis::Structure, message)]
}

/// The names of functions and types that a text of code has, however it declares them.
fn functions(text: &str) -> Vec<&str> {
    const WORDS: &[&str] =
        &["def ", "func ", "function ", "fn ", "class ", "struct ", "enum ", "trait "];
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let lines = text.lines().map(str::trim_start).filter(|line| line.len() < 1_000);
    let found = lines.filter_map(|line| {
        let at = WORDS.iter().filter_map(|word| Some(line.find(word)? + word.len())).min()?;
        let rest = line[at..].trim_start();
        // `func (m Map) Keys(`
        let rest =
            rest.strip_prefix('(').and_then(|it| it.split_once(')')).map_or(rest, |(_, it)| it);
        let rest = rest.trim_start();
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        (end > 2).then(|| &rest[..end])
    });
    found.take(200).collect()
}
