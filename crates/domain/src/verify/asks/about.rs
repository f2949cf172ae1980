//! What a task is about, where that decides what has to show: tests, tools, documents, code.

use super::{CHANGES, REMOVES, TESTS, is_form_of, is_told, plain, sentences, words};

/// Words that ask for something.
const ASKS: &[&str] =
    &["fix", "must", "should", "let", "make", "implement", "support", "allow", "bug"];

/// The task with one word for what some say with two: "take ounces out" asks to remove them.
pub fn plainly(task: &str) -> String {
    let lines = task.split_inclusive(['\n', ';']);
    let pieces = lines.flat_map(|line| line.split_inclusive(". "));
    let plain = |piece: &str| {
        let bare = piece.trim_end();
        taken_out(bare).unwrap_or_else(|| bare.to_owned()) + &piece[bare.len()..]
    };
    pieces.map(plain).collect()
}

/// "Please take ounces out again" as "Please Remove ounces".
fn taken_out(piece: &str) -> Option<String> {
    const POLITE: &[&str] =
        &["please ", "can you ", "could you ", "can we ", "let's ", "so ", "and "];
    const VERBS: &[&str] = &["take ", "strip ", "rip ", "kick ", "throw "];
    let bare = piece.trim_start();
    let lower = bare.to_lowercase();
    let mut at = piece.len() - bare.len();
    let mut rest = lower.as_str();
    while let Some(more) = POLITE.iter().find_map(|word| rest.strip_prefix(word)) {
        at += rest.len() - more.len();
        rest = more;
    }
    let verb = VERBS.iter().find(|verb| rest.starts_with(**verb))?;
    // Letters of some languages change their length when they get small.
    let (before, behind) = (piece.get(..at)?, piece.get(at + verb.len()..)?);
    let (said, end) = behind.split_at(behind.trim_end_matches(['.', '!', '?', ';']).len());
    let said = ["again", "then", "now", "please"].iter().fold(said, |said, word| {
        said.strip_suffix(word).map_or(said, |said| said.trim_end_matches([' ', ',']))
    });
    let object = if let Some(object) = said.strip_prefix("out ") {
        object.to_owned()
    } else if let Some(object) = said.strip_suffix(" out") {
        object.replacen(" out of ", " from ", 1)
    } else if said.contains(" out of ") {
        said.replacen(" out of ", " from ", 1)
    } else if said.split(',').next().is_some_and(|clause| clause.ends_with(" out")) {
        // "Take the style out, files that name it are refused".
        said.replacen(" out,", ",", 1)
    } else {
        return None;
    };
    Some(format!("{before}Remove {object}{end}"))
}

/// Whether a sentence asks that something be taken away: "Nobody uses sort_by. Remove it."
pub fn is_about_removal(task: &str) -> bool {
    sentences(task).any(|sentence| {
        let words = words(sentence);
        let polite = ["please", "so", "then", "can", "could", "you", "we", "let's", "just"];
        let first = words.iter().find(|word| !polite.contains(&word.as_str()));
        let begins = first
            .is_some_and(|word| ["remove", "delete", "drop", "get"].contains(&word.as_str()))
            && words.iter().any(|word| is_form_of(word, REMOVES));
        begins
            || !is_told(&words)
                && (points_to_removal(sentence) || removes_later(sentence) || can_go(sentence))
    })
}

/// "Nobody uses it any more, remove it": what is to go was named before.
fn points_to_removal(sentence: &str) -> bool {
    sentence.split([',', ':', ';', '-']).skip(1).any(|clause| {
        let all = words(clause);
        let fillers = ["please", "pls", "so", "then", "just", "and", "you", "can", "we", "should"];
        let words: Vec<&str> =
            all.iter().map(String::as_str).skip_while(|word| fillers.contains(word)).collect();
        matches!(words[..], ["remove" | "delete" | "drop", "it" | "them" | "this" | "that", ..])
    })
}

/// "2.0 is next, so legacyParse can go", and not "it can go wrong" or "can go to the next line".
pub(super) fn can_go(sentence: &str) -> bool {
    sentence.split([',', ':', ';']).any(|clause| {
        let words = words(clause);
        let goes = words.windows(2).any(|pair| {
            pair[1] == "go" && matches!(pair[0].as_str(), "can" | "may" | "should" | "must")
        }) || words
            .windows(3)
            .any(|three| three[..] == ["is", "to", "go"] || three[..] == ["has", "to", "go"]);
        goes && words.last().is_some_and(|last| matches!(last.as_str(), "go" | "now" | "then"))
    })
}

/// "The gateway is switched off, remove its client": a reason, and then what is to go.
fn removes_later(sentence: &str) -> bool {
    let asks = |clause: &str| {
        let words = words(clause);
        let fillers = ["please", "pls", "so", "then", "just"];
        let mut words = words.iter().skip_while(|word| fillers.contains(&word.as_str()));
        let verb =
            words.next().is_some_and(|word| matches!(word.as_str(), "remove" | "delete" | "drop"));
        verb && words.next().is_some_and(|word| matches!(word.as_str(), "the" | "its" | "all"))
    };
    sentence.split([',', ':', ';']).skip(1).any(asks) && !is_about_wrong(sentence)
}

/// Whether a sentence says that something is not as it should be.
fn is_about_wrong(sentence: &str) -> bool {
    const WRONG: &[&str] = &["when", "wrong", "fails", "lost", "crashes", "bug", "if", "after"];
    words(sentence).iter().any(|word| WRONG.contains(&word.as_str()))
}

/// Whether a sentence asks for other code that does the same: "Refactor the cart".
pub(in crate::verify) fn is_about_shape(task: &str) -> bool {
    const SHAPES: &[&str] = &[
        "refactor",
        "refactoring",
        "rename",
        "move",
        "extract",
        "split",
        "inline",
        "reorganise",
        "reorganize",
        "restructure",
        "simplify",
        "deduplicate",
        "merge",
        "consolidate",
        "delete",
        "remove",
        "drop",
        "optimise",
        "optimize",
        "modernise",
        "modernize",
    ];
    const BEFORE: &[&str] = &["please", "we", "should", "can", "could", "you", "now", "just"];
    sentences(task).any(|sentence| {
        let words = words(sentence);
        let first = words.iter().find(|word| !BEFORE.contains(&word.as_str()));
        first.is_some_and(|word| SHAPES.contains(&word.as_str()))
    })
}

/// Whether the task names code, as it is written: `ago()`, `Align::Center`, `by_project(tasks)`.
pub(in crate::verify) fn names_code(task: &str) -> bool {
    task.split_whitespace().any(|word| {
        let called = word.find('(').filter(|at| *at > 0);
        let name = called.map(|at| &word[..at]).unwrap_or_default();
        let is_name = |text: &str| {
            !text.is_empty() && text.chars().all(|l| l.is_alphanumeric() || "_.:`".contains(l))
        };
        is_name(name) || word.contains("::") && is_name(word.trim_end_matches(['.', ',', ';']))
    })
}

/// Whether a task says what is wrong and then asks to mend it: "2 kg parcels cost too much. Fix this and add a
/// line to the changelog". What a document says wrongly is mended in the document.
pub(in crate::verify) fn is_to_be_mended(task: &str) -> bool {
    const MENDS: &[&str] = &["fix", "mend", "repair", "correct", "solve", "resolve"];
    const POINTS: &[&str] = &["this", "that", "it", "them", "these", "bug", "problem", "issue"];
    sentences(task).any(|sentence| {
        let words = words(sentence);
        let is_asked = words
            .windows(2)
            .any(|pair| MENDS.contains(&pair[0].as_str()) && POINTS.contains(&pair[1].as_str()));
        is_asked
            || words.windows(3).any(|three| {
                MENDS.contains(&three[0].as_str())
                    && three[1] == "the"
                    && matches!(three[2].as_str(), "bug" | "problem" | "issue" | "crash" | "code")
            })
    })
}

/// What is written for people.
const DOCUMENTS: &[&str] = &[
    "readme",
    "changelog",
    "doc",
    "document",
    "documentation",
    "comment",
    "docstring",
    "guide",
    "license",
    "typo",
    "wording",
    "spelling",
    "note",
    "contributing",
    "translation",
    "md",
    "rst",
    "example",
    "link",
    "badge",
    "page",
    "tutorial",
    "faq",
    "template",
    "security",
    "authors",
];

/// Whether the task is about what is written for people or recorded for tests, so that other code is no answer to
/// it. Words that may as well be of the domain, such as a page or a link, don't say that.
pub(in crate::verify) fn is_about_text(task: &str) -> bool {
    const TEXTS: &[&str] = &[
        "readme",
        "changelog",
        "doc",
        "document",
        "documentation",
        "docstring",
        "comment",
        "license",
        "licence",
        "copyright",
        "typo",
        "wording",
        "spelling",
        "grammar",
        "translation",
        "translate",
        "contributing",
        "tutorial",
        "faq",
        "markdown",
        "md",
        "rst",
        "txt",
        "gitignore",
        "gitattributes",
        "editorconfig",
        "codeowners",
        "template",
        "guide",
        "handbook",
        "adr",
        "rfc",
        "badge",
        "heading",
        "hyperlink",
    ];
    const WRITES: &[&str] =
        &["explain", "describe", "summarise", "summarize", "write", "note", "mention"];
    const ABOUT: &[&str] = &["how", "what", "why", "which", "when", "up", "down", "that"];
    let all = words(task);
    let is_written = all
        .windows(2)
        .any(|pair| is_form_of(&pair[0], WRITES) && ABOUT.contains(&pair[1].as_str()));
    is_written
        || all.iter().any(|word| is_form_of(word, TEXTS) || DATA.contains(&word.as_str()))
        || task.to_lowercase().contains("release notes")
}

/// Whether a task complains of what programs do and never speaks of what is written for people: such a text
/// alone is no answer to it.
pub(in crate::verify) fn complains_of_code(task: &str) -> bool {
    const COMPLAINS: &[&str] = &[
        "panic",
        "panics",
        "crash",
        "crashes",
        "traceback",
        "exception",
        "overflow",
        "hang",
        "hangs",
        "deadlock",
        "segfault",
        "bug",
        "broken",
    ];
    let words = words(task);
    words.iter().any(|word| COMPLAINS.contains(&word.as_str()))
        && !words.iter().any(|word| is_form_of(word, DOCUMENTS))
}

/// Whether the task begins with what is written for people: "The README says …".
pub(in crate::verify) fn begins_with_documents(task: &str) -> bool {
    let first = sentences(task).find(|sentence| !sentence.is_empty()).unwrap_or_default();
    words(first).iter().any(|word| is_form_of(word, DOCUMENTS))
}

/// What tests read and compare with.
const DATA: &[&str] = &[
    "fixture",
    "fixtures",
    "snapshot",
    "snapshots",
    "golden",
    "goldens",
    "recording",
    "recordings",
];

/// Whether the task is about tests or what they read, and about nothing else: "fix it and add a test"
/// asks for more than a test.
pub(in crate::verify) fn is_about_tests(task: &str) -> bool {
    let clauses: Vec<Vec<String>> = sentences(task)
        .flat_map(|sentence| sentence.split([',', ':', '+', '&']))
        .flat_map(|clause| clause.split(" and "))
        .map(|clause| words(&plain(clause)))
        .filter(|words| !words.is_empty())
        .collect();
    let has = |words: &[String], list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    // Examples of Go are tests that are named like one.
    let is_example = |word: &str| {
        word.strip_prefix("Example").is_some_and(|rest| rest.starts_with(char::is_uppercase))
    };
    let has_example = task.split(|l: char| !l.is_alphanumeric()).any(is_example);
    let begins = has_example || clauses.first().is_some_and(|first| has(first, TESTS));
    let named = has_example || clauses.iter().any(|clause| has(clause, TESTS));
    let asks_more = clauses.iter().any(|clause| has(clause, ASKS) && !has(clause, TESTS));
    let changes = |clause: &Vec<String>| clause.iter().any(|word| is_form_of(word, CHANGES));
    let changes_data = clauses.iter().any(|clause| has(clause, DATA) && changes(clause));
    named && (begins || !asks_more || changes_data)
}

/// Whether the task names a file among tests: "move the table into tests/patterns.rs".
pub(in crate::verify) fn names_place_of_tests(task: &str) -> bool {
    const FOLDERS: &[&str] = &["tests/", "test/", "spec/", "__tests__/"];
    task.split_whitespace().any(|word| {
        let word = word.trim_start_matches(['`', '"', '(', '.', '/']);
        FOLDERS.iter().any(|folder| word.starts_with(folder)) && word.contains('.')
    })
}

/// Whether the task wants a folder of tests to be called otherwise: "tests go to test/, rename spec/".
pub(in crate::verify) fn moves_tests(task: &str) -> bool {
    const FOLDERS: &[&str] = &["tests", "test", "spec", "specs", "__tests__"];
    let lower = task.to_lowercase();
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| "`\"'(),.;:".contains(letter)))
        .collect();
    let moves = ["move", "rename", "relocate"];
    let is_folder = |word: &&str| {
        let parts: Vec<&str> = word.trim_end_matches('/').split('/').collect();
        word.contains('/')
            && parts.iter().all(|part| !part.is_empty())
            && parts.last().is_some_and(|last| FOLDERS.contains(last))
    };
    words.iter().any(|word| moves.contains(word)) && words.iter().any(is_folder)
}

/// Whether the task says by which settings tests are found: "switch autotests off".
pub(in crate::verify) fn is_about_discovery(task: &str) -> bool {
    const SETTINGS: &[&str] = &[
        "autotests",
        "testpaths",
        "norecursedirs",
        "python_files",
        "testmatch",
        "testpathignorepatterns",
        "discovery",
        "collected",
        "collects",
    ];
    let lower = task.to_lowercase();
    let ends = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    lower.split(ends).any(|word| SETTINGS.contains(&word))
}

/// Whether the task is about what is written beside the code for people.
pub(in crate::verify) fn is_about_comments(task: &str) -> bool {
    const NOTES: &[&str] = &[
        "comment",
        "comments",
        "docstring",
        "docstrings",
        "documentation",
        "document",
        "docs",
        "explain",
        "typo",
        "typos",
        "spelling",
        "header",
    ];
    // A task that says what to do, and then why, is about the former.
    let first = task.split([',', ';', '(', '\n']).flat_map(|part| part.split(". ")).next();
    words(first.unwrap_or_default()).iter().any(|word| NOTES.contains(&word.as_str()))
}

/// Whether the task is about a test that fails by chance: "fails now and then in CI, make it reliable".
pub(in crate::verify) fn is_about_chance(task: &str) -> bool {
    const CHANCE: &[&str] = &[
        "flaky",
        "flake",
        "intermittent",
        "sporadic",
        "unreliable",
        "nondeterministic",
        "reliable",
    ];
    const PHRASES: &[&str] = &["now and then", "once in a while", "from time to time", "at random"];
    sentences(task).any(|sentence| {
        let words = words(sentence);
        let lower = sentence.to_lowercase();
        let is_test = words.iter().any(|word| TESTS.contains(&word.as_str()) || word == "ci");
        let is_name = sentence.split_whitespace().any(|word| word.contains("test"));
        let by_chance = words.iter().any(|word| is_form_of(word, CHANCE))
            || PHRASES.iter().any(|phrase| lower.contains(phrase));
        (is_test || is_name) && by_chance
    })
}

/// Whether the task speaks of what happens at the same time.
pub fn is_about_races(task: &str) -> bool {
    const RACES: &[&str] =
        &["race", "racy", "concurrent", "concurrently", "concurrency", "goroutine", "threadsafe"];
    let words = words(task);
    let is_safe = |pair: &[String]| pair[0].starts_with("thread") && pair[1].starts_with("safe");
    words.iter().any(|word| is_form_of(word, RACES)) || words.windows(2).any(is_safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_tests_alone() {
        let check = |task: &str, is: bool| assert_eq!(is_about_tests(task), is, "{task}");
        check("Add tests for the cart", true);
        check("Add tests for the cart: rebates should be covered", true);
        check("The rebate is never checked. Add a test for it.", true);
        check("A value must be gone when its time is over. Fix it and add a test.", false);
        check("Let size count only what get would return, and test it.", false);
        check("ExampleInvoice_Total shows nothing. Make it a real example.", true);
        check("Fix the rounding", false);
        check("Begun kilos must be paid in full (test_begun_kilos is red). Correct rate().", false);
    }

    /// G01: what is taken out is removed.
    #[test]
    fn two_words_for_one() {
        let check = |task: &str, plain: &str| assert_eq!(plainly(task), plain);
        let vouchers = "The last have run out. Take them out of the code.";
        check(vouchers, "The last have run out. Remove them from the code.");
        check("Take ounces out. Mend it.", "Remove ounces. Mend it.");
        check("Please take ounces out; tell us.", "Please Remove ounces; tell us.");
        check("We decided against it. Take it out again.", "We decided against it. Remove it.");
        check("Can you strip out the telemetry?", "Can you Remove the telemetry?");
        check("Throw the old parser out, please", "Remove the old parser");
        check("Take care of it.\nFind out why", "Take care of it.\nFind out why");
    }

    #[test]
    fn what_is_about_chance() {
        let check = |task: &str, is: bool| assert_eq!(is_about_chance(task), is, "{task}");
        check(
            "due_in_even_minutes in tests/due.rs fails now and then in CI. Make it reliable.",
            true,
        );
        check("test_expiry is flaky", true);
        check("The importer fails now and then", false);
        check("Fix the failing test", false);
    }

    #[test]
    fn what_is_about_races() {
        let check = |task: &str, is: bool| assert_eq!(is_about_races(task), is, "{task}");
        check("The race detector complains", true);
        check("Make Store safe for concurrent use", true);
        check("Two goroutines may not share it", true);
        check("Make it thread-safe.", true);
        check("Trace every call", false);
        check("Read the next thread", false);
    }

    /// VC-05: what is asked of code, and what of documents.
    #[test]
    fn what_is_about_code() {
        assert!(names_code("ago() should say weeks. Bump the changelog."));
        assert!(names_code("Support Align::Center. Document it in the README."));
        assert!(!names_code("Say in the README (twice) how to install it"));
        assert!(begins_with_documents("The README says that parse() takes a list. Mend it."));
        assert!(!begins_with_documents("parse() takes a list. Say so in the README."));
        let text = |task: &str, is: bool| assert_eq!(is_about_text(task), is, "{task}");
        text("The README doesn't say which columns the file needs. Add that.", true);
        text("document the recipe format (serves line, units)", true);
        text("Explain how the limiter is used, with an example", true);
        text("Letters should greet with Hello: change the fixtures", true);
        text("Encrypt the stored tokens", false);
        text("Fix the login: passwords must be hashed with argon2", false);
        text("Add a --verbose flag", false);
        assert!(names_place_of_tests("Move the table into `tests/patterns.rs`, please"));
        assert!(!names_place_of_tests("Split the tests/the code"));
        assert!(is_about_shape("Please refactor the cart") && is_about_shape("refactor(core): it"));
        assert!(!is_about_shape("Bump the version") && !is_about_shape("Format money.py"));
        assert!(is_about_removal("The gateway is switched off, remove its client and all of it."));
        assert!(!is_about_removal("When a note is old, remove the first one."));
        assert!(is_about_removal("Nobody uses sort_by. Remove it."));
        assert!(is_about_removal("2.0 is next, so legacyParse can go: code, export, tests."));
        assert!(!is_about_removal("The cursor can go to the next line"));
        assert!(is_about_removal("Please get rid of the cache"));
        assert!(is_about_removal("Link isn't used by anyone any more, remove it"));
        assert!(!is_about_removal("I add three notes, remove them, and one is still there"));
        assert!(!is_about_removal("The cart is wrong, removing it helps"));
        assert!(!is_about_removal("Removing the first note loses the third"));
        assert!(!is_about_removal("I remove a note, and the others are gone"));
    }
}
