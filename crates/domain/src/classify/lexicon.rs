//! The lexicon: terms by class, found in a row of tokens. The longest term at a place wins.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::token::{self, Token};

/// One term with the line that holds it.
#[derive(Debug, Clone)]
struct Term {
    stems: Vec<String>,
    /// The last word is only the beginning of a word.
    open: bool,
    class: u16,
    line: u32,
    /// From an extension, by its place there, not from the shipped file.
    own: bool,
    english: bool,
}

/// A class of words.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub name: String,
    pub about: String,
}

/// A term found in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub at: usize,
    pub len: usize,
    pub class: u16,
    pub line: u32,
    pub own: bool,
    pub english: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Lexicon {
    pub classes: Vec<Class>,
    /// Shipped terms by how their first word begins, each shelf read when a word needs it.
    shelves: HashMap<Begins, Shelf>,
    /// Terms that are no plain letters, and those of a project.
    read: Terms,
}

/// The first letter of a word, and the second if it is one.
type Begins = (u8, u8);

/// Terms by their first word, and open ones by its first letters.
#[derive(Debug, Clone, Default)]
struct Terms {
    by_stem: HashMap<String, Vec<Term>>,
    by_start: HashMap<String, Vec<Term>>,
}

/// Terms that begin alike, read when they are first asked for: a text needs few of them.
#[derive(Debug, Clone, Default)]
struct Shelf {
    raw: Vec<(&'static str, Origin)>,
    terms: OnceLock<Terms>,
}

impl Shelf {
    fn terms(&self) -> &Terms {
        self.terms.get_or_init(|| {
            let mut terms = Terms::default();
            for (text, origin) in &self.raw {
                // A test reads each shipped term.
                terms.add(text, *origin).ok();
            }
            terms
        })
    }
}

/// Where a term comes from, and what it is a term of.
#[derive(Debug, Clone, Copy)]
struct Origin {
    class: u16,
    line: u32,
    own: bool,
    english: bool,
}

/// Shorter words that stand for two are too likely to be others.
const JOINED: usize = 8;

/// Open terms are found by their first characters.
const START: usize = 3;

/// How a word begins, if that can be told from its first bytes. No ending that is taken away, and no
/// cut between words, comes before the third letter.
fn begins(word: &str) -> Option<Begins> {
    match *word.as_bytes() {
        [first, second, ..] if first.is_ascii_alphanumeric() && second.is_ascii() => {
            let second = if second.is_ascii_alphanumeric() { second } else { 0 };
            Some((first.to_ascii_lowercase(), second.to_ascii_lowercase()))
        }
        [first] if first.is_ascii_alphanumeric() => Some((first.to_ascii_lowercase(), 0)),
        _ => None,
    }
}

fn start(word: &str) -> String {
    word.chars().take(START).collect()
}

impl Lexicon {
    /// Reads the file format described at its head.
    pub(crate) fn parse(text: &'static str) -> Result<Self, String> {
        let mut lexicon = Self::default();
        let mut class = None;
        for (at, raw) in text.lines().enumerate() {
            let line = raw.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(head) = line.strip_prefix('[') {
                let (name, about) = head
                    .split_once(']')
                    .ok_or_else(|| format!("line {}: no closing bracket", at + 1))?;
                class = Some(lexicon.class(name.trim(), about.trim())?);
                continue;
            }
            let (lang, terms) =
                line.split_once(':').ok_or_else(|| format!("line {}: no language", at + 1))?;
            let class = class.ok_or_else(|| format!("line {}: no class yet", at + 1))?;
            let line = u32::try_from(at + 1).map_err(|e| e.to_string())?;
            let origin = Origin { class, line, own: false, english: lang == "en" };
            for term in terms.split(',').map(str::trim) {
                match begins(term) {
                    Some(begins) => {
                        lexicon.shelves.entry(begins).or_default().raw.push((term, origin));
                    }
                    None => lexicon.read.add(term, origin)?,
                }
            }
        }
        Ok(lexicon)
    }

    /// The number of a class, made if it is new.
    pub(crate) fn class(&mut self, name: &str, about: &str) -> Result<u16, String> {
        let at = self.classes.iter().position(|c| c.name == name).unwrap_or(self.classes.len());
        if at == self.classes.len() {
            self.classes.push(Class { name: name.to_owned(), about: about.to_owned() });
        }
        u16::try_from(at).map_err(|e| e.to_string())
    }

    pub(crate) fn find_class(&self, name: &str) -> Option<u16> {
        self.classes.iter().position(|c| c.name == name).and_then(|at| u16::try_from(at).ok())
    }

    /// Adds a term of a project; `line` is its place there.
    pub(crate) fn add(&mut self, text: &str, class: u16, line: u32) -> Result<(), String> {
        self.read.add(text, Origin { class, line, own: true, english: true })
    }

    /// Reads every term, to see whether one is wrong.
    #[cfg(test)]
    pub(crate) fn check(&self) -> Result<usize, String> {
        let mut terms = Terms::default();
        let raw = self.shelves.values().flat_map(|shelf| &shelf.raw);
        raw.clone().try_for_each(|(text, origin)| terms.add(text, *origin))?;
        Ok(raw.count())
    }

    /// Every term found, in order; terms inside a longer one are hidden.
    pub(crate) fn find(&self, tokens: &[Token]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut covered = 0;
        for at in 0..tokens.len() {
            let here = self.at(tokens, at);
            let Some(longest) = here.iter().map(|h| h.len).max() else {
                continue;
            };
            if at < covered && at + longest <= covered {
                continue;
            }
            if at < covered && longest == 1 {
                continue;
            }
            for hit in here.into_iter().filter(|h| h.len == longest) {
                let known =
                    hits.iter().rev().take_while(|h| h.at == at).any(|h| h.class == hit.class);
                if !known {
                    hits.push(hit);
                }
            }
            covered = covered.max(at + longest);
        }
        hits
    }

    fn at(&self, tokens: &[Token], at: usize) -> Vec<Hit> {
        let mut found = Vec::new();
        let Some(first) = tokens.get(at) else {
            return found;
        };
        let near = begins(&first.text).and_then(|begins| self.shelves.get(&begins));
        let all = [near.map(Shelf::terms), Some(&self.read)].into_iter().flatten();
        let start = start(&first.text);
        let closed = all.clone().filter_map(|terms| terms.by_stem.get(&first.stem)).flatten();
        let open = all.filter_map(|terms| terms.by_start.get(&start)).flatten();
        for term in closed.chain(open) {
            if term.fits(&tokens[at..]) {
                let Term { class, line, own, english, .. } = *term;
                found.push(Hit { at, len: term.stems.len(), class, line, own, english });
            }
        }
        found
    }
}

impl Terms {
    fn add(&mut self, text: &str, origin: Origin) -> Result<(), String> {
        let Origin { class, line, own, english } = origin;
        let text = text.trim();
        let (text, open) = text.strip_suffix('*').map_or((text, false), |t| (t, true));
        let tokens = token::term(text);
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return Err(format!("line {line}: an empty term"));
        };
        if open && last.text.chars().count() < START {
            return Err(format!("line {line}: {text}* is too short to stand open"));
        }
        let (only, last_text) = (tokens.len() == 1, last.text.clone());
        let key = if open && only { start(&first.text) } else { first.stem.clone() };
        let mut stems: Vec<String> = tokens.iter().map(|t| t.stem.clone()).collect();
        if let Some(stem) = stems.last_mut().filter(|_| open) {
            *stem = last_text;
        }
        let map = if open && only { &mut self.by_start } else { &mut self.by_stem };
        map.entry(key).or_default().push(Term { stems, open, class, line, own, english });
        // Identifiers run words together: "AccessPolicy" is an access policy.
        if english && !open && tokens.len() == 2 {
            let joined: String = tokens.iter().map(|token| token.text.as_str()).collect();
            if joined.len() >= JOINED {
                return self.add(&joined, origin);
            }
        }
        Ok(())
    }
}

impl Term {
    fn fits(&self, tokens: &[Token]) -> bool {
        let last = self.stems.len() - 1;
        tokens.len() > last
            && self.stems.iter().enumerate().all(|(i, stem)| {
                let token = &tokens[i];
                let joined = i == 0 || !token.breaks;
                joined
                    && if self.open && i == last {
                        token.text.starts_with(stem.as_str())
                    } else {
                        token.stem == *stem
                    }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{Lexicon, token};

    const LEXICON: &str = include_str!("../../data/classify/lexicon.txt");

    /// A term is found by its own words, on whichever shelf it stands.
    #[test]
    fn every_shipped_term_is_found() {
        let lexicon = Lexicon::parse(LEXICON).unwrap();
        let mut class = "";
        let mut count = 0;
        for line in LEXICON.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
        {
            if let Some(head) = line.strip_prefix('[') {
                class = head.split(']').next().unwrap().trim();
                continue;
            }
            let class = lexicon.find_class(class).unwrap();
            for term in line.split_once(':').unwrap().1.split(',') {
                let tokens = token::term(term.trim().trim_end_matches('*'));
                assert!(lexicon.at(&tokens, 0).iter().any(|hit| hit.class == class), "{term}");
                count += 1;
            }
        }
        assert!(count > 4_000, "{count}");
    }
}
