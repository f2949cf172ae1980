//! Texts that are too long for a context, cut where a person can follow.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::blocks::DIALECTS;
use crate::mistake::{Place, Warning};

/// The longest text of a field, in bytes.
pub const MAX_FIELD: usize = 2048;

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer<'a> {
    pub file: &'a str,
    pub place: Place,
    pub key: &'a str,
}

/// Warns of a text with more than `max` bytes.
pub fn oversized(text: &str, max: usize, from: Pointer<'_>) -> Option<Warning> {
    (text.len() > max).then(|| {
        let what = format!("it has {} bytes, and more than {max} are hard to take in", text.len());
        let fix = "write the most important first, and move the rest into a document";
        Warning::new((from.file, from.place), from.key, what, fix)
    })
}

/// A text of up to `max` bytes: one that is longer is cut after a word, and says where the rest
/// is. The words that say so are there even if they alone are longer than `max`.
pub fn bounded(text: &str, max: usize, from: Pointer<'_>) -> (String, Option<Warning>) {
    let warning = oversized(text, max, from);
    if warning.is_none() {
        return (text.to_owned(), None);
    }
    let see = format!("… see {}#L{}", from.file, from.place.line);
    // Room for what closes code, too.
    let room = max.saturating_sub(see.len() + "\n\n\n".len());
    let mut cut = cut(text, room);
    let mut closing = closing(cut);
    if !closing.is_empty() {
        cut = self::cut(text, room.saturating_sub(closing.len()));
        closing = self::closing(cut);
    }
    let kept = format!("{cut}{closing}");
    let space = if kept.is_empty() { "" } else { "\n\n" };
    (format!("{kept}{space}{see}\n"), warning)
}

/// Up to `room` bytes of a text, to the end of a word if there is one.
fn cut(text: &str, room: usize) -> &str {
    let part = &text[..text.floor_char_boundary(room)];
    let ends_there = text[part.len()..].starts_with(char::is_whitespace);
    match part.rfind(char::is_whitespace) {
        Some(end) if !ends_there => part[..end].trim_end(),
        _ => part.trim_end(),
    }
}

/// What closes the code that is open at the end of a text.
fn closing(text: &str) -> String {
    let read = |text: &str| -> Option<(usize, bool)> {
        let events = Parser::new_ext(text, DIALECTS[0]).into_offset_iter();
        let mut depth = 0_usize;
        let mut last = None;
        for (event, range) in events {
            match event {
                Event::Start(tag) => {
                    if depth == 0 {
                        let fenced = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)));
                        last = Some((range.start, fenced));
                    }
                    depth += 1;
                }
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        last
    };
    // A fence is open if what follows after a blank line still belongs to it.
    match read(&format!("{text}\n\nx")) {
        Some((start, true)) => {
            let mark = if text[start..].starts_with('~') { '~' } else { '`' };
            let fence: String =
                text[start..].chars().take_while(|letter| *letter == mark).collect();
            format!("\n{fence}")
        }
        _ => String::new(),
    }
}
