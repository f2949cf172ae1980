//! Examples that are worked out: "e.g. 1000 between three is 334, 333, 333".

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::known::is_number;
use crate::detect::{Change, File};
use crate::role::Role;

const MOST: usize = 8;

/// Numbers that an example of the task says, where new tests know none of them.
pub(super) fn check(
    task: &str,
    changes: &[Change<'_>],
    (tests, work): (&[File<'_>], &Work),
) -> Vec<Finding> {
    let wanted = examples(task);
    let has_new = changes.iter().any(|one| one.role == Role::Test && !one.lines().added.is_empty());
    if wanted.is_empty() || !has_new {
        return Vec::new();
    }
    let plain = |text: &str| text.replace(['_', ','], "");
    let mut files = changes
        .iter()
        .map(|one| plain(one.current()))
        .chain(tests.iter().map(|file| plain(&String::from_utf8_lossy(file.bytes))));
    // Who works out another example has numbers of some size in the test, too.
    let is_other = |line: &String| numbers(line).iter().any(|number| number.len() > 1);
    if work.tried.iter().any(is_other)
        || files.any(|file| wanted.iter().any(|number| crate::args::has_word(&file, number)))
    {
        return Vec::new();
    }
    let message = format!(
        "The task says what comes out ({}), and neither the code nor a test has it.",
        wanted.join(", ")
    );
    vec![Finding::new(Rule::G63, Basis::Text, message)]
}

/// Numbers of at least three digits behind "e.g. … is".
fn examples(task: &str) -> Vec<String> {
    let mut found = Vec::new();
    for mark in ["e.g.", "for example", "For example", "E.g."] {
        let Some((_, example)) = task.split_once(mark) else { continue };
        let example = example.split(['\n', ';']).next().unwrap_or("");
        let example = example.split(". ").next().unwrap_or("");
        let comes = [" is ", " gives ", " becomes ", " returns ", " => ", " -> ", " = ", " == "];
        let Some(at) = comes.iter().filter_map(|word| example.find(word)).min() else { continue };
        let numbers = numbers(&example[at..]).into_iter().filter(|number| number.len() > 2);
        found.extend(numbers.map(str::to_owned).take(MOST));
    }
    found
}

/// The whole numbers of a text that are no part of a word or of another number.
fn numbers(text: &str) -> Vec<&str> {
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '-');
    let words = text.split(|letter| !is_part(letter)).map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| is_number(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what an example says comes out.
    #[test]
    fn numbers_of_examples() {
        let check = |task: &str, expected: &[&str]| assert_eq!(examples(task), expected, "{task}");
        check(
            "Shares sum up, e.g. 1000 between three is 334, 333, 333. Add it.",
            &["334", "333", "333"],
        );
        check("e.g. it's 1000, that's what's between three: each is 334, isn't it", &["334"]);
        check("It fails for 1000, e.g. in the report.", &[]);
        check("add(100, 200) is 300", &[]);
    }
}
