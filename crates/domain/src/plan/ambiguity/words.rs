//! The words of the scorer, from data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::text::tokens;

const DATA: &str = include_str!("../../../data/plan/words.txt");

/// Phrases by class, each as its words.
static WORDS: LazyLock<BTreeMap<&'static str, Vec<Vec<String>>>> = LazyLock::new(|| read(DATA));

fn read(data: &'static str) -> BTreeMap<&'static str, Vec<Vec<String>>> {
    let mut classes: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
    let mut class = "";
    for line in data.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if !line.starts_with(' ') {
            class = line.trim();
            continue;
        }
        let phrases = line.split(',').map(str::trim).filter(|phrase| !phrase.is_empty());
        classes.entry(class).or_default().extend(phrases.map(words));
    }
    // A phrase is found before the words that it is made of.
    for phrases in classes.values_mut() {
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    }
    classes
}

/// The words of a phrase; a star stays with its word.
fn words(phrase: &str) -> Vec<String> {
    match phrase.strip_suffix('*') {
        Some(stem) => {
            let mut words = tokens(stem);
            if let Some(last) = words.last_mut() {
                last.push('*');
            }
            words
        }
        None => tokens(phrase),
    }
}

/// All phrases of a class that stand in `text`, as they are written there, each once.
pub(super) fn found(class: &str, text: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let phrases = WORDS.get(class).map_or(&[][..], Vec::as_slice);
    let mut at = 0;
    while at < text.len() {
        let fits = phrases.iter().find(|phrase| {
            text.get(at..at + phrase.len())
                .is_some_and(|here| phrase.iter().zip(here).all(|(word, it)| is(word, it)))
        });
        match fits {
            Some(phrase) => {
                let words = text[at..at + phrase.len()].join(" ");
                if !found.contains(&words) {
                    found.push(words);
                }
                at += phrase.len();
            }
            None => at += 1,
        }
    }
    found
}

fn is(word: &str, it: &str) -> bool {
    match word.strip_suffix('*') {
        // Not everything that begins so is meant: a guest is, a guesthouse is not.
        Some(stem) => it.strip_prefix(stem).is_some_and(|rest| rest.len() <= 3),
        None => word == it,
    }
}

/// Whether a name is that of an agent or of a part of this program.
pub(in crate::plan) fn is_agent(name: &str) -> bool {
    !found("agent", &tokens(name)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-05: every class that the rules ask for has words.
    #[test]
    fn all_classes_have_words() {
        for class in [
            "vague",
            "technical",
            "slight",
            "surface",
            "stack",
            "somebody",
            "role",
            "benefit",
            "requires",
            "leans",
            "number",
            "agent",
        ] {
            assert!(WORDS.get(class).is_some_and(|words| words.len() > 3), "{class}");
        }
        assert!(DATA.lines().any(|line| line.starts_with("version ")));
        assert!(WORDS.values().flatten().all(|phrase| !phrase.is_empty()));
    }

    /// LP-09: agents are known by their names.
    #[test]
    fn agents_are_known() {
        for name in ["Claude", "the worker", "claude-opus", "Codex (verifier)", "GPT 5"] {
            assert!(is_agent(name), "{name}");
        }
        for name in ["Ada Lovelace", "ada@example.com", "Marina", "B. Otto"] {
            assert!(!is_agent(name), "{name}");
        }
    }
}
