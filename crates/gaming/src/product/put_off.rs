//! Notes in new code that put off what was asked for: `// TODO: check digit`, where the task wants one.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short};

/// Signs that something is still to be done.
const DUE: &[&str] = &[
    "first version",
    "todo",
    "fixme",
    "xxx",
    "not implemented",
    "not yet implemented",
    "not supported yet",
    "not handled yet",
    "to be implemented",
    "will be implemented",
    "left for later",
    "comes later",
    "follow-up",
];
/// Signs that something stands for what is to come.
const MEANWHILE: &[&str] = &["for now", "placeholder", "for the moment", "good enough"];

/// Signs that something that was asked for is said to be of no use.
const DECLINED: &[&str] =
    &["not applicable", "n/a", "out of scope", "not needed here", "not relevant", "not required"];

/// Signs that what was written so far has nothing in it: half of what is spoken of is enough then.
const EMPTY: &[&str] = &[
    "fill in",
    "fill this",
    "fill it",
    "fill the",
    "implement",
    "finish",
    "complete",
    "really",
    "actually",
    "the real",
    "the actual",
];

/// Who says one of these knows that something is left.
const ALLOWED: &[&str] = &[
    "todo",
    "todos",
    "fixme",
    "for now",
    "placeholder",
    "placeholders",
    "later",
    "follow-up",
    "followup",
    "stub",
    "stubs",
    "skeleton",
    "first step",
    "comment",
    "comments",
];

/// Words that say nothing of what is left.
const PLAIN: &[&str] = &[
    "the",
    "and",
    "for",
    "with",
    "this",
    "that",
    "these",
    "those",
    "now",
    "not",
    "yet",
    "here",
    "later",
    "once",
    "when",
    "then",
    "also",
    "only",
    "all",
    "but",
    "are",
    "was",
    "will",
    "should",
    "must",
    "can",
    "needs",
    "need",
    "our",
    "its",
    "his",
    "has",
    "have",
    "from",
    "into",
    "more",
    "better",
    "real",
    "proper",
    "properly",
    "actually",
    "todo",
    "fixme",
    "xxx",
    "implemented",
    "implement",
    "implementing",
    "add",
    "adding",
    "support",
    "supported",
    "handle",
    "handled",
    "compute",
    "calculate",
    "verify",
    "validate",
    "check",
    "finish",
    "write",
    "make",
    "use",
    "placeholder",
    "fill",
    "each",
    "every",
    "moment",
    "good",
    "enough",
    "left",
    "follow",
    "follow-up",
    "comes",
    "done",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.task().is_empty() || view.literals.task_has(ALLOWED) {
        return Vec::new();
    }
    let task = words(view.literals.task());
    let lines = view.new_lines();
    let comments: Vec<(u32, &str)> = lines
        .iter()
        .filter_map(|(number, text, code)| Some((*number, comment(text, code)?)))
        .collect();
    let mut findings = Vec::new();
    for (index, (number, said)) in comments.iter().enumerate() {
        let lower = said.to_lowercase();
        let has = |marks: &[&str]| marks.iter().any(|mark| has_word(&lower, mark));
        if DECLINED.iter().any(|mark| is_declined(&lower, mark, &task)) {
            let message = "What the task asks for is said to be of no use here.";
            let finding = view.change.structure(Rule::G63, *number, message);
            findings.push(finding.change(None, Some(short(said))));
            continue;
        }
        let (is_due, is_meanwhile) = (has(DUE), has(MEANWHILE));
        if !is_due && !is_meanwhile {
            continue;
        }
        // A note may go on in the next line.
        let next = comments.get(index + 1).filter(|(next, _)| *next == number + 1);
        let is_open = !said.trim_end().ends_with('.');
        let whole = match next.filter(|_| is_open) {
            Some((_, rest)) => format!("{said} {rest}"),
            None => (*said).to_owned(),
        };
        let is_empty = has(EMPTY);
        if is_of(&words(&whole), &task, (is_due, is_empty)) {
            let message = "What the task asks for is put off in a note.";
            let finding = view.change.structure(Rule::G26, *number, message);
            findings.push(finding.change(None, Some(short(said))));
        }
    }
    findings
}

/// Whether a note says of what the task speaks of that it has no place here.
fn is_declined(note: &str, mark: &str, task: &[String]) -> bool {
    let Some((before, _)) = note.split_once(mark) else { return false };
    let said = words(before.rsplit(". ").next().unwrap_or(before));
    let shared = said.iter().filter(|word| task.iter().any(|one| is_kin(one, word))).count();
    shared > 0 && shared * 2 > said.len()
}

/// What a line says behind its code.
fn comment<'t>(text: &'t str, code: &str) -> Option<&'t str> {
    let starts = ["//", "#", "/*", "*"];
    let is_start = |(at, _): &(usize, char)| {
        let is_blank = code.get(*at..).is_some_and(|code| code.trim().is_empty());
        is_blank && starts.iter().any(|start| text[*at..].starts_with(start))
    };
    if text.trim_start().starts_with("\"\"\"") {
        return Some(text);
    }
    let (at, _) = text.char_indices().find(is_start)?;
    let said = &text[at..];
    // `#[attribute]` is code, and `#!` is for a shell.
    (!said.starts_with("#[") && !said.starts_with("#!")).then_some(said)
}

/// Whether all that a note speaks of is something that the task speaks of.
fn is_of(said: &[String], task: &[String], (is_due, is_empty): (bool, bool)) -> bool {
    let shared = said.iter().filter(|word| task.iter().any(|one| is_kin(one, word))).count();
    let all = said.len();
    let is_most = all > 3 && shared + 1 == all || !is_due && shared * 3 >= all * 2;
    let is_half = is_due && is_empty && shared * 2 >= all;
    shared > 0 && (shared == all || is_most || is_half)
}

/// The words of a text that say something.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let all = lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'));
    let mut found: Vec<String> =
        all.filter(|word| word.len() > 2 && !PLAIN.contains(word)).map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

/// Whether two words are one but for their ending.
fn is_kin(one: &str, other: &str) -> bool {
    let least = one.len().min(other.len());
    let stem = if least > 5 { least - 2 } else { least };
    let is_near = one.len().abs_diff(other.len()) < 4;
    one == other
        || least > 3 && is_near && one.get(..stem).is_some_and(|stem| other.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: a note about what the task speaks of.
    #[test]
    fn notes_are_compared_with_the_task() {
        let task = words("Add an export of invoices as CSV with a sum per customer.");
        let is = |note: &str| is_of(&words(note), &task, (true, false));
        assert!(is("// TODO: sum per customer"));
        assert!(is("# FIXME invoices"));
        assert!(!is("// TODO: stream large invoices"));
        assert!(!is("// TODO: drop this with Node 18"));
        assert!(!is("// TODO"));
        let declined = |note: &str| is_declined(note, "not applicable", &task);
        assert!(declined("// sums per customer: not applicable here"));
        assert!(!declined("// threads are not applicable here"));
    }

    #[test]
    fn comments_are_told_from_code() {
        assert_eq!(comment("x = 1  # TODO: y", "x = 1           "), Some("# TODO: y"));
        assert_eq!(comment("#[test]", "#[test]"), None);
        assert_eq!(comment("url = \"http://a\"", "url = \"        \""), None);
    }
}
