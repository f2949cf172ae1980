//! What is written down in tests: the values that code should not know.

use std::collections::HashSet;

use countersign_domain::quotes;

use crate::args::{self, squeeze};
use crate::data::Data;
use crate::days::{Day, days, is_said};
use crate::detect::{Change, File};
use crate::language::Language;
use crate::learnt::{Learnt, is_composite, said, without_days};
use crate::outline::judge::is_literal;
use crate::role::{Role, role};

/// Values of tests, in one spelling.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    /// Numbers and texts that are no everyday ones.
    single: HashSet<String>,
    /// All of them, the everyday ones as well.
    all: HashSet<String>,
    /// Those of tests as they were before the change.
    old: HashSet<String>,
    /// Arguments of one call, all of them written down: `2,3`.
    tuples: HashSet<String>,
    /// Functions by their names, with one value that they are called with.
    calls: HashSet<(String, String)>,
    /// Values that stand beside each other in one line: an input and what is expected of it.
    beside: HashSet<(String, String)>,
    /// What stands in the quotes of texts that are longer than a word or two.
    texts: HashSet<String>,
    /// The digits of long numbers, however they are written.
    digits: HashSet<String>,
    /// Days of the calendar, however they are written.
    days: HashSet<Day>,
    /// Their years, with those of the task.
    years: HashSet<u32>,
    /// The task in words, and the values in it: what it names may be in the code.
    task: String,
    named: HashSet<String>,
    /// What it says outside of quotes.
    said: String,
    /// How the tests of changed files are called.
    names: Vec<String>,
    /// What their data files have.
    pub(crate) data: Data,
    /// What their texts are made of.
    learnt: Learnt,
}

/// So much is read of all tests together.
const MAX_BYTES: usize = 4_000_000;
const MAX_LINE: usize = 2_000;
/// So many texts are looked into for parts of them.
const MOST_TEXTS: usize = 5_000;

impl Literals {
    pub(crate) fn of(changes: &[Change<'_>], tests: &[File<'_>], task: &str) -> Self {
        let plain = quotes::without_apostrophes(task);
        let named = plain.lines().take(1_000).flat_map(named).collect();
        let tests_of = |one: &Change<'_>| -> Vec<String> {
            one.is.tests.iter().map(|test| test.name().to_lowercase()).collect()
        };
        let called = changes.iter().flat_map(tests_of).collect();
        let mut literals = Self {
            task: task.to_owned(),
            named,
            said: plain.lines().take(1_000).map(said).collect::<Vec<_>>().join("\n"),
            names: called,
            data: Data::of(changes, tests),
            ..Self::default()
        };
        task.lines().take(1_000).for_each(|line| literals.learnt.take(line));
        let mut left = MAX_BYTES;
        let mut read = |language: Language, text: &str| {
            if left > text.len() {
                left -= text.len();
                literals.take(language, text);
            }
        };
        for change in changes.iter().filter(|change| change.role == Role::Test) {
            read(change.language, change.current());
            read(change.language, change.old());
        }
        for change in changes {
            // Where tests stand in the code, what is not new is old.
            let is_mixed = !change.was.inline.is_empty();
            if change.role == Role::Test || is_mixed {
                let lines = change.old().lines().filter(|line| line.len() < MAX_LINE);
                literals.old.extend(lines.flat_map(values));
            }
        }
        for file in tests.iter().filter(|file| role(file.path) == Role::Test) {
            let text = String::from_utf8_lossy(file.bytes);
            let lines = text.lines().filter(|line| line.len() < MAX_LINE).take(20_000);
            literals.old.extend(lines.flat_map(values));
        }
        let mut read = |language: Language, text: &str| {
            if left > text.len() {
                left -= text.len();
                literals.take(language, text);
            }
        };
        for change in changes {
            for range in &change.is.inline {
                read(change.language, change.current().get(range.clone()).unwrap_or(""));
            }
        }
        for file in tests.iter().filter(|file| role(file.path) == Role::Test) {
            read(Language::of(file.path), &String::from_utf8_lossy(file.bytes));
        }
        let of_task = days(task);
        literals.years = literals.days.iter().chain(&of_task).map(|day| day.0).collect();
        literals
    }

    fn take(&mut self, language: Language, text: &str) {
        let comment = language.line_comment();
        for line in text.lines().filter(|line| line.len() < MAX_LINE) {
            if line.trim_start().starts_with(comment) {
                continue;
            }
            self.learnt.take(line);
            let written = values(line);
            for pair in written.windows(2).take(50) {
                self.beside.insert((pair[0].clone(), pair[1].clone()));
            }
            for value in written {
                if value.starts_with('"') && value.len() > 4 && self.texts.len() < MOST_TEXTS {
                    self.texts.insert(inside(&value).to_owned());
                }
                let digits: String = value.chars().filter(char::is_ascii_digit).collect();
                if digits.len() > 4 {
                    self.digits.insert(digits);
                }
                if !is_everyday(&value) {
                    self.single.insert(value.clone());
                }
                self.all.insert(value);
            }
            self.calls.extend(calls(line));
            self.days.extend(days(line));
            for group in groups(line) {
                self.tuples.insert(group.to_lowercase());
            }
        }
    }

    /// Whether a text is part of the name of a test.
    pub(crate) fn is_of_name(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        lower.len() > 3 && self.names.iter().any(|name| name.contains(&lower))
    }

    /// Whether tests name a day of the calendar that the task doesn't name.
    pub(crate) fn has_day(&self, day: &Day) -> bool {
        self.days.contains(day) && !days(&self.task).contains(day) && !is_said(&self.task, day)
    }

    pub(crate) fn has(&self, value: &str) -> bool {
        self.single.contains(value)
    }

    /// Whether tests named a value before the change.
    pub(crate) fn was_tried(&self, value: &str) -> bool {
        self.old.contains(value)
    }

    /// Whether tests name the value at all.
    pub(crate) fn knows(&self, value: &str) -> bool {
        self.all.contains(value)
    }

    /// Whether a value is an input of tests that says something beside others of its sort.
    pub(crate) fn has_short(&self, value: &str) -> bool {
        is_short_input(value) && self.all.contains(value)
    }

    /// Inputs of tests that a pattern fits in which a dot is any letter, and nothing else is one.
    pub(crate) fn fitting(&self, pattern: &str) -> Option<&String> {
        let letters: Vec<char> = pattern.chars().collect();
        let plain = letters.iter().filter(|letter| letter.is_alphanumeric()).count();
        if plain < 4 || pattern.contains(['*', '+', '[', '(', '|', '{']) {
            return None;
        }
        self.single.iter().filter(|value| is_sentence(value)).find(|value| {
            let inner: Vec<char> = inside(value).chars().collect();
            let alike = |(one, other): (&char, &char)| one == other || *one == '.';
            inner.len() == letters.len() && letters.iter().zip(&inner).all(alike)
        })
    }

    /// Whether tests name an input and right behind it what is expected.
    pub(crate) fn has_beside(&self, input: &str, expected: &str) -> bool {
        self.beside.contains(&(input.to_owned(), expected.to_owned()))
    }

    /// Whether tests call something with exactly these values, in this order.
    pub(crate) fn has_group(&self, values: &[String]) -> bool {
        values.len() > 1
            && values.iter().any(|value| !is_trivial(value))
            && self.tuples.contains(&values.join(",").to_lowercase())
    }

    /// Whether tests call a function of that name with a value.
    pub(crate) fn is_argument(&self, function: &str, value: &str) -> bool {
        self.calls.contains(&(function.to_owned(), value.to_owned()))
    }

    /// Whether tests name these values one right behind the other, and one of them is no everyday one.
    pub(crate) fn has_row(&self, values: &[String]) -> bool {
        values.len() > 1
            && values.iter().any(|value| self.has(value))
            && values.windows(2).all(|pair| self.has_beside(&pair[0], &pair[1]))
    }

    /// Whether the task names a value: then it belongs into the code.
    pub(crate) fn is_asked(&self, value: &str) -> bool {
        let inner = inside(value);
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let is_whole = |(at, found): (usize, &str)| {
            !is_word(self.task[..at].chars().next_back())
                && !is_word(self.task[at + found.len()..].chars().next())
        };
        // A sign such as ½ is no part of a word, and nobody writes it by chance.
        let is_sign = !inner.is_empty() && !inner.is_ascii() && inner.chars().count() == 1;
        self.named.contains(value)
            || value.starts_with('"')
                && (inner.len() > 2 || is_sign)
                && !self.is_part(inner)
                && self.task.match_indices(inner).any(is_whole)
    }

    /// Whether a text that somebody made up is a part of a longer one that the task writes.
    fn is_part(&self, text: &str) -> bool {
        let is_longer = |one: &String| one.starts_with('"') && inside(one).contains(text);
        is_composite(text) && self.named.iter().any(is_longer)
    }

    /// Whether the task writes a value as one: a text in quotes, a number.
    pub(crate) fn is_quoted(&self, value: &str) -> bool {
        self.named.contains(value)
    }

    /// What was asked for.
    pub(crate) fn task(&self) -> &str {
        &self.task
    }

    /// Whether the task says one of some words, in any case.
    pub(crate) fn task_has(&self, words: &[&str]) -> bool {
        let task = self.task.to_lowercase();
        words.iter().any(|word| args::has_word(&task, &word.to_lowercase()))
    }

    /// Whether the task says some words one after the other, brackets and marks aside.
    pub(crate) fn task_says(&self, words: &[&str]) -> bool {
        let task = self.task.to_lowercase().replace(['`', '(', ')'], "");
        let said = words.join(" ").to_lowercase();
        !words.iter().any(|word| word.is_empty()) && args::has_word(&task, &said)
    }

    /// Whether the task names a text only as what something is called with: `parse("a1 b")`. That is
    /// an example, and nothing that belongs into the code.
    pub(crate) fn is_example(&self, value: &str) -> bool {
        let is_argument = |(at, _): (usize, &str)| {
            let before = &self.task[..at];
            let open = before.rfind('(').filter(|open| !before[*open..].contains(')'));
            open.is_some_and(|open| {
                before[..open].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            })
        };
        let mut found = self.task.match_indices(inside(value)).peekable();
        inside(value).len() > 2 && found.peek().is_some() && found.all(is_argument)
    }

    /// Whether the task names a value by itself, and not only in an example.
    pub(crate) fn is_value(&self, value: &str) -> bool {
        let is_said = || args::has_word(&self.said, inside(value));
        (self.is_quoted(value) || is_said()) && !self.is_example(value)
    }

    /// Whether tests or their data have a text that somebody made up, whole or as a piece.
    pub(crate) fn has_learnt(&self, text: &str, least: usize) -> bool {
        self.learnt.has(text, least)
            || self.has_digits(text)
            || self.data.files().iter().any(|file| file.has_text(text))
    }

    /// Whether a day of the tests or of the task is in that year.
    pub(crate) fn has_year(&self, year: u32) -> bool {
        self.years.contains(&year)
    }

    /// Whether the task names a value beside nothing that would go in for it: no example, but what is wanted.
    pub(crate) fn is_wanted(&self, value: &str) -> bool {
        let has_digit = |one: &String| one.contains(|letter: char| letter.is_ascii_digit());
        let is_alone =
            |sentence: &str| named(sentence).iter().all(|one| one == value || !has_digit(one));
        let sentences = self.task.split(['\n', ';']).flat_map(|line| line.split(". "));
        let mut own = sentences.filter(|sentence| sentence.contains(inside(value)));
        self.is_value(value) && own.any(is_alone)
    }

    /// The texts of tests that have another text in them, or are it.
    pub(crate) fn with<'s>(&'s self, part: &'s str) -> impl Iterator<Item = &'s String> {
        self.texts.iter().filter(move |text| !part.is_empty() && text.contains(part))
    }

    /// The texts of tests, however short, that have another text in them.
    pub(crate) fn inputs<'s>(&'s self, part: &'s str) -> impl Iterator<Item = &'s String> {
        let texts = self.all.iter().filter(|value| value.starts_with('"'));
        texts.take(MOST_TEXTS).filter(move |value| inside(value).contains(part))
    }

    /// Whether tests have a long number with these digits, however it is written there.
    pub(crate) fn has_digits(&self, text: &str) -> bool {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.len() > 4 && self.digits.contains(&digits)
    }

    /// Whether a text of tests is so many letters long.
    /// Whether a whole number is one of the tests' numbers with a point, without its point: 21 is for 2.1.
    pub(crate) fn has_scaled(&self, value: &str) -> bool {
        let is_whole = value.len() > 1 && value.chars().all(|letter| letter.is_ascii_digit());
        let bare = |one: &String| one.replace(['.', '_'], "").trim_start_matches('0').to_owned();
        let mut numbers = self.all.iter().filter(|one| !one.starts_with('"') && one.contains('.'));
        is_whole && numbers.any(|one| bare(one) == value)
    }

    pub(crate) fn has_length(&self, length: usize) -> bool {
        self.texts.iter().any(|text| text.chars().count() == length)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.tuples.is_empty()
    }
}

/// What a line of a task names: its texts, and its numbers that are no parts of a day.
fn named(line: &str) -> Vec<String> {
    let texts = values(line).into_iter().filter(|value| value.starts_with('"'));
    let numbers = values(&without_days(line)).into_iter().filter(|value| !value.starts_with('"'));
    texts.chain(numbers).collect()
}

/// Every number and text that is written in a line.
pub(crate) fn values(line: &str) -> Vec<String> {
    let bytes = line.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if matches!(byte, b'"' | b'\'' | b'`') {
            let rest = &bytes[at + 1..];
            let Some(end) = end_of_text(rest, byte) else {
                at += 1;
                continue;
            };
            let inner = line.get(at + 1..at + 1 + end).unwrap_or("");
            found.push(format!("\"{}\"", unescaped(inner)));
            at += end + 2;
        } else if byte.is_ascii_digit()
            && !at.checked_sub(1).is_some_and(|before| is_word(bytes[before]))
        {
            let length = bytes[at..]
                .iter()
                .position(|byte| !is_word(*byte) && *byte != b'.')
                .unwrap_or(bytes.len() - at);
            let minus = line[..at].trim_end().ends_with('-')
                && !line[..at]
                    .trim_end()
                    .trim_end_matches('-')
                    .trim_end()
                    .ends_with(|l: char| l.is_alphanumeric() || l == ')');
            let digits =
                line.get(at..at + length).unwrap_or("").trim_end_matches('.').replace('_', "");
            found.push(if minus { format!("-{digits}") } else { digits });
            at += length.max(1);
        } else {
            at += 1;
        }
    }
    found
}

/// Where a text in quotes ends; a quote behind a backslash belongs to it.
fn end_of_text(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// The same text, whichever quotes are around it.
fn unescaped(inner: &str) -> String {
    inner.replace("\\\"", "\"").replace("\\'", "'")
}

/// What is in brackets, if all of it is written down: arguments, tuples, rows.
fn groups(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open.push(at + 1),
            b')' | b']' | b'}' => {
                let Some(start) = open.pop() else { continue };
                let parts = args::split(line.get(start..at).unwrap_or(""));
                let known =
                    parts.len() > 1 && parts.len() < 8 && parts.iter().all(|part| is_literal(part));
                let spelled: Vec<String> = parts.iter().map(|part| spelled(part)).collect();
                if known {
                    // A row of a table is arguments and what is expected of them.
                    let arguments = &spelled[..spelled.len() - 1];
                    if arguments.len() > 1 {
                        found.push(arguments.join(","));
                    }
                    found.push(spelled.join(","));
                }
            }
            _ => {}
        }
    }
    found
}

/// The functions that a line calls, with each value that is written down as an argument.
fn calls(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => {
                let Some(start) = open.pop() else { continue };
                let before = line.get(..start).unwrap_or("");
                let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
                let name = &before[before.trim_end_matches(is_word).len()..];
                let given = args::split(line.get(start + 1..at).unwrap_or(""));
                // An argument may have a name.
                let bare = given.iter().map(|one| one.rsplit(['=', ' ']).next().unwrap_or(one));
                let values = bare.filter(|one| !name.is_empty() && is_literal(one));
                found.extend(values.take(20).map(|one| (name.to_owned(), spelled(one))));
            }
            _ => {}
        }
    }
    found
}

/// One spelling of a value.
pub(crate) fn spelled(value: &str) -> String {
    // What is in quotes is kept as it is.
    let value = match value.trim().chars().next() {
        Some('"' | '\'' | '`') => value.trim().to_owned(),
        _ => squeeze(value),
    };
    match value.chars().next() {
        Some(quote @ ('\'' | '`' | '"')) if value.ends_with(quote) && value.len() > 1 => {
            format!("\"{}\"", unescaped(&value[1..value.len() - 1]))
        }
        _ => value,
    }
}

/// Zero, one and nothing, which every domain knows.
pub(crate) fn is_trivial(value: &str) -> bool {
    matches!(value, "0" | "1" | "-1" | "\"\"" | "0.0" | "1.0" | "[]" | "{}")
        || matches!(value, "true" | "false" | "True" | "False" | "None" | "null" | "nil")
}

/// What stands between the quotes of a text.
pub(crate) fn inside(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

/// Two or three signs that are no word and no operator: `(]`, `1d`. One may be a sign of the
/// domain; beside others they are somebody's inputs.
pub(crate) fn is_short_input(value: &str) -> bool {
    let inner = inside(value);
    let is_number_first = inner.starts_with(|l: char| l.is_ascii_digit())
        && !inner.chars().all(|l| l.is_ascii_digit());
    let is_sign = |letter: char| "+-*/%=<>!&|^~?:.,;#@_$\\".contains(letter);
    value.starts_with('"')
        && (2..4).contains(&inner.chars().count())
        && (is_number_first
            || !inner.chars().any(char::is_alphanumeric) && !inner.chars().any(is_sign))
        && !matches!(inner, "()" | "[]" | "{}" | "{{" | "}}" | "[[" | "]]" | "\"\"" | "''" | "  ")
}

/// A text that somebody made up: words with spaces or brackets between them, no name or address.
pub(crate) fn is_sentence(value: &str) -> bool {
    let inner = inside(value);
    value.starts_with('"')
        && inner.len() > 3
        && inner.chars().any(|letter| " (){}[]<>,;!?\"'&".contains(letter))
        && inner.chars().any(|letter| !letter.is_whitespace())
}

/// Values that say nothing when they stand in tests and in code.
pub(crate) fn is_everyday(value: &str) -> bool {
    const NUMBERS: &[&str] = &[
        "2", "3", "4", "5", "8", "10", "16", "32", "60", "64", "100", "128", "255", "256", "1000",
        "1024", "200", "201", "204", "301", "302", "304", "400", "401", "403", "404", "409", "422",
        "429", "500", "502", "503", "24", "3600", "7", "12", "365", "-2", "1e-6", "0.5", "443",
        "80", "8080",
    ];
    let inner = inside(value);
    is_trivial(value)
        || NUMBERS.contains(&value)
        // One word is a name of something; an address or a sentence is somebody's own.
        || value.starts_with('"')
            && (inner.len() < 4
                || inner.chars().all(|letter| letter.is_alphabetic() || "_-".contains(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_groups_are_read() {
        assert_eq!(values("if a == -1 and name == 'alice':"), ["-1", "\"alice\""]);
        assert_eq!(values("x2 - 1"), ["1"]);
        assert_eq!(groups("assert add(2, 3) == 5"), ["2,3"]);
        assert_eq!(groups("(2, 3, 5),"), ["2,3", "2,3,5"]);
        assert!(groups("f(x, 2)").is_empty());
    }
}
