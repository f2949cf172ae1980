//! Texts that somebody made up for a test: whole, as a piece, or told in other signs.

use std::collections::HashSet;

use crate::args::has_word;

/// So many lines of tests are remembered.
const MOST_LINES: usize = 20_000;
/// Longer texts are documents.
const LONGEST: usize = 200;
/// So many words and numbers say where they come from, whatever signs stand between them.
pub(crate) const TELLING: usize = 3;
/// What was agreed on by many, and is no test's own.
const AGREED: &[&str] = &["http", "tls", "utc", "gmt", "iso "];

/// The lines of tests that have a number in them, and their words and numbers alone.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    lines: HashSet<String>,
    runs: HashSet<String>,
}

impl Learnt {
    pub(crate) fn take(&mut self, line: &str) {
        let has_digit = line.contains(|letter: char| letter.is_ascii_digit());
        if has_digit && self.lines.len() < MOST_LINES {
            self.runs.insert(run(line));
            self.lines.insert(line.replace("\\\"", "\"").replace("\\'", "'"));
        }
    }

    /// Whether a text stands in a line, or its words and numbers do: so many of them at least.
    pub(crate) fn has(&self, text: &str, least: usize) -> bool {
        let run = run(text);
        let is_long = run.split_whitespace().count() >= least;
        self.lines.iter().any(|line| has_word(line, text))
            || is_long && self.runs.iter().any(|line| line.contains(&run))
    }

    /// Whether some numbers stand one behind the other, as the parts of a day do.
    pub(crate) fn has_run(&self, numbers: &str) -> bool {
        let run = run(numbers);
        run.split_whitespace().count() > 1 && self.runs.iter().any(|line| line.contains(&run))
    }
}

/// Whether a text is put together of numbers and signs, and no name, path or pattern.
pub(crate) fn is_composite(text: &str) -> bool {
    let count = |is: fn(&char) -> bool| text.chars().filter(is).count();
    let (digits, signs) = (count(char::is_ascii_digit), count(|letter| !letter.is_alphanumeric()));
    let is_name = text.starts_with(char::is_alphabetic)
        && text.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
    let is_path = text.starts_with(['/', '#', '<', '%'])
        || text.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let lower = text.to_lowercase();
    digits > 0
        && (signs > 0 || digits > 4)
        && (3..LONGEST).contains(&text.len())
        && !is_name
        && !is_path
        && !text.contains(['\\', '{'])
        && !AGREED.iter().any(|name| lower.starts_with(name))
}

/// A line without its days and times, whose parts are no numbers of their own.
pub(crate) fn without_days(line: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_digit() || "-/:".contains(letter);
    let mut left = line.to_owned();
    for word in line.split(|letter| !is_part(letter)) {
        let mut parts = word.split(['-', '/', ':']);
        if word.len() < 30 && parts.clone().count() == 3 && parts.all(|part| !part.is_empty()) {
            left = left.replacen(word, " ", 1);
        }
    }
    left
}

/// Whether there is more in a text than nothing and one: another number, or several words.
pub(crate) fn is_telling(text: &str) -> bool {
    let run = run(text);
    run.contains(|letter: char| letter.is_ascii_digit()) || run.split_whitespace().count() > TELLING
}

/// The words and numbers of a text with a space around each. None and one may be what it leaves out.
pub(crate) fn run(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    for letter in text.chars() {
        let is = letter.is_alphanumeric().then(|| letter.is_numeric());
        if is.is_some() {
            if is != last {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                part.extend(letter.to_lowercase());
            }
        }
        last = is;
    }
    let parts = parts.iter().map(|part| part.trim_start_matches('0'));
    let told: Vec<&str> = parts.filter(|part| !matches!(*part, "" | "1")).collect();
    format!(" {} ", told.join(" "))
}
