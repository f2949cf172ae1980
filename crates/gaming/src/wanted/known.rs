//! What tests and new code have written down, and whether an example of a task is among it: as it is, or
//! as another one of its form.

use std::collections::{BTreeSet, HashSet};

use super::Work;
use super::templates;
use crate::args::has_word;

/// What tests and new code have written down.
pub(super) struct Known {
    text: String,
    tried: String,
    /// The changed files as they are now.
    whole: String,
    /// All names of code in small letters, without what parts their words.
    names: HashSet<String>,
    shapes: HashSet<String>,
    /// The shapes of what stands in quotes.
    values: Vec<String>,
    /// Those of them that are new.
    new: HashSet<String>,
    /// All texts in quotes, those of old lines as well.
    texts: Vec<String>,
}

impl Known {
    pub(super) fn of(work: &Work) -> Self {
        let text = format!("{}\n{}", work.tests, work.code);
        let lines = || text.lines().filter(|line| line.len() < 2_000).take(20_000);
        let shapes_of = |line: &str| -> Vec<String> {
            let values = crate::literals::values(line).into_iter();
            values.map(|value| shape(crate::literals::inside(&value))).collect()
        };
        let values: Vec<String> = lines().flat_map(shapes_of).collect();
        let own = work.tried.iter().map(String::as_str).chain(work.code.lines());
        let new = own.filter(|line| line.len() < 2_000).flat_map(shapes_of).collect();
        let texts =
            lines().chain(work.whole.lines().filter(|line| line.len() < 2_000).take(20_000));
        let texts = texts.flat_map(crate::literals::values).filter(|value| value.starts_with('"'));
        let texts = texts.map(|value| plain(crate::literals::inside(&value))).collect();
        let mut shapes: HashSet<String> = values.iter().cloned().collect();
        // A pattern between slashes, and a text of several lines, have no quotes around them.
        shapes.extend(lines().map(|line| shape(line.trim())).filter(|shape| shape.len() < 200));
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        let names = text.split(|letter| !is_part(letter)).map(joined).collect();
        let whole = plain(&work.whole).to_lowercase();
        let tried = work.tried.join("\n");
        Self { text: plain(&text), tried, whole, names, shapes, values, new, texts }
    }

    /// Whether a number of a term is there, or one that the sentence has behind it: "25/23.976 (1.04271)".
    pub(super) fn has_number(&self, term: &str, sentence: &str) -> bool {
        let from = sentence.find(term).unwrap_or(0);
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
        let numbers = sentence[from..].split(|letter| !is_part(letter));
        let numbers = numbers.map(|number| number.trim_matches('.')).filter(|one| !one.is_empty());
        let text = self.text.replace('_', "");
        numbers.into_iter().any(|number| has_word(&text, number))
    }

    /// Whether a text that is to come out is there by another name, or new tests and new code have one
    /// that differs in its numbers and words alone: another day, another price.
    pub(super) fn has_like(&self, text: &str) -> bool {
        let shape = shape(text);
        let is_telling = shape.contains('0') && shape.contains(|letter| !"0. ".contains(letter));
        self.has_name(&plain(text)) || is_telling && self.new.contains(&shape)
    }

    /// Whether a text has the fixed parts of a form in their order: "line N: reason".
    pub(super) fn fills(&self, form: &str) -> bool {
        let parts = templates::fixed(form);
        parts.is_some_and(|parts| self.texts.iter().any(|text| templates::has_parts(text, &parts)))
    }

    /// Whether a text of words is there as a name, or in what was there before.
    fn has_name(&self, bare: &str) -> bool {
        let is_text = |letter: char| letter.is_alphabetic() || " -_’".contains(letter);
        let is_words = bare.chars().all(is_text);
        let is_long = bare.split_whitespace().count() > 1;
        self.names.contains(&joined(bare)) && is_words
            || is_long
                && !bare.contains(|l: char| l.is_numeric())
                && self.whole.contains(&bare.to_lowercase())
    }

    /// Whether a value has the same signs in their order, and begins and ends as the example does.
    fn has_signs(&self, shape: &str) -> bool {
        let signs = |text: &str| -> Vec<char> {
            text.chars().filter(|letter| !letter.is_alphanumeric() && *letter != ' ').collect()
        };
        let own = signs(shape);
        let is_sign = |letter: Option<char>| letter.is_some_and(|it| !it.is_alphanumeric());
        let begins = is_sign(shape.chars().next());
        let ends = is_sign(shape.chars().next_back());
        own.len() > 1
            && self.values.iter().any(|known| {
                let mut rest = own.iter().peekable();
                for sign in signs(known) {
                    let _ = rest.next_if(|next| **next == sign);
                }
                rest.peek().is_none()
                    && is_sign(known.chars().next()) == begins
                    && is_sign(known.chars().next_back()) == ends
            })
    }

    /// Whether a piece of a text stands there, or a text with a place in it that makes it.
    fn has_words(&self, piece: &str) -> bool {
        self.text.contains(piece) || templates::makes(&self.text, piece)
    }

    pub(super) fn has(&self, example: &str) -> bool {
        let bare = plain(example);
        let is_filled = |pieces: Vec<&str>| pieces.into_iter().all(|piece| self.has_words(piece));
        if templates::around(&bare).is_some_and(is_filled)
            || self.fills(&bare)
            || self.has_name(&bare)
        {
            return true;
        }
        if self.text.contains(&bare) || self.text.to_lowercase().contains(&bare.to_lowercase()) {
            return true;
        }
        let words: Vec<&str> = bare
            .split(|letter: char| !letter.is_alphabetic())
            .filter(|word| word.len() > 1)
            .collect();
        let lower = self.text.to_lowercase();
        let found = words.iter().filter(|word| has_word(&lower, &word.to_lowercase())).count();
        // Of a sentence, most of the words are enough.
        if words.len() > 2 && found * 10 >= words.len() * 6 {
            return true;
        }
        let digits: String = bare.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_start_matches('0');
        let is_cents = bare.contains('.') && !bare.contains(char::is_alphabetic);
        if is_cents && has_word(&self.text.replace('_', ""), digits) {
            return true;
        }
        if let Some((one, other)) = bare.split_once(['x', '×'])
            && is_number(one)
            && is_number(other)
        {
            let text = if self.tried.is_empty() { &self.text } else { &self.tried };
            // Another size that is no square will do as well.
            let is_other = |run: &[u64]| run[0] != run[1] && run.iter().all(|number| *number > 1);
            let mut runs = self.tried.lines().flat_map(super::untried::runs);
            return has_word(text, one) && has_word(text, other)
                || one != other && runs.any(|run| run.windows(2).any(is_other));
        }
        let shape = shape(example);
        // However it is spaced.
        let close = |text: &str| text.replace(' ', "");
        if close(&shape).len() > 4
            && self.shapes.iter().any(|known| close(known).contains(&close(&shape)))
        {
            return true;
        }
        // What is long and made of signs is tried by anything that is made of the same ones.
        let signs = |text: &str| -> BTreeSet<char> {
            text.chars().filter(|letter| !letter.is_alphanumeric() && *letter != ' ').collect()
        };
        let own = signs(&shape);
        let is_made_of_them =
            |known: &&String| known.len() * 2 > shape.len() && signs(known).is_superset(&own);
        if shape.len() > 14 && own.len() > 2 && self.values.iter().any(|v| is_made_of_them(&v)) {
            return true;
        }
        if self.has_signs(&shape) {
            return true;
        }
        // A single word or number has the shape of any other.
        let is_common = shape.chars().all(|letter| "aA0 .".contains(letter));
        self.shapes.iter().any(|known| known.contains(&shape))
            || is_common && words.len() < 2 && found == words.len()
    }
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

/// A text as one name, in small letters.
fn joined(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A text without what it is escaped with and without quotes.
fn plain(text: &str) -> String {
    text.replace(['\\', '"', '`'], "").replace('\'', "\u{2019}")
}

/// A text as its form alone: runs of digits, of small and of large letters are one sign each.
pub(super) fn shape(text: &str) -> String {
    let mut found = String::new();
    for letter in plain(text).chars() {
        let sign = if letter.is_numeric() {
            '0'
        } else if letter.is_uppercase() {
            'A'
        } else if letter.is_alphabetic() {
            'a'
        } else {
            letter
        };
        if !(matches!(sign, '0' | 'A' | 'a' | ' ') && found.ends_with(sign)) {
            found.push(sign);
        }
    }
    found.trim().replace("Aa", "a")
}
