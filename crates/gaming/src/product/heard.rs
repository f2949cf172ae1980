//! What a task wants of that which fails: that people hear of it, or that it is there after all.

use super::errors::PASSES_OVER;
use crate::args::{find_word, has_word};

/// What a task calls an error that is to come out, and what says that it is to.
const ERRORS: &[&str] = &["error", "errors", "exception", "exceptions"];
const DEMANDS: &[&str] = &[
    "should",
    "must",
    "shall",
    "has to",
    "have to",
    "want",
    "need",
    "needs",
    "return",
    "returns",
    "come back",
    "give",
    "gives",
    "report",
    "throw",
    "throws",
    "raise",
    "raises",
    "refuse",
    "reject",
    "turn into",
    "make",
];
/// A clause with one of these speaks of an error that is to go.
const GOES: &[&str] = &[
    "no error",
    "not an error",
    "without",
    "instead of",
    "rather than",
    "never",
    "don't",
    "stop",
    "stops",
    "not fail",
    "not raise",
    "not throw",
    "swallow",
    "ignore",
    "suppress",
];
/// A task with one of these may want the value.
const VALUES: &[&str] = &[
    "default",
    "defaults",
    "fallback",
    "fall back",
    "zero",
    "empty",
    "nothing",
    "treat",
    "treated",
    "counts as",
    "count as",
    "ignored",
    "skipped",
    "skip",
    "null",
    "none",
    "lenient",
    "tolerate",
];
/// Who says one of these complains.
const FAILS: &[&str] = &[
    "dies",
    "die",
    "crash",
    "crashes",
    "crashed",
    "fails",
    "fail",
    "failing",
    "failed",
    "breaks",
    "broke",
    "raises",
    "throws",
    "panics",
    "explodes",
    "blows up",
    "chokes",
    "traceback",
    "stops",
    "aborts",
    "rejects",
    "refuses",
    "exception",
];
/// Who says one of these wants that which fails.
const WANTS: &[&str] = &[
    "load",
    "loads",
    "loaded",
    "parse",
    "parsed",
    "read",
    "accept",
    "accepted",
    "support",
    "supported",
    "work",
    "works",
    "completely",
    "complete",
    "all of them",
    "every",
    "import",
    "imported",
    "understand",
    "understood",
    "include",
    "included",
    "appear",
    "handle",
    "handled",
    "treated",
    "counted",
    "shown",
];
/// Who says one of these speaks of what is of no use, or of what becomes of it.
const ALLOWED: &[&str] = &[
    "report",
    "reported",
    "reports",
    "warn",
    "warns",
    "warning",
    "warnings",
    "log it",
    "log them",
    "log the",
    "log a",
    "log and",
    "and log",
    "logged",
    "continue",
    "continues",
    "carry on",
    "go on",
    "goes on",
    "survive",
    "survives",
    "rest",
    "remaining",
    "others",
    "broken",
    "corrupt",
    "corrupted",
    "invalid",
    "malformed",
    "damaged",
    "garbage",
    "junk",
    "unreadable",
    "bad",
];
/// Who says one of these lets something pass.
const LENIENT: &[&str] = &[
    "lenient",
    "tolerant",
    "robust",
    "graceful",
    "gracefully",
    "best effort",
    "optional",
    "default",
    "defaults",
    "fallback",
    "fall back",
    "skipping",
    "ignoring",
    "without them",
    "left out",
    "retry",
    "second time",
    "kept",
    "as it is",
    "as they are",
];

/// What a task wants of that which fails.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wish {
    /// Somebody is to be told.
    Heard,
    /// It is to be there.
    There,
    /// It complains of one error by its name, and no more can be told.
    Unknown,
}

impl Wish {
    pub(super) fn of(task: &str) -> Option<Self> {
        // What an error says of itself asks for nothing.
        let plain: String = task.split('"').step_by(2).collect();
        // "Leave with status 2" leaves nothing out.
        let plain = plain.to_lowercase().replace("leave with", "exit with");
        let has = |words: &[&str]| words.iter().any(|word| has_word(&plain, word));
        if has(PASSES_OVER) || has(LENIENT) {
            return None;
        }
        if wants_word(task) || wants_error(task) {
            return Some(Self::Heard);
        }
        let is_there = has(FAILS) && has(WANTS) && !has(ALLOWED);
        Some(if is_there { Self::There } else { Self::Unknown })
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Heard => {
                "The task wants whoever calls to hear of an error, and it is passed over here."
            }
            Self::Unknown => {
                "The error that the task speaks of is caught, and neither reported nor passed on."
            }
            Self::There => {
                "What can't be read is dropped here, and the task wants it to be there: nobody asked to leave it out."
            }
        }
    }
}

/// Where people are told of an error.
const TOLD: &[&str] = &[
    "report it",
    "report them",
    "report that",
    "report those",
    "report the line",
    "report which",
    "be reported",
    "message",
    "says which",
    "say which",
    "stderr",
    "standard error",
    "exit code",
    "exit status",
    "exits with",
    "tell the user",
    "tells the user",
    "error message",
];

/// What a task tells the code to do about it.
const ORDERS: &[&str] = &["print", "write", "say", "exit", "leave with", "show", "log"];

/// Whether a task wants that people are told of an error, and speaks of no value in its place.
pub(super) fn wants_word(task: &str) -> bool {
    let lower = task.to_lowercase();
    let has = |text: &str, list: &[&str]| list.iter().any(|word| has_word(text, word));
    let is_told = |clause: &str| {
        let places = TOLD.iter().filter_map(|word| find_word(clause, word));
        // "… to stderr, without printing any rows" takes nothing back of what was told before.
        let before = places.min().map(|at| &clause[..at]);
        before.is_some_and(|before| !has(before, GOES))
            && (has(clause, DEMANDS) || has(clause, ORDERS))
    };
    !has(&lower, VALUES) && lower.split(['\n', ';']).flat_map(|line| line.split(". ")).any(is_told)
}

/// Whether a task wants an error to come out, and speaks of no value in its place.
pub(super) fn wants_error(task: &str) -> bool {
    let lower = task.to_lowercase();
    let has = |text: &str, list: &[&str]| list.iter().any(|word| has_word(text, word));
    // `ParseError` is one as well.
    let names = |text: &str| {
        has(&text.to_lowercase(), ERRORS)
            || text.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
                word.len() > 5 && (word.ends_with("Error") || word.ends_with("Exception"))
            })
    };
    let clauses = task.split(['\n', ';']).flat_map(|line| line.split(". "));
    let is_wanted = |clause: &str| {
        let lower = clause.to_lowercase();
        names(clause) && has(&lower, DEMANDS) && !has(&lower, GOES)
    };
    !has(&lower, VALUES) && clauses.into_iter().any(is_wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G25: what a task wants of an error.
    #[test]
    fn errors_that_people_are_to_hear_of() {
        assert!(wants_error("A typo panics. It should come back as a ParseError with the item."));
        assert!(!wants_error("A typo panics. It should count as zero, and give no error."));
        assert!(!wants_error("It should not fail with an error instead of a value."));
        assert!(wants_word("Please report it like the other problems, with file and line."));
        assert!(wants_word("It should report that row with the parser's message and go on."));
        assert!(wants_word(
            "No panic. Instead print `FILE:LINE: why` to stderr and leave with status 2, without printing any rows."
        ));
        assert!(!wants_word("Print the table without the message."));
        assert!(!wants_word("The report should have a line for each day."));
        assert!(!wants_word("Unknown units should be skipped with a message on stderr."));
        assert!(
            Wish::of("load() fails for weights in stone. They should be supported.")
                == Some(Wish::There)
        );
        assert!(Wish::of("load() fails for broken lines, skip them.").is_none());
        assert!(Wish::of("Print why to stderr and leave with status 2.") == Some(Wish::Heard));
        assert!(Wish::of("Print why to stderr and leave them as they are.").is_none());
    }
}
