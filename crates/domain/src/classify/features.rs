//! Turns readings into features: short names that say which meaning stands in which role (`roles`), and the plain
//! words and pairs of words (`grams`), which carry what no lexicon lists.

mod grams;
mod roles;

use std::collections::BTreeMap;

use super::knowledge::Knowledge;
use super::read::{self, Reading};
use super::token::{self, Clause};

pub use grams::is_gram;

/// Where a feature comes from, for explanations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Words of the task, folded.
    pub words: String,
    /// Line in the lexicon; 0 if no line is behind it.
    pub line: u32,
    /// From a user's extension.
    pub own: bool,
}

/// The features of a text. Every feature is there or not.
pub type Features = BTreeMap<String, Source>;

/// A clause with its reading and its own features.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub clause: Clause,
    pub reading: Reading,
    pub features: Features,
}

/// How many clauses after the title the model looks at. Rules look at all.
const BODY: usize = 12;
/// How many clauses of the first line count as title.
const TITLE: usize = 4;
/// Actions that end in an answer or a plan.
const THOUGHT: [&str; 2] = ["inquire", "plan"];
/// How many words of one clause become features of their own.
const WORDS: usize = 60;

/// Reads a whole text.
pub(crate) fn parts(knowledge: &Knowledge, text: &str) -> Vec<Part> {
    let lexicon = &knowledge.lexicon;
    token::clauses(text)
        .into_iter()
        .flat_map(|clause| read::cut(lexicon, clause))
        .map(|clause| {
            let reading = read::read(lexicon, &clause);
            let mut features = roles::write(lexicon, &clause, &reading);
            grams::write(&clause, &reading, &mut features);
            Part { clause, reading, features }
        })
        .collect()
}

/// The features of some parts of a text, taken together.
pub(crate) fn collect(parts: &[&Part]) -> Features {
    let mut all = Features::new();
    let first_line = parts.first().map_or(0, |part| part.clause.line);
    let title = parts.iter().take(TITLE).take_while(|part| part.clause.line == first_line).count();
    // "Decide: …", "Spike: …": what follows describes the question and asks for nothing.
    let labelled = parts.first().is_some_and(|part| {
        THOUGHT.iter().any(|act| part.features.contains_key(&format!("tag:act.{act}")))
    });
    let read = if labelled { title } else { title + BODY };
    for (at, part) in parts.iter().take(read).enumerate() {
        for (name, source) in &part.features {
            let name = match at {
                _ if at >= title && name.starts_with("w:") => continue,
                _ if at >= title => format!("b.{name}"),
                0 => name.clone(),
                _ => name
                    .strip_prefix("first:")
                    .map_or_else(|| name.clone(), |act| format!("later:{act}")),
            };
            all.entry(name).or_insert_with(|| source.clone());
        }
    }
    let body = &parts[title..parts.len().min(title + BODY)];
    let tokens: usize = parts[..title].iter().map(|p| p.clause.tokens.len()).sum();
    let length = match tokens {
        0..=2 => "len.tiny",
        3..=5 => "len.short",
        6..=12 => "len.mid",
        _ => "len.long",
    };
    let acts = |thinking: bool| {
        parts[..title].iter().flat_map(|p| p.features.keys()).any(|name| {
            name.strip_prefix("act:").is_some_and(|act| THOUGHT.contains(&act) == thinking)
        })
    };
    let (thought, done) = (acts(true), acts(false));
    let facts = [
        (length, true),
        ("empty", parts.is_empty()),
        ("body", !body.is_empty()),
        ("body.asks", body.iter().any(|p| p.reading.asks)),
        ("body.long", body.len() > 4),
        ("tag.thought", labelled),
        ("only.thought", thought && !done),
        ("thought.done", thought && done),
        ("several", parts[..title].iter().filter(|p| p.reading.verb_form.is_some()).count() > 1),
    ];
    for (name, _) in facts.iter().filter(|(_, holds)| *holds) {
        all.insert((*name).to_owned(), Source::default());
    }
    all
}
