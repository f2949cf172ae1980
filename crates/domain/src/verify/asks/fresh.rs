//! Whether a task asks for something that is not there yet, and not only that what is there be otherwise.

use super::{sentences, words};

/// What somebody wants who begins with it, or says it behind "please", "to" and such.
const VERBS: &[&str] = &[
    "add",
    "implement",
    "introduce",
    "support",
    "provide",
    "create",
    "write",
    "build",
    "offer",
    "expose",
    "export",
    "extend",
    "extract",
    "rename",
    "move",
    "split",
    "allow",
    "accept",
    "let",
    "convert",
    "replace",
    "refactor",
    "use",
    "pass",
    "return",
    "give",
    "port",
];
/// Words before such a verb.
const BEFORE: &[&str] = &[
    "please", "and", "to", "then", "should", "must", "also", "could", "can", "you", "we", "i",
    "need", "want", "instead", "so", "let's", "pls",
];
/// What is new where a task speaks of it.
const THINGS: &[&str] = &[
    "new",
    "option",
    "options",
    "flag",
    "flags",
    "parameter",
    "parameters",
    "argument",
    "arguments",
    "setting",
    "settings",
    "config",
    "configurable",
    "command",
    "subcommand",
    "endpoint",
    "method",
    "function",
    "helper",
    "constructor",
    "property",
    "field",
    "fields",
    "attribute",
    "variant",
    "feature",
    "api",
    "interface",
    "type",
    "class",
    "exception",
    "error",
    "missing",
    "possible",
    "able",
    "via",
    "builder",
    "trait",
    "enum",
    "struct",
    "module",
    "clock",
    "injectable",
    "testable",
];
/// What takes it back.
const NOT: &[&str] = &["no", "without", "not", "don't", "never"];

/// Whether a task asks for something new: by a verb, or by what it speaks of.
pub(in crate::verify) fn wants_new(task: &str) -> bool {
    if task.contains("--") {
        return true;
    }
    sentences(task).flat_map(|sentence| sentence.split([',', ':', '('])).any(|clause| {
        let words = words(clause);
        let is =
            |at: usize, list: &[&str]| words.get(at).is_some_and(|w| list.contains(&w.as_str()));
        (0..words.len()).any(|at| {
            let is_denied = (1..=3).any(|back| at >= back && is(at - back, NOT));
            let leads = at == 0 || is(at - 1, BEFORE);
            // Shares that add up to a whole are nothing new.
            let is_sum = words[at] == "add" && is(at + 1, &["up"]);
            !is_denied && (leads && is(at, VERBS) && !is_sum || is(at, THINGS))
        })
    })
}

/// Whether a task wants something to be tried again, or to wait: a test that is not to wait itself needs a handle
/// which is not there yet.
pub(in crate::verify) fn takes_its_time(task: &str) -> bool {
    const WAITS: &[&str] = &[
        "retry", "retries", "retried", "retrying", "backoff", "pause", "pauses", "sleep", "wait",
        "waits", "delay", "throttle", "debounce", "poll",
    ];
    sentences(task).any(|sentence| {
        let words = words(sentence);
        let is =
            |at: usize, list: &[&str]| words.get(at).is_some_and(|w| list.contains(&w.as_str()));
        (0..words.len()).any(|at| {
            // "Try up to three times", "try again".
            let is_tried = is(at, &["try", "tries", "tried"])
                && (is(at + 1, &["again", "up", "once", "it", "twice"])
                    || is(at + 2, &["times", "more"]));
            is(at, WAITS) || is_tried
        })
    })
}

/// Whether a task has a word, as it is.
pub(in crate::verify) fn says_word(task: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    task.split(|letter: char| !is_part(letter)).any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: what waits is tried by a handle.
    #[test]
    fn tasks_that_take_their_time() {
        for task in [
            "Notify should try up to three times with a short pause before it gives up",
            "A request that fails should be retried twice",
            "Waiting doubles with each attempt: pause 1 s, 2 s, 4 s",
            "If the lock is taken, try again after a second",
        ] {
            assert!(takes_its_time(task), "{task}");
        }
        for task in ["Try to be kinder in the message", "slug must turn spaces into one dash"] {
            assert!(!takes_its_time(task), "{task}");
        }
    }

    /// G26: what is to be new, and what is to be otherwise.
    #[test]
    fn tasks_that_ask_for_something_new() {
        for task in [
            "Add a retry to the client",
            "The parser could use an option for tabs",
            "Please support tabs",
            "It should be possible to ask for one day",
            "Print it with --json",
        ] {
            assert!(wants_new(task), "{task}");
        }
        for task in [
            "Fix split: the shares must add up to the total",
            "slug must turn a run of several spaces into one dash",
            "Interest is rounded half to even from January, no option and no transition.",
            "totals are off by one cent when the rate is 7 %",
        ] {
            assert!(!wants_new(task), "{task}");
        }
    }
}
