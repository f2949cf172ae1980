//! Texts that somebody made up for a test or as an example: whole, as a piece, or told in other signs.

use crate::args::has_word;
use crate::literals::values;

/// So much is remembered of all tests together.
const MAX_BYTES: usize = 2_000_000;
/// Longer texts are documents.
const LONGEST: usize = 200;
/// So many words and numbers say where they come from, whatever signs stand between them.
pub(crate) const TELLING: usize = 3;
/// What was agreed on by many, and is no test's own, by how it begins.
const AGREED: &[&str] = &["http", "tls", "utc", "gmt", "iso ", "text/", "application/"];
/// The same, wherever it stands: how Go writes a format is one of them.
const AGREED_IN: &[&str] = &["utf-8", "2006", "15:04", "://"];

/// The lines of tests and of the task that have a number in them, and their words and numbers alone.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    lines: String,
    runs: String,
}

impl Learnt {
    pub(crate) fn take(&mut self, line: &str) {
        let has_digit = line.contains(|letter: char| letter.is_ascii_digit());
        if has_digit && self.lines.len() < MAX_BYTES {
            self.lines.push_str(&line.replace("\\\"", "\"").replace("\\'", "'"));
            self.lines.push('\n');
            self.runs.push_str(&run(line));
            self.runs.push('\n');
        }
    }

    /// Whether a text stands in a line, or its words and numbers do: so many of them at least.
    pub(crate) fn has(&self, text: &str, least: usize) -> bool {
        let run = run(text);
        let is_long = run.split_whitespace().count() >= least;
        has_word(&self.lines, text) || is_long && self.runs.contains(&run)
    }
}

/// Whether a text is put together of numbers and signs, and no name, path or wording.
pub(crate) fn is_composite(text: &str) -> bool {
    let count = |is: fn(&char) -> bool| text.chars().filter(is).count();
    let (digits, signs) = (count(char::is_ascii_digit), count(|letter| !letter.is_alphanumeric()));
    let is_name = text.starts_with(char::is_alphabetic)
        && text.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
    let is_path = text.starts_with(['/', '#', '<', '%'])
        || text.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let is_short_number = text.len() < 4 && text.parse::<f64>().is_ok();
    let lower = text.to_lowercase();
    digits > 0
        && (signs > 0 || digits > 4)
        && (3..LONGEST).contains(&text.len())
        && !is_name
        && !is_path
        && !is_short_number
        && !is_wording(text)
        && !text.contains(['\\', '{'])
        && !AGREED.iter().any(|name| lower.starts_with(name))
        && !AGREED_IN.iter().any(|name| lower.contains(name))
}

/// Whether there are more words than numbers, several of them: `at most 20 letters`.
fn is_wording(text: &str) -> bool {
    let has_digit = |word: &&str| word.contains(|letter: char| letter.is_ascii_digit());
    let (numbers, words): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(has_digit);
    let is_word = |word: &&&str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    let words = words.iter().filter(is_word).count();
    words > 1 && words > numbers.len()
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

/// A line of a task without its texts in quotes and its days: what it says in words.
pub(crate) fn said(line: &str) -> String {
    let mut left = without_days(line);
    for text in values(line).iter().filter(|value| value.starts_with('"')) {
        left = left.replacen(crate::literals::inside(text), " ", 1);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// G21: a whole text, a piece of it, and the same in other signs.
    #[test]
    fn texts_are_known_from_lines() {
        let mut learnt = Learnt::default();
        learnt.take("assert parse(\"&5.1.5.1.5,125\", 5) == tally('*k2, yo, k2tog* x3')");
        for text in ["&5.1.5.1.5", "5.1.5.1.5,125", "k2 yo1 k2tog1 x3", "*k2, yo, k2tog*"] {
            assert!(learnt.has(text, TELLING), "{text}");
        }
        for text in ["&5.1.5.12", "&5.1.5.1.5,12", "k2 yo1 x3", "k2 x4"] {
            assert!(!learnt.has(text, TELLING), "{text}");
        }
    }

    /// G21: what somebody put together, and what is a name or wording.
    #[test]
    fn texts_that_are_put_together() {
        for text in ["1,5", "&-1-4", "[yo, k2tog] x2", "2024-03-01", "12,50 EUR", ".5h", "rc.1"] {
            assert!(is_composite(text), "{text}");
        }
        for text in [
            "utf-8",
            "sha256",
            "/v1/users",
            ".mp3",
            "HTTP/1.1",
            "at most 20 letters",
            "2.0",
            "2006-01-02",
            "%d.%d{}",
        ] {
            assert!(!is_composite(text), "{text}");
        }
        assert!(is_telling("1:02:05") && is_telling("k1, p1, k1, p1") && !is_telling("0:00"));
    }

    /// G20: the parts of a day are no numbers that a task names.
    #[test]
    fn days_are_whole() {
        assert_eq!(without_days("from 2024-02-28 to 5 of 1-2"), "from   to 5 of 1-2");
        assert_eq!(said("`1,5 kg` is 1.5, at 10:30:00"), "` ` is 1.5, at  ");
    }
}
