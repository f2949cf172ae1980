//! What a task wants to see word for word, and what became of it.

mod clauses;
mod demands;
mod every;
mod examples;
mod given;
mod limits;
mod listed;
mod named;
mod refused;
mod shapes;
mod standins;
mod templates;
mod traces;
mod untouched;
mod untried;
mod weak;

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::detect::{Change, File};
use crate::role::Role;

pub(crate) use untried::is_feature;

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

/// What a task wants, and what nothing of the change has.
pub(crate) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let mut findings = quoted(task, changes, tests);
    findings.extend(listed::check(task, changes, tests));
    findings.extend(named::check(task, changes));
    let work = Work::of(changes, tests);
    findings.extend(refused::check(task, changes));
    findings.extend(examples::check(task, &work));
    findings.extend(demands::check(task, &work));
    findings.extend(limits::check(task, &work));
    findings.extend(untried::check(task, &work));
    findings.extend(every::check(task, (changes, &work)));
    findings.extend(shapes::check(task, &work));
    findings.extend(weak::check(task, changes));
    findings.extend(traces::check(task, changes));
    findings.extend(given::check(task, changes));
    findings.extend(untouched::check(task, changes));
    findings.extend(standins::check(task, changes));
    findings.extend(numbers(task, changes, tests));
    findings
}

/// What was done, as far as a task's demands can be looked for in it.
struct Work {
    /// New lines of the product, without comments.
    code: String,
    /// New lines of tests.
    tried: Vec<String>,
    /// All tests as they are now, with those in the documentation of Rust.
    tests: String,
    paths: Vec<String>,
}

/// So much is read of all tests together.
const MAX_BYTES: usize = 2_000_000;

impl Work {
    fn of(changes: &[Change<'_>], tests: &[File<'_>]) -> Self {
        let mut work = Self {
            code: String::new(),
            tried: Vec::new(),
            tests: String::new(),
            paths: changes.iter().map(|one| one.path.to_owned()).collect(),
        };
        work.paths.extend(tests.iter().map(|file| file.path.to_owned()));
        for change in changes.iter().filter(|one| one.after.is_some() && one.language.is_code()) {
            work.read(change);
        }
        for file in tests {
            if work.tests.len() < MAX_BYTES {
                work.tests.push_str(&String::from_utf8_lossy(file.bytes));
                work.tests.push('\n');
            }
        }
        work
    }

    fn read(&mut self, change: &Change<'_>) {
        if !matches!(change.role, Role::Product | Role::Test) || self.tests.len() > MAX_BYTES {
            return;
        }
        let lines = change.lines();
        let plain = crate::mask::without_comments(change.current(), change.language);
        let mut offset = 0;
        for ((number, line), code) in (1..).zip(change.current().split('\n')).zip(plain.split('\n'))
        {
            let documented = line.trim_start().strip_prefix("///");
            let is_test = change.is_test_at(offset) || documented.is_some();
            offset += line.len() + 1;
            let line = documented.unwrap_or(line);
            if is_test {
                self.tests.push_str(line);
                self.tests.push('\n');
            }
            if lines.is_added(number) && is_test {
                self.tried.push(line.to_owned());
            } else if lines.is_added(number) && !code.trim().is_empty() {
                self.code.push_str(code);
                self.code.push('\n');
            }
        }
    }
}

/// Texts that a task wants, and that are nowhere in what was changed, nor in a test.
fn quoted(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let wanted = wanted(task);
    if wanted.is_empty() || changes.is_empty() {
        return Vec::new();
    }
    let plain = |text: &str| text.replace(['\\', '"', '\'', '`'], "");
    let new: Vec<String> = changes.iter().map(|change| plain(change.current())).collect();
    let known: Vec<String> =
        tests.iter().map(|file| plain(&String::from_utf8_lossy(file.bytes))).collect();
    let files = || new.iter().chain(&known);
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
        words.len() == 2 && words.iter().all(|word| crate::args::has_word(&added, word))
    };
    let is_there = |text: &str| is_there(text) || is_joined(text) || templates::makes(&added, text);
    let is_there = |text: &str| {
        let is_filled = |pieces: Vec<&str>| pieces.into_iter().all(is_there);
        is_there(text) || templates::around(text).is_some_and(is_filled)
    };
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

/// Numbers that an example of the task says, where new tests know none of them.
fn numbers(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
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
    if files.any(|file| wanted.iter().any(|number| crate::args::has_word(&file, number))) {
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
        let numbers = crate::literals::values(&example[at..]).into_iter();
        let is_own =
            |value: &String| value.chars().all(|letter| letter.is_ascii_digit()) && value.len() > 2;
        found.extend(numbers.filter(is_own).take(MOST));
    }
    found
}

/// Texts in double quotes that are to come out.
fn wanted(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for sentence in task.split(['\n', ';']).flat_map(|line| line.split(". ")) {
        let lower = sentence.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| crate::args::has_word(&lower, word));
        // An odd number of quotes means that some of them are part of a text.
        // "Add division. Dividing by zero panics with …" says how what is new is to be.
        let is_told = untried::is_feature(task) && has(&["panics", "raises", "throws"]);
        if !(has(WANTS) || is_told) || has(TELLS) || sentence.matches('"').count() % 2 == 1 {
            continue;
        }
        let mut pieces = sentence.split('"');
        let mut before = pieces.next().unwrap_or_default();
        while let (Some(text), Some(after)) = (pieces.next(), pieces.next()) {
            let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
            // "bill: MESSAGE" stands for any message.
            let is_form = text.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
                word.len() > 3 && word.chars().all(|letter| letter.is_ascii_uppercase())
            });
            let is_wanted =
                COMES_OUT.contains(&last.as_str()) && text.trim().len() >= LEAST && !is_form;
            if is_wanted && !text.contains("...") && !text.contains('…') && found.len() < MOST {
                found.push(text);
            }
            before = after;
        }
    }
    found
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
        check("It fails for 1000, e.g. in the report.", &[]);
        check("add(100, 200) is 300", &[]);
    }

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
        check("Add a test named \"decodes parameters\".", &[]);
    }
}
