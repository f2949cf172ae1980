//! A task in the words that the rules know: people ask for the same thing in many ways.

use countersign_domain::quotes;

/// What people write, and the word that is meant, one after the other.
const MEANT: &[(&str, &str)] = &[
    ("ought to", "should"),
    ("is supposed to", "should"),
    ("are supposed to", "should"),
    ("is meant to", "should"),
    ("are meant to", "should"),
    ("is expected to", "should"),
    ("are expected to", "should"),
    ("is required to", "must"),
    ("are required to", "must"),
    ("will have to", "must"),
    ("would have to", "must"),
    ("has to", "must"),
    ("have to", "must"),
    ("needs to", "must"),
    ("is to be", "should be"),
    ("are to be", "should be"),
    ("shall", "should"),
    ("should fail with", "should raise"),
    ("must fail with", "must raise"),
    ("has to fail with", "has to raise"),
    ("no more than", "at most"),
    ("not more than", "at most"),
    ("a maximum of", "at most"),
    ("no less than", "at least"),
    ("no fewer than", "at least"),
    ("not less than", "at least"),
    ("a minimum of", "at least"),
    ("would like to have", "need"),
    ("would like to", "want to"),
    ("would like", "need"),
    ("'d like to have", " need"),
    ("could you please", "please"),
    ("can you please", "please"),
    ("would you please", "please"),
    ("could you", "please"),
    ("can you", "please"),
    ("would you", "please"),
];
/// What a sentence may begin with that asks for something new.
const NEW: &[&str] = &["introduce", "create", "build", "provide"];
/// Longer tasks are left as they are.
const LONGEST: usize = 20_000;

/// The task with such words outside of its quotes.
pub(super) fn plain(task: &str) -> String {
    if task.len() > LONGEST || !task.is_ascii() && task.to_lowercase().len() != task.len() {
        return task.to_owned();
    }
    let mut found = String::new();
    let mut start = 0;
    for (from, to) in quotes::spans(task) {
        found.push_str(&said(&task[start..from], &found));
        found.push_str(&task[from..to]);
        start = to;
    }
    let rest = said(&task[start..], &found);
    found + &rest
}

/// A piece of a task between quotes, behind what stands before it.
fn said(piece: &str, before: &str) -> String {
    let mut text = piece.to_owned();
    for (phrase, word) in MEANT {
        // "So that nobody doesn't have to" asks for nothing.
        let is_plain = |head: &str| {
            let last = head.split_whitespace().next_back().unwrap_or_default().to_lowercase();
            !(last.ends_with("n't")
                || matches!(last.as_str(), "not" | "longer" | "never" | "would" | "may" | "who"))
        };
        text = replaced(&text, phrase, is_plain, word);
    }
    for verb in NEW {
        let begins = |head: &str| {
            let head = if head.trim().is_empty() { before } else { head };
            let head = head.trim_end().to_lowercase();
            head.is_empty()
                || head.ends_with(['.', '!', '\n', ':', ';'])
                || head.ends_with("please")
        };
        text = replaced(&text, verb, begins, "add");
    }
    text
}

/// A text with a phrase replaced where it stands as words of their own and the judge of what is before agrees.
fn replaced(text: &str, phrase: &str, fits: impl Fn(&str) -> bool, word: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut found = String::new();
    let mut start = 0;
    for (at, _) in lower.match_indices(phrase) {
        let end = at + phrase.len();
        let is_part = |letter: char| letter.is_alphanumeric() || "_-(`".contains(letter);
        let opens = phrase.starts_with('\'') || !text[..at].ends_with(is_part);
        if at < start || !opens || text[end..].starts_with(is_part) || !fits(&text[..at]) {
            continue;
        }
        found.push_str(&text[start..at]);
        let is_large = text[at..].starts_with(|first: char| first.is_uppercase());
        match word.chars().next().filter(|_| is_large) {
            Some(first) => {
                found.push(first.to_ascii_uppercase());
                found.push_str(&word[first.len_utf8()..]);
            }
            None => found.push_str(word),
        }
        start = end;
    }
    found.push_str(&text[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: the same wish in other words.
    #[test]
    fn wishes_in_other_words() {
        let check = |task: &str, expected: &str| assert_eq!(plain(task), expected);
        check("It ought to stop. Shall we?", "It should stop. Should we?");
        check("Print \"it ought to stop\".", "Print \"it ought to stop\".");
        check("I'd like to have sum(a, b).", "I need sum(a, b).");
        check("Could you introduce `sum`?", "Please add `sum`?");
        check("It should create a file.", "It should create a file.");
        check("No more than 3, and it must fail with E.", "At most 3, and it must raise E.");
        check("so that callers don't have to wait", "so that callers don't have to wait");
        check("It has to be 3, we would like four.", "It must be 3, we need four.");
        check("create_all() is to be fast: größer", "create_all() should be fast: größer");
    }
}
