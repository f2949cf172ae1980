//! A task taken apart: sentences, the clauses of each, and the values that it writes down.

use countersign_domain::quotes;

/// The sentences of a task. What ends a sentence inside of quotes ends none.
pub(super) fn sentences(task: &str) -> Vec<&str> {
    cut(task, |letter, rest, before| {
        let is_short = || {
            let word = before.rsplit([' ', '(', '\n']).next().unwrap_or_default();
            SHORTENED.contains(&word.to_lowercase().as_str())
        };
        matches!(letter, '.' | ';' | '!' | '?' | '\n')
            && (letter == '\n' || rest.starts_with(char::is_whitespace) || rest.is_empty())
            && !(letter == '.' && !rest.trim().is_empty() && is_short())
    })
}

/// What has a dot behind it in the middle of a sentence.
const SHORTENED: &[&str] = &["e.g", "i.e", "vs", "cf", "approx", "incl", "resp", "ca"];

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
    let quotes = quotes::spans(text);
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in text.char_indices().filter(|(at, _)| !is_within(&quotes, *at)) {
        let word = words.iter().find(|word| text[at..].starts_with(**word));
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
    let quotes = quotes::spans(text);
    let mut found = Vec::new();
    let mut start = 0;
    for (at, letter) in text.char_indices().filter(|(at, _)| !is_within(&quotes, *at)) {
        let behind = at + letter.len_utf8();
        if ends(letter, &text[behind..], &text[start..at]) {
            found.push(text[start..at].trim());
            start = behind;
        }
    }
    found.push(text[start..].trim());
    found.retain(|piece| !piece.is_empty());
    found
}

/// Whether a place is inside of quotes, or a quote itself.
fn is_within(quotes: &[(usize, usize)], at: usize) -> bool {
    quotes.iter().any(|(from, to)| (from.saturating_sub(1)..=*to).contains(&at))
}

/// What a clause has in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote<'t> {
    pub(super) text: &'t str,
    /// What stands before it in the clause.
    pub(super) before: &'t str,
    /// What stands behind it.
    pub(super) after: &'t str,
    /// Backticks are around code.
    pub(super) is_code: bool,
}

/// What a clause has in quotes, with what stands around it.
pub(super) fn quotes(clause: &str) -> Vec<Quote<'_>> {
    let one = |(from, to): (usize, usize)| {
        let sign = clause[..from].chars().next_back().unwrap_or(' ');
        let end = clause[to..].chars().next().map_or(to, |sign| to + sign.len_utf8());
        let before = &clause[..from - sign.len_utf8()];
        Quote { text: &clause[from..to], before, after: &clause[end..], is_code: sign == '`' }
    };
    quotes::spans(clause).into_iter().map(one).collect()
}

/// What a clause has in quotes, and the clause without it.
pub(super) fn quoted(clause: &str) -> (Vec<&str>, String) {
    let all = quotes(clause);
    let mut rest = String::new();
    let mut start = 0;
    for quote in &all {
        rest.push_str(&clause[start..quote.before.len()]);
        rest.push_str(" \u{1} ");
        start = clause.len() - quote.after.len();
    }
    rest.push_str(&clause[start..]);
    (all.into_iter().map(|quote| quote.text).collect(), rest)
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
        let apostrophes = "It's the runners' list, and don't cut 'a, b' there";
        assert_eq!(clauses(apostrophes).len(), 2);
        assert_eq!(quoted(apostrophes).0, ["a, b"]);
    }
}
