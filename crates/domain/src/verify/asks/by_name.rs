//! Tests that a task calls by their names: "TestNoYearIsLast has to be turned round", "test_commas can go".

use super::{CHANGES, RED, REMOVES, WRONG, is_form_of, is_kin, sentences, words, words_of_name};
use crate::gaming::name;
use crate::verify::tests_run::bare;

/// What is said of a test that is to be another, or none.
const TURNS: &[&str] = &[
    "go",
    "goes",
    "gone",
    "opposite",
    "contrary",
    "around",
    "round",
    "turn",
    "invert",
    "reverse",
    "flip",
    "contradict",
    "disagree",
    "unneeded",
    "needless",
];

/// A sentence with one of these says that it stays.
const STAYS: &[&str] = &["don't", "dont", "never", "unchanged", "keep", "keeps", "stay", "stays"];

/// The sentence in which the task names the test `id` itself and says that it is to be another, or to go.
/// One that says that it fails names it for what has to be mended.
pub(in crate::verify) fn by_name<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    let bare = id.rsplit([' ', ':', '.']).next().unwrap_or(id);
    // A single word is said of many things.
    if name::words(bare).len() < 2 {
        return None;
    }
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let names = |sentence: &str| sentence.split(|l: char| !is_part(l)).any(|word| word == bare);
    sentences(task).find(|sentence| names(sentence) && says_so(&sentence.replace(bare, " ")))
}

/// The sentence of the task that has every word of the test's name, and at least two: "in the summary of March
/// it is missing" speaks of `TestSummaryOfMarch`, and of what that compares with.
pub(in crate::verify) fn speaks_of<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    let about = words_of_name(bare(id));
    sentences(task).find(|sentence| {
        let said = words(sentence);
        let is_said = |name: &String| said.iter().any(|word| is_kin(name, word));
        about.len() > 1 && about.iter().all(is_said)
    })
}

/// The sentence in which the task asks that the test `id` be skipped, by its name: "skip test_heading until …".
pub(in crate::verify) fn skips<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    const SKIPS: &[&str] = &["skip", "ignore", "disable", "quarantine"];
    const NEAR: usize = 4;
    let bare = bare(id);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '\'';
    let split = |sentence: &'t str| -> Vec<&'t str> {
        sentence.split(|l: char| !is_part(l)).filter(|w| !w.is_empty()).collect()
    };
    let mut before: Vec<&str> = Vec::new();
    sentences(task).find(|sentence| {
        let words = split(sentence);
        // "big_blanket takes minutes. Until #58 is solved mark it as ignored."
        let is_named = name::words(bare).len() > 1 && before.contains(&bare);
        if is_named && puts_it_aside(&words) {
            return true;
        }
        before.clone_from(&words);
        let at = words.iter().position(|word| *word == bare).unwrap_or_default();
        let before = &words[at.saturating_sub(NEAR)..at];
        let is_no = |word: &&str| matches!(word.to_lowercase().as_str(), "don't" | "not" | "never");
        name::words(bare).len() > 1
            && before.iter().any(|word| SKIPS.contains(&word.to_lowercase().as_str()))
            && !words[..at].iter().any(is_no)
    })
}

/// "Mark it as ignored", "skip it until …": what was named before.
fn puts_it_aside(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is = |at: usize, list: &[&str]| lower.get(at).is_some_and(|w| list.contains(&w.as_str()));
    (0..lower.len()).any(|at| {
        let is_no = (1..=2).any(|back| at >= back && is(at - back, &["don't", "not", "never"]));
        let aside = is(at, &["skip", "ignore", "disable", "quarantine"]) && is(at + 1, &["it"]);
        let marks = is(at, &["mark"])
            && is(at + 1, &["it"])
            && (2..=4).any(|next| is(at + next, &["ignored", "ignore", "skipped", "skip", "slow"]));
        (aside || marks) && !is_no
    })
}

/// Whether the task asks for the new test `id` by its name and says when it is skipped: "Add TestLive. Skip it
/// when there is no server".
pub(in crate::verify) fn for_a_skip(task: &str, id: &str) -> bool {
    let bare = id.rsplit([' ', ':', '.']).next().unwrap_or(id);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_named = task.split(|letter: char| !is_part(letter)).any(|word| word == bare);
    let skips = sentences(task).any(|sentence| {
        let words = words(sentence);
        let skips = words.iter().any(|word| is_form_of(word, &["skip", "ignore"]));
        skips && words.iter().any(|word| matches!(word.as_str(), "it" | "when" | "if" | "unless"))
    });
    is_named && name::words(bare).len() > 1 && skips
}

/// Whether two tests speak of the same thing by at least two words of their names, and do it otherwise.
pub(in crate::verify) fn is_of_the_same(old: &str, new: &str) -> bool {
    let (was, is) = (words_of_name(bare(old)), words_of_name(bare(new)));
    let shared = was.iter().filter(|word| is.iter().any(|other| is_kin(word, other))).count();
    shared > 1 && shared < was.len()
}

/// The sentence that says that what the name of the test `id` begins with is so now: "it should throw with the
/// text that it warns with now" of `warns about unknown keys`, where the task names the rest as well.
pub(in crate::verify) fn is_so_now<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    const NOW: &[&str] = &["now", "today", "currently", "instead", "rather", "longer", "anymore"];
    let about = words_of_name(bare(id));
    let (verb, rest) = about.split_first()?;
    let all = words(task);
    let is_said = |name: &String| all.iter().any(|word| is_kin(name, word));
    if rest.is_empty() || rest.iter().filter(|name| is_said(name)).count() < rest.len().min(2) {
        return None;
    }
    sentences(task).find(|sentence| {
        let words = words(sentence);
        let at = words.iter().position(|word| is_kin(verb, word));
        let near = |at: usize| {
            words
                .iter()
                .enumerate()
                .any(|(other, word)| NOW.contains(&word.as_str()) && other.abs_diff(at) < 5)
        };
        at.is_some_and(near) && !words.iter().any(|word| STAYS.contains(&word.as_str()))
    })
}

fn says_so(sentence: &str) -> bool {
    let words = words(sentence);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let is_other = words
        .iter()
        .any(|word| [TURNS, REMOVES, CHANGES, WRONG].iter().any(|l| is_form_of(word, l)));
    // "It expects a breach, that is no longer right."
    let is_over = words.windows(3).any(|three| {
        three[0] == "no"
            && three[1] == "longer"
            && matches!(three[2].as_str(), "right" | "true" | "so" | "correct" | "valid" | "wanted")
    });
    (is_other || is_over) && !has(RED) && !has(&["green"]) && !has(STAYS)
}

#[cfg(test)]
mod tests {
    use super::{by_name, for_a_skip, skips, speaks_of};

    /// D1.2: a task that has all words of a test's name speaks of what that test compares with.
    #[test]
    fn a_test_that_a_task_speaks_of() {
        let march = "example.org/home TestSummaryOfMarch";
        let check =
            |task: &str, is: bool| assert_eq!(speaks_of(task, march).is_some(), is, "{task}");
        check("In the summary of March \"Rewe\" ends up under other.", true);
        check("The summary is hard to read. March is over.", false);
        check("Fix the summary.", false);
    }

    /// G02: who says that a test is to be skipped, by its name, has asked for that.
    #[test]
    fn a_test_that_is_to_be_skipped() {
        let check = |task: &str, is: bool| {
            assert_eq!(skips(task, "tests.test_report > test_heading").is_some(), is, "{task}");
        };
        check("Fix it, and skip test_heading until https://example.org/issues/118 is done.", true);
        check("Please quarantine the test test_heading.", true);
        check(
            "test_heading needs a screen. Until #12 is done mark it as ignored, with a link.",
            true,
        );
        check("test_heading needs a screen. Skip it on CI.", true);
        check("test_heading needs a screen. Don't skip it.", false);
        check("test_heading must not be skipped.", false);
        check("Don't skip test_heading.", false);
        check("Skip empty lines. test_heading shows them.", false);
    }

    /// G02: who asks for a test and says when it is skipped has asked for the skip.
    #[test]
    fn a_new_test_that_is_skipped_as_asked() {
        let live = "example.org/shop TestLive";
        let check = |task: &str, asked: bool| assert_eq!(for_a_skip(task, live), asked, "{task}");
        check("Add TestLive against the real server. Skip it when there is none.", true);
        check("Add TestLive, skipped unless URL is set.", true);
        check("Add TestLive against the real server.", false);
        check("Add a test. Skip it when there is no server.", false);
    }

    /// D1.2: who names a test and says that it goes has said which; one that fails is to be mended.
    #[test]
    fn a_test_that_is_called_by_its_name() {
        let check = |task: &str, id: &str, asked: bool| {
            assert_eq!(by_name(task, id).is_some(), asked, "{task} / {id}");
        };
        let port = "port (tests/port.rs) damage_is_reported";
        check(
            "Pass it over. The test damage_is_reported says the opposite and has to go.",
            port,
            true,
        );
        check("Pass damage over, and report wrong fields.", port, false);
        check("damage_is_reported fails, it has to go away", port, false);
        check("Keep damage_is_reported as it is, change the others", port, false);
        let year = "example.org/shelf TestNoYearIsLast";
        check(
            "Books without a year stand first now, so turn that rule and TestNoYearIsLast around.",
            year,
            true,
        );
        check("Fix the order. TestNoYearIsLast is red.", year, false);
        check("TestNoYearIsLast has just that and is no longer right.", year, true);
        let commas = "tests.test_notation > test_commas_are_not_known";
        check("Please support commas (test_commas_are_not_known can go then).", commas, true);
        check("Remove the total.", "t > total", false);
    }
}
