//! Whether commands could prove anything: they are written to their end, and they can fail.

use super::{Findings, Place, refuse, unless_waived};
use crate::plan::filled::{Filled, is_promise};
use crate::plan::types::{Law, Plan};

pub(super) fn check(plan: &Plan, found: &mut Findings<'_>) {
    let spec = &plan.spec;
    let project = [
        ("Build", &spec.commands.build),
        ("Test", &spec.commands.test),
        ("Lint", &spec.commands.lint),
    ];
    for (name, filled) in project {
        if let Some(flaw) = filled.flaw() {
            let fix = format!("write '- {name}: `COMMAND`' or '- {name}: N/A — REASON'");
            found.add(refuse("command", name), Place::Spec(1), flaw, fix);
        }
        tell(found, name, 1, filled.given());
    }
    if matches!(spec.commands.test, Filled::NotApplicable(_)) {
        let what = "the project's tests are N/A, so nothing that worked before is looked at";
        found.add(super::warn("command", "Test"), Place::Spec(1), what, "name the command");
    }
    for layer in &spec.layers {
        for command in &layer.commands {
            tell(found, layer.layer.name(), layer.line.0, Some(command));
        }
    }
    let line = spec.layers.get(2).map_or(1, |layer| layer.line.0);
    for (name, end) in [("Happy command", &spec.happy), ("Error command", &spec.error)] {
        // It is compared with what it prints, so that it may well be an echo.
        let command = end.as_ref().map(|end| end.command.as_str());
        if let Some((what, fix)) = command.and_then(unfinished) {
            found.add(refuse("command", name), Place::Spec(line), what, fix);
        }
    }
    tell(found, "Mutation gate", spec.mutation.line.0, spec.mutation.command.given());
    for row in &spec.mapping {
        let subject = format!("{} {}", row.story, row.criterion);
        if let Some((what, fix)) = flaw(&row.command) {
            let story = plan.story(row.story);
            let about = story.map_or_else(
                || refuse("command", &subject),
                |story| unless_waived(story, Law::Tests, "command", &subject),
            );
            found.add(about, Place::Spec(row.line.0), what, fix);
        }
    }
}

fn tell(found: &mut Findings<'_>, subject: &str, line: usize, command: Option<&str>) {
    if let Some((what, fix)) = command.and_then(flaw) {
        found.add(refuse("command", subject), Place::Spec(line), what, fix);
    }
}

/// What is wrong with a command, and what to do.
fn flaw(command: &str) -> Option<(String, &'static str)> {
    if let Some(unfinished) = unfinished(command) {
        return Some(unfinished);
    }
    always_succeeds(command).then(|| {
        (
            format!("'{command}' can't fail, so that it proves nothing"),
            "name a command whose exit code tells",
        )
    })
}

/// Whether the last command in the list succeeds whatever came before it.
fn always_succeeds(command: &str) -> bool {
    let last = command.rsplit(['|', ';', '&', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = last.split_whitespace().collect();
    matches!(words[..], ["true" | ":" | "/bin/true" | "echo" | "printf", ..] | ["exit", "0"])
}

fn unfinished(command: &str) -> Option<(String, &'static str)> {
    if is_promise(command) {
        return Some((format!("'{command}' is no command yet"), "name the command that is run"));
    }
    open_quote(command).map(|mark| {
        (format!("in '{command}', {mark} is never closed"), "close it, or put a '\\' before it")
    })
}

/// A quote or a bracket of `$(` that is open at the end.
fn open_quote(command: &str) -> Option<&'static str> {
    let (mut stack, mut letters): (Vec<char>, _) = (Vec::new(), command.chars().peekable());
    while let Some(letter) = letters.next() {
        match (stack.last(), letter) {
            (Some('\''), '\'') | (Some('"'), '"') | (Some('`'), '`') | (Some('('), ')') => {
                stack.pop();
            }
            (Some('\''), _) | (Some('"'), '\'') => {}
            (_, '\\') => {
                letters.next();
            }
            (_, '$') if letters.peek() == Some(&'(') => {
                letters.next();
                stack.push('(');
            }
            (_, '\'' | '"' | '`') => stack.push(letter),
            _ => {}
        }
    }
    stack.last().map(|open| match open {
        '\'' => "a single quote",
        '"' => "a double quote",
        '`' => "a backtick",
        _ => "a '$('",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-06: commands that are no commands, or prove nothing, are told.
    #[test]
    fn commands_that_prove_nothing_are_told() {
        for good in [
            "cargo test",
            "sh -c 'exit 1'",
            "a | grep \"b c\"",
            "echo $(date) | grep 2",
            "printf 'a' | wc -l",
            "test \"$(sh a.sh 'x)')\" = 'y'",
            "grep -c 'it'\\''s' a",
            "echo a && false",
            "a; b",
        ] {
            assert_eq!(flaw(good), None, "{good}");
        }
        for bad in [
            "",
            "TODO",
            "…",
            "true",
            ":",
            "exit 0",
            "cargo test || true",
            "pytest; exit 0",
            "echo ok",
            "make test || echo failed",
            "echo 'a",
            "a \"b",
            "a $(b",
            "a `b",
            "<command>",
        ] {
            assert!(flaw(bad).is_some(), "{bad}");
        }
    }
}
