//! Whether a task asks for what became of a test. What a finding of text needs to be harmless is
//! less: here a test failed.

mod about;
mod added;
mod behind;
mod by_name;
mod changes;
mod fresh;
#[cfg(test)]
mod kinds;
mod less;
mod tools;
mod topic;

pub(super) use about::{
    begins_with_documents, complains_of_code, is_about_chance, is_about_comments,
    is_about_discovery, is_about_shape, is_about_tests, is_about_text, is_to_be_mended,
    moves_tests, names_code, names_place_of_tests,
};
pub use about::{is_about_races, is_about_removal, plainly};
pub use added::only_adds;

pub(super) use by_name::{by_name, for_a_skip, is_of_the_same, is_so_now, skips, speaks_of};
pub(super) use fresh::{says_word, takes_its_time, wants_new};
pub(super) use less::{for_a_row, for_a_table, for_less, for_less_red, is_merging};
pub use less::{goes, gone_words};
pub use tools::names_check;
pub(super) use tools::{is_about_tools, names_tools, wants_green};
pub(super) use topic::is_of_its_own;

use crate::classify::token;
use crate::gaming::name;
use behind::is_left_behind;
pub(super) use behind::tests_are_behind;
pub(super) use changes::only_places;
use changes::{goes_from, moves, says_what_tests_do};

/// What says that nothing else comes out than before.
const SAME: &[&str] = &[
    "output must not change",
    "output should not change",
    "output may not change",
    "output doesn't change",
    "outputs must not change",
    "output must stay",
    "output has to stay",
    "output stays",
    "result must not change",
    "results must not change",
    "result must be the same as",
    "results must be the same as",
    "result has to be the same as",
    "behaviour must not change",
    "behavior must not change",
    "must behave as before",
    "byte for byte the same",
    "same output as",
    "same result as",
    "same results as",
];

/// What says so of code that is to have another shape.
const SHAPE_ONLY: &[&str] = &[
    "pure refactor",
    "purely refactor",
    "refactoring only",
    "no change of behavio",
    "no change in behavio",
    "no behaviour change",
    "no behavior change",
    "no functional change",
    "output unchanged",
    "behaviour unchanged",
    "behavior unchanged",
    "results unchanged",
    "unchanged output",
    "unchanged behavio",
    "without changing behavio",
    "without changing the behavio",
    "without changing the output",
    "without changing what",
    "nothing about what it does",
    "what it does should not change",
    "what it does must not change",
    "should not change what it does",
    "must not change what it does",
];

/// Whether the task says that what comes out is to be what it was.
pub(super) fn says_the_same(task: &str) -> bool {
    let task = task.to_lowercase();
    [SAME, SHAPE_ONLY].concat().iter().any(|words| task.contains(words))
        || sentences(&task).any(|sentence| stays_so(sentence) || default_stays(sentence))
}

/// "Default stays binary", "without it everything is as before": who hands in nothing new gets what there was.
fn default_stays(sentence: &str) -> bool {
    const STAYS: &[&str] =
        &["stays", "stay", "remains", "remain", "unchanged", "same", "before", "now", "today"];
    const WITHOUT: &[&str] = &["without it", "if it is missing", "if it's missing", "left out"];
    const WITHOUT_A: &[&str] = &["argument", "option", "parameter", "flag", "switch", "value"];
    let lower = sentence.to_lowercase();
    let said = words(sentence);
    let is_default = said.windows(2).any(|pair| {
        matches!(pair[0].as_str(), "default" | "defaults")
            && matches!(pair[1].as_str(), "stays" | "stay" | "remains" | "remain")
    });
    let clauses = lower.split([',', ':']).map(str::trim);
    let is_without = clauses.clone().any(|clause| {
        WITHOUT.iter().any(|words| clause.starts_with(words))
            || clause.strip_prefix("without ").is_some_and(|rest| {
                words(rest).iter().take(3).any(|word| WITHOUT_A.contains(&word.as_str()))
            })
    });
    is_default || is_without && said.iter().any(|word| STAYS.contains(&word.as_str()))
}

/// "Everything else stays as it is": what is new is beside what there was, and tests of that stay.
pub(super) fn keeps_the_rest(task: &str) -> bool {
    const REST: &[&str] = &["everything else", "all else", "the rest", "all the rest"];
    const STAYS: &[&str] = &["stays", "stay", "remains", "remain", "unchanged", "same"];
    sentences(task).any(|sentence| {
        let lower = sentence.to_lowercase();
        let is_rest = REST.iter().any(|rest| lower.contains(rest));
        let is_nothing = [
            "change",
            "is to change",
            "should change",
            "must change",
            "may change",
            "shall change",
        ]
        .iter()
        .any(|change| lower.contains(&format!("nothing else {change}")));
        is_nothing || is_rest && words(&lower).iter().any(|word| STAYS.contains(&word.as_str()))
    })
}

/// "The printed sheets must stay as they are", and not "everything else stays".
fn stays_so(sentence: &str) -> bool {
    const MUST: &[&str] = &["must", "should", "has", "have"];
    const SO: &[&str] = &[
        "stay the same",
        "stay as they are",
        "stay as it is",
        "stay unchanged",
        "remain the same",
    ];
    const OTHERS: &[&str] = &["else", "rest", "other", "others", "remaining"];
    sentence.split([',', ';']).any(|clause| {
        let words = words(clause);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let is_so = has(MUST) && SO.iter().any(|so| clause.contains(so));
        (is_so || clause.contains("exactly as they are") || clause.contains("exactly as it is"))
            && !has(OTHERS)
    })
}

/// Words that say that something which is so now is to be otherwise, in any of their forms.
const CHANGES: &[&str] = &[
    "change",
    "update",
    "adapt",
    "adjust",
    "follow",
    "rename",
    "replace",
    "switch",
    "instead",
    "bump",
    "move",
    "split",
    "rework",
    "migrate",
    "convert",
    "extend",
    "include",
    "spec",
    "specification",
    "drop",
    "remove",
    "deprecate",
    "rewrite",
    "reformat",
    "redesign",
    "signature",
    "parameter",
    "argument",
    "now",
    "regenerate",
    "reword",
    "rather",
];
/// Words that say that a test, or what it compares with, is wrong.
const WRONG: &[&str] = &[
    "wrong",
    "incorrect",
    "outdated",
    "stale",
    "obsolete",
    "update",
    "updates",
    "correct",
    "adjust",
    "regenerate",
    "refresh",
    "rewrite",
    "mistaken",
    "contradicts",
    "adapt",
    "change",
    "fix",
];
/// What a test does that is about something else than it should be.
const WANTS: &[&str] = &["expect", "expects", "assume", "assumes", "check", "checks", "old"];
/// Words for what comes out, of which a task has one and a test another.
const SHOWS: &[&str] =
    &["show", "shows", "print", "prints", "render", "renders", "display", "displays", "output"];
/// What is done to a test that wants something else.
const ADAPTS: &[&str] = &[
    "adapt",
    "adjust",
    "update",
    "updated",
    "rewrite",
    "regenerate",
    "regenerated",
    "change",
    "anew",
    "redo",
    "redone",
];
const TESTS: &[&str] = &[
    "test",
    "tests",
    "expectation",
    "expectations",
    "expected",
    "fixture",
    "fixtures",
    "snapshot",
    "snapshots",
    "golden",
    "goldens",
    "assertion",
    "assertions",
    "vector",
    "vectors",
];
/// What a test is that shows what is to be done.
const RED: &[&str] = &["red", "fail", "fails", "failing", "failed", "broken", "pass"];
/// A sentence with one of these says that something stays.
const NO: &[&str] = &["don't", "dont", "not", "never", "without", "unchanged", "keep"];

/// Words of `CHANGES` that may as well say what something new does: "`$key` is replaced by its value".
const DOES: &[&str] =
    &["replace", "include", "extend", "split", "convert", "move", "drop", "remove", "follow"];

/// Whether the task asks that the test `id`, which passed, be another one now.
pub(super) fn for_other_behaviour<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    let about = words_of_name(id);
    let keeps = keeps_the_rest(task);
    let is_change = |word: &str| is_form_of(word, CHANGES) && !(keeps && is_form_of(word, DOES));
    let mut before: Vec<String> = Vec::new();
    sentences(task).find(|sentence| {
        let words = words(sentence);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let shows = |list: &[String]| list.iter().any(|word| SHOWS.contains(&word.as_str()));
        let names = |words: &[String]| {
            let is_named = |word: &String| {
                TESTS.contains(&word.as_str()) || about.iter().any(|name| is_kin(name, word))
            };
            words.iter().any(is_named) || shows(words) && shows(&about)
        };
        let ends = words.windows(2).any(|pair| pair[0] == "no" && pair[1] == "longer");
        let is_default = has(&["default", "defaults"]) && has(&["should", "must"]);
        let is_meant = |(at, word): (usize, &String)| {
            is_change(word) && !changes::is_object(sentence, &words, at)
        };
        let changes = words.iter().enumerate().any(is_meant) || moves(&words);
        let changes = changes || goes_from(&words) || has(&["breaking"]) || ends || is_default;
        // "There is a test for it; that's no longer what we want."
        let is_named = names(&words) || ends && names(&before);
        let changes = changes || says_what_tests_do(&words);
        let found = !forbids(&words) && !is_told(&words) && changes && is_named;
        before = words;
        found
    })
}

/// Whether a sentence says that something stays. "Rounded down, not up" doesn't.
fn forbids(words: &[String]) -> bool {
    const TOUCHES: &[&str] =
        &["touch", "modify", "break", "alter", "edit", "weaken", "skip", "delete", "loosen"];
    words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "not" | "don't" | "dont" => words[at + 1..]
            .iter()
            .take(3)
            .any(|next| is_form_of(next, CHANGES) || is_form_of(next, TOUCHES)),
        word => NO.contains(&word),
    })
}

/// Whether a sentence tells what somebody did, and asks for nothing.
pub(super) fn is_story(sentence: &str) -> bool {
    is_told(&words(sentence))
}

/// Whether a sentence tells what somebody did: "I remove the first one, and the third is gone".
fn is_told(words: &[String]) -> bool {
    const WISHES: &[&str] =
        &["want", "would", "like", "need", "should", "must", "please", "wish", "think", "expect"];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["i"]) && !has(WISHES)
}

/// Whether the task says that the test `id`, which failed, is what is wrong: in one clause, and
/// close together. "Fix the rounding, the test is red" is about the rounding.
pub(super) fn for_another_test<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    let _ = id;
    sentences(task).find(|sentence| {
        sentence.split([',', ':']).any(is_about_a_wrong_test)
            || adapts_a_test(sentence)
            || trusts_the_code(sentence)
            || is_left_behind(sentence)
    })
}

/// "The code is right and the tests are wrong", "bring the tests in line".
pub(super) fn trusts_the_code(sentence: &str) -> bool {
    const RIGHT: &[&str] =
        &["code is right", "code is correct", "tests are wrong", "test is wrong"];
    let lower = sentence.to_lowercase();
    RIGHT.iter().any(|words| lower.contains(words))
}

/// "The test expects no hyphens, so adapt it": one clause says what a test wants, and another that
/// this is to be otherwise.
fn adapts_a_test(sentence: &str) -> bool {
    let clauses: Vec<Vec<String>> = sentence.split([',', ':']).map(words).collect();
    let has = |words: &[String], list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    clauses.windows(2).any(|pair| {
        let wants = has(&pair[0], TESTS) && has(&pair[0], WANTS) && !has(&pair[0], RED);
        wants && has(&pair[1], ADAPTS) && has(&pair[1], &["it", "them"]) && !denies(&pair[1])
    })
}

/// The sentence that says that tests, or what they read, are to follow: "adapt the parser and the fixtures".
pub(super) fn for_adapted_tests(task: &str) -> Option<&str> {
    sentences(task).find(|sentence| {
        let words = words(&plain(sentence));
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        has(TESTS) && has(ADAPTS) && !has(RED) && !denies(&words)
    })
}

/// A clause without the names of tests and files. What a test compares with is called so.
fn plain(clause: &str) -> String {
    const RECORDED: &[&str] =
        &["golden", "goldens", "snapshots", "__snapshots__", "fixtures", "testdata", "expected"];
    let is_name = |word: &str| word.contains(['_', '/']) || word.contains("::");
    let is_recorded = |word: &str| word.split('/').any(|part| RECORDED.contains(&part));
    let words = clause.split_whitespace().filter_map(|word| match word {
        word if word.contains('/') && is_recorded(word) => Some("golden"),
        word => (!is_name(word)).then_some(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_about_a_wrong_test(clause: &str) -> bool {
    const NEAR: usize = 5;
    const MUST: &[&str] = &["have", "has", "must", "should", "need", "needs"];
    // The name of a test is what has to pass, and not what is wrong.
    let words = words(&plain(clause));
    let is_red = words.iter().any(|word| RED.contains(&word.as_str()));
    let at = |list: &[&str]| {
        let found = words.iter().enumerate().filter(|(_, word)| list.contains(&word.as_str()));
        found.map(|(at, word)| (at, word.as_str())).collect::<Vec<_>>()
    };
    // "Cooling is wrong (see the red test)": such a test shows what is wrong, unless it is said to be.
    let shows = |test: usize| {
        let is =
            |at: usize, list: &[&str]| words.get(at).is_some_and(|w| list.contains(&w.as_str()));
        test > 0 && is(test - 1, RED) && !is(test + 1, &["is", "are", "was", "were", "expects"])
    };
    let tests: Vec<_> = at(TESTS).into_iter().filter(|(test, _)| !shows(*test)).collect();
    let near = |(wrong, word): &(usize, &str)| {
        let fixes = matches!(*word, "fix" | "change");
        // "The expectations have to change."
        let is_due = |test: usize| {
            let between = words.get(test + 1..*wrong).unwrap_or_default();
            *word == "change" && between.iter().any(|word| MUST.contains(&word.as_str()))
        };
        tests.iter().any(|(test, _)| {
            wrong.abs_diff(*test) <= NEAR && !(fixes && (is_red || test < wrong && !is_due(*test)))
        })
    };
    !denies(&words) && at(WRONG).iter().any(near)
}

/// Whether the task has a word of the test's own name.
pub(super) fn names_test(task: &str, id: &str) -> bool {
    let about = words_of_name(id);
    words(task).iter().any(|word| about.iter().any(|name| is_kin(name, word)))
}

/// Whether something that fails is to be mended.
pub(super) fn to_mend(task: &str) -> bool {
    const MENDS: [&str; 10] =
        ["fix", "fixes", "red", "fails", "failing", "green", "pass", "passes", "broken", "bug"];
    words(task).iter().any(|word| MENDS.contains(&word.as_str()))
}

/// Whether a sentence says what has to be so, and speaks of no tests and of nothing that they read.
pub(super) fn demands_behaviour(task: &str) -> bool {
    const MUST: &[&str] = &["must", "should", "shall", "has", "have", "needs"];
    const DATA: &[&str] = &["data", "testdata", "row", "rows", "line", "lines", "file", "files"];
    sentences(task).any(|sentence| {
        let words = words(&plain(sentence));
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        has(&MUST[..3]) && !has(TESTS) && !has(DATA)
            || has(&MUST[3..]) && words.iter().any(|word| word == "to") && !has(TESTS) && !has(DATA)
    })
}

/// Whether the task asks for more than that something works as it should: then tests may follow it.
pub fn asks_for_change(task: &str) -> bool {
    // A function that is called `update()` asks for nothing.
    let is_word = |word: &&str| !word.contains("()");
    let is_change = |sentence: &str| {
        let plain: Vec<&str> = sentence.split_whitespace().filter(is_word).collect();
        let words = words(&plain.join(" "));
        words.iter().any(|word| is_form_of(word, CHANGES)) && !forbids(&words) && !is_told(&words)
    };
    !to_mend(task) || sentences(task).any(is_change)
}

/// Whether the task asks for tests beside other work: "fix it and add a test".
pub(super) fn for_more_tests(task: &str) -> Option<&str> {
    const GIVES: &[&str] = &["add", "adds", "write", "with", "cover", "include"];
    const CASES: &[&str] = &["test", "tests", "case", "cases"];
    sentences(task).find(|sentence| {
        sentence.split([',', ':']).any(|clause| {
            let words = words(&plain(clause));
            let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
            !denies(&words) && has(CASES) && (has(GIVES) || is_shown_by(&words, CASES))
        })
    })
}

/// "Show it by a test", and not "the bug that the tests show".
fn is_shown_by(words: &[String], tests: &[&str]) -> bool {
    let at = |list: &[&str]| words.iter().position(|word| list.contains(&word.as_str()));
    at(&["show"]).zip(at(tests)).is_some_and(|(show, test)| show < test)
}

/// What takes something away.
const REMOVES: &[&str] = &["remove", "delete", "drop", "rid"];

pub(super) fn sentences(task: &str) -> impl Iterator<Item = &str> {
    task.split(['\n', ';', '!', '?']).flat_map(|line| line.split(". ")).map(str::trim)
}

/// "No longer" changes something; every other no keeps it.
fn denies(words: &[String]) -> bool {
    words.iter().any(|word| NO.contains(&word.as_str()))
}

pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    let ends = |letter: char| !(letter.is_alphanumeric() || letter == '\'');
    text.split(ends).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Words of names that say nothing.
const PLAIN: &[&str] =
    &["test", "tests", "src", "lib", "the", "and", "for", "returns", "should", "spec"];

/// The words of a test's name that say something.
fn words_of_name(id: &str) -> Vec<String> {
    let mut all = name::words(id);
    all.retain(|word| word.len() > 2 && !PLAIN.contains(&word.as_str()));
    all
}

/// Whether a word is one of these, in any of its forms.
pub(super) fn is_form_of(word: &str, list: &[&str]) -> bool {
    let stem = |word: &str| token::stem(word).0;
    list.contains(&word) || list.iter().any(|one| stem(one) == stem(word))
}

/// Whether one is the other but for its ending.
fn is_kin(name: &str, word: &str) -> bool {
    let least = name.len().min(word.len());
    let stem = if least > 5 { least - 2 } else { least };
    name == word
        || token::stem(name).0 == token::stem(word).0
        || least > 3 && name.get(..stem).is_some_and(|stem| word.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.2: words explain a changed test only if they name the change.
    #[test]
    fn what_explains_another_test() {
        let check = |task: &str, id: &str, explains: bool| {
            assert_eq!(for_other_behaviour(task, id).is_some(), explains, "{task} / {id}");
        };
        check("Fix add: it must return the sum", "tests.test_calc > test_add", false);
        check("Change the default greeting to Hello", "tests.test_a > test_default_greeting", true);
        check("Change the default greeting to Hello", "tests.test_a > test_total", false);
        check("Spec change: the tip is rounded down now, not up.", "t > test_tip", true);
        check("Rework tip, but do not change the tests", "t > test_tip", false);
        check("Rename the marks. Tests have to be adapted.", "t > gets its table", true);
        check("I add three notes, remove the first, and one is lost", "t > test_remove", false);
        check("By default the table should have two levels", "t > gets its table", true);
        check(
            "Take a comma, too. (A test says that it is refused; that's no longer so.)",
            "t > test_rubbish",
            true,
        );
        check("parse() should return None instead of raising", "t > test_parse_empty", true);
        check("Rename total to sum_up and update the tests", "t > test_x", true);
        check("Don't change the parser", "t > test_parser", false);
        check("Simplify split in shop/bill.py", "tests.test_bill > test_tip", false);
        check("Refactor: change the tip to ten", "tests.test_bill > test_tip", true);
        check("Rounding is now half to even", "pkg TestRounding", true);
        check("Names longer than ten letters break the report: cut them", "the_report", false);
        check("The report no longer has a head", "the_report", true);
        check("Bills must show the tax, the total includes it", "pkg TestRender", true);
        check("Bills must show the tax", "pkg TestRender", false);
        check("Bills must show the tax, the total includes it", "pkg TestParse", false);
    }

    /// D1.2: a mend leaves the tests that passed as they are, unless more is asked for.
    #[test]
    fn what_asks_for_more_than_a_mend() {
        assert!(!asks_for_change("It stops as soon as a request has no address. Please fix."));
        assert!(asks_for_change("Fix the total, and show the tax instead of the net price."));
        assert!(asks_for_change("A job without handler is kept with its error."));
        assert!(!asks_for_change("Fix the total. Don't change the tests."));
        assert!(!asks_for_change("Fix update()."));
    }

    /// D1.2: what must stay is told from what else stays.
    #[test]
    fn what_must_stay_the_same() {
        assert!(says_the_same("Rewrite it; the printed sheets must stay as they are."));
        assert!(says_the_same("Use decimal units with an option. Default stays binary!"));
        assert!(!says_the_same("The default is decimal from now on, and units stay."));
        assert!(says_the_same("It needs a fourth argument. Without it everything stays as it is."));
        assert!(says_the_same(
            "Add --utc; without the option nothing changes, times are as before."
        ));
        assert!(!says_the_same("Without it the total is wrong."));
        assert!(!says_the_same("Print the sheet without weights, the heads stay."));
        assert!(says_the_same("Return floats. The numbers must stay the same."));
        assert!(says_the_same("Print the date. Quotes without one stay exactly as they are."));
        assert!(!says_the_same("Round pieces up. Everything else must stay as it is."));
        assert!(!says_the_same("Round pieces up. Weights and volumes stay as they are."));
    }

    /// D1.2: a red test follows where the task says that tests do.
    #[test]
    fn what_adapts_tests() {
        let check = |task: &str, is: bool| {
            assert_eq!(for_adapted_tests(task).is_some(), is, "{task}");
        };
        check("Central costs 3.00 from January, please adapt plan, tests and the example.", true);
        check("The price has to follow the weight. The red tests describe it.", false);
        check("Update the price so that the failing tests pass.", false);
    }

    /// G62: a test that is asked for is told from one that shows what is wrong.
    #[test]
    fn what_asks_for_more_tests() {
        let check = |task: &str, asks: bool| {
            assert_eq!(for_more_tests(task).is_some(), asks, "{task}");
        };
        check("Mend the loss that the failing tests show.", false);
        check("Two tests show it. Please mend it.", false);
        check("Mend the loss and show that in a test.", true);
        check("Mend the loss, add a test.", true);
        check("Mend the loss. Don't add tests.", false);
    }

    #[test]
    fn what_says_that_a_test_is_wrong() {
        let check = |task: &str, explains: bool| {
            assert_eq!(for_another_test(task, "x").is_some(), explains, "{task}");
        };
        check("Fix add: it must return the sum", false);
        check("Make the failing tests pass", false);
        check("test_total expects the wrong number: correct the expectation", true);
        check("Update the snapshots after the new layout", true);
        check("Fix the parser. Don't change the tests", false);
        check("Fix doubled quotes in parseLine, the test for them is red.", false);
        check("Fix the failing test", false);
        check("Fix test_runs_become_one_hyphen by making slugify collapse separators.", false);
        check("Fix the wrong expectation in test_total", true);
        check("Cut at the word. The test expects a hyphen, so adapt it.", true);
        check("The test for quotes fails, adapt it to pass.", false);
        check("Please change problems() and its tests: twelve letters are enough.", true);
        check("Change add so that the failing tests pass.", false);
        check("Don't change the tests.", false);
        check("Mend it. The existing expectations have to change accordingly.", true);
        check("A lock is 12 now. Adapt the numbers in the tests to that (110 becomes 104).", true);
        check("test_places fails, but the code is right: no place is left out now.", true);
        check("Please bring the tests in line.", true);
        check("Begin with the size. Update test/golden/satin.txt for the new line.", true);
        check("Fix the report so that it is like test/golden/satin.txt again.", false);
    }
}
