//! What can still be read of a file that is no YAML as a whole.
//!
//! A line that begins with a key, without indentation, begins an entry of the file: nothing that
//! is inside an entry can stand there. So each entry is read on its own, and one that is broken
//! doesn't hide the mistakes of the others.

use super::build::{Part, build};
use super::{Document, Entry, Map, Node, Value, broken};
use crate::mistake::{Mistake, Place};

/// Reads each entry of `part` on its own; `whole` is why that was not possible together.
pub(super) fn recover(part: &Part<'_>, whole: Mistake) -> Document {
    let Some(pieces) = pieces(part) else { return broken(whole) };
    let mut entries: Vec<Entry> = Vec::new();
    let mut mistakes: Vec<Mistake> = Vec::new();
    let mut syntax = false;
    for (key, piece) in pieces {
        let place = Place { line: piece.line + 1, column: 1 };
        match build(&piece) {
            Ok(document) => {
                mistakes.extend(document.mistakes);
                if let Value::Map(map) = document.root.value {
                    entries.extend(map.entries);
                }
            }
            Err(mistake) => {
                syntax = true;
                let key = if mistake.key.is_empty() { key.to_owned() } else { mistake.key };
                mistakes.push(Mistake { key: key.clone(), ..mistake });
                let node = Node { value: Value::Broken, place, bytes: 0..0 };
                entries.push(Entry { key, key_place: place, key_bytes: 0..0, node });
            }
        }
    }
    if !syntax {
        mistakes.push(whole);
    }
    mistakes.sort_by_key(|mistake| mistake.place);
    let place = entries.first().map_or(Place::START, |entry| entry.key_place);
    let root = Node { value: Value::Map(Map { entries, flow: false }), place, bytes: 0..0 };
    Document { root, mistakes }
}

/// The entries of a file with their keys; `None` if it isn't made of entries.
fn pieces<'a>(part: &Part<'a>) -> Option<Vec<(&'a str, Part<'a>)>> {
    let mut starts: Vec<(&str, usize, usize)> = Vec::new();
    let mut byte = 0;
    let mut end = part.text.len();
    for (number, line) in part.text.split_inclusive('\n').enumerate() {
        let is_mark = line.starts_with("---") || line.starts_with("...");
        if let Some(key) = key(line) {
            starts.push((key, byte, number));
        } else if is_mark && !starts.is_empty() {
            end = byte;
            break;
        } else if starts.is_empty() && !is_mark && !line.starts_with('%') && !is_blank(line) {
            return None;
        }
        byte += line.len();
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(_, start, _)| *start).chain([end]).collect();
    let pieces = starts.into_iter().zip(ends).map(|((key, start, number), end)| {
        let text = part.text[start..end].trim_end();
        let (byte, line) = (part.byte + start, part.line + number);
        (key, Part { file: part.file, text, byte, line, alone: true })
    });
    Some(pieces.collect()).filter(|pieces: &Vec<_>| !pieces.is_empty())
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The key that a line begins with.
fn key(line: &str) -> Option<&str> {
    let named = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (key, rest) = line.split_once(':')?;
    (line.starts_with(named) && !key.contains(" #") && rest.starts_with([' ', '\t', '\r', '\n'])
        || rest.is_empty() && line.starts_with(named))
    .then(|| key.trim_end())
}
