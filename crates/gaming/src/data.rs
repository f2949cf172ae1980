//! What stands in the data files of tests: numbers and texts that code should not know either.

use std::collections::HashSet;

use crate::detect::{Change, File};
use crate::role::{Role, role};

/// Larger files have every number in them, and say nothing.
const MAX_BYTES: usize = 200_000;
/// So many files are read.
const MOST_FILES: usize = 200;
/// So much is read of all tests together.
const MOST_TESTS: usize = 1_000_000;
/// Longer data is nobody's table.
const MOST_ROWS: usize = 200;
/// So many digits are told apart.
const DIGITS: usize = 16;

/// The data of tests as it was before the change: what somebody adds with new code tries that code.
#[derive(Debug, Default)]
pub(crate) struct Data {
    files: Vec<Recorded>,
    /// The tests themselves, as they were.
    tests: String,
}

/// One file of data.
#[derive(Debug)]
pub(crate) struct Recorded {
    text: String,
    numbers: HashSet<String>,
    /// How many different numbers there are of each length.
    of_length: [usize; DIGITS],
    /// Lines that are no comments.
    records: usize,
}

impl Data {
    pub(crate) fn of(changes: &[Change<'_>], tests: &[File<'_>]) -> Self {
        let is_data = |role: Role| matches!(role, Role::Fixture | Role::Snapshot);
        let old = changes.iter().filter(|one| is_data(one.role)).map(|one| one.old().into());
        let same = tests.iter().filter(|file| is_data(role(file.path)));
        let same = same.filter(|file| file.bytes.len() < MAX_BYTES);
        let same = same.map(|file| String::from_utf8_lossy(file.bytes));
        let files = same.chain(old).filter(|text: &std::borrow::Cow<'_, str>| {
            !text.is_empty() && text.len() < MAX_BYTES && !text.contains('\0')
        });
        let files = files.take(MOST_FILES).map(|text| Recorded::of(&text)).collect();
        Self { files, tests: old_tests(changes, tests) }
    }

    pub(crate) fn files(&self) -> &[Recorded] {
        &self.files
    }

    pub(crate) fn has_tests(&self) -> bool {
        !self.tests.is_empty() || !self.files.is_empty()
    }

    /// Whether a text stands in the code or the data of tests as they were.
    pub(crate) fn is_in_tests(&self, text: &str) -> bool {
        self.tests.contains(text) || self.files.iter().any(|file| file.text.contains(text))
    }

    /// Whether a file has so many records.
    pub(crate) fn has_length(&self, length: usize) -> bool {
        self.files.iter().any(|file| file.records == length)
    }
}

/// The code of tests before the change, as far as it is read.
fn old_tests(changes: &[Change<'_>], tests: &[File<'_>]) -> String {
    let mut all = String::new();
    let mut take = |text: &str| {
        if all.len() + text.len() < MOST_TESTS {
            all.push_str(text);
            all.push('\n');
        }
    };
    for file in tests.iter().filter(|file| role(file.path) == Role::Test) {
        take(&String::from_utf8_lossy(file.bytes));
    }
    for change in changes {
        if change.role == Role::Test {
            take(change.old());
        }
        for range in &change.was.inline {
            take(change.old().get(range.clone()).unwrap_or(""));
        }
    }
    all
}

impl Recorded {
    fn of(text: &str) -> Self {
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
        let numbers: HashSet<String> = text
            .split(|letter| !is_part(letter))
            .filter_map(|word| plain(word.trim_matches('.')))
            .collect();
        let mut of_length = [0; DIGITS];
        for number in &numbers {
            of_length[digits(number)] += 1;
        }
        let is_record = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '/']);
        let records = text.lines().filter(is_record).count();
        Self { text: text.to_owned(), numbers, of_length, records }
    }

    pub(crate) fn has_number(&self, number: &str) -> bool {
        plain(number).is_some_and(|number| self.numbers.contains(&number))
    }

    pub(crate) fn has_text(&self, text: &str) -> bool {
        crate::args::has_word(&self.text, text)
    }

    /// The numbers of each record, where records are lines.
    pub(crate) fn rows(&self) -> Vec<HashSet<String>> {
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
        let numbers = |line: &str| -> HashSet<String> {
            let words = line.split(|letter| !is_part(letter));
            words.filter_map(|word| plain(word.trim_matches('.'))).collect()
        };
        let all = self.text.lines().take(MOST_ROWS).map(numbers);
        all.filter(|row| !row.is_empty()).collect()
    }

    /// How likely a number of that length stands here by chance.
    pub(crate) fn chance(&self, number: &str) -> f64 {
        let length = plain(number).map_or(0, |number| digits(&number));
        let all = 10_f64.powi(i32::try_from(length).unwrap_or(0)) * 0.9;
        let here = u32::try_from(self.of_length[length]).unwrap_or(u32::MAX);
        (f64::from(here) / all).min(1.0)
    }
}

/// A number in one spelling: `00012` is 12.
fn plain(word: &str) -> Option<String> {
    let is_number = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
        && word.contains(|letter: char| letter.is_ascii_digit())
        && word.matches('.').count() < 2;
    let whole = word.trim_start_matches('0');
    let whole = if whole.is_empty() || whole.starts_with('.') {
        format!("0{whole}")
    } else {
        whole.to_owned()
    };
    is_number.then_some(whole)
}

fn digits(number: &str) -> usize {
    number.chars().filter(char::is_ascii_digit).count().min(DIGITS - 1)
}
