//! A criterion as the rules see it: words, values, and names from the code.

use crate::plan::id::{CriterionId, StoryId};

/// More of a clause than this says nothing about it.
const MAX_LETTERS: usize = 4_000;

/// One clause.
#[derive(Debug, Default)]
pub(super) struct Clause {
    /// Its words in small letters, without what is quoted.
    pub(super) words: Vec<String>,
    /// What is exact in it: quoted texts, numbers, addresses.
    pub(super) values: Vec<String>,
    /// What looks like a name from the code: `UserService`, `user_id`, `save()`, `/api/users`.
    pub(super) names: Vec<String>,
    /// Signs that part sentences.
    pub(super) breaks: usize,
}

/// The three clauses of a criterion.
#[derive(Debug)]
pub(super) struct Clauses {
    pub(super) given: Clause,
    pub(super) when: Clause,
    pub(super) then: Clause,
}

impl Clauses {
    pub(super) fn read(given: &str, when: &str, then: &str) -> Self {
        Self { given: Clause::read(given), when: Clause::read(when), then: Clause::read(then) }
    }

    /// All words, with a stop between the clauses, so that no phrase goes over it.
    pub(super) fn words(&self) -> Vec<String> {
        let clauses = [&self.given, &self.when, &self.then];
        let mut words: Vec<String> = Vec::new();
        for clause in clauses {
            words.extend(clause.words.iter().cloned());
            words.push(".".to_owned());
        }
        words
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        [&self.given, &self.when, &self.then].into_iter().flat_map(|clause| &clause.names)
    }
}

impl Clause {
    pub(super) fn read(text: &str) -> Self {
        let text: String = text.chars().take(MAX_LETTERS).collect();
        let (bare, quoted) = unquoted(&text);
        let mut clause = Self { values: quoted, ..Self::default() };
        let mut spoken = String::new();
        for word in bare.split_whitespace() {
            let word =
                word.trim_matches(|c: char| ",.;:!?()[]\"'".contains(c) && !word.ends_with("()"));
            let is_id = word.parse::<StoryId>().is_ok() || word.parse::<CriterionId>().is_ok();
            if !is_id && (word.contains(|c: char| c.is_ascii_digit()) || is_address(word)) {
                clause.values.push(word.to_owned());
            } else if is_name(word) {
                clause.names.push(word.to_owned());
                // Its parts are no words of the sentence.
                spoken.push_str(" \u{1}");
                continue;
            }
            spoken.push(' ');
            spoken.push_str(word);
        }
        let ends = bare.trim_end().trim_end_matches(['.', '!']);
        clause.breaks = ends.matches(';').count() + ends.matches(". ").count();
        clause.words = tokens(&spoken);
        clause
    }
}

/// The text without what is quoted, and what was.
fn unquoted(text: &str) -> (String, Vec<String>) {
    let (mut bare, mut quoted) = (String::new(), Vec::new());
    let mut rest = text;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let close = match letter {
            '"' | '`' => Some(letter),
            '“' => Some('”'),
            '«' => Some('»'),
            // An apostrophe stands inside of a word.
            '\'' | '‘' if !before.is_alphanumeric() => {
                Some(if letter == '‘' { '’' } else { '\'' })
            }
            _ => None,
        };
        let inner = &rest[letter.len_utf8()..];
        let end = close.and_then(|close| {
            inner.match_indices(close).map(|(at, _)| at).find(|at| {
                let behind = inner[at + close.len_utf8()..].chars().next();
                close != '\'' || !behind.is_some_and(char::is_alphanumeric)
            })
        });
        if let (Some(end), Some(close)) = (end, close) {
            quoted.push(inner[..end].to_owned());
            // Something stands there, and no phrase goes over it.
            bare.push_str(" \u{1} ");
            rest = &inner[end + close.len_utf8()..];
            before = ' ';
        } else {
            bare.push(letter);
            before = letter;
            rest = inner;
        }
    }
    (bare, quoted)
}

/// The words of a text in small letters.
pub(super) fn tokens(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || "'+.\u{1}".contains(c)))
        .map(|word| word.trim_matches(['\'', '.']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_address(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, place)| !name.is_empty() && place.contains('.'))
}

/// Whether a word comes from the code.
fn is_name(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let humps = letters.windows(2).filter(|two| two[0].is_lowercase() && two[1].is_uppercase());
    let is_path = word.len() > 2
        && word.starts_with('/')
        && word[1..].starts_with(|c: char| c.is_alphanumeric() || "{:".contains(c));
    let has_ending = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=4).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_lowercase())
            && stem.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-/.".contains(&b))
    });
    humps.count() > 0
        || word.ends_with("()")
        || word.contains("::")
        || word.contains("->")
        || (word.contains('_') && word.contains(char::is_alphabetic))
        || is_path
        || has_ending
}
