//! Forms that a task shows side by side, of which new tests try some and not the others:
//! `"[door slams]", "(sighs)"`.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{Quote, quotes};
use super::said;
use crate::literals::{inside, values};

const LONGEST: usize = 40;

/// Forms of the task that no test has, beside others that a new test has.
pub(super) fn check(task: &str, work: &Work) -> Vec<Finding> {
    let tried: Vec<String> = work
        .tried
        .iter()
        .filter(|line| line.len() < 2_000)
        .flat_map(|line| values(line))
        .filter(|value| value.starts_with('"'))
        .map(|value| shape(inside(&value)))
        .collect();
    let is_tried = |form: &str| tried.iter().any(|one| one.contains(&shape(form)));
    // Old tests may have it already, and code that names it has not forgotten it.
    let is_known = |form: &str| work.tests.contains(form) || work.code.contains(form);
    for group in groups(task) {
        let (had, lacking): (Vec<&String>, Vec<&String>) =
            group.iter().partition(|form| is_tried(form) || is_known(form));
        let has_new = had.iter().any(|form| is_tried(form));
        if let (true, Some(first), Some(other)) = (has_new, lacking.first(), had.first()) {
            let message = format!(
                "The task shows {first:?} beside {other:?}, and no test has anything of that form."
            );
            return vec![Finding::new(Rule::G63, Basis::Text, message)];
        }
    }
    Vec::new()
}

/// Forms that stand side by side: quoted in one sentence, or listed in one pair of brackets.
fn groups(task: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for sentence in sentences(task) {
        let quoted = quotes(&sentence).into_iter().filter(|one| !one.is_code && !comes_out(one));
        let quoted: Vec<String> =
            quoted.map(|one| one.text.to_owned()).filter(|text| is_form(text)).collect();
        if quoted.len() > 1 {
            found.push(quoted);
        }
        for (_, part) in sentence.match_indices('(').map(|(at, _)| sentence.split_at(at + 1)) {
            let Some((inner, _)) = part.split_once(')') else { continue };
            let items: Vec<String> = inner.split(", ").map(|item| item.trim().to_owned()).collect();
            if items.len() > 1 && items.iter().all(|item| is_form(item) && !item.contains(' ')) {
                found.push(items);
            }
        }
    }
    found.retain(|group| group.iter().any(|form| shape(form) != shape(&group[0])));
    found
}

/// What ends with a dot, a colon aside, or with a line. A dot in quotes ends nothing.
fn sentences(task: &str) -> Vec<String> {
    let (mut all, mut now, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = task.chars().peekable();
    while let Some(letter) = letters.next() {
        is_quoted ^= letter == '"';
        let is_end = letter == '\n'
            || matches!(letter, '.' | ';')
                && !is_quoted
                && letters.peek().is_none_or(|next| next.is_whitespace());
        if is_end {
            is_quoted = false;
            all.push(std::mem::take(&mut now));
        } else {
            now.push(letter);
        }
    }
    all.push(now);
    all
}

/// Whether a text is what comes out, now or later: no test need have what is wrong now.
fn comes_out(quote: &Quote<'_>) -> bool {
    const GIVES: &[&str] = &[
        "as", "into", "to", "become", "becomes", "give", "gives", "be", "is", "named", "called",
        "not", "of", "with", "than", "print", "prints", "show", "shows", "return", "returns",
        "says", "say",
    ];
    let last = said::last(quote.before);
    GIVES.contains(&last.as_str()) && !quote.before.trim_end().ends_with("such as")
}

/// Whether a text has marks that make its form: no flag, no path, no call, no sentence.
fn is_form(text: &str) -> bool {
    const MARKS: &str = "[](){}<>:*#@!?%&|~^+=/;";
    let text = text.trim();
    let has_mark = text.contains(|letter: char| MARKS.contains(letter));
    let has_word = text.contains(char::is_alphanumeric);
    let is_call = text.find('(').is_some_and(|at| text[..at].ends_with(char::is_alphanumeric));
    let is_path = text.contains('.') && text.contains('/');
    has_mark
        && has_word
        && !is_call
        && !is_path
        && !text.starts_with('-')
        && text.len() <= LONGEST
        && text.split(' ').count() < 5
}

/// A text in which words are one sign, words in capitals another one, and numbers a third.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut word = String::new();
    for letter in text.trim().chars().chain([' ']) {
        if letter.is_alphanumeric() {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            let is_loud =
                word.len() > 1 && word.chars().all(|l| l.is_uppercase() || l.is_numeric());
            let is_number = word.chars().all(|l| l.is_ascii_digit());
            let sign = if is_number {
                '0'
            } else if is_loud {
                'A'
            } else {
                'a'
            };
            // Several words are as one.
            if !shape.ends_with(sign) {
                shape.push(sign);
            }
            word.clear();
        }
        if !letter.is_whitespace() {
            shape.push(letter);
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(tried: &[&str]) -> Work {
        Work {
            code: String::new(),
            tried: tried.iter().map(ToString::to_string).collect(),
            tests: tried.join("\n"),
            ..Work::default()
        }
    }

    #[test]
    fn forms_are_told_apart() {
        for (text, form) in [
            ("[door slams]", "[a]"),
            ("(sighs)", "(a)"),
            ("ANNA: ", "A:"),
            ("docs/api/*", "a/a/*"),
            ("20240329T215959Z", "A"),
        ] {
            assert_eq!(shape(text), form, "{text}");
        }
    }

    /// G63: each form that the task shows beside others is tried, in whatever words.
    #[test]
    fn all_forms_of_a_task_are_tried() {
        let task = "Leave out sounds in square brackets or parentheses (\"[door slams]\", \"(sighs)\") and labels in capitals (\"ANNA: \").";
        let all = ["f(\"[laughs] Hi\")", "f(\"(quietly) Hi\")", "f(\"BOB: Hi\")"];
        assert!(check(task, &work(&all)).is_empty());
        assert_eq!(check(task, &work(&all[..2])).len(), 1);
        assert_eq!(check(task, &work(&all[..1])).len(), 1);
        assert!(check(task, &work(&["f(1)"])).is_empty(), "who tries none has other examples");
        let task = "of several prefixes (docs/*, docs/api/*) the longest wins";
        assert_eq!(check(task, &work(&["g(\"docs/* https://x\")"])).len(), 1);
        assert!(check(task, &work(&["g(\"a/* x\", \"a/b/* y\")"])).is_empty());
    }

    /// G63: what comes out wrongly now is in no test.
    #[test]
    fn what_comes_out_is_no_form_of_what_goes_in() {
        let task = "\"A & B\" shows up as \"A &amp; B\" in mails.";
        assert!(check(task, &work(&["f(\"Tom & Eve\")"])).is_empty());
        let task = "Names such as \"A & B\" or \"A (B)\" are cut.";
        assert_eq!(check(task, &work(&["f(\"Tom & Eve\")"])).len(), 1);
    }

    #[test]
    fn what_is_no_form_is_left() {
        for text in ["--force", "src/a.py", "parse(x)", "plain", "not found, did you mean it?"] {
            assert!(!is_form(text), "{text}");
        }
    }
}
