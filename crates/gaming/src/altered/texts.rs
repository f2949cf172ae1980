//! Texts that say something else than they did.

use std::collections::BTreeSet;

use super::Value;
use crate::literals::{Literals, inside};

/// So many texts are compared.
const MOST: usize = 500;

/// Texts of the old code with those that took their place.
pub(super) fn altered<'c>(
    old: &[Value<'c>],
    new: &[Value<'c>],
    literals: &Literals,
) -> Vec<(Value<'c>, Value<'c>)> {
    let all = |values: &[Value<'_>]| -> BTreeSet<String> {
        values
            .iter()
            .filter(|one| one.text.starts_with('"'))
            .flat_map(|one| words(&one.text))
            .collect()
    };
    let (was, is) = (all(old), all(new));
    let task = words(literals.task());
    let is_new = |word: &String| !was.contains(word) && !task.contains(word);
    let sentences = |values: &[Value<'c>]| -> Vec<(Value<'c>, BTreeSet<String>)> {
        let said = values.iter().filter(|one| is_sentence(&one.text)).take(MOST);
        said.map(|one| (one.clone(), words(&one.text))).collect()
    };
    let mut came = sentences(new);
    came.retain(|(one, own)| own.iter().any(is_new) && !literals.knows(&one.text));
    let mut found = Vec::new();
    for (went, own) in sentences(old) {
        let is_heir = |other: &BTreeSet<String>| {
            let shared = own.intersection(other).count();
            shared > 0 && shared * 2 >= own.len().min(other.len())
        };
        let is_left = own.iter().all(|word| is.contains(word));
        let heir = came.iter().find(|(_, other)| !is_left && is_heir(other));
        found.extend(heir.map(|(heir, _)| (went, heir.clone())));
    }
    found.truncate(3);
    found
}

/// A text of several words that is no path and no pattern.
fn is_sentence(value: &str) -> bool {
    let inner = inside(value);
    value.starts_with('"') && inner.trim().contains(' ') && !inner.contains(['\\', '[', '<'])
}

/// The words of a text without what is filled in.
fn words(text: &str) -> BTreeSet<String> {
    let mut depth = 0_usize;
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 => return letter,
                _ => {}
            }
            ' '
        })
        .collect();
    let all = plain.split(|letter: char| !letter.is_alphanumeric() && letter != '%');
    all.filter(|word| word.len() > 1 && !word.starts_with('%')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G64: what is filled in says nothing.
    #[test]
    fn words_of_texts() {
        let all: Vec<String> = words("\"no {item.name} in %s left\"").into_iter().collect();
        assert_eq!(all, ["in", "left", "no"]);
    }
}
