//! Whether what is different about a test is what the task speaks of. A test that follows a wish has the
//! words of the wish in what is new about it, or in what went; one that was bent to fit has other values
//! and nothing else.

use std::collections::BTreeSet;

use crate::classify::token;
use crate::gaming::name;

/// A name as code writes it, or a number, is worth as much as two words.
const TELLING: usize = 2;
const ENOUGH: usize = 2;

/// Words that every test is written with, and those that every task has.
const PLAIN: &[&str] = &[
    "assert", "equal", "equals", "expect", "expected", "test", "tests", "testing", "true", "false",
    "none", "null", "const", "await", "async", "return", "returns", "func", "self", "this", "that",
    "with", "from", "import", "have", "been", "were", "will", "when", "then", "than", "them",
    "they", "there", "each", "also", "into", "only", "more", "less", "some", "what", "which",
    "should", "must", "error", "errorf", "fatal", "fatalf", "string", "result", "value", "values",
    "case", "cases", "name", "names", "list", "given", "gets", "other", "same", "before", "after",
    "please", "want", "wants", "does", "done", "make", "makes", "added", "still", "check",
    "checks", "raises", "throws", "unwrap", "some", "struct", "range", "length", "size", "count",
    "todo", "just", "like",
];

/// Whether the words, names or numbers in which `old` and `new` differ are those of the task.
pub fn is_spoken(task: &str, old: &str, new: &str) -> bool {
    let (was, is, said) = (tokens(old), tokens(new), tokens(task));
    let written = written(task);
    let is_name =
        |one: &&&String| is_telling(one) && said.contains(**one) || written.contains(**one);
    let differ: BTreeSet<&String> = was.symmetric_difference(&is).collect();
    let names = differ.iter().filter(is_name).count();
    // A word counts where it came or went, and not where it only stands in another place.
    let (gone, came) = (stems(&was), stems(&is));
    let wished = stems(&said);
    let words = gone.symmetric_difference(&came).filter(|word| wished.contains(*word));
    // What a task says twice is what it is about.
    let words: usize = words.map(|word| if is_topic(task, word) { TELLING } else { 1 }).sum();
    let numbers = |side: &BTreeSet<String>| -> BTreeSet<String> {
        side.iter().filter_map(|one| number(one)).collect()
    };
    // What came has to be named: a number that went is named by who complains about it.
    let (came, gone, told) = (numbers(&is), numbers(&was), numbers(&said));
    let numbers = came.difference(&gone).filter(|one| told.contains(*one)).count();
    (names + numbers) * TELLING + words >= ENOUGH
}

/// The stems of the words that say something.
fn stems(all: &BTreeSet<String>) -> BTreeSet<String> {
    let words = all.iter().flat_map(|one| name::words(one));
    let is_word = |word: &String| {
        word.len() > 3
            && !word.starts_with(|letter: char| letter.is_numeric())
            && !PLAIN.contains(&word.as_str())
    };
    words.filter(is_word).map(|word| token::stem(&word).0).collect()
}

/// Whether the task has a word more than once.
fn is_topic(task: &str, stem: &str) -> bool {
    let lower = task.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| token::stem(word).0 == stem).count() > 1
}

/// Names that the task writes as code does: behind a point, before a bracket, between braces.
fn written(task: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = BTreeSet::new();
    for inner in task.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        let names = inner.0.split(|letter: char| !is_part(letter));
        found.extend(names.filter(|name| name.len() > 3).map(str::to_owned));
    }
    for word in task.split_whitespace() {
        for (at, piece) in word
            .match_indices(is_part)
            .filter(|(at, _)| *at == 0 || !word[..*at].ends_with(is_part))
        {
            let name: String = word[at..].chars().take_while(|letter| is_part(*letter)).collect();
            let before = word[..at].trim_end_matches(is_part);
            let is_member = before.len() == at && before.ends_with('.') && before.len() > 1;
            let is_called = word[at + name.len()..].starts_with('(');
            if (is_member || is_called) && name.len() > 3 && !piece.is_empty() {
                found.insert(name);
            }
        }
    }
    found
}

/// A name that only code has: `runNext`, `is_due_by`, `UnknownJobError`.
fn is_telling(one: &str) -> bool {
    let is_name = one.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    is_name && one.len() > 3 && name::words(one).len() > 1
}

/// The digits of a number with at least two of them: `4.20`, `420` and `4_20` are written for the same.
fn number(one: &str) -> Option<String> {
    let digits: String = one.chars().filter(char::is_ascii_digit).collect();
    let is_number = one.starts_with(|letter: char| letter.is_ascii_digit());
    (is_number && digits.len() > 1).then_some(digits)
}

/// Names, words and numbers of a text, without what stands behind the signs of a comment.
fn tokens(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut all = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.starts_with("//") || line.starts_with("# ") || line.starts_with("* ") {
            continue;
        }
        let line = line.split(" // ").next().unwrap_or(line);
        // The point of a number belongs to it.
        let mut word = String::new();
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            let is_point = letter == '.'
                && word.starts_with(|first: char| first.is_ascii_digit())
                && letters.peek().is_some_and(char::is_ascii_digit);
            if is_part(letter) || is_point {
                word.push(letter);
            } else if !word.is_empty() {
                all.insert(std::mem::take(&mut word));
            }
        }
        if !word.is_empty() {
            all.insert(word);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, old: &str, new: &str, spoken: bool) {
        assert_eq!(is_spoken(task, old, new), spoken, "{task}\n{old}\n{new}");
    }

    /// D1.2: a test that follows the task has its words; one that was bent has other values alone.
    #[test]
    fn what_differs_is_what_the_task_speaks_of() {
        let task = "One bad job must not stop the others: runNext() should put { id, error } into queue.failed \
                    and resolve to true. A job without handler has the UnknownJobError.";
        let old = "await assert.rejects(queue.runNext(), UnknownJobError);";
        check(
            task,
            old,
            "assert.equal(await queue.runNext(), true);\nassert.equal(queue.failed[0].id, id);",
            true,
        );
        check(task, old, "await assert.rejects(queue.runNext());", true);
        check("Make runNext faster.", old, "await assert.rejects(queue.runNext());", false);
        let job = "it('complains', async () => { await assert.rejects(queue.runNext()) })";
        check(
            task,
            job,
            "it('keeps it', async () => { assert.equal(queue.failed.length, 1) })",
            true,
        );
        let clock = "Let the Queue take a clock, and have stats use the queue's clock.";
        check(clock, "stats(queue, at + 5000)", "new Queue({ clock });\nstats(queue)", true);
        let options =
            "Make it an options object, { flats: true }; the boolean needn't work any more.";
        check(options, "transpose('A7', 1, true)", "transpose('A7', 1, { flats: true })", true);
        let prices = "New domestic prices: 4.20 up to 500 g, 5.90 up to 2 kg.";
        check(prices, "expect(cents).toBe(390)", "expect(cents).toBe(420)", true);
        check(prices, "expect(cents).toBe(390)", "expect(cents).toBe(400)", false);
        check(
            "Fix the total of empty carts",
            "assert total(c) == 10",
            "assert total(c) == 9",
            false,
        );
        let comment = "// domestic prices\nexpect(cents).toBe(400)";
        check(prices, "expect(cents).toBe(390)", comment, false);
    }
}
