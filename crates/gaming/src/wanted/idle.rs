//! New tests that call nothing: what they compare they made themselves.

use countersign_domain::gaming::{Finding, Rule};

use crate::detect::Change;
use crate::mask;
use crate::role::Role;

/// What a test says by, and what only makes a value of what stands there.
const OWN: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "assert_matches",
    "vec",
    "format",
    "println",
    "Some",
    "Ok",
    "Err",
    "expect",
    "equal",
    "deepEqual",
    "strictEqual",
    "deepStrictEqual",
    "ok",
    "toBe",
    "toEqual",
    "toStrictEqual",
    "it",
    "test",
    "Errorf",
    "Error",
    "Fatalf",
    "Fatal",
    "Run",
    "len",
    "list",
    "dict",
    "set",
    "tuple",
    "str",
    "int",
    "float",
    "sorted",
    "sum",
    "abs",
    "range",
    "if",
    "for",
    "while",
    "switch",
    "match",
    "func",
    "fn",
    "function",
    "return",
    "assertEqual",
    "assertTrue",
    "Helper",
    "round",
    "min",
    "max",
    "make",
    "append",
    "string",
];
/// New tests whose values are all their own, where the product was to be changed.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let product = changes.iter().any(|one| one.role == Role::Product && one.language.is_code());
    if !product || task.trim().is_empty() {
        return Vec::new();
    }
    for change in changes.iter().filter(|one| one.is.parsed && one.after.is_some()) {
        let lines = change.lines();
        for test in &change.is.tests {
            let is_new = (test.line..=test.last_line).all(|line| lines.is_added(line));
            let is_known = change.was.tests.iter().any(|old| old.id == test.id);
            if !is_new || is_known || test.cases.is_some() || test.assertions.is_empty() {
                continue;
            }
            let code = mask::code(&test.text, change.language);
            if made(&code) && !calls(&code, test.name()) {
                let message = format!(
                    "The new test '{}' calls nothing: what it compares it worked out itself.",
                    test.name()
                );
                return vec![change.structure(Rule::G63, test.line, message)];
            }
        }
    }
    Vec::new()
}

/// Whether a test works something out: it changes a value of its own.
fn made(code: &str) -> bool {
    ["+=", "-=", "*=", "++", "--"].iter().any(|sign| code.contains(sign))
}

/// Whether a text calls anything but what a test says by.
fn calls(code: &str, own: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices('(').any(|(at, _)| {
        let before = code[..at].trim_end_matches('!');
        let name = &before[before.trim_end_matches(is_part).len()..];
        !name.is_empty() && name != own && !OWN.contains(&name)
    }) || code.contains("await ") && code.contains("import")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: who calls something, and who only adds up.
    #[test]
    fn tests_that_call_nothing() {
        let own = "fn misses() {\n let mut s = Stats { hits: 1 };\n s.hits += 1;\n assert_eq!(s, Stats { hits: 2 });\n}";
        assert!(made(own) && !calls(own, "misses"));
        assert!(calls("fn a() { let s = cache.get(1); assert_eq!(s, 2); }", "a"));
    }
}
