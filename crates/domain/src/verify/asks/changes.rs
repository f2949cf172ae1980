//! Words of a sentence that say that something is to be otherwise, without one word that means it.

use super::{CHANGES, RED, TESTS, is_form_of, words};

/// "Raise the limit", and neither "raise a `ValueError`" nor "lower-case letters".
pub(super) fn moves(words: &[String]) -> bool {
    words.windows(2).any(|pair| {
        matches!(pair[0].as_str(), "raise" | "lower") && matches!(pair[1].as_str(), "the" | "it")
    })
}

/// "Move the formatting of a line into a function of its own": code is to stand elsewhere, and nothing else is to
/// come out.
pub(in crate::verify) fn only_places(sentence: &str) -> bool {
    const PLACES: &[&str] = &["move", "split", "extract", "rewrite", "parameter", "argument"];
    const CODE: &[&str] = &[
        "function",
        "functions",
        "helper",
        "helpers",
        "module",
        "modules",
        "class",
        "classes",
        "method",
        "methods",
        "package",
        "file",
        "files",
        "struct",
        "own",
        "step",
        "steps",
    ];
    let words = words(sentence);
    let mut changes = words.iter().filter(|word| is_form_of(word, CHANGES)).peekable();
    let moves = changes.peek().is_some() && changes.all(|word| is_form_of(word, PLACES));
    let is_code = words.iter().enumerate().any(|(at, word)| {
        matches!(word.as_str(), "into" | "to" | "as")
            && words[at + 1..].iter().take(5).any(|word| CODE.contains(&word.as_str()))
    });
    moves && is_code
}

/// "The limit goes from five to ten minutes": what is so now, and what is to be.
pub(super) fn goes_from(words: &[String]) -> bool {
    const GOES: &[&str] = &["go", "goes", "rise", "rises", "grow", "grows", "fall", "falls"];
    // "It goes from 3 to 4 when I press it" tells what is wrong.
    const TELLS: &[&str] =
        &["when", "after", "if", "but", "although", "wrong", "wrongly", "fix", "suddenly", "bug"];
    let tells = words.iter().any(|word| TELLS.contains(&word.as_str()));
    let goes = words.windows(2).enumerate().any(|(at, pair)| {
        let rest = words.get(at + 2..).unwrap_or_default();
        GOES.contains(&pair[0].as_str())
            && pair[1] == "from"
            && rest.iter().take(6).any(|word| word == "to")
    });
    goes && !tells
}

/// "Let the tests hand in the clock", "the test of the limit has to say ten": what tests are to do that
/// they don't do now. That they have to pass is said of every test.
pub(super) fn says_what_tests_do(words: &[String]) -> bool {
    const DO: &[&str] = &["say", "hand", "use", "expect", "inject", "supply", "provide", "follow"];
    const STAYS: &[&str] = &["green", "same", "again", "still", "unchanged"];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(STAYS) || has(RED) {
        return false;
    }
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|w| list.contains(&w.as_str()));
    words.iter().enumerate().any(|(at, word)| {
        let is_of_tests = TESTS.contains(&word.as_str());
        let is_let = (1..=3).any(|back| at >= back && is(at - back, &["let", "have"]));
        let is_due = |at: usize| {
            is(at, &["should", "must"]) && is(at + 1, DO)
                || is(at, &["has", "have", "need", "needs"])
                    && is(at + 1, &["to"])
                    && is(at + 2, DO)
        };
        // "The test of the limit": what a test is about stands between.
        let most = if is(at + 1, &["of", "for", "in"]) { 5 } else { 1 };
        is_of_tests && (is_let && is(at + 1, DO) || (1..=most).any(|further| is_due(at + further)))
    })
}

/// Whether a word is what a verb of upkeep is about: "Simplify split" names a function, and asks for no split.
pub(super) fn is_object(sentence: &str, words: &[String], at: usize) -> bool {
    const KEEPS: &[&str] =
        &["simplify", "refactor", "tidy", "restructure", "optimise", "optimize", "document"];
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let is_upkeep = |verb: &&String| KEEPS.contains(&verb.as_str());
    before
        .filter(is_upkeep)
        .is_some_and(|verb| sentence.to_lowercase().contains(&format!("{verb} {}", words[at])))
}

#[cfg(test)]
mod tests {
    use super::super::for_other_behaviour;
    use super::only_places;

    /// D1.2: code that is to stand elsewhere is no other behaviour.
    #[test]
    fn what_only_moves_code() {
        let check = |sentence: &str, is: bool| assert_eq!(only_places(sentence), is, "{sentence}");
        check("Tidy up sheet(): move the formatting of a line into a function of its own", true);
        check("Split render into three helpers", true);
        check("Split render into steps, one for each part", true);
        check("Move the total to the end of the sheet", false);
        check("Move the head into a file of its own and show the date instead of the week", false);
    }

    /// D1.2: what is to go from here to there, and what tests are to do, explain changed tests; what goes
    /// wrong does not.
    #[test]
    fn changes_that_are_told_in_other_words() {
        let check = |task: &str, id: &str, explains: bool| {
            assert_eq!(for_other_behaviour(task, id).is_some(), explains, "{task} / {id}");
        };
        check("The limit of names goes from 20 to 40 letters", "long_names_are_cut", true);
        check("The limit of names goes from 20 to 40 letters", "empty_lines", false);
        check("The count of names goes from 2 to 4 when I add one", "names_are_counted", false);
        check("After a second call the total goes from 5 to 7, fix that", "the_total", false);
        check("A train goes from Bonn to Kiel: names are lost", "pkg TestStops", false);
        check("Read the clock. Let the tests hand in the time.", "t > test_report", true);
        check("The test of the limit has to say forty then.", "t > cuts", true);
        check("Cut the names. The tests have to pass.", "t > cuts", false);
        check("Cut the names. The tests should use the same values.", "t > cuts", false);
        check("Cut the names. All tests must stay green.", "t > cuts", false);
        check("The tests show that names should use commas.", "t > cuts", false);
    }
}
