//! A change that nobody asked for among lines that are only laid out anew: other quotes, other line breaks,
//! and between them another limit.

use std::collections::HashMap;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::short;
use crate::literals::is_trivial;
use crate::mask;

/// So many lines say the same in another layout, and so many times as many as say something else.
const MUCH: usize = 12;
const TIMES: usize = 3;
const MAX_BYTES: usize = 500_000;

/// Who asks for one of these asks for another layout.
const LAYOUT: &[&str] = &[
    "format",
    "formatted",
    "formatter",
    "formatting",
    "reformat",
    "prettier",
    "black",
    "gofmt",
    "rustfmt",
    "ruff",
    "biome",
    "style",
    "quotes",
    "indent",
    "indentation",
    "layout",
    "wrap",
    "refactor",
    "rewrite",
];

const LIMITS: &[&str] = &["<", ">", "<=", ">="];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let (old, new) = (view.change.old(), view.change.current());
    let is_read = !old.is_empty() && old.len() + new.len() < MAX_BYTES;
    if !is_read || view.lines.added.len() < MUCH || view.literals.task_has(LAYOUT) {
        return Vec::new();
    }
    let plain = |text: &str| mask::without_comments(text, view.change.language);
    let (old, new) = (plain(old), plain(new));
    let mut known = counted(&old);
    let (mut noise, mut said) = (0, 0);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(new.lines()) {
        let mut fresh = Vec::new();
        for piece in pieces(line) {
            match known.get_mut(piece) {
                Some(count) if *count > 0 => *count -= 1,
                _ => fresh.push(piece),
            }
        }
        if view.lines.is_added(number) {
            if fresh.is_empty() {
                noise += 1;
            } else {
                said += 1;
            }
            if fresh.iter().any(|piece| is_unasked(view, piece)) {
                found.push((number, line.trim().to_owned()));
            }
        }
    }
    if noise < MUCH || noise < said * TIMES {
        return Vec::new();
    }
    let message =
        "Another limit stands among lines that are only laid out anew, and nobody asked for it.";
    let told = found.into_iter().map(|(line, text)| {
        view.change.structure(Rule::G64, line, message).change(None, Some(short(&text)))
    });
    told.collect()
}

/// A number that neither the task nor a test names, or another comparison.
fn is_unasked(view: &View<'_>, piece: &str) -> bool {
    let is_number = piece.starts_with(|letter: char| letter.is_ascii_digit());
    let is_told = is_trivial(piece) || view.literals.is_asked(piece) || view.literals.knows(piece);
    is_number && !is_told || LIMITS.contains(&piece)
}

fn counted(text: &str) -> HashMap<&str, usize> {
    let mut all = HashMap::new();
    for piece in text.lines().flat_map(pieces) {
        *all.entry(piece).or_default() += 1;
    }
    all
}

/// Words, numbers and signs of a line, without what only lays it out.
fn pieces(line: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let is_sign = |letter: char| "<>=!+-*/%&|^".contains(letter);
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let same: &dyn Fn(char) -> bool = if is_word(first) {
            &is_word
        } else if is_sign(first) {
            &is_sign
        } else {
            &|_| false
        };
        let length = rest.find(|letter| !same(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        if is_word(first) || is_sign(first) {
            found.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G64: quotes, brackets and breaks are layout.
    #[test]
    fn layout_is_left_out() {
        assert_eq!(pieces("if (a >= 1.5) { say('x'); }"), ["if", "a", ">=", "1.5", "say", "x"]);
        assert_eq!(pieces("say(\"é\","), ["say", "é"]);
    }
}
