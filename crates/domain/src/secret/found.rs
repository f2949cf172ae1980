//! What was found, and where. Never the secret itself, in no form: not in `Debug`, and not as a
//! hash either, because the hash of a password can be guessed by trying passwords.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::Scanner;
use super::rules::Kind;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found<'s> {
    /// The id of the rule that found it, such as `github-pat`.
    pub rule: &'s str,
    /// What it is, in words: `GitHub personal access token`.
    pub words: &'s str,
    /// From one.
    pub line: usize,
    /// In characters, from one.
    pub column: usize,
    /// In bytes of the text.
    pub start: usize,
    pub end: usize,
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, words, line, column, .. } = self;
        write!(f, "line {line}, column {column}: {words} ({rule})")
    }
}

/// A place with the rule that found it, before places that overlap are joined.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) rule: u16,
    pub(crate) place: Range<usize>,
}

/// Joins places that overlap. The rule that knows most gives its name: one that knows the form,
/// then the one that found more.
pub(crate) fn join(mut hits: Vec<Hit>, scanner: &Scanner) -> Vec<Hit> {
    let kind = |hit: &Hit| scanner.rule(hit.rule).map_or(Kind::Password, |rule| rule.kind);
    hits.sort_by_key(|hit| (hit.place.start, std::cmp::Reverse(hit.place.end), hit.rule));
    let mut joined: Vec<(Hit, usize)> = Vec::new();
    for hit in hits {
        match joined.last_mut() {
            Some((last, length)) if hit.place.start < last.place.end => {
                let better = (kind(&hit), hit.place.len()) > (kind(last), *length);
                if better {
                    *length = hit.place.len();
                    last.rule = hit.rule;
                }
                last.place.end = last.place.end.max(hit.place.end);
            }
            _ => {
                let length = hit.place.len();
                joined.push((hit, length));
            }
        }
    }
    joined.into_iter().map(|(hit, _)| hit).collect()
}

/// Says where in a text the places are, with one look at it.
pub(crate) fn locate<'s>(text: &[u8], hits: &[Hit], scanner: &'s Scanner) -> Vec<Found<'s>> {
    let (mut line, mut column, mut read) = (1, 1, 0);
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        let Some(rule) = scanner.rule(hit.rule) else { continue };
        let mut between = &text[read..hit.place.start];
        line += lines(between);
        if let Some(last) = between.iter().rposition(|byte| *byte == b'\n') {
            between = &between[last + 1..];
            column = 1;
        }
        // Bytes that continue a character are not counted.
        column += between.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        read = hit.place.start;
        let Range { start, end } = hit.place;
        found.push(Found { rule: rule.id(), words: rule.words(), line, column, start, end });
    }
    found
}

#[expect(clippy::naive_bytecount, reason = "only for texts with a secret; the compiler does well")]
fn lines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}
