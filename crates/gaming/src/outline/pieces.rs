//! Checks that were moved into a function of the same file still belong to the test that calls it.

use super::{Assertion, Fault};

/// A function with what it checks itself and whom it calls.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) name: String,
    pub(crate) assertions: Vec<Assertion>,
    pub(crate) calls: Vec<String>,
    /// Those of them that nobody waits for.
    pub(crate) dropped: Vec<String>,
}

/// How far calls of calls are followed, and how many checks one test may gather.
const DEEPEST: usize = 3;
const MOST: usize = 300;

/// The checks of a piece, and of those that it calls.
pub(crate) fn follow(piece: &Piece, pieces: &[Piece]) -> Vec<Assertion> {
    let mut found = piece.assertions.clone();
    let mut names: Vec<&str> = piece.calls.iter().map(String::as_str).collect();
    let mut seen: Vec<&str> = vec![&piece.name];
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for name in names {
            let called = pieces.iter().find(|other| other.name == name && !other.name.is_empty());
            let Some(called) = called.filter(|_| found.len() < MOST && name != piece.name) else {
                continue;
            };
            let is_dropped = piece.dropped.iter().any(|dropped| dropped == name);
            let fault = is_dropped.then_some(Fault::NotAwaited);
            found.extend(
                called
                    .assertions
                    .iter()
                    .cloned()
                    .map(|one| Assertion { fault: one.fault.or(fault), ..one }),
            );
            if !seen.contains(&name) {
                seen.push(name);
                next.extend(called.calls.iter().map(String::as_str));
            }
        }
        names = next;
    }
    found.truncate(MOST);
    found
}
