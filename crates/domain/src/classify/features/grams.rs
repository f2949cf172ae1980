//! Plain words and pairs of neighbouring words, with the borders of the clause: `g:<_how`, `g:how_to`, `g:work_?`.
//!
//! They know nothing of meanings; thousands of made-up examples gave them their weights.

use super::super::clause::Clause;
use super::super::read::Reading;
use super::super::token::Token;
use super::{Features, Source, WORDS};

/// How many words of a question count: those that make it one.
const ASKED: usize = 4;

/// Whether a feature is a word or a pair of words.
pub fn is_gram(name: &str) -> bool {
    name.starts_with("g:") || name.starts_with("b.g:")
}

/// The word as it counts here: all numbers are one.
fn plain(token: &Token) -> &str {
    if token.text.bytes().all(|b| b.is_ascii_digit()) { "0" } else { &token.text }
}

/// Adds the words and pairs of a clause, as far as nothing forbids them.
pub(super) fn write(clause: &Clause, reading: &Reading, out: &mut Features) {
    let open = if clause.opens_line { "<" } else { "+" };
    let tags: Vec<String> = clause.tags.iter().take(8).map(|t| format!("{}:", plain(t))).collect();
    let mut row: Vec<&str> = vec![open];
    row.extend(tags.iter().map(String::as_str));
    // What stands under "don't" isn't asked for, and what a question is about says little.
    let most = if reading.interrogative { ASKED } else { WORDS };
    let allowed = reading.forbidden.unwrap_or(most).min(most);
    row.extend(clause.tokens.iter().take(allowed).map(plain));
    if reading.forbidden.is_some() {
        row.push("!");
    }
    if clause.question {
        row.push("?");
    }
    row.push("$");
    for (at, word) in row.iter().enumerate() {
        let mut add = |name: String, words: String| {
            out.entry(name).or_insert(Source { words, ..Source::default() });
        };
        if !matches!(*word, "<" | "+" | "$") {
            add(format!("g:{word}"), (*word).to_owned());
        }
        if let Some(next) = row.get(at + 1) {
            add(format!("g:{word}_{next}"), said(word, next));
        }
    }
}

/// A pair without the signs for borders.
fn said(word: &str, next: &str) -> String {
    match (word, next) {
        ("<" | "+", "$") => String::new(),
        ("<" | "+", word) | (word, "$") => word.to_owned(),
        (word, next) => format!("{word} {next}"),
    }
}
