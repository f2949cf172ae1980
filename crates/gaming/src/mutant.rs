//! Code that is broken on purpose: tests that say the same of it as of the real one say nothing.
//!
//! Only functions are broken that new tests call, and what those call; each way of breaking is one version
//! of the whole product. Nothing outside of functions is touched, and nothing where code would run on for
//! ever, or only end at once: what stops every test tells none apart.

mod functions;
mod sites;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use countersign_domain::Digest;

use crate::language::Language;
use crate::outline;
use crate::role::{Role, role};
use crate::syntax::Tree;
use functions::{Function, words};

const MAX_BYTES: usize = 200_000;
/// So many steps from a function that a test calls to others that are broken with it.
const STEPS: usize = 3;
/// So many places of one kind are broken in one file.
const MOST_SITES: usize = 400;

/// One way to break code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    Comparisons,
    Texts,
    Numbers,
    Signs,
}

impl Way {
    /// In the order in which they are tried: the first is noticed by most tests.
    pub const ALL: [Self; 4] = [Self::Comparisons, Self::Texts, Self::Numbers, Self::Signs];

    /// What was done to the code, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Comparisons => "comparisons turned round",
            Self::Texts => "a letter more in each text",
            Self::Numbers => "each number one larger",
            Self::Signs => "plus and minus, and and or exchanged",
        }
    }
}

/// Whether a file is one whose functions can be broken.
pub fn is_read(path: &str) -> bool {
    is_parsed(path) && role(path) == Role::Product
}

fn is_parsed(path: &str) -> bool {
    let language = Language::of(path);
    let is_known = matches!(language, Language::Python | Language::Rust | Language::Go);
    (is_known || language.is_script()) && !path.ends_with(".d.ts") && !path.ends_with(".pyi")
}

/// A test, and what it calls by itself and through other functions of test code.
#[derive(Debug, Clone)]
pub struct Trial {
    /// As its author calls it.
    pub name: String,
    /// Of its body: the same after a move.
    pub digest: Digest,
    called: BTreeSet<String>,
    mentioned: BTreeSet<String>,
}

impl Trial {
    /// Whether a runner may call this test so: titles may be made when it runs.
    pub fn is_called(&self, bare: &str) -> bool {
        self.name == bare || {
            let pieces = pieces(&self.name);
            let mut rest = bare;
            let has_all = pieces.iter().all(|piece| {
                let found = rest.split_once(piece.as_str());
                rest = found.map_or(rest, |(_, rest)| rest);
                found.is_some()
            });
            pieces.len() > 1 && has_all && pieces.iter().any(|piece| piece.len() > 2)
        }
    }
}

/// What stands in a title between what is put into it: `${name}`, `%s`.
fn pieces(title: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut letters = title.trim_matches('`').chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('$', Some('{')) => {
                while letters.next().is_some_and(|next| next != '}') {}
                pieces.push(String::new());
            }
            ('%', Some(next)) if next.is_alphabetic() => {
                letters.next();
                pieces.push(String::new());
            }
            _ => pieces.last_mut().into_iter().for_each(|piece| piece.push(letter)),
        }
    }
    pieces
}

/// The tests of these files. They may use functions of each other, and of `others` that have tests.
pub fn trials(files: &[(&str, &[u8])], others: &[(&str, &[u8])]) -> Vec<Trial> {
    let mut helpers: HashMap<String, (BTreeSet<String>, BTreeSet<String>)> = HashMap::new();
    let mut trials = Vec::new();
    for (index, (path, bytes)) in files.iter().chain(others).enumerate() {
        let Some(text) = readable(path, bytes) else { continue };
        let Some(tree) = Tree::parse(Language::of(path), text) else { continue };
        let outline = outline::read(path, text);
        let is_test_file = role(path) != Role::Product;
        for function in functions::all(&tree) {
            let is_of_tests =
                is_test_file || outline.inline.iter().any(|range| range.contains(&function.start));
            if is_of_tests {
                let (called, mentioned) = helpers.entry(function.name).or_default();
                called.extend(function.called);
                mentioned.extend(function.mentioned);
            }
        }
        for test in outline.tests.iter().filter(|_| index < files.len()) {
            let (called, mentioned) = words(tree.root(), Some(&(test.line..=test.last_line)));
            let (name, digest) = (test.name().to_owned(), test.digest);
            trials.push(Trial { name, digest, called, mentioned });
        }
    }
    for trial in &mut trials {
        let mut open: Vec<String> = trial.called.iter().cloned().collect();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some((called, mentioned)) = helpers.get(&name).filter(|_| seen.insert(name)) else {
                continue;
            };
            open.extend(called.iter().cloned());
            trial.called.extend(called.iter().cloned());
            trial.mentioned.extend(mentioned.iter().cloned());
        }
    }
    trials
}

fn readable<'b>(path: &str, bytes: &'b [u8]) -> Option<&'b str> {
    str::from_utf8(bytes).ok().filter(|text| text.len() < MAX_BYTES && is_parsed(path))
}

/// The functions of a product.
#[derive(Debug)]
pub struct Product<'s> {
    sources: Vec<(&'s str, &'s str)>,
    /// With the file that each of them stands in.
    functions: Vec<(usize, Function)>,
    named: BTreeMap<String, Vec<usize>>,
}

/// Functions of a product, by their place among all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reached(BTreeSet<usize>);

impl Reached {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Whether one of these functions is among those.
    pub fn meets(&self, others: &Self) -> bool {
        !self.0.is_disjoint(&others.0)
    }
}

impl<'s> Product<'s> {
    pub fn of(files: &[(&'s str, &'s [u8])]) -> Self {
        let mut sources = Vec::new();
        let mut all = Vec::new();
        for (path, bytes) in files {
            let Some(text) = readable(path, bytes).filter(|_| is_read(path)) else { continue };
            let Some(tree) = Tree::parse(Language::of(path), text) else { continue };
            let inline = outline::read(path, text).inline;
            let is_code = |one: &Function| !inline.iter().any(|range| range.contains(&one.start));
            let functions = functions::all(&tree).into_iter().filter(is_code);
            all.extend(functions.map(|function| (sources.len(), function)));
            sources.push((*path, text));
        }
        let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, (_, function)) in all.iter().enumerate() {
            named.entry(function.name.clone()).or_default().push(index);
            // Whoever makes a thing calls what makes it, and what the language calls for it.
            if let Some(owner) = function.owner.clone().filter(|_| function.is_implied) {
                named.entry(owner).or_default().push(index);
            }
        }
        Self { sources, functions: all, named }
    }

    /// The functions that a test needs: those that it calls, or at least names, and what they call.
    pub fn reached(&self, trial: &Trial) -> Reached {
        let find = |names: &BTreeSet<String>| -> BTreeSet<usize> {
            names.iter().filter_map(|name| self.named.get(name)).flatten().copied().collect()
        };
        let mut reached = find(&trial.called);
        if reached.is_empty() {
            reached = find(&trial.mentioned);
        }
        let mut last = reached.clone();
        for _ in 0..STEPS {
            let next: BTreeSet<usize> =
                last.iter().flat_map(|index| find(&self.functions[*index].1.called)).collect();
            last = next.difference(&reached).copied().collect();
            reached.extend(&last);
        }
        Reached(reached)
    }

    /// The files that are others when these functions are broken in one way, and the functions that really
    /// are: not every function has something that can be broken so.
    pub fn broken(&self, reached: &Reached, way: Way) -> (Vec<(&'s str, Vec<u8>)>, Reached) {
        let mut by_file: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in &reached.0 {
            by_file.entry(self.functions[*index].0).or_default().push(*index);
        }
        let mut hit = Reached::default();
        let files = by_file.into_iter().filter_map(|(file, indices)| {
            let (path, text) = self.sources[file];
            let tree = Tree::parse(Language::of(path), text)?;
            let body = |index: &usize| self.functions[*index].1.body.clone();
            let ranges: Vec<_> = indices.iter().map(body).collect();
            let mut edits = sites::find(&tree, &ranges, way);
            edits.truncate(MOST_SITES);
            let is_hit = |index: &usize| {
                let body = body(index);
                edits.iter().any(|(range, _)| body.start <= range.start && range.end <= body.end)
            };
            hit.0.extend(indices.into_iter().filter(is_hit));
            (!edits.is_empty()).then(|| (path, sites::apply(text, &edits).into_bytes()))
        });
        (files.collect(), hit)
    }
}

#[cfg(test)]
mod tests;
