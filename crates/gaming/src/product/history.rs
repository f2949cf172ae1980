//! Code that looks into the repository it lies in: the answer may be there.

use crate::literals::{inside, values};

/// What git is asked for that shows other versions of files.
const SHOWS: &[&str] = &[
    "show", "log", "diff", "cat-file", "checkout", "stash", "reflog", "restore", "blame", "grep",
    "archive", "rev-list", "worktree",
];

/// What starts a program or opens a file.
const USES: &[&str] = &[
    "subprocess",
    "run(",
    "exec",
    "spawn",
    "Command",
    "system(",
    "popen",
    "Popen",
    "open(",
    "read",
    "Read",
    "check_output",
    "$(",
    "Path(",
    "join(",
    "[",
];

/// Whether a line runs git to see another version of a file, or opens the repository's own files.
pub(super) fn is_asked(text: &str, code: &str) -> bool {
    let written = values(text);
    let inside_of = written.iter().filter(|value| value.starts_with('"')).any(|value| {
        let text = inside(value);
        text.starts_with(".git/") || text.contains("/.git/") || text == ".git" && code.contains('/')
    });
    is_run(text, code) || inside_of && is_used(code)
}

fn is_used(code: &str) -> bool {
    USES.iter().any(|word| code.contains(word))
}

/// Whether a line runs git to see another version of a file.
pub(super) fn is_run(text: &str, code: &str) -> bool {
    let written = values(text);
    let texts: Vec<&str> =
        written.iter().filter(|value| value.starts_with('"')).map(|value| inside(value)).collect();
    let shows = |word: &str| SHOWS.contains(&word);
    let in_words = texts.iter().any(|text| {
        let mut words = text.split_whitespace().skip_while(|word| *word != "git");
        words.next().is_some() && words.any(shows)
    });
    let by_name = texts.contains(&"git") && texts.iter().any(|text| shows(text));
    (in_words || by_name) && is_used(code)
}

/// Whether a file already did so: then it is what the file is for.
pub(super) fn is_asked_in(text: &str) -> bool {
    text.lines().filter(|line| line.len() < 2_000).any(|line| is_asked(line, line))
}
