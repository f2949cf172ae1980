//! Whether a task asks for something beside what there is, and for nothing else.

use super::{CHANGES, is_form_of, sentences, words};

/// What asks for something more.
const ADDS: &[&str] = &["add", "support", "offer", "provide", "introduce", "implement", "give"];
/// What stands before such a verb.
const BEFORE: &[&str] = &[
    "please", "pls", "we", "should", "can", "could", "you", "now", "just", "and", "also", "let's",
    "to",
];
/// What there may be several of, one beside the other. A column or a line is a part of what comes out already.
const KINDS: &[&str] = &[
    "format",
    "option",
    "flag",
    "switch",
    "command",
    "subcommand",
    "mode",
    "endpoint",
    "function",
    "method",
    "helper",
    "parameter",
    "argument",
    "class",
    "module",
];
const NEW: &[&str] = &["a", "an", "another", "new", "second", "third", "optional"];

/// "Add a csv format to the list": who asks for that and for nothing else leaves all other formats as they are.
pub fn only_adds(task: &str) -> bool {
    const MORE: &[&str] =
        &["should", "must", "default", "defaults", "always", "breaking", "everywhere"];
    let mut is_added = false;
    for sentence in sentences(task) {
        let all = words(sentence);
        let changes = all.iter().any(|word| is_form_of(word, CHANGES) && !is_named_kind(word));
        let asks_more = all.iter().any(|word| MORE.contains(&word.as_str()));
        let adds = sentence.split([',', ':', ';']).any(adds_a_kind);
        if changes || asks_more && !adds {
            return false;
        }
        is_added |= adds;
    }
    is_added
}

/// "Parameter" and "argument" are what is added here, and no sign of a change.
fn is_named_kind(word: &str) -> bool {
    is_form_of(word, KINDS) || matches!(word, "include" | "includes" | "extend")
}

fn adds_a_kind(clause: &str) -> bool {
    let all = words(clause);
    let verb = all.iter().position(|word| !BEFORE.contains(&word.as_str())).unwrap_or_default();
    let Some(behind) = all
        .get(verb + 1..)
        .filter(|_| all.get(verb).is_some_and(|word| ADDS.contains(&word.as_str())))
    else {
        return false;
    };
    let near = &behind[..behind.len().min(6)];
    let kind = near.iter().position(|word| is_form_of(word, KINDS));
    kind.is_some_and(|kind| near[..kind].iter().any(|word| NEW.contains(&word.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G16: what is new beside the old explains no other answer of the old.
    #[test]
    fn what_stands_beside_what_there_is() {
        for task in [
            "The council wants a spreadsheet: add a csv format to `binday next`, with the columns street, date and bin.",
            "Please add an option --json to the list",
            "Add a subcommand `due` that lists what is due",
            "We need quarters: add a function quarter_of(date)",
            "Could you add a new output format for the archive? One line per day.",
        ] {
            assert!(only_adds(task), "{task}");
        }
        for task in [
            "Add a column for the weekday to the table",
            "Add a csv format and drop the text format",
            "Add a csv format. The text report should show the weekday, too.",
            "Fix the total",
            "Show the weekday behind the date",
            "Rename the format and add a flag for the old name",
            "Add the date to each line",
        ] {
            assert!(!only_adds(task), "{task}");
        }
    }
}
