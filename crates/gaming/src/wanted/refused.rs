//! What a task wants to be an error, where neither the new code nor a new test knows of one.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::marks::{is_answer, is_mark, is_refusal};
use crate::args::has_word;
use crate::detect::Change;
use crate::role::Role;

/// Words of a clause that wants an error.
const REFUSES: &[&str] = &["reject", "rejects", "rejected", "refuse", "refuses", "refused"];
/// Salaries are raised and dice are thrown, too.
const THROWS: &[&str] = &["raise", "raises", "throw", "throws"];
const ERRORS: &[&str] = &["an error", "error for", "error if", "error when", "an exception"];
/// A clause with one of these tells how it is, or of an error that is to go.
const TELLS: &[&str] = &[
    "don't",
    "doesn't",
    "never",
    "should not",
    "must not",
    "not raise",
    "not throw",
    "not be",
    "not an error",
    "not reject",
    "not refuse",
    "no error",
    "no exception",
    "without an error",
    "without raising",
    "without throwing",
    "without an exception",
    "of a",
    "of an",
    "instead",
    "still",
    "now",
    "currently",
    "today",
    "stop",
    "stops",
    "already",
    "longer",
    "crash",
    "crashes",
    "avoid",
    "wrong",
    "wrongly",
    "fails",
    "failing",
    "unchanged",
    "keep",
    "keeps",
    "stay",
    "stays",
    "message",
    "messages",
    "rather",
    "why",
    "although",
    "but",
    "because",
    "log",
    "logs",
    "catch",
    "handle",
    "retry",
    "test",
    "tests",
    "again",
    "other",
    "as before",
    "as now",
    "as usual",
    "like before",
    "as ever",
];
/// A clause with one of these tells what happened to somebody.
const STORIES: &[&str] = &["get", "got", "gets", "when i", "if i", "see", "saw", "ends in"];
/// Words of a clause, or at the beginning of a sentence, that wants something. Without one, it may
/// tell what is wrong.
const MUST: &[&str] = &["should", "must", "has to", "have to", "make", "let"];
const ADDS: &[&str] = &["add", "implement", "write", "support", "introduce", "provide"];

/// Errors that the task wants, of which the change has no trace, or that new tests never wait for.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let Some(clause) = wanted(task, changes) else { return Vec::new() };
    let is_soft = is_soft(clause);
    let (mut has_code, mut has_tests, mut makes, mut waits) = (false, false, false, false);
    for change in changes.iter().filter(|one| matches!(one.role, Role::Product | Role::Test)) {
        let lines = change.lines();
        // What only changes places is new code, too.
        has_code |= change.role == Role::Product && change.language.is_code();
        let all: Vec<&str> = change.current().lines().collect();
        waits |= waits_for_one(change, &all);
        makes |= is_soft && change.lines().added.iter().any(|(_, line)| is_answer(line));
        for index in 0..all.len() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            if !lines.is_added(number) {
                continue;
            }
            if change.role == Role::Test || is_inline_test(change, &all, index) {
                has_tests = true;
                waits |= is_mark(all[index], true) || is_soft && is_refusal(all[index]);
                continue;
            }
            // A condition that is another now may lead to an error that was there.
            let near = &all[index..all.len().min(index + 3)];
            makes |= near.iter().any(|line| is_mark(line, false) && !is_head(line));
        }
    }
    let clause = crate::args::short(clause);
    let message = if has_code && has_tests && !waits {
        format!("The task wants an error (\"{clause}\"), and no new test waits for one.")
    } else if has_code && !makes && !(waits && only_takes_away(changes)) {
        format!("The task wants an error (\"{clause}\"), and nothing in the new code makes one.")
    } else {
        return Vec::new();
    };
    vec![Finding::new(Rule::G63, Basis::Structure, message)]
}

/// Whether what is refused need not be an error: "such bookings must be refused" may be an answer.
fn is_soft(clause: &str) -> bool {
    let lower = clause.to_lowercase();
    let names_error = ["error", "exception", "panic", "raise", "throw"];
    !names_error.iter().any(|word| lower.contains(word))
}

/// Whether the product only loses lines: what was known is unknown then, and the code that is left may
/// make the error already.
fn only_takes_away(changes: &[Change<'_>]) -> bool {
    let product = changes.iter().filter(|one| one.role == Role::Product && one.language.is_code());
    let (mut adds, mut loses) = (false, false);
    for change in product {
        let has_code = |line: &str| line.contains(char::is_alphanumeric);
        adds |= change.all_lines().any(|line| line.is_new && !line.is_test && has_code(line.code));
        loses |= change.lines().removed.iter().any(|(_, line)| has_code(line));
    }
    loses && !adds
}

/// Whether a test with new lines in it waits for an error: a new row belongs to what its test waits for.
fn waits_for_one(change: &Change<'_>, all: &[&str]) -> bool {
    let lines = change.lines();
    let is_own = |line: &str| line.contains(char::is_alphanumeric) && !line.starts_with("#[");
    let own = lines.added.iter().filter(|(_, line)| is_own(line.trim()));
    let own: Vec<usize> = own.map(|(at, _)| *at as usize).collect();
    let mut last = 0;
    change.is.tests.iter().any(|test| {
        let (line, end) = (test.line as usize, test.last_line as usize);
        // What stands above a test belongs to it, as far as it is no other test's.
        let first = line.saturating_sub(DECORATED).max(last + 1);
        last = end;
        let around = all.get(first.saturating_sub(1)..end.min(all.len())).unwrap_or(&[]);
        own.iter().any(|at| (first..=end).contains(at))
            && around.iter().any(|line| is_mark(line, true))
    })
}

/// So many lines above a test belong to it.
const DECORATED: usize = 4;

/// The head of a function says what it may hand out, and a comment anything.
fn is_head(line: &str) -> bool {
    let line = line.trim_start();
    [
        "func ",
        "fn ",
        "pub fn ",
        "def ",
        "function ",
        "//",
        "#",
        "*",
        "type ",
        "pub struct ",
        "class ",
    ]
    .iter()
    .any(|begin| line.starts_with(begin))
}

fn is_inline_test(change: &Change<'_>, all: &[&str], index: usize) -> bool {
    let offset: usize = all[..index].iter().map(|line| line.len() + 1).sum();
    change.is_test_at(offset)
}

/// The clause that wants an error.
fn wanted<'t>(task: &'t str, changes: &[Change<'_>]) -> Option<&'t str> {
    let sentences = task.split(['\n', ';']).flat_map(|line| line.split(". "));
    let mut has_begun = false;
    for sentence in sentences {
        let lower = sentence.to_lowercase();
        let mut first = lower.split_whitespace().filter(|word| *word != "please");
        let adds = first.next().is_some_and(|word| ADDS.contains(&word));
        let wants = adds || MUST.iter().any(|word| has_word(&lower, word));
        // After something was asked for, "is an error" says how it is to be.
        let was_begun = has_begun;
        let begins = ["may", "can", "need", "want"];
        has_begun |= wants || begins.iter().any(|word| has_word(&lower, word));
        let has = |text: &str, words: &[&str]| words.iter().any(|word| has_word(text, word));
        let says = |clause: &str| {
            let lower = clause.to_lowercase();
            let names_type = || clause.split_whitespace().any(|word| is_error_type(word, changes));
            let throws = has(&lower, THROWS) && is_thrown(clause);
            let refuses =
                throws || has(&lower, REFUSES) || ERRORS.iter().any(|words| lower.contains(words));
            let becomes = has(&lower, &["is a", "is an", "be a", "be an", "are a"]) && names_type();
            let is_wanted = has(&lower, MUST) || adds;
            let is_one = has(&lower, &["is an error", "are an error", "is refused", "are refused"]);
            let is_wanted = is_wanted || is_one && was_begun;
            let becomes = becomes && (wants || was_begun);
            // "It throws a ReadingError with the date" is no story once something was asked for, and a
            // message is told of the error that is wanted.
            let is_made = (has(&lower, REFUSES) || throws) && names_type();
            let is_wanted = is_wanted || is_made && was_begun && !has(&lower, STORIES);
            let tells = |word: &str| has_word(&lower, word);
            let tells = TELLS
                .iter()
                .filter(|word| !(is_made && word.starts_with("message")))
                .any(|w| tells(w));
            (refuses && is_wanted || becomes) && !tells
        };
        let clauses = sentence.split([',', ':', '(']).flat_map(|clause| clause.split(" - "));
        if let Some(clause) = clauses.into_iter().find(|clause| says(clause)) {
            return Some(clause.trim());
        }
        // "It should say which line is bad: RuleError("line 3: …")"
        let is_made = |word: &str| {
            let name = word.split('(').next().unwrap_or_default();
            word.contains("(\"") && name.ends_with("Error") && name.starts_with(char::is_uppercase)
        };
        if wants && !has(&lower, TELLS) && sentence.split_whitespace().any(is_made) {
            return Some(sentence.trim());
        }
    }
    None
}

/// Whether what is raised or thrown in a clause may be an error: it is called so, it has the name of a type,
/// or nothing is said of it. "It raises the salary" and "throw three dice" are about other things.
fn is_thrown(clause: &str) -> bool {
    const OPEN: &[&str] =
        &["for", "if", "when", "on", "unless", "otherwise", "then", "here", "there", "and", "or"];
    let lower = clause.to_lowercase();
    if ["error", "exception", "panic"].iter().any(|word| lower.contains(word)) {
        return true;
    }
    let mut words = clause.split_whitespace().skip_while(|word| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        !THROWS.contains(&word.as_str())
    });
    let next = words.nth(1).filter(|word| !matches!(*word, "a" | "an")).or_else(|| words.next());
    next.is_none_or(|word| {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        OPEN.contains(&bare) || bare.starts_with(char::is_uppercase)
    })
}

/// Whether a word is a type that the old code hands out as an error.
fn is_error_type(word: &str, changes: &[Change<'_>]) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    let is_type = word.len() > 3
        && word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && word.contains(|letter: char| letter.is_ascii_lowercase());
    let hands_out = |text: &str| {
        ["Err(", "ok_or(", "raise ", "throw new "].iter().any(|mark| {
            text.contains(&format!("{mark}{word}")) || text.contains(&format!("{mark}|| {word}"))
        })
    };
    let is_named = ["Error", "Exception"].iter().any(|end| word.ends_with(end) && word != *end);
    is_type && (is_named || changes.iter().any(|change| hands_out(change.old())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what is to be an error is told from what is one.
    #[test]
    fn errors_that_are_wanted() {
        let check = |task: &str, is: bool| assert_eq!(wanted(task, &[]).is_some(), is, "{task}");
        check("Put should return an error for an empty key, and keep nothing then.", true);
        check("Put should return an error for a time that is not positive.", true);
        check("Adding a song that is there should raise ValueError.", true);
        check("Orders from Switzerland crash with an error. Add the rate.", false);
        check("Please add pick(), which gives a song and raises IndexError for none.", true);
        check("Passwords with eight letters are refused, but eight should be enough.", false);
        check("get() throws a KeyError for missing keys; it should give None.", false);
        check("It should not throw for empty lists.", false);
        check("It should throw for empty lists.", true);
        check("Add Employee.raise_by(percent): it raises the salary.", false);
        check("Let a player throw three dice.", false);
        check("Heavier parcels must raise ValueError as before.", false);
        let days = "I need fillGaps(days). If there is none before, it throws a ReadingError with the date - I don't want invented data.";
        check(days, true);
        let word = "A typo ends in a KeyError. parse_row should raise PatternError with the word in its message (adapt the test).";
        check(word, true);
        check("Exports are slow. With a large file it raises MemoryError.", false);
        check("parse() should return None instead of raising an error.", false);
    }
}
