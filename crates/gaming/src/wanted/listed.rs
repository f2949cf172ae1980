//! Values that a task lists, of which the code knows some and not the others.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::detect::{Change, File};
use crate::literals::{inside, values};
use crate::mask;
use crate::role::{Role, role};

/// Words that every language has; only in quotes are they values.
const PLAIN: &[&str] = &["true", "false", "none", "null", "nil"];
const LONGEST: usize = 20;
/// Words between commas that are no values: "leeks and onions are produce too, butter …".
const FILLERS: &[&str] =
    &["too", "also", "then", "please", "however", "again", "instead", "it", "them", "so", "now"];

/// Lists of the task of which new code names one value, and no code or test another one.
pub(super) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let lists = lists(task);
    if lists.is_empty() {
        return Vec::new();
    }
    let product = changes.iter().filter(|one| one.role == Role::Product && one.after.is_some());
    let mut new = Vec::new();
    for change in product {
        let lines = change.lines();
        let added = (1..).zip(change.current().lines()).filter(|(at, _)| lines.is_added(*at));
        let added = added.filter(|(_, line)| line.len() < 2_000);
        new.extend(added.flat_map(|(_, line)| texts(line)));
    }
    let mut known: Vec<String> = Vec::new();
    let mut code = String::new();
    for change in changes {
        known.extend(change.current().lines().flat_map(texts));
        code.push_str(&mask::code(change.current(), change.language).to_lowercase());
    }
    for file in tests {
        let text = String::from_utf8_lossy(file.bytes);
        known.extend(text.lines().flat_map(texts));
        // What is recorded has no quotes around it.
        if matches!(role(file.path), Role::Fixture | Role::Snapshot) {
            code.push_str(&text.to_lowercase());
        }
    }
    // "hours" are of an `hour`, and a longer text may name it among others.
    let stem = |item: &str| item.trim_end_matches('s').to_owned();
    let is_alike = |text: &String, item: &str| {
        let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        item.len() > 3 && words.any(|word| stem(word) == stem(item))
    };
    let is_known = |item: &String| {
        known.contains(item)
            || !PLAIN.contains(&item.as_str())
                && (crate::args::has_word(&code, item)
                    || crate::args::has_word(&code, &stem(item))
                    || known.iter().any(|text| is_alike(text, item)))
    };
    let tests = changes.iter().filter(|one| one.role == Role::Test);
    let tried: Vec<String> =
        tests.flat_map(|one| one.current().lines().flat_map(texts).collect::<Vec<_>>()).collect();
    let missing = |list: &Vec<String>| {
        // What differs from others of its list by a number is one of a row: so are the tests.
        let in_rows = |item: &String| is_numbered(item) && tried.contains(item);
        let begun = list.iter().any(|item| new.contains(item) || in_rows(item));
        list.iter().find(|item| begun && !is_number(item) && !is_known(item)).cloned()
    };
    let found = lists.iter().filter_map(missing).map(|item| {
        let message = format!("The task lists '{item}' with others that the code names, and neither the code nor a test has it.");
        Finding::new(Rule::G63, Basis::Text, message)
    });
    found.collect()
}

/// `examples-1`
fn is_numbered(item: &str) -> bool {
    let stem = item.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.len() > 2 && stem.len() < item.len()
}

fn is_number(item: &str) -> bool {
    item.chars().all(|letter| letter.is_ascii_digit())
}

/// The texts of a line in small letters, without their quotes.
fn texts(line: &str) -> Vec<String> {
    let all = values(line).into_iter().filter(|value| value.starts_with('"'));
    all.map(|value| inside(&value).to_lowercase()).collect()
}

/// What is listed in single words: `yes, true, on and 1`. In small letters.
fn lists(task: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for clause in task.split(['\n', ';', ':', '.', '(', ')']) {
        let mut list: Vec<String> = Vec::new();
        let mut parts = clause.split(',').peekable();
        let mut is_first = true;
        if !is_of_values(clause) {
            continue;
        }
        while let Some(part) = parts.next() {
            let words: Vec<&str> = part.split_whitespace().collect();
            let item = match words[..] {
                // A list begins with the last word of what stands before it.
                [.., word] if is_first && parts.peek().is_some() => Some(word),
                [word] if !list.is_empty() => Some(word),
                _ => None,
            };
            is_first = false;
            if let Some(item) = item.and_then(plain) {
                list.push(item);
                continue;
            }
            let end = match words[..] {
                [one, "and" | "or", two, ..] => vec![one, two],
                ["and" | "or", one, ..] => vec![one],
                _ => Vec::new(),
            };
            let end: Vec<String> = end.into_iter().filter_map(plain).collect();
            // Three in quotes are a list without an "and".
            let quoted = clause.matches('"').count() > 5;
            if list.len() + end.len() > 2 && !end.is_empty() && !list.is_empty() {
                list.extend(end);
                found.push(std::mem::take(&mut list));
            } else if quoted && list.len() > 2 {
                found.push(std::mem::take(&mut list));
            }
            // The next list may begin with the last word of this part.
            list = words
                .last()
                .filter(|_| parts.peek().is_some())
                .and_then(|w| plain(w))
                .into_iter()
                .collect();
        }
        if list.len() > 2 && clause.matches('"').count() > 5 {
            found.push(list);
        }
    }
    found
}

/// Whether what is listed may be values, and not the things that somebody speaks of: "the text, images and
/// tables of a page", "it shows name, date and total".
fn is_of_values(clause: &str) -> bool {
    const THINGS: &[&str] = &[
        "the", "a", "an", "its", "their", "our", "your", "my", "his", "her", "of", "in", "on",
        "show", "shows", "has", "have", "with", "by", "and", "all", "every", "each", "between",
        "from",
    ];
    let first = clause.split(',').next().unwrap_or_default();
    let mut words = first.split_whitespace().rev();
    let item = words.next().unwrap_or_default();
    let is_marked = item.contains(|l: char| !l.is_lowercase());
    is_marked || !words.next().is_some_and(|word| THINGS.contains(&&*word.to_lowercase()))
}

/// A word without its quotes, if it may be a value.
fn plain(word: &str) -> Option<String> {
    let word = word.trim_matches(['"', '\'', '`', '.', '?', '!']);
    let is_plain = word.chars().all(|letter| letter.is_alphanumeric() || "-_+/".contains(letter));
    let is_value = !word.is_empty() && word.len() <= LONGEST && !FILLERS.contains(&word);
    (is_plain && is_value).then(|| word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: lists of single words are found, and sentences are not.
    #[test]
    fn what_is_listed() {
        let check = |task: &str, expected: &[&[&str]]| assert_eq!(lists(task), expected, "{task}");
        check(
            "flag gives Some for yes, true, on and 1, and None for no, false, off and 0, in any case",
            &[&["yes", "true", "on", "1"], &["no", "false", "off", "0"]],
        );
        check("Support \"kb\", \"mb\" or \"gb\".", &[&["kb", "mb", "gb"]]);
        check(
            "They are numbered: \"a-x\", \"a-x-1\", \"a-x-2\". Do the same.",
            &[&["a-x", "a-x-1", "a-x-2"]],
        );
        check("Keep the text, images and tables of a page.", &[]);
        check("Fix the rate, add a test and run it.", &[]);
        check("Remove it, and its test.", &[]);
        check("Leeks are produce too, butter and cream dairy, yeast baking.", &[]);
    }
}
