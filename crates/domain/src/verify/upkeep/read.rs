//! Reading what a task wants renamed, moved or removed.

use super::super::asks::{is_story, sentences};
use super::names::{is_path, is_word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Rename,
    Move,
    Remove,
}

/// One thing that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub deed: Deed,
    pub old: Option<String>,
    pub new: Option<String>,
    /// The old name may stay beside the new one.
    pub keeps_old: bool,
    /// All of it is to go, and not only what is somewhere.
    pub is_whole: bool,
}

/// What may stand before a verb that asks.
const BEFORE: &[&str] = &[
    "please", "we", "should", "can", "could", "you", "now", "just", "and", "then", "also", "to",
    "must", "i'd", "like", "let's", "so", "instead",
];
const ARTICLES: &[&str] =
    &["the", "a", "an", "our", "its", "this", "that", "these", "those", "all"];
/// Words that name no code by themselves.
const PLAIN: &[&str] = &[
    "it",
    "them",
    "this",
    "that",
    "one",
    "method",
    "methods",
    "function",
    "functions",
    "class",
    "module",
    "package",
    "file",
    "files",
    "folder",
    "test",
    "tests",
    "code",
    "line",
    "lines",
    "name",
    "names",
    "variable",
    "argument",
    "parameter",
    "field",
    "option",
    "type",
    "everything",
    "any",
    "each",
    "every",
    "unused",
    "dead",
    "old",
    "some",
    "support",
    "project",
    "crate",
];
/// Verbs that say why: "rename it to match the others".
const PURPOSES: &[&str] = &[
    "match",
    "make",
    "be",
    "avoid",
    "fit",
    "reflect",
    "follow",
    "something",
    "what",
    "better",
    "clarify",
    "say",
    "show",
    "use",
    "have",
    "keep",
    "align",
    "conform",
    "lower",
    "upper",
    "snake",
    "camel",
    "get",
    "prevent",
    "help",
    "allow",
    "mirror",
    "free",
    "save",
];
/// What follows an object of which only a part, or a use, is meant.
const PARTS: &[&str] = &["from", "in", "of", "on", "to", "at", "inside", "within", "between"];

/// What a task wants renamed, moved or removed.
pub(super) fn wanted(task: &str) -> Vec<Wanted> {
    let lower = task.to_lowercase();
    let stays = ["alias", "deprecat", "backward", "keep ", "keeps ", "still work", "old name"];
    let keeps_old = stays.iter().any(|word| lower.contains(word));
    let asked = sentences(task).filter(|sentence| !is_story(sentence));
    asked.flat_map(|sentence| of_sentence(sentence, keeps_old)).collect()
}

/// What the task says is called otherwise now: the old names and the new ones.
pub fn renames(task: &str) -> Vec<(String, String)> {
    let renamed = wanted(task).into_iter().filter(|one| one.deed == Deed::Rename);
    let mut found: Vec<(String, String)> =
        renamed.filter_map(|one| Some((bare(&one.old?), bare(&one.new?)))).collect();
    // "attempts is called maxAttempts now", "attempts -> maxAttempts"
    for sentence in sentences(task).filter(|sentence| !is_story(sentence)) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        for (at, word) in words.iter().enumerate().skip(1) {
            let behind = words.get(at + 1).copied().unwrap_or_default();
            let new = match *word {
                "->" | "→" | "=>" | "becomes" => Some(behind),
                "is" | "be" if matches!(behind, "called" | "named" | "renamed") => {
                    words[at + 2..].iter().find(|word| !matches!(**word, "to" | "now")).copied()
                }
                _ => None,
            };
            let was = words[..at].iter().rev().find(|word| !matches!(**word, "should" | "must"));
            let pair = was.and_then(|word| name(word)).zip(new.and_then(name));
            found.extend(pair.map(|(old, new)| (bare(&old), bare(&new))));
        }
    }
    found.retain(|(old, new)| old != new && !is_path(old) && !is_path(new));
    found.dedup();
    found
}

/// What the task says is to go, by the names that it has in the code.
pub fn removals(task: &str) -> Vec<String> {
    let gone = wanted(task).into_iter().filter(|one| one.deed == Deed::Remove);
    let mut found: Vec<String> = gone.filter_map(|one| one.old).collect();
    // "Link isn't used any more, remove it": what was named before, first of all or as code.
    let mut before: Vec<String> = Vec::new();
    for sentence in sentences(task) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let points = (0..words.len()).position(|at| points_back(&words[at..]));
        let subjects = |words: &[&str]| -> Vec<String> {
            let named = words.iter().enumerate().filter_map(|(at, word)| {
                let is_verb = BEFORE.contains(&word.to_lowercase().as_str());
                name(word).filter(|name| !is_verb && (at == 0 || is_marked(name, word)))
            });
            named.collect()
        };
        if let Some(at) = points.filter(|at| !is_story(sentence) && asks(&words[..*at])) {
            let here = subjects(&words[..at]);
            found.extend(if here.is_empty() { before.clone() } else { here });
        }
        before = subjects(&words);
    }
    found.iter().map(|name| bare(name)).collect()
}

/// "Remove it", "delete the option and what is only there for it": what is meant was named before.
fn points_back(words: &[&str]) -> bool {
    const KINDS: &[&str] = &[
        "option",
        "flag",
        "function",
        "method",
        "field",
        "command",
        "class",
        "parameter",
        "column",
        "feature",
        "module",
        "argument",
        "setting",
        "endpoint",
        "type",
        "switch",
        "code",
    ];
    let bare = |at: usize| {
        let word = words.get(at).copied().unwrap_or_default();
        word.trim_end_matches([',', '.', ':', ')']).to_lowercase()
    };
    let next = bare(1);
    let is_kind = matches!(next.as_str(), "the" | "this" | "that") && KINDS.contains(&&*bare(2));
    matches!(bare(0).as_str(), "remove" | "delete" | "drop")
        && (matches!(next.as_str(), "it" | "them" | "this" | "that" | "both") || is_kind)
}

/// What the task names as it is written in code or between quotes, paths aside.
pub fn named(task: &str) -> Vec<String> {
    let words = task.split_whitespace();
    let marked = words.filter_map(|word| {
        let is_quoted = word.contains(['"', '“']) || has_single_quote(word);
        name(word).filter(|name| (is_marked(name, word) || is_quoted) && !is_path(name))
    });
    let pairs = renames(task).into_iter().flat_map(|(old, new)| [old, new]);
    marked.map(|name| bare(&name)).chain(pairs).filter(|name| name.len() > 1).collect()
}

/// Whether a word begins or ends with a single quote. Apostrophes stand inside of words, or behind an "s".
fn has_single_quote(word: &str) -> bool {
    let word = word.trim_start_matches('(').trim_end_matches([',', '.', ';', ':', ')', '?', '!']);
    word.starts_with('\'') || word.ends_with('\'') && !word.ends_with("s'")
}

/// A name without what it is reached through.
fn bare(name: &str) -> String {
    super::last(name).to_owned()
}

fn of_sentence(sentence: &str, keeps_old: bool) -> Vec<Wanted> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let deed = match word.to_lowercase().as_str() {
            "rename" => Deed::Rename,
            "move" => Deed::Move,
            "remove" | "delete" | "drop" => Deed::Remove,
            _ => continue,
        };
        if !asks(&words[..at]) {
            continue;
        }
        let rest = &words[at + 1..];
        let one = |old, new, is_whole| Wanted { deed, old, new, keeps_old, is_whole };
        match deed {
            Deed::Rename => {
                // Another verb has names of its own.
                let next = rest.iter().position(|word| word.eq_ignore_ascii_case("rename"));
                let pairs = pairs(&rest[..next.unwrap_or(rest.len())]).into_iter();
                found.extend(pairs.map(|(old, new)| one(Some(old), Some(new), true)));
            }
            Deed::Move => {
                found.extend(destination(rest).map(|new| one(None, Some(new), true)));
            }
            Deed::Remove => {
                let objects = objects(rest).into_iter();
                found.extend(objects.map(|(old, is_whole)| one(Some(old), None, is_whole)));
            }
        }
    }
    found
}

/// Whether a verb with these words before it asks for something.
fn asks(before: &[&str]) -> bool {
    let Some(last) = before.last() else { return true };
    let is_denied = before.iter().rev().take(3).any(|word| {
        let word = word.to_lowercase();
        ["not", "don't", "don’t", "never", "without", "no"].contains(&word.as_str())
    });
    let ends_clause = last.ends_with([',', ':', ')', '.']);
    !is_denied && (ends_clause || BEFORE.contains(&last.to_lowercase().as_str()))
}

/// "A and B of C to D and E": as many new names as old ones, in their order.
fn several(words: &[&str]) -> Option<Vec<(String, String)>> {
    let at = words.iter().position(|word| *word == "to")?;
    let part = words[..at].iter().position(|word| matches!(*word, "of" | "in" | "on" | "from"));
    let olds = listed(&words[..part.unwrap_or(at)]);
    let news = listed(&words[at + 1..]);
    let is_list = olds.len() > 1 && olds.len() == news.len();
    is_list.then(|| olds.into_iter().zip(news).collect())
}

/// The names of a list such as "the fields A, B and C"; nothing where it has anything else in it.
fn listed(words: &[&str]) -> Vec<String> {
    const KINDS: &[&str] = &[
        "fields",
        "functions",
        "methods",
        "options",
        "columns",
        "types",
        "constants",
        "variables",
    ];
    let mut found = Vec::new();
    let (mut is_open, mut is_last) = (true, false);
    let is_filler = |word: &&&str| ARTICLES.contains(word) || KINDS.contains(word);
    for word in words.iter().skip_while(is_filler) {
        match (*word, name(word)) {
            ("and", _) if !is_last => (is_open, is_last) = (true, true),
            (_, Some(name)) if is_open => {
                found.push(name);
                is_open = word.ends_with(',') && !is_last;
            }
            _ => break,
        }
    }
    found
}

/// `A to B` and `A -> B`, as often as they occur.
fn pairs(words: &[&str]) -> Vec<(String, String)> {
    if let Some(found) = several(words) {
        return found;
    }
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !matches!(*word, "to" | "->" | "→") || at == 0 {
            continue;
        }
        let article = at
            .checked_sub(2)
            .and_then(|at| words.get(at))
            .is_some_and(|word| ARTICLES.contains(&word.to_lowercase().as_str()));
        let old = name(words[at - 1]).filter(|old| is_marked(old, words[at - 1]) || !article);
        let new = words.get(at + 1).and_then(|word| name(word));
        let new = new.filter(|new| !PURPOSES.contains(&new.as_str()));
        found.extend(old.zip(new));
    }
    found
}

/// The first path behind "to" or "into".
fn destination(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| matches!(*word, "to" | "into"))?;
    let behind = words[at + 1..].iter().take(6).take_while(|word| !word.starts_with('('));
    // "import/export" is no place.
    let is_place = |word: &String| is_path(word) && (word.ends_with('/') || word.contains('.'));
    let mut named = behind.filter_map(|word| name(word)).filter(is_place);
    // "to src/ or lib/" leaves a choice.
    named.next().filter(|_| !words.contains(&"or"))
}

/// What is to go, and whether all of it is.
fn objects(words: &[&str]) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut rest = words.iter().peekable();
    let mut is_first = true;
    while let Some(word) = rest.next() {
        let lower = word.to_lowercase();
        if ARTICLES.contains(&lower.as_str()) || lower == "and" {
            continue;
        }
        let Some(name) = name(word) else { break };
        let next = rest.peek().map(|next| next.to_lowercase()).unwrap_or_default();
        let ends = word.ends_with([',', '.', ':', ';']) || next.is_empty();
        let is_marked = is_marked(&name, word);
        let is_part = !ends && PARTS.contains(&next.as_str());
        // "Remove the cart page" is about a page.
        let is_noun = ends || is_part || !next.starts_with(char::is_alphabetic) || is_end(&next);
        if is_marked || is_first && is_noun {
            found.push((name, is_marked && !is_part && (ends || is_end(&next))));
        }
        is_first = false;
        let goes_on = word.ends_with(',') || next == "and" && !is_part;
        if !goes_on || word.ends_with(['.', ':', ';']) {
            break;
        }
    }
    found
}

/// Words that end what is to go.
fn is_end(word: &str) -> bool {
    const ENDS: &[&str] = &[
        "and",
        "with",
        "together",
        "altogether",
        "everywhere",
        "since",
        "because",
        "as",
        "please",
        "completely",
        "entirely",
        "it",
        "which",
        "but",
        "now",
        "too",
    ];
    ENDS.contains(&word.trim_end_matches([',', '.']))
}

/// A word as the name or path that it may be.
fn name(word: &str) -> Option<String> {
    // Half of a text in quotes is no name.
    if word.matches('"').count() == 1 {
        return None;
    }
    let word = word.trim_matches(['`', '"', '\'', ',', ';', ':', '!', '?', '(', '*']);
    // The code calls an option by what is behind its dashes.
    let word = word.strip_prefix("--").unwrap_or(word);
    let word = word.split('(').next().unwrap_or(word).trim_matches(['`', ')', '.', ',']);
    let is_sign = |letter: char| is_word(letter) || ".:/-#$".contains(letter);
    let starts = word.starts_with(|letter: char| letter.is_alphabetic() || "_./".contains(letter));
    let is_name = starts && word.chars().all(is_sign) && word.len() > 1;
    (is_name && !PLAIN.contains(&word.to_lowercase().as_str())).then(|| word.to_owned())
}

/// Whether nobody would write a word so who does not mean code.
fn is_marked(name: &str, word: &str) -> bool {
    let is_mixed =
        name.chars().skip(1).any(char::is_uppercase) && name.contains(char::is_lowercase);
    let is_option = word.trim_start_matches('(').starts_with("--");
    let is_sign = name.contains(['_', '.', '/']) || name.contains("::");
    is_sign || word.contains(['`', '(']) || is_mixed || is_option
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G10, G01: names are taken from words that ask for something.
    #[test]
    fn what_the_task_names() {
        let pair = |task: &str, old: &str, new: &str| {
            assert_eq!(renames(task), [(old.to_owned(), new.to_owned())], "{task}");
        };
        pair(
            "Rename the option attempts to maxAttempts before 1.0 (fine)",
            "attempts",
            "maxAttempts",
        );
        pair("rename the json field \"celsius\" to \"temp_c\", it changed", "celsius", "temp_c");
        pair("`attempts` should be called `max_attempts` now", "attempts", "max_attempts");
        pair("attempts -> maxAttempts", "attempts", "maxAttempts");
        assert!(renames("Fix the sum, and move a to b.py").is_empty());
        let both = [("Takes", "Works"), ("Makes", "Leaves")];
        let both = both.map(|(old, new)| (old.to_owned(), new.to_owned()));
        assert_eq!(
            renames("rename the fields Takes and Makes of Stitch to Works and Leaves."),
            both
        );
        assert_eq!(renames("Rename Takes and Makes to Works and Leaves, please"), both);
        assert_eq!(
            renames("Rename ParseRow to Parse, and rename Takes and Makes to Works and Leaves.")
                .len(),
            3
        );
        let gone = |task: &str, name: &str| {
            assert!(removals(task).contains(&name.to_owned()), "{task}: {:?}", removals(task));
        };
        gone("Remove from_csv, it's been deprecated since 1.x.", "from_csv");
        gone("Link isn't used by anyone any more, remove it", "Link");
        gone("mean() is not used any more. Delete it.", "mean");
        gone("Nobody uses --miles, remove the option and what is only there for it.", "miles");
        gone("Remove --miles.", "miles");
        gone(
            "Nobody uses Playlist.legacy_export. Please remove it with its test.",
            "legacy_export",
        );
        assert!(removals("I add two, remove it, and it is gone").is_empty());
        assert!(removals("Link is wrong, fix it").is_empty());
        let all = named("rename \"celsius\" to temp_c, server in client_test.go has to follow");
        assert_eq!(all, ["celsius", "temp_c", "celsius", "temp_c"]);
    }
}
