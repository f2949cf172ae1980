//! Turns readings into features: short names that say which meaning stands in which role (`roles`), and the plain
//! words and pairs of words (`grams`), which carry what no lexicon lists.

mod grams;
mod roles;

use std::collections::BTreeMap;

use super::clause::{self, Clause};
use super::cut::cut;
use super::knowledge::Knowledge;
use super::lexicon::Lexicon;
use super::read::{self, Reading};

pub use grams::is_gram;
pub(crate) use roles::is_group;

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
/// How many clauses are looked at together.
pub(crate) const READ: usize = TITLE + BODY;
/// Actions that end in an answer or a plan.
const THOUGHT: [&str; 2] = ["inquire", "plan"];
/// How many words of one clause become features of their own.
const WORDS: usize = 60;

/// The clause follows a question. Only rules look at it: what a clause is worth by itself must not depend on it.
const AFTER: &str = "after.question";

/// Reads a whole text.
pub(crate) fn parts(knowledge: &Knowledge, text: &str) -> impl Iterator<Item = Part> {
    let lexicon = &knowledge.lexicon;
    let mut asked = None;
    clause::clauses(text).into_iter().flat_map(|clause| cut(lexicon, clause)).map(move |clause| {
        let mut part = part(lexicon, clause);
        // "Is it broken? Then fix it."
        if part.reading.orders_work && asked == Some(part.clause.line) {
            part.features.insert(AFTER.to_owned(), Source::default());
        }
        if part.reading.asks {
            asked = Some(part.clause.line);
        }
        part
    })
}

/// Reads one clause.
pub(crate) fn part(lexicon: &Lexicon, clause: Clause) -> Part {
    let reading = read::read(lexicon, &clause);
    let mut features = roles::write(lexicon, &clause, &reading);
    grams::write(&clause, &reading, &mut features);
    Part { clause, reading, features }
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
    let mut line = None;
    for (at, part) in parts.iter().take(read).enumerate() {
        // If what stood before it on its line is judged apart, it opens the line.
        let opens = line.replace(part.clause.line) != Some(part.clause.line);
        for (name, source) in &part.features {
            let inner = name.strip_prefix("g:+_").filter(|_| opens);
            let name = inner.map_or_else(|| name.clone(), |word| format!("g:<_{word}"));
            let name = match name.strip_prefix("first:") {
                _ if name == AFTER || (at >= title && name.starts_with("w:")) => continue,
                _ if at >= title => format!("b.{name}"),
                Some(act) if at > 0 => format!("later:{act}"),
                _ => name,
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
