//! New tests of new behaviour that ask for no value: whatever comes out, they pass.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::detect::Change;
use crate::outline::Assertion;
use crate::role::Role;

/// A check of this strength looks at a member, a type or a length.
const LOOSE: u8 = 2;

/// New tests that leave open what comes out, if there are no others but those of errors.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let has_code = changes.iter().any(|one| {
        one.role == Role::Product && one.language.is_code() && !one.lines().added.is_empty()
    });
    // Old tests compare with what changed in their data: that is where the values are.
    let has_values = changes.iter().any(|one| {
        let is_data = matches!(one.role, Role::Snapshot | Role::Fixture);
        is_data && !one.is_new && one.after.is_some() && !one.lines().added.is_empty()
    });
    if !has_code || has_values {
        return Vec::new();
    }
    let lower = task.to_lowercase();
    let mut loose = None;
    for change in changes {
        let lines = change.lines();
        let is_known = |id: &str| change.was.tests.iter().any(|old| old.id == id);
        for test in change.is.tests.iter().filter(|_| change.is.parsed) {
            if !lines.touches(test.line, test.last_line) {
                continue;
            }
            let own = test.assertions.iter().filter(|one| one.fault.is_none());
            let own: Vec<_> = own.filter(|one| lines.is_added(one.line)).collect();
            let is_of_error = own.iter().any(|one| is_error(&one.text));
            if is_of_error || own.is_empty() {
                // What a test of an error leaves open is not the point of it.
                continue;
            }
            let is_loose = own.iter().all(|one| is_loose(one, &lower))
                && own.iter().any(|one| looks_at_part(&one.text));
            if !is_loose || is_known(&test.id) {
                return Vec::new();
            }
            loose = Some((change, test.line, test.name().to_owned()));
        }
    }
    let Some((change, line, name)) = loose else { return Vec::new() };
    let message = format!(
        "The new test '{name}' would pass with many other answers, and no other new one asks for a value."
    );
    vec![Finding::new(Rule::G63, Basis::Structure, message).at(change.path, Some(line))]
}

/// Whether a check leaves open what comes out, and the task is not about that part of it.
fn is_loose(one: &Assertion, task: &str) -> bool {
    let is_length = ["len(", ".length", ".len()"].iter().any(|word| one.text.contains(word));
    let compares = ["<", ">"].iter().any(|sign| one.text.contains(sign))
        && !one.text.contains("> 0")
        && !is_between(&one.text, task);
    (one.strength <= LOOSE || is_length) && !compares && !is_asked(&one.text, task)
}

/// Whether a check only says between which numbers something is, and the task doesn't speak of any limits.
fn is_between(text: &str, task: &str) -> bool {
    const LIMITS: &[&str] = &[
        "at least",
        "at most",
        "between",
        "more than",
        "less than",
        "fewer",
        "within",
        "limit",
        "max",
        "min",
        "fast",
        "slow",
        "speed",
        "perform",
        "random",
        "jitter",
        "shuffle",
        "approx",
        "about",
        "order",
        "sort",
        "below",
        "above",
        "under",
        "over",
        "range",
        "bound",
        "clamp",
        "cap",
        "timeout",
        "larger",
        "smaller",
        "longer",
        "shorter",
        "increas",
        "decreas",
        "before",
        "after",
        "earlier",
        "later",
        "positive",
        "negative",
        "never",
        "always",
    ];
    bounds(text) > 1 && !LIMITS.iter().any(|word| task.contains(word))
}

/// How many signs of less or more have a number beside them.
fn bounds(text: &str) -> usize {
    let is_number = |word: Option<&str>| {
        word.is_some_and(|word| word.starts_with(|l: char| l.is_ascii_digit()))
    };
    let signs = text.match_indices(['<', '>']).filter(|(at, _)| {
        let (before, after) = (&text[..*at], &text[at + 1..]);
        let is_arrow = before.ends_with(['-', '=', '<', '>']) || after.starts_with(['<', '>']);
        let left = before.rsplit([' ', '(', ',']).find(|word| !word.is_empty());
        let right =
            after.trim_start_matches('=').split([' ', ')', ',']).find(|word| !word.is_empty());
        !is_arrow && (is_number(left) || is_number(right))
    });
    signs.count()
}

/// Whether a check looks at a part of what comes out, or only whether there is something.
fn looks_at_part(text: &str) -> bool {
    [
        "startsWith",
        "starts_with",
        "startswith",
        "HasPrefix",
        "endsWith",
        "ends_with",
        "endswith",
        "HasSuffix",
        "includes(",
        "contains(",
        "Contains(",
        "len(",
        ".length",
        ".len()",
        "isinstance",
        "typeof",
        "instanceof",
        "Defined",
        "Truthy",
        "NotNull",
        "is not None",
        "IsNotNone",
        "is_some()",
        "is_ok()",
        "all(",
        "any(",
        "> 0",
        ">= 0",
    ]
    .iter()
    .any(|word| text.contains(word))
}

fn is_error(text: &str) -> bool {
    ["raises", "Raises", "throws", "Throw", "is_err", "unwrap_err", "reject", "should_panic", "err"]
        .iter()
        .any(|word| text.contains(word))
}

/// Whether a length, a member or nothing is what the task is about.
fn is_asked(text: &str, task: &str) -> bool {
    const SAME: &[(&str, &[&str])] = &[
        (
            "len",
            &[
                "len",
                "count",
                "number",
                "how many",
                "size",
                "length",
                "only",
                "once",
                "twice",
                "unique",
                "duplicate",
                "hash",
                "key",
            ],
        ),
        (
            "length",
            &[
                "len",
                "count",
                "number",
                "how many",
                "size",
                "length",
                "only",
                "once",
                "twice",
                "unique",
                "duplicate",
            ],
        ),
        ("empty", &["empty"]),
        (
            "contains",
            &["contain", "include", "mention", "name", "say", "show", "message", "print", "text"],
        ),
        (
            "in ",
            &[
                "contain", "include", "mention", "name", "say", "show", "message", "print", "text",
                "line",
            ],
        ),
        ("match", &["message", "error", "print", "say", "name"]),
        (
            "includes",
            &["contain", "include", "mention", "name", "say", "show", "message", "print", "text"],
        ),
        ("instanceof", &["instance", "type", "class", "error"]),
        ("is_some", &["some", "option"]),
        (
            "is_ok",
            &["accept", "allow", "valid", "crash", "panic", "fail", "tolerate", "refuse", "reject"],
        ),
        ("is_none", &["none"]),
        ("not ", &["no", "not", "without", "never"]),
        ("!", &["no", "not", "without", "never"]),
    ];
    SAME.iter()
        .any(|(word, asked)| text.contains(word) && asked.iter().any(|one| task.contains(one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G11: two limits leave open what comes out, unless limits are what was asked for.
    #[test]
    fn between_two_numbers_is_no_value() {
        for (text, count) in [
            ("assert 1000 < ms < 2000", 2),
            ("assert!(ms > 1000 && ms < 2000)", 2),
            ("assert.ok(ms >= 1000 && ms <= 2000)", 2),
            ("assert a < b", 0),
            ("items.every((x) => x > 3)", 1),
            ("fn f() -> Vec<u8>", 0),
        ] {
            assert_eq!(bounds(text), count, "{text}");
        }
        assert!(is_between("assert 1000 < ms < 2000", "parse should take these"));
        assert!(!is_between("assert 1000 < ms < 2000", "wait at least a second"));
    }
}
