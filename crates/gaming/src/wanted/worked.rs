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
    if let Some(finding) = untold(task, changes, (tests, work)) {
        return vec![finding];
    }
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

/// Who tries what an example hands in, and nowhere has what the task says comes out of it.
fn untold(
    task: &str,
    changes: &[Change<'_>],
    (tests, work): (&[File<'_>], &Work),
) -> Option<Finding> {
    let digits = |text: &str| text.replace(['_', ',', '.'], "");
    let pair = pairs(task).into_iter().find(|(input, output)| {
        let given = |line: &String| {
            let line = digits(line);
            input.iter().any(|number| crate::args::has_word(&line, &digits(number)))
        };
        if !work.tried.iter().any(given) {
            return false;
        }
        let mut files = changes
            .iter()
            .map(|one| digits(one.current()))
            .chain(tests.iter().map(|file| digits(&String::from_utf8_lossy(file.bytes))));
        !files.any(|file| output.iter().any(|number| file.contains(&digits(number))))
    })?;
    let message = format!(
        "A new test tries the example of the task ({}), and nothing has what comes out of it ({}).",
        pair.0.join(", "),
        pair.1.join(", ")
    );
    Some(Finding::new(Rule::G63, Basis::Structure, message))
}

/// What a task hands in (`loan 1000.00 0 3`) and what it wants to come out (`=> 333.33 333.33 333.34`): numbers
/// of some length, of a call in backticks and behind an arrow or "should be".
fn pairs(task: &str) -> Vec<(Vec<String>, Vec<String>)> {
    const COMES: &[&str] =
        &["=> ", "-> ", "→ ", "should be ", "must be ", "should give ", "must give "];
    let mut found = Vec::new();
    for mark in COMES {
        for (at, _) in task.match_indices(mark).take(MOST) {
            let output = task[at + mark.len()..].split(['\n', ';', '(']).next().unwrap_or("");
            let output = output.split(". ").next().unwrap_or("");
            let output = long(output);
            let before = &task[..at];
            let input = before.rsplit('`').nth(1).map(long).unwrap_or_default();
            let input: Vec<String> =
                input.into_iter().filter(|number| !output.contains(number)).collect();
            if output.len() > 1 && !input.is_empty() {
                found.push((input, output));
                continue;
            }
            // "2096 -> 2104"
            let is_arrow = mark.contains(['>', '→']);
            let last = before.trim_end().rsplit([' ', '(']).next().map(long).unwrap_or_default();
            let first = task[at + mark.len()..].split([' ', ')', ',', ';', '.']).next();
            let first = first.map(long).unwrap_or_default();
            if is_arrow && last.len() == 1 && first.len() == 1 && last != first {
                found.push((last, first));
            }
        }
    }
    found
}

/// The numbers of a text that have three digits or more.
fn long(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let words = text.split(|letter: char| {
        letter.is_whitespace() || matches!(letter, ',' | '`' | '(' | ')' | '[' | ']' | '"')
    });
    let words = words.map(|word| word.trim_end_matches(['.', ':', '!']));
    let is_long = |word: &&str| {
        word.chars().all(is_part)
            && word.chars().filter(char::is_ascii_digit).count() > 2
            && word.matches('.').count() < 2
    };
    words.filter(is_long).map(str::to_owned).take(MOST).collect()
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

    /// G63: what is handed in, and what should come out.
    #[test]
    fn examples_in_pairs() {
        let task =
            "`loanbook 1000.00 0 3` has 0.00 and 1000.00. should be equal => 333.33 333.33 333.34";
        let (input, output) = pairs(task).pop().unwrap();
        assert_eq!(input, ["1000.00"]);
        assert_eq!(output, ["333.33", "333.33", "333.34"]);
        let task = "29 February still works, also over 2100 (2096 -> 2104), and more.";
        assert_eq!(pairs(task), [(vec!["2096".to_owned()], vec!["2104".to_owned()])]);
        assert!(pairs("The port should be 8080, see `serve 9000`.").is_empty());
    }

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
