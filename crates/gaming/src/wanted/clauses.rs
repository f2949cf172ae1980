//! A task taken apart: sentences, the clauses of each, and the values that it writes down.

/// The sentences of a task. What ends a sentence inside of quotes ends none.
pub(super) fn sentences(task: &str) -> Vec<&str> {
    cut(task, |letter, rest, _| {
        matches!(letter, '.' | ';' | '!' | '?' | '\n')
            && (letter == '\n' || rest.starts_with(char::is_whitespace) || rest.is_empty())
    })
}

/// The clauses of a sentence, at commas, colons, brackets that are no call, "and", "but" and "also".
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    let pieces = cut(sentence, |letter, rest, before| {
        let is_end = rest.is_empty() || rest.starts_with([' ', '\n', ')', ',']);
        let depth = before.matches('(').count().saturating_sub(before.matches(')').count());
        match letter {
            ',' | ':' => is_end && depth == 0,
            '(' => !before.ends_with(|last: char| last.is_alphanumeric() || "_>".contains(last)),
            ')' => depth == 0,
            _ => false,
        }
    });
    let joined = |piece| parted(piece, &[" and ", " but ", " also "]);
    pieces.into_iter().flat_map(joined).filter(|clause| !clause.is_empty()).collect()
}

/// A text cut at words that stand outside of quotes.
fn parted<'t>(text: &'t str, words: &[&str]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        quote = next_quote(quote, letter, &text[..at]);
        let word = words.iter().find(|word| quote.is_none() && text[at..].starts_with(**word));
        if let Some(word) = word.filter(|_| at >= start) {
            found.push(text[start..at].trim());
            start = at + word.len() - 1;
        }
    }
    found.push(text[start..].trim());
    found
}

/// The text cut at every letter outside of quotes that ends something; the letter itself goes. The
/// judge gets the letter, what is behind it, and what stands before it since the last cut.
fn cut(text: &str, ends: impl Fn(char, &str, &str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        let was = quote;
        quote = next_quote(quote, letter, &text[..at]);
        if was.is_none() && quote.is_none() {
            let behind = at + letter.len_utf8();
            if ends(letter, &text[behind..], &text[start..at]) {
                found.push(text[start..at].trim());
                start = behind;
            }
        }
    }
    found.push(text[start..].trim());
    found.retain(|piece| !piece.is_empty());
    found
}

/// The quote that is open behind a letter. An apostrophe opens none.
fn next_quote(open: Option<char>, letter: char, before: &str) -> Option<char> {
    let _ = before;
    match (open, letter) {
        (Some(one), _) if one == letter => None,
        (Some('“'), '”') => None,
        (Some(one), _) => Some(one),
        (None, '"' | '`' | '“') => Some(letter),
        (None, _) => None,
    }
}

/// What a clause has in quotes, and the clause without it.
pub(super) fn quoted(clause: &str) -> (Vec<&str>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut open: Option<(usize, char)> = None;
    for (at, letter) in clause.char_indices() {
        match open {
            Some((start, quote)) if letter == quote => {
                found.push(&clause[start..at]);
                rest.push_str(" \u{1} ");
                open = None;
            }
            Some(_) => {}
            None => match letter {
                '"' | '`' => open = Some((at + 1, letter)),
                '“' => open = Some((at + letter.len_utf8(), '”')),
                letter => rest.push(letter),
            },
        }
    }
    (found, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: quotes, calls and numbers with commas hold a clause together.
    #[test]
    fn tasks_are_taken_apart() {
        let task = "Take \"1. 5\" too. It should be fine (f(1, 2) is 3, \"a, b\" as well): -5s and /a/:b go. Done";
        assert_eq!(sentences(task).len(), 3);
        assert_eq!(
            clauses(sentences(task)[1]),
            ["It should be fine", "f(1, 2) is 3", "\"a, b\" as well", "-5s", "and /a/:b go"]
                .map(|clause| clause.trim_start_matches("and ").trim())
        );
        assert_eq!(
            quoted("take \"a b\" or `c`"),
            (vec!["a b", "c"], "take  \u{1}  or  \u{1} ".into())
        );
    }
}
