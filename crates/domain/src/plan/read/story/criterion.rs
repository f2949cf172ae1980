//! Reads acceptance criteria: Given, When, Then.

use crate::plan::id::{CriterionId, Line};
use crate::plan::page::{Block, Kind};
use crate::plan::read::Reader;
use crate::plan::read::section::{Section, shown, split};
use crate::plan::types::AcceptanceCriterion;

const WORDS: [&str; 3] = ["Given", "When", "Then"];
const FORM: &str = "write '- Given …', '- When …' and '- Then …', each once and in this order";

/// `#### AC1` with its three clauses below it.
pub(super) fn section(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
) -> Option<AcceptanceCriterion> {
    section.no_sections(reader);
    let id: CriterionId = section.title.parse().ok()?;
    let mut clauses = Clauses::new(id, section.line);
    for Block { line, kind } in section.opening() {
        match kind {
            Kind::Item { text, .. } => clauses.take(reader, *line, text),
            Kind::Text(text) => {
                for (line, text) in (*line..).zip(text.lines()) {
                    clauses.take(reader, line, text.trim());
                }
            }
            Kind::Row(_) | Kind::Heading { .. } => {
                reader.wrong((*line, &id.to_string()), "a table doesn't belong here", FORM);
            }
        }
    }
    clauses.end(reader)
}

/// A list of `AC1: Given …, When …, Then …`, on one line or as a list below it.
pub(super) fn list(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<AcceptanceCriterion> {
    let mut found = Vec::new();
    let mut open: Option<Clauses> = None;
    for part in section.inside(reader) {
        let what = format!("'{}' is one heading too deep", shown(part.title));
        reader.wrong((part.line, ""), what, "write '#### AC1' without a heading around it");
    }
    for Block { line, kind } in section.opening() {
        let Kind::Item { text, is_nested } = kind else {
            reader.wrong((*line, ""), "this is no item of a list", "write '- AC1: Given …'");
            continue;
        };
        let head = split(text)
            .or(Some((text.as_str(), "")))
            .and_then(|(key, rest)| key.parse::<CriterionId>().ok().map(|id| (id, rest)));
        match head.filter(|_| !is_nested) {
            Some((id, rest)) => {
                found.extend(open.take().and_then(|clauses| clauses.end(reader)));
                let mut clauses = Clauses::new(id, *line);
                if !rest.is_empty() {
                    clauses.inline(reader, *line, rest);
                }
                open = Some(clauses);
            }
            None => match &mut open {
                Some(clauses) => clauses.take(reader, *line, text),
                None => {
                    let what = format!("'{}' belongs to no criterion", shown(text));
                    reader.wrong((*line, ""), what, "begin with 'AC1:'");
                }
            },
        }
    }
    found.extend(open.and_then(|clauses| clauses.end(reader)));
    found
}

/// The clauses of one criterion, as far as they were read.
struct Clauses {
    id: CriterionId,
    line: usize,
    texts: [Option<String>; 3],
    is_wrong: bool,
}

impl Clauses {
    fn new(id: CriterionId, line: usize) -> Self {
        Self { id, line, texts: [None, None, None], is_wrong: false }
    }

    fn wrong(&mut self, reader: &mut Reader<'_>, line: usize, what: String) {
        self.is_wrong = true;
        reader.wrong((line, &self.id.to_string()), what, FORM);
    }

    /// One clause, or `And …`, which goes on with the one before.
    fn take(&mut self, reader: &mut Reader<'_>, line: usize, text: &str) {
        let last = self.texts.iter().rposition(Option::is_some);
        for (at, word) in WORDS.iter().enumerate() {
            let Some(rest) = after(text, word) else { continue };
            if last.is_some_and(|last| last >= at) {
                return self.wrong(reader, line, format!("'{word}' is there already, or too late"));
            }
            if rest.is_empty() {
                return self.wrong(reader, line, format!("'{word}' says nothing"));
            }
            self.texts[at] = Some(rest.to_owned());
            return;
        }
        match (after(text, "And"), last.and_then(|last| self.texts[last].as_mut())) {
            (Some(rest), Some(before)) if !rest.is_empty() => {
                before.push_str(" and ");
                before.push_str(rest);
            }
            _ => {
                let what = format!("'{}' is neither Given, When nor Then", shown(text));
                self.wrong(reader, line, what);
            }
        }
    }

    /// All three clauses in one sentence.
    fn inline(&mut self, reader: &mut Reader<'_>, line: usize, text: &str) {
        let Some([given, when, then]) = sentence(text) else {
            let what = format!("'{}' is no 'Given …, When …, Then …'", shown(text));
            return self.wrong(reader, line, what);
        };
        self.texts = [Some(given), Some(when), Some(then)];
    }

    fn end(mut self, reader: &mut Reader<'_>) -> Option<AcceptanceCriterion> {
        if let Some(at) = self.texts.iter().position(Option::is_none).filter(|_| !self.is_wrong) {
            let what = format!("'{}' is missing", WORDS[at]);
            self.wrong(reader, self.line, what);
        }
        let [given, when, then] = self.texts;
        Some(AcceptanceCriterion {
            id: self.id,
            given: given?,
            when: when?,
            then: then?,
            line: Line(self.line),
        })
    }
}

/// What follows `word`, if the text begins with it: `Given x`, `given: x`, `**Given** x`.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let marks = ['*', '_'];
    let text = text.trim_start_matches(marks);
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = rest.is_empty() || rest.starts_with([' ', '\t', ':', ',', '*', '_']);
    (head.eq_ignore_ascii_case(word) && ends).then(|| {
        // Marks only where the word itself was marked.
        rest.trim_start_matches([':', '*', '_', ',']).trim()
    })
}

/// The three clauses of a sentence.
pub(in crate::plan) fn sentence(text: &str) -> Option<[String; 3]> {
    let rest = after(text, "Given")?;
    let (given, rest) = cut(rest, "When")?;
    let (when, then) = cut(rest, "Then")?;
    let texts = [given, when, then].map(|text| text.trim().to_owned());
    texts.iter().all(|text| !text.is_empty()).then_some(texts)
}

/// The text before and behind a word: capitalised, or in small letters behind a comma.
fn cut<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let small = format!(", {} ", word.to_lowercase());
    let large = text.match_indices(word).find(|(at, _)| {
        let before = &text[..*at];
        let behind = &text[at + word.len()..];
        before.ends_with([' ', ',', ';', '*', '(']) && behind.starts_with([' ', ':', '*'])
    });
    let (before, behind) = match large {
        Some((at, _)) => (&text[..at], &text[at + word.len()..]),
        None => text.split_once(&small)?,
    };
    let marks = |c: char| c.is_whitespace() || ",;*:".contains(c);
    Some((before.trim_end_matches(marks), behind.trim_start_matches(marks)))
}
