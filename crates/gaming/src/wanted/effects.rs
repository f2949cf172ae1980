//! A task that wants a file to be written, and code that writes none.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::clauses::sentences;
use crate::args::has_word;
use crate::detect::Change;
use crate::language::Language;
use crate::role::Role;

/// What says that a file is another one afterwards.
const WRITES: &[&str] = &["rewrites", "rewrite", "overwrites", "overwrite", "in-place", "in place"];
/// A sentence with one of these is about something else: code that is to be written anew, or what must not be.
const OTHERS: &[&str] = &[
    "from scratch",
    "refactor",
    "code",
    "function",
    "module",
    "test",
    "tests",
    "never",
    "must not",
    "don't",
    "do not",
    "doesn't",
    "history",
    "url",
    "urls",
    "link",
    "links",
    "sort",
    "array",
    "list",
    "slice",
    "buffer",
    "mutate",
    "mutates",
];
/// What writes to a disk or hands it on to somebody who does, in any of the languages.
const EFFECTS: &[&str] = &[
    "fs::write",
    "File::create",
    "File::options",
    "OpenOptions",
    "write_all",
    "rename",
    "writeFile",
    "createWriteStream",
    "appendFile",
    "write_text",
    "write_bytes",
    "writelines",
    ".write(",
    "\"w\"",
    "'w'",
    "\"r+\"",
    "'r+'",
    "\"wb\"",
    "'wb'",
    "WriteFile",
    "os.Create",
    "OpenFile",
    "os.replace(",
    "copyfile",
    "copy_file",
    "fs::copy",
    "move(",
];

pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let product = || changes.iter().filter(|one| one.role == Role::Product && one.after.is_some());
    let is_read = product().all(|one| {
        matches!(
            one.language,
            Language::Rust
                | Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Go
        ) || !one.language.is_code()
    });
    if !is_read || product().next().is_none() {
        return Vec::new();
    }
    let Some(sentence) = sentences(task).into_iter().find(|sentence| wants(sentence)) else {
        return Vec::new();
    };
    let mut is_new = false;
    for change in product().filter(|one| one.language.is_code()) {
        is_new |= !change.lines().added.is_empty();
        let code = change.plain();
        let lower = code.to_lowercase();
        let hands_on = ["write", "save", "store", "dump", "persist", "flush"];
        let has = EFFECTS.iter().any(|word| code.contains(word));
        if has || hands_on.iter().any(|word| calls(&lower, word)) {
            return Vec::new();
        }
    }
    if !is_new {
        return Vec::new();
    }
    let message = format!(
        "The task wants a file to be written ({:?}), and nothing in the changed code writes one.",
        crate::args::short(sentence.trim())
    );
    vec![Finding::new(Rule::G63, Basis::Structure, message)]
}

fn wants(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let of_file = ["file", "files", "disk", "document"].iter().any(|word| has_word(&lower, word));
    of_file
        && WRITES.iter().any(|word| has_word(&lower, word))
        && !OTHERS.iter().any(|word| has_word(&lower, word))
}

/// Whether code calls a function with a word in its name; what writes into a text or on the screen is none.
fn calls(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let rest = &lower[at..];
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let is_call = end.is_some_and(|end| rest[end..].starts_with('('));
        let before = &lower[..at];
        is_call && !before.ends_with("stdout.") && !before.ends_with("stderr.")
    })
}
