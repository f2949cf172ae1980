//! What a test that is asked for is about.

use super::{denies, is_kin, plain, sentences, words, words_of_name};

/// Words that say nothing about what a test is about.
const EMPTY: &[&str] = &[
    "test",
    "tests",
    "case",
    "cases",
    "that",
    "this",
    "the",
    "and",
    "for",
    "with",
    "add",
    "adds",
    "write",
    "cover",
    "include",
    "show",
    "please",
    "really",
    "also",
    "which",
    "when",
    "its",
    "them",
    "are",
    "too",
    "new",
    "one",
    "some",
    "should",
    "there",
    "where",
    "from",
    "into",
    "fix",
    "fixes",
    "does",
    "has",
    "have",
    "can",
    "not",
    "bug",
    "see",
    "regression",
    "unit",
];

/// Whether the sentence `clause` asks for a test of something that nothing else in the task, and no test
/// that was mended (`fixed`), is about. "Fix it and add a test" asks for a test of what is mended.
pub(in crate::verify) fn is_of_its_own(task: &str, clause: &str, fixed: &[&str]) -> bool {
    let content = |text: &str| -> Vec<String> {
        let mut all = words(text);
        all.retain(|word| word.len() > 2 && !EMPTY.contains(&word.as_str()));
        all
    };
    let lower = clause.to_lowercase();
    // What stands before the test in its own sentence is work of its own.
    let Some(at) = [" test ", " tests "].iter().filter_map(|word| lower.find(word)).min() else {
        return false;
    };
    let (Some(before), Some(topic)) = (clause.get(..at), clause.get(at..)) else { return false };
    let topic = content(&plain(topic));
    let others =
        sentences(task).filter(|sentence| *sentence != clause && !goes_on(sentence, &topic));
    let mut told: Vec<String> = others.chain([before]).flat_map(content).collect();
    told.extend(fixed.iter().flat_map(|id| words_of_name(id)));
    let is_shared = |word: &String| told.iter().any(|other| is_kin(word, other));
    topic.len() >= 2 && !topic.iter().any(is_shared)
}

/// Whether a sentence says more of the same test: how it is run, or where it is left out.
fn goes_on(sentence: &str, topic: &[String]) -> bool {
    let words = words(sentence);
    let skips = ["skip", "skipped", "skips", "slow", "platform", "windows", "linux", "macos"];
    words.iter().any(|word| skips.contains(&word.as_str()) || topic.contains(word))
        && !denies(&words)
        && !words.iter().any(|word| ["fix", "bug", "wrong"].contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G62: a test of something else may pass without the work; one of the work may not.
    #[test]
    fn a_test_of_something_else() {
        let fixed = ["gives up after the given number of attempts"];
        let check = |task: &str, clause: &str, own: bool| {
            assert!(task.contains(clause));
            assert_eq!(is_of_its_own(task, clause, &fixed), own, "{task}");
        };
        let other = "And add a test that the default sleep really waits (~20ms)";
        let task =
            format!("fix the off-by-one in retry(). {other}; timers are coarse, so skip it there.");
        check(&task, other, true);
        check("Fix the off-by-one and add a test", "Fix the off-by-one and add a test", false);
        check("Fix retry(). Add a test for it.", "Add a test for it", false);
        check(
            "Fix it. Add a test that four attempts are made",
            "Add a test that four attempts are made",
            false,
        );
        check("Fix the sleep. Add a test that sleep waits", "Add a test that sleep waits", false);
    }
}
