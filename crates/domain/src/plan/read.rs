//! Reads the two files of a plan, with all of their mistakes.

mod choices;
mod prd;
mod section;
mod spec;
mod story;
mod tables;

pub(super) use story::sentence;

use super::page::{self, Page};
use super::types::Plan;
use crate::mistake::{Mistake, Place};
use crate::normal::unix;

/// The largest file of a plan that is read.
pub const MAX_BYTES: usize = 1024 * 1024;
/// More mistakes than this are not told at once.
const MAX_MISTAKES: usize = 100;

/// What the two files are called in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    pub prd: String,
    pub spec: String,
}

impl Names {
    pub fn new(prd: impl Into<String>, spec: impl Into<String>) -> Self {
        Self { prd: prd.into(), spec: spec.into() }
    }
}

impl Plan {
    /// Reads a PRD and its test-spec.
    pub fn parse(prd: &str, spec: &str, names: &Names) -> Result<Self, Vec<Mistake>> {
        let mut prd_reader = Reader::new(&names.prd);
        let mut spec_reader = Reader::new(&names.spec);
        let head = prd_reader.page(prd).and_then(|page| prd::read(&mut prd_reader, &page));
        // What is wrong in the PRD would be told once more for every row that is about it.
        let known = head.as_ref().filter(|_| prd_reader.mistakes.is_empty());
        let found =
            spec_reader.page(spec).and_then(|page| spec::read(&mut spec_reader, &page, known));
        let mut mistakes = prd_reader.told();
        mistakes.extend(spec_reader.told());
        match (head, found) {
            (Some(head), Some(spec)) if mistakes.is_empty() => Ok(head.with(spec)),
            _ => Err(mistakes),
        }
    }
}

/// What is known of a plan from its PRD alone.
#[derive(Debug)]
pub(super) struct Head(Plan);

impl Head {
    fn with(self, spec: super::types::TestSpec) -> Plan {
        Plan { spec, ..self.0 }
    }
}

/// Collects mistakes.
#[derive(Debug)]
struct Reader<'f> {
    file: &'f str,
    mistakes: Vec<Mistake>,
}

impl<'f> Reader<'f> {
    fn new(file: &'f str) -> Self {
        Self { file, mistakes: Vec::new() }
    }

    fn wrong(
        &mut self,
        (line, key): (usize, &str),
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let place = Place { line: line.max(1), column: 1 };
        self.mistakes.push(Mistake::new((self.file, place), key, what, fix));
    }

    /// The blocks of a text; none if it is no page at all.
    fn page(&mut self, text: &str) -> Option<Page> {
        if text.len() > MAX_BYTES {
            let what = format!("the file has more than {} KiB", MAX_BYTES / 1024);
            self.wrong((1, ""), what, "a plan is for people; make several");
            return None;
        }
        let text = unix(text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut page = page::read(&text);
        if page.blocks.is_empty() {
            self.wrong((1, ""), "the file is empty", "`countersign plan new` makes a plan");
            return None;
        }
        for (line, what, fix) in std::mem::take(&mut page.flaws) {
            self.wrong((line, ""), what, fix);
        }
        Some(page)
    }

    /// All mistakes, in the order of their lines.
    fn told(self) -> Vec<Mistake> {
        let mut mistakes = self.mistakes;
        mistakes.sort_by_key(|mistake| mistake.place);
        if mistakes.len() > MAX_MISTAKES {
            let rest = mistakes.len() - MAX_MISTAKES;
            mistakes.truncate(MAX_MISTAKES);
            if let Some(last) = mistakes.last_mut() {
                last.fix.push_str(&format!(" (and {rest} more mistakes)"));
            }
        }
        mistakes
    }
}
