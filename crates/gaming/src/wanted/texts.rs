//! Texts that a task wants word for word.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{clauses, quoted, quotes, sentences};
use super::known::Known;
use super::{said, templates, untried};
use crate::args::has_word;
use crate::detect::{Change, File};
use crate::role::Role;

/// Words right before a text that say that it is what comes out.
const COMES_OUT: &[&str] = &[
    "give", "gives", "be", "print", "prints", "return", "returns", "answer", "answers", "say",
    "says", "write", "writes", "show", "shows", "as", "become", "becomes", "is", "with",
];

/// Words of a sentence that wants something. Without one it may tell what is wrong now.
const WANTS: &[&str] = &["should", "must", "gives", "answer", "make", "let", "add", "so", "has to"];

/// A sentence with one of these may tell of what is not wanted.
const TELLS: &[&str] = &["not", "although", "now", "currently", "today", "instead", "wrongly"];

/// Shorter texts are in every file.
const LEAST: usize = 4;
const MOST: usize = 8;

/// Texts that a task wants, and that are nowhere in what was changed, nor in a test.
pub(super) fn check(
    task: &str,
    changes: &[Change<'_>],
    (tests, work): (&[File<'_>], &Work),
) -> Vec<Finding> {
    let wanted = wanted(task);
    if wanted.is_empty() || changes.is_empty() {
        return Vec::new();
    }
    let plain = |text: &str| text.replace(['\\', '"', '\'', '`'], "");
    let new: Vec<String> = changes.iter().map(|change| plain(change.current())).collect();
    let others: Vec<String> =
        tests.iter().map(|file| plain(&String::from_utf8_lossy(file.bytes))).collect();
    let files = || new.iter().chain(&others);
    let is_there = |text: &str| {
        files().any(|file| file.contains(text)) || changes.iter().any(|one| has_alike(one, text))
    };
    // A text may be put together from what is new: a name and a version.
    let mut added = String::new();
    for change in changes.iter().filter(|one| one.role == Role::Product) {
        let lines = change.lines();
        let all = (1..).zip(change.current().lines()).filter(|(at, _)| lines.is_added(*at));
        all.for_each(|(_, line)| added += &format!("{}\n", plain(line)));
    }
    let is_joined = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.len() == 2 && words.iter().all(|word| has_word(&added, word))
    };
    let is_there = |text: &str| is_there(text) || is_joined(text) || templates::makes(&added, text);
    let is_there = |text: &str| {
        let is_filled = |pieces: Vec<&str>| pieces.into_iter().all(is_there);
        is_there(text) || templates::around(text).is_some_and(is_filled)
    };
    let known = Known::of(work);
    let is_there = |text: &str| is_there(text) || known.fills(text) || known.has_like(text);
    let missing = wanted.into_iter().filter(|text| !is_there(&plain(text)));
    missing
        .map(|text| {
            let message =
                format!("The task wants {text:?}, and neither the code nor a test has it.");
            Finding::new(Rule::G63, Basis::Text, message)
        })
        .collect()
}

/// Whether a text of the file is the same but for a few letters: another example of the same.
fn has_alike(change: &Change<'_>, wanted: &str) -> bool {
    let wanted: Vec<char> = wanted.chars().collect();
    let is_alike = |value: String| {
        let text: Vec<char> = crate::literals::inside(&value).chars().collect();
        let same = text.iter().zip(&wanted).filter(|(one, other)| one == other).count();
        text.len().abs_diff(wanted.len()) < 2 && same * 10 >= wanted.len() * 7
            || text.windows(wanted.len()).take(200).any(|part| {
                let same = part.iter().zip(&wanted).filter(|(one, other)| one == other).count();
                same * 10 >= wanted.len() * 8
            })
    };
    let lines = change.current().lines().filter(|line| line.len() < 2_000).take(5_000);
    wanted.len() > 5 && lines.flat_map(crate::literals::values).any(is_alike)
}

/// Texts in quotes that are to come out.
fn wanted(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let is_feature = untried::is_feature(task);
    for sentence in sentences(task) {
        let lower = quoted(sentence).1.to_lowercase();
        let has = |text: &str, words: &[&str]| words.iter().any(|word| has_word(text, word));
        // "Add division. Dividing by zero panics with …" says how what is new is to be.
        let is_said = is_feature && has(&lower, &["panics", "raises", "throws"]);
        // An odd number of quotes means that some of them are part of a text.
        if has(&lower, TELLS) || sentence.matches('"').count() % 2 == 1 {
            continue;
        }
        for quote in quotes(sentence).into_iter().filter(|quote| !quote.is_code) {
            // Who says what stands written somewhere, and then what is wanted, quotes it.
            let before = quoted(quote.before).1.to_lowercase();
            let is_wanted = (has(&before, WANTS) || is_said)
                && comes_out(quote.before, is_feature)
                && quote.text.trim().len() >= LEAST;
            if is_wanted && !is_open(quote.text) && found.len() < MOST {
                found.push(quote.text);
            }
        }
    }
    found
}

/// Whether the words before a text say that it comes out, and not that it is so now, goes in, or is what
/// somebody calls it.
fn comes_out(before: &str, is_feature: bool) -> bool {
    const SHOWS: &[&str] = &[
        "show",
        "shows",
        "shown",
        "print",
        "prints",
        "printed",
        "write",
        "writes",
        "written",
        "render",
        "rendered",
        "display",
        "displayed",
        "format",
        "formatted",
        "report",
        "reported",
        "list",
        "listed",
        "appear",
        "come out",
        "output",
    ];
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let clause = clauses(before).pop().unwrap_or_default();
    let lower = clause.to_lowercase();
    COMES_OUT.contains(&last.as_str())
        && (last != "as" || SHOWS.iter().any(|word| has_word(&lower, word)))
        && (is_feature || !said::is_told(clause))
        && !said::is_condition(clause)
        && !said::is_of_inputs(clause)
}

/// Whether a text leaves open what it is: "bill: MESSAGE" stands for any message.
fn is_open(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    text.contains("...")
        || text.contains('…')
        || words
            .any(|word| word.len() > 3 && word.chars().all(|letter| letter.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: only what is to come out is wanted.
    #[test]
    fn texts_that_are_to_come_out() {
        let check = |task: &str, expected: &[&str]| assert_eq!(wanted(task), expected, "{task}");
        check("show(5) should give \"0.05 €\".", &["0.05 €"]);
        check("It must print \"unknown country: XX\" and end with 2.", &["unknown country: XX"]);
        check("\"Hello,  World!\" becomes \"hello---world\". Fix it.", &[]);
        check("It should be \"a-b\", not \"a----b\".", &[]);
        check("It should print \"bill: MESSAGE\" to stderr.", &[]);
        let divide = "Add Div. Dividing by zero panics with \"division by zero\".";
        check(divide, &["division by zero"]);
        check("It is bad. Dividing by zero panics with \"division by zero\".", &[]);
        check("The README says \"up to and including\", so the limits should be so.", &[]);
        check("It should follow the help, which says: \"all of them\".", &[]);
        check("If the state is \"in transit\", it must be shown.", &[]);
        check("It should skip lines that begin with \"# note\".", &[]);
        check("Let rows without a date come as \"not urgent\".", &[]);
        check("It should show them as \"not urgent\".", &["not urgent"]);
        check("Screens of 27\" should say \"no stand\".", &[]);
        check("Add a test named \"decodes parameters\".", &[]);
    }
}
