//! A name of the product for one of its functions, so that a test can put something of its own in that place:
//! `var verifySignature = Verify`.

use std::collections::BTreeSet;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short, squeeze};
use crate::role::Role;

/// What tests rightly put something in the place of: what is outside of the program.
const OUTSIDE: &[&str] = &[
    "now", "time", "clock", "sleep", "rand", "random", "exec", "spawn", "command", "http", "fetch",
    "open", "read", "write", "stdin", "stdout", "stderr", "exit", "getenv", "env", "lookup",
    "dial", "listen", "client", "log", "print", "input", "uuid",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let functions = functions(view);
    let mut findings = Vec::new();
    for (number, text, code) in view.new_lines() {
        let Some((name, function)) =
            alias(code).filter(|(name, _)| !has_word(view.change.old(), name))
        else {
            continue;
        };
        let lower = format!("{name} {function}").to_lowercase();
        let is_outside = OUTSIDE.iter().any(|word| lower.contains(word));
        let is_function = functions.contains(function) || is_called_instead(view, (name, function));
        if !is_outside && is_function && is_set_in_tests(view, name) {
            let message = format!(
                "'{function}' got another name here, and a test puts something of its own in that place."
            );
            let finding = view.change.structure(Rule::G29, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// The functions of the product in the changed files.
fn functions(view: &View<'_>) -> BTreeSet<String> {
    let heads = ["func ", "def ", "function ", "fn "];
    let mut found = BTreeSet::new();
    for change in view.changes.iter().filter(|one| one.role == Role::Product) {
        for text in [change.current(), change.old()] {
            for line in text.lines() {
                let Some(rest) = heads.iter().find_map(|head| line.trim_start().strip_prefix(head))
                else {
                    continue;
                };
                let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
                found.extend(end.map(|end| rest[..end].to_owned()).filter(|name| !name.is_empty()));
            }
        }
    }
    found
}

/// Whether a new line calls by the new name what an old one called by the function's own.
fn is_called_instead(view: &View<'_>, (name, function): (&str, &str)) -> bool {
    let calls = |line: &str, name: &str| has_word(line, name) && line.contains(&format!("{name}("));
    view.lines.removed.iter().any(|(_, line)| calls(line, function))
        && view.lines.added.iter().any(|(_, line)| calls(line, name))
}

/// `var verifySignature = Verify`: a name, and the name of a function.
fn alias(code: &str) -> Option<(&str, &str)> {
    let (left, right) = code.split_once('=')?;
    let rest =
        ["var ", "let ", "export let "].iter().find_map(|word| left.trim().strip_prefix(word));
    let is_python = !code.starts_with(' ') && !code.contains(';') && !left.contains(':');
    let name = rest.or_else(|| is_python.then(|| left.trim()))?.trim();
    let function = right.trim().trim_end_matches(';');
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|l| l.is_alphanumeric() || l == '_');
    (is_name(name) && is_name(function) && name != function).then_some((name, function))
}

/// Whether a new line of a test gives a name another value.
fn is_set_in_tests(view: &View<'_>, name: &str) -> bool {
    view.changes.iter().filter(|one| one.role == Role::Test && one.after.is_some()).any(|one| {
        one.lines().added.iter().any(|(_, line)| {
            let squeezed = squeeze(line);
            let set = squeezed.split_once('=').map_or("", |(left, _)| left);
            let is_it = set == name || set.ends_with(&format!(".{name}"));
            is_it && !squeezed.contains("==")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::alias;

    /// G29: another name for a function.
    #[test]
    fn names_for_functions() {
        assert_eq!(alias("var verifySignature = Verify"), Some(("verifySignature", "Verify")));
        assert_eq!(alias("let check = verify;"), Some(("check", "verify")));
        assert_eq!(alias("const check = verify;"), None);
        assert_eq!(alias("var total = 3 * x"), None);
    }
}
