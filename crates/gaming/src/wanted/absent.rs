//! Things that a task asks for by name, of which one came and another is in no code at all.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::clauses::{Quote, quotes, sentences};
use crate::args::has_word;
use crate::detect::{Change, File};
use crate::language::Language;
use crate::role::Role;

/// Words of a sentence that asks for something new, and of one that may name what goes or stays out.
const ASKS: &[&str] = &["add", "need", "needs", "implement", "provide", "introduce", "want"];
const GOES: &[&str] = &[
    "remove",
    "delete",
    "drop",
    "rename",
    "replace",
    "instead",
    "stop",
    "deprecated",
    "without",
    "not",
    "no",
    "don't",
    "like",
    "as",
    "than",
    "unlike",
    "already",
];
/// What takes away what a sentence is about, whatever else it compares it with.
pub(super) const ENDS: &[&str] =
    &["remove", "delete", "drop", "rename", "replace", "stop", "deprecated", "don't", "already"];
/// What says of a function that it is to do something.
const SHOULD: &[&str] =
    &["should", "must", "has to", "the same way", "likewise", "the same for", "as well", "too"];
/// A longer list is no list of wishes.
const MOST: usize = 12;

/// Names of which one is new in the code, and another one nowhere.
pub(super) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let files: Vec<&Change<'_>> =
        changes.iter().filter(|one| one.language.is_code() && one.after.is_some()).collect();
    if !files.iter().any(|one| one.role == Role::Product) {
        return Vec::new();
    }
    let code = Code::of(&files, tests);
    let called = sentences(task).into_iter().filter_map(|it| code.half_of(&asked(it)));
    let listed = sentences(task).into_iter().filter_map(|it| code.half_of(&listed(it)));
    let found = called.chain(listed).next().or_else(|| code.half_of(&subjects(task)));
    let message =
        |name: &str| format!("The task asks for {name}, and nothing of that name is there.");
    let functions = found.map(|name| message(&name));
    let options = options(task).into_iter().find(|name| !code.has_option(name));
    let options = options.map(|name| message(&format!("--{name}")));
    let one = |text: String| Finding::new(Rule::G63, Basis::Text, text);
    functions.into_iter().chain(options).map(one).collect()
}

/// The changed code before and after, without comments, and what tests there are.
struct Code {
    old: String,
    new: String,
    tests: String,
    paths: String,
    has_fields: bool,
}

impl Code {
    fn of(files: &[&Change<'_>], tests: &[File<'_>]) -> Self {
        let all = |text: for<'c> fn(&'c Change<'_>) -> &'c str| {
            files.iter().map(|one| text(one)).collect()
        };
        Self {
            old: all(|one| one.plain_old()),
            new: all(|one| one.plain()),
            tests: tests.iter().map(|file| String::from_utf8_lossy(file.bytes)).collect(),
            paths: files.iter().map(|one| format!("{} ", one.path)).collect(),
            has_fields: files.iter().all(|one| one.language != Language::Python),
        }
    }

    /// The name that is nowhere, if another one of them is new.
    fn half_of(&self, names: &[&str]) -> Option<String> {
        if names.len() < 2 || names.len() > MOST {
            return None;
        }
        let is_there = |name: &str| {
            let all = [&self.old, &self.new, &self.tests, &self.paths];
            all.iter().any(|text| has_word(text, name))
        };
        let is_new = |name: &str| has_word(&self.new, name) && !has_word(&self.old, name);
        let missing = names.iter().find(|name| !is_there(name))?;
        names.iter().any(|name| is_new(name)).then(|| format!("{missing}()"))
    }

    /// Whether an option is known: as it is typed, as a text, or as a field that makes one.
    fn has_option(&self, name: &str) -> bool {
        let snake = name.replace('-', "_");
        let camel: String = name
            .split('-')
            .enumerate()
            .map(|(at, word)| match word.chars().next().filter(|_| at > 0) {
                Some(first) => format!("{}{}", first.to_ascii_uppercase(), &word[1..]),
                None => word.to_owned(),
            })
            .collect();
        [&self.old, &self.new, &self.tests].iter().any(|text| {
            text.contains(&format!("--{name}"))
                || ["\"", "'", "`"].iter().any(|sign| {
                    [name, &snake, &camel]
                        .iter()
                        .any(|it| text.contains(&format!("{sign}{it}{sign}")))
                })
                || self.has_fields
                    && [&snake, &camel].iter().any(|it| text.contains(&format!("{it}:")))
        })
    }
}

/// Several functions that a sentence asks for: `remove(name)` and `reset()`.
fn asked(sentence: &str) -> Vec<&str> {
    let lower = sentence.to_lowercase();
    let names = called(sentence);
    // What a function is called with, or answers, may go by such words too.
    let plain = lower.split(['(', ')']).step_by(2).collect::<Vec<_>>().join(" ");
    let asks = ASKS.iter().any(|word| has_word(&lower, word));
    if asks && !goes(&plain, &names) { names } else { Vec::new() }
}

/// Whether a text in small letters has a word for what goes that is none of these names.
fn goes(text: &str, names: &[&str]) -> bool {
    let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '\''));
    words.any(|word| GOES.contains(&word) && !names.iter().any(|it| it.to_lowercase() == word))
}

/// The names right before a bracket, each once.
fn called(sentence: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (at, _) in sentence.match_indices('(') {
        let before = &sentence[..at];
        let letters = before.char_indices().rev();
        let start =
            letters.take_while(|(_, letter)| letter.is_alphanumeric() || *letter == '_').last();
        let Some((start, _)) = start else { continue };
        let name = &before[start..];
        // `JSON.parse(` is somebody else's.
        let is_own = !before[..start].ends_with('.');
        let is_name = name.len() > 2 && name.starts_with(|first: char| first.is_alphabetic());
        if is_own && is_name && name.is_ascii() && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Names in backticks side by side, with nothing between them but what is said of each in brackets: "new
/// filters: `trim` (…) and `shorten` (…)".
fn listed(sentence: &str) -> Vec<&str> {
    let is_name = |one: &&Quote<'_>| {
        one.is_code
            && one.text.len() > 2
            && one.text.starts_with(|first: char| first.is_ascii_alphabetic())
            && one.text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let all = quotes(sentence);
    let names: Vec<&Quote<'_>> = all.iter().filter(is_name).collect();
    let is_joined = |pair: &[&Quote<'_>]| {
        let from = sentence.len() - pair[0].after.len();
        let between = sentence.get(from..pair[1].before.len()).unwrap_or("x");
        let plain = without_brackets(between);
        let mut words = plain.split(|letter: char| letter.is_whitespace() || letter == ',');
        words.all(|word| matches!(word, "" | "and"))
    };
    let is_new = ["new", "add", "need", "needs", "implement", "introduce", "provide"];
    let asks = is_new.iter().any(|word| has_word(&sentence.to_lowercase(), word));
    let found: Vec<&str> = names.iter().map(|one| one.text).collect();
    let plain = without_brackets(&super::clauses::quoted(sentence).1).to_lowercase();
    let is_list = names.len() > 1 && names.windows(2).all(is_joined);
    if is_list && asks && !goes(&plain, &[]) { found } else { Vec::new() }
}

/// A text without what stands in round brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// The functions that sentences begin with and say something should be of: "get_int the same way for i64".
fn subjects(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for sentence in sentences(task) {
        let lower = sentence.to_lowercase();
        let mut words = sentence.split_whitespace().skip_while(|word| {
            matches!(
                word.to_lowercase().trim_end_matches(','),
                "and" | "also" | "then" | "plus" | "please"
            )
        });
        let first = words.next().unwrap_or_default();
        let is_code =
            first.starts_with('`') || first.contains('(') || first.contains('_') || is_camel(first);
        let name =
            first.trim_start_matches('`').split(['(', '`', ',', ':']).next().unwrap_or_default();
        let is_name = name.len() > 2
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let should = SHOULD.iter().any(|word| has_word(&lower, word));
        if is_code && is_name && should && !ENDS.iter().any(|word| has_word(&lower, word)) {
            found.push(name);
        }
    }
    found
}

/// `getInt`
fn is_camel(word: &str) -> bool {
    let bare = word.trim_end_matches(['.', ',', ':']);
    bare.starts_with(|first: char| first.is_ascii_lowercase())
        && bare.contains(|letter: char| letter.is_ascii_uppercase())
        && bare.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// The options that a task asks for as new ones: "an option --month", "add a `--json` flag".
fn options(task: &str) -> Vec<&str> {
    const KINDS: &[&str] = &["option", "flag", "switch"];
    let mut found = Vec::new();
    for sentence in sentences(task) {
        let lower = sentence.to_lowercase();
        if ENDS.iter().any(|word| has_word(&lower, word)) {
            continue;
        }
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let bare = |word: &str| word.trim_matches(|l: char| !l.is_alphanumeric()).to_lowercase();
        let is_new = |at: usize| {
            at.checked_sub(1)
                .is_some_and(|at| matches!(bare(words[at]).as_str(), "a" | "an" | "new" | "add"))
        };
        for (at, word) in words.iter().enumerate() {
            let word = word.trim_start_matches(['`', '"', '(']);
            let Some(name) = word.strip_prefix("--") else { continue };
            let end = name.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
            let name = &name[..end.unwrap_or(name.len())];
            let is_kind =
                |at: usize| words.get(at).is_some_and(|word| KINDS.contains(&bare(word).as_str()));
            // "an option --month", "a --month option", "add --month".
            let behind = at.checked_sub(1).is_some_and(|before| is_kind(before) && is_new(before));
            let before = is_new(at) && is_kind(at + 1);
            let adds = at == 1 && bare(words[0]) == "add";
            if name.len() > 1 && (behind || before || adds) {
                found.push(name);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what a task asks for by name.
    #[test]
    fn names_that_are_asked_for() {
        let task = "get_bool(section, key) should understand yes/no. And get_int the same way for i64. Both with tests.";
        assert_eq!(subjects(task), ["get_bool", "get_int"]);
        assert!(subjects("Fix get_bool. It calls get_int, which must stay.").is_empty());
        let filters =
            "Two new filters: `trim` (removes space at both ends) and `shorten` (at most 20).";
        assert_eq!(listed(filters), ["trim", "shorten"]);
        assert!(listed("Add `name` to the `users` table.").is_empty());
        assert!(listed("`trim` and `shorten` are slow.").is_empty());
        assert_eq!(asked("We need on Board: Remove(name) and Reset() (all)."), ["Remove", "Reset"]);
        let both =
            "Two things: (1) a line per month, and (2) an option --month 2024-03 that limits it.";
        assert_eq!(options(both), ["month"]);
        assert_eq!(options("Add `--strip-all` to `convert`."), ["strip-all"]);
        assert_eq!(options("Please add a --json flag."), ["json"]);
        assert!(options("It fails with --month 2024-03, and with cargo test --all.").is_empty());
    }
}
