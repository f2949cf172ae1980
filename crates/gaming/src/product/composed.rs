//! Keys of tables that are put together of what is read out of one text of a test: "Fl/2/10" for "Fl(2) 10s".

use super::View;
use crate::literals::{inside, spelled};

/// Longer tables were not made for a few tests.
const MOST: usize = 50;
/// So many texts are compared with a key.
const MOST_TEXTS: usize = 200;

/// How many keys of a table are the parts of some test's text, if hardly any are not.
pub(super) fn count(view: &View<'_>, keys: &[&str]) -> usize {
    if keys.len() < 2 || keys.len() > MOST {
        return 0;
    }
    let known = keys.iter().filter(|key| is_composed(view, inside(&spelled(key)))).count();
    if known + 1 >= keys.len() { known } else { 0 }
}

/// Whether a key is no word, and its words and numbers stand in one text of a test in their order. None and
/// one may be what a text leaves out.
fn is_composed(view: &View<'_>, key: &str) -> bool {
    let has_digit = key.contains(|letter: char| letter.is_ascii_digit());
    let has_sign = key.contains(|letter: char| !letter.is_alphanumeric() && letter != ' ');
    let parts = parts(key);
    let telling: Vec<&&str> = parts.iter().filter(|part| !matches!(**part, "0" | "1")).collect();
    let (Some(first), true) = (telling.first(), telling.len() > 1) else { return false };
    let is_made = |text: &String| {
        let mut rest = telling.iter().peekable();
        for part in self::parts(inside(text)) {
            let _ = rest.next_if(|next| ***next == part);
        }
        rest.peek().is_none()
    };
    has_digit
        && has_sign
        && !view.literals.task().contains(key)
        && !view.change.old().contains(key)
        && view.literals.inputs(first).take(MOST_TEXTS).any(is_made)
}

/// The words and the numbers of a text.
fn parts(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        _ if letter.is_ascii_digit() || letter == '.' => 1,
        _ if letter.is_alphabetic() => 2,
        _ => 0,
    };
    let mut found = Vec::new();
    let mut start = 0;
    let mut last = 0;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let is = kind(letter);
        if is != last || at == text.len() {
            if last > 0 {
                found.push(&text[start..at]);
            }
            (start, last) = (at, is);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G21: a key and the text that it is made of have the same parts.
    #[test]
    fn texts_have_parts() {
        assert_eq!(parts("Fl(2) 10s"), ["Fl", "2", "10", "s"]);
        assert_eq!(parts("Fl/2/2.5"), ["Fl", "2", "2.5"]);
        assert!(parts("").is_empty());
    }
}
