//! Tests of which a task says that they are behind: "the tests still have the old rule", "bring tests and
//! README in line". Such a test is no proof any more, red or green.

use super::{TESTS, denies, sentences, words};

/// The sentence that says that tests are to follow a rule that is another one now.
pub(in crate::verify) fn tests_are_behind(task: &str) -> Option<&str> {
    sentences(task).find(|sentence| is_left_behind(sentence))
}

pub(super) fn is_left_behind(sentence: &str) -> bool {
    let words = words(sentence);
    let Some(test) = words.iter().position(|word| TESTS.contains(&word.as_str())) else {
        return false;
    };
    if denies(&words) {
        return false;
    }
    let lower = sentence.to_lowercase();
    lower.contains("in line")
        || has_the_old(&words[test..])
        || is_to_follow(&words[test..])
        || is_to_expect(&words)
        || is_accordingly(&words)
}

/// "Change the tests and the README accordingly".
fn is_accordingly(words: &[String]) -> bool {
    let changes = ["change", "adapt", "adjust", "update", "rewrite"];
    words.first().is_some_and(|first| first == "please" || changes.contains(&first.as_str()))
        && words.iter().any(|word| changes.contains(&word.as_str()))
        && words.iter().any(|word| word == "accordingly")
}

/// "Change the two red tests to expect that".
fn is_to_expect(words: &[String]) -> bool {
    const CHANGES: &[&str] = &["change", "adapt", "adjust", "update", "rewrite", "turn"];
    const EXPECTS: &[&str] = &["expect", "check", "assert", "want", "say", "demand"];
    const NEAR: usize = 5;
    let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
    words.iter().enumerate().filter(|(_, word)| is(word, CHANGES)).any(|(at, _)| {
        let behind = words.get(at + 1..).unwrap_or_default();
        let test = behind.iter().take(NEAR).position(|word| is(word, TESTS));
        let after = test.and_then(|test| behind.get(test + 1..)).unwrap_or_default();
        after.windows(2).take(NEAR).any(|pair| pair[0] == "to" && is(&pair[1], EXPECTS))
    })
}

/// "The tests and the README still describe the old rule", and not "the tests still fail".
fn has_the_old(words: &[String]) -> bool {
    const HAVE: &[&str] = &[
        "have",
        "has",
        "describe",
        "describes",
        "expect",
        "expects",
        "assume",
        "assumes",
        "say",
        "says",
        "show",
        "use",
        "uses",
        "contain",
        "contains",
        "reflect",
        "reflects",
        "encode",
        "want",
        "assert",
    ];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["still"]) && has(HAVE) && has(&["old", "former", "previous", "outdated"])
}

/// "The tests should say so too", "the tests need to reflect that", and not "the tests should pass".
fn is_to_follow(words: &[String]) -> bool {
    const FOLLOWS: &[&str] = &["follow", "reflect", "agree"];
    let at = |index: usize| words.get(index).map(String::as_str).unwrap_or_default();
    words.iter().enumerate().any(|(index, word)| {
        let verb = match word.as_str() {
            "should" | "must" => index + 1,
            "need" | "needs" | "have" | "has" if at(index + 1) == "to" => index + 2,
            _ => return false,
        };
        FOLLOWS.contains(&at(verb)) || at(verb) == "say" && at(verb + 1) == "so"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.2: who says that tests have an old rule has said that they are no proof; who says that they fail
    /// has said the opposite.
    #[test]
    fn tests_that_are_behind() {
        let check =
            |task: &str, is: bool| assert_eq!(tests_are_behind(task).is_some(), is, "{task}");
        check("Add the minimum and bring tests and README in line.", true);
        check("Please bring the tests in line.", true);
        check("The two red tests and the README still have the old rule.", true);
        check("The tests still describe the former rounding.", true);
        check("Refuse it, and the README and the tests should say so too.", true);
        check("A week has five days now; the tests need to reflect that.", true);
        check(
            "Refuse it; change the two red tests to expect that and tell it in the README.",
            true,
        );
        check("It must be an error. Change the tests and the README accordingly.", true);
        check("Change add so that the tests pass as we expect.", false);
        check("The tests still fail.", false);
        check("The tests still have to pass.", false);
        check("The tests should say what is wrong.", false);
        check("The tests must agree with nobody but must not follow the code.", false);
        check("Don't bring the tests in line with the code.", false);
        check("Bring the code in line with the law.", false);
        check("The old tests should pass.", false);
    }
}
