//! Parameters that are thrown away by name, so that no compiler says that nobody reads them.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short};
use crate::language::Language;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in view.tree.into_iter().flat_map(|tree| tree.root().all()) {
        if !function.is(FUNCTIONS) || view.change.is_test_at(function.start()) {
            continue;
        }
        let (Some(parameters), Some(body)) = (function.field("parameters"), function.field("body"))
        else {
            continue;
        };
        for (offset, line) in body.text().lines().enumerate() {
            let number = body.line() + u32::try_from(offset).unwrap_or(0);
            let Some(name) = discarded(view.change.language, line) else { continue };
            let is_read = body.text().lines().enumerate().any(|(at, other)| {
                at != offset && has_word(other.split("//").next().unwrap_or(other), name)
            });
            if view.lines.is_added(number) && has_word(parameters.text(), name) && !is_read {
                let message = format!("'{name}' is taken, and thrown away unread.");
                let finding = view.change.structure(Rule::G26, number, message);
                findings.push(finding.change(None, Some(short(line))));
            }
        }
    }
    findings.retain(|_| !is_bound(view));
    findings
}

/// Whether the task says that something is not looked at.
fn is_bound(view: &View<'_>) -> bool {
    view.literals.task_has(&[
        "ignore",
        "ignored",
        "ignores",
        "unused",
        "deprecated",
        "compatibility",
    ])
}

/// The name that a line does nothing with.
fn discarded(language: Language, line: &str) -> Option<&str> {
    let line = line.trim().trim_end_matches(';');
    let rest = match language {
        Language::Rust => line
            .strip_prefix("let _ = ")
            .or_else(|| line.strip_prefix("drop(").and_then(|rest| rest.strip_suffix(')'))),
        Language::Go => line.strip_prefix("_ = "),
        Language::Python => line.strip_prefix("del ").or_else(|| line.strip_prefix("_ = ")),
        language if language.is_script() => line.strip_prefix("void "),
        _ => None,
    }?;
    let rest = rest.trim().trim_start_matches('&');
    let is_name = !rest.is_empty() && rest.chars().all(|l| l.is_alphanumeric() || l == '_');
    is_name.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: what only throws a value away.
    #[test]
    fn what_is_thrown_away() {
        assert_eq!(discarded(Language::Rust, "    let _ = spelling;"), Some("spelling"));
        assert_eq!(discarded(Language::Rust, "let _ = write(x);"), None);
        assert_eq!(discarded(Language::Go, "\t_ = limit"), Some("limit"));
        assert_eq!(discarded(Language::Python, "    del strict"), Some("strict"));
        assert_eq!(discarded(Language::Python, "    del rows[0]"), None);
        assert_eq!(discarded(Language::JavaScript, "  void options;"), Some("options"));
    }
}
