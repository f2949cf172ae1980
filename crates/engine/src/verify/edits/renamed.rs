//! Whether a changed test is the same test, but for names of the product that are others now.

use std::collections::BTreeMap;

use countersign_gaming::Test;

use super::name;

/// Whether `new` is `old` with some names put in the place of others: always the same one for the
/// same one, and each of them a name that the product knows by another word now. Values, signs and
/// their order are what they were.
pub(super) fn is_renamed(old: &Test, new: &Test, is_product: &dyn Fn(&str, &str) -> bool) -> bool {
    // Most pairs are told apart by what was counted already.
    let is_other = old.assertions.len() != new.assertions.len()
        || old.text.lines().count() != new.text.lines().count();
    if old.assertions.is_empty() || is_other {
        return false;
    }
    let own = (name(old), name(new));
    let (was, is) = (tokens(&old.text), tokens(&new.text));
    if was.len() != is.len() {
        return false;
    }
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    let is_one = |(one, other): (&&str, &&str)| {
        if !is_name(one) || !is_name(other) {
            return one == other;
        }
        // Two names must not become one, nor one become two.
        let (one, other): (&str, &str) = (one, other);
        let is_same = *there.entry(one.to_owned()).or_insert_with(|| other.to_owned()) == other
            && *back.entry(other.to_owned()).or_insert_with(|| one.to_owned()) == one;
        is_same && (one == other || (one, other) == (&own.0, &own.1) || is_product(one, other))
    };
    new.markers.len() <= old.markers.len()
        && new.cases == old.cases
        && was.iter().zip(&is).all(is_one)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// Names, numbers, texts in their quotes, and signs; no comments.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_comment = first == '#' && !rest.starts_with("#[") || rest.starts_with("//");
        let length = if is_comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if matches!(first, '"' | '\'' | '`') {
            quoted(rest, first)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if !is_comment && !token.trim().is_empty() {
            found.push(token);
        }
        rest = after;
    }
    found
}

/// How long a text with its quotes is; a quote that nothing closes is a sign.
fn quoted(text: &str, quote: char) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '\n' if quote != '`' => return 1,
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use countersign_gaming::outline;

    use super::*;

    fn is_same(old: &str, new: &str, pairs: &[(&str, &str)]) -> bool {
        let test = |body: &str| {
            let text = format!("def test_it():\n    {body}\n");
            outline("tests/test_it.py", text.as_bytes()).tests.remove(0)
        };
        is_renamed(&test(old), &test(new), &|old, new| pairs.contains(&(old, new)))
    }

    /// CHEATS trap: only names of the product may be others, and only one for one.
    #[test]
    fn a_name_that_became_another() {
        let renamed = [("is_late", "late")];
        let old = "assert is_late(a, 'b') and not is_late(b, 2)";
        assert!(is_same(old, "assert late(a, 'b') and not late(b, 2)  # is late", &renamed));
        assert!(!is_same(old, "assert late(a, 'b') and not late(b, 2)", &[]));
        assert!(!is_same(old, "assert late(a, 'b') and not is_late(b, 2)", &renamed));
        assert!(!is_same(old, "assert late(a, 'c') and not late(b, 2)", &renamed));
        assert!(!is_same(old, "assert late(a, 'b') and late(b, 2)", &renamed));
        assert!(!is_same(old, "assert late(a, 'b') or not late(b, 2)", &renamed));
        let two = [("add", "sum"), ("plus", "sum")];
        assert!(!is_same("assert add(2) == plus(2)", "assert sum(2) == sum(2)", &two));
    }
}
