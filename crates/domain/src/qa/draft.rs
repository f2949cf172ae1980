//! A report on its way: what a reader found, counted, compared with what the runner claims.

use std::collections::BTreeMap;

use super::colours::without_colours;
use super::doubt::{Doubt, DoubtKind};
use super::format::Format;
use super::listed::Listed;
use super::report::{Case, Outcome, Report, Suite, Totals};

/// No id is longer; what parameters say goes on for megabytes.
const MAX_ID: usize = 1024;
/// How much of a message is kept.
const MAX_MESSAGE: usize = 600;
const MAX_MESSAGE_LINES: usize = 6;
/// All ids and messages of a report together, and how many there may be.
const MAX_BYTES: usize = 32 << 20;
const MAX_CASES: usize = 200_000;
const MAX_DOUBTS: usize = 50;
/// How much an entry weighs besides its text.
const ENTRY: usize = 96;

/// How a text stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With what the runner writes at its very end.
    Closed,
    /// Where it may stop; but the runner has no last words, so more may have been lost.
    Open,
    /// In the middle.
    Cut,
}

/// A report that is being put together.
#[derive(Debug, Clone)]
pub struct Draft {
    format: Format,
    cases: BTreeMap<String, Case>,
    suites: BTreeMap<String, Suite>,
    claimed: Option<Totals>,
    doubts: Vec<Doubt>,
    more_doubts: u64,
    /// Tests that were listed more than once: how many, the first, and where.
    repeated: u64,
    first_repeated: Option<(String, Option<u64>)>,
    bytes: usize,
    is_full: bool,
}

impl Draft {
    pub fn new(format: Format) -> Self {
        Self {
            format,
            cases: BTreeMap::new(),
            suites: BTreeMap::new(),
            claimed: None,
            doubts: Vec::new(),
            more_doubts: 0,
            repeated: 0,
            first_repeated: None,
            bytes: 0,
            is_full: false,
        }
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// Adds a test. If it is there already, the worse outcome counts, and that is a doubt.
    pub fn add(&mut self, case: Case, line: Option<u64>) {
        let case = bounded(case);
        if let Some(known) = self.cases.get_mut(&case.id) {
            self.repeated += 1;
            self.first_repeated.get_or_insert_with(|| (case.id.clone(), line));
            merge(known, case);
            return;
        }
        if self.has_room(case.id.len() + case.message.as_ref().map_or(0, String::len)) {
            self.cases.insert(case.id.clone(), case);
        }
    }

    /// Says more about a test that may be known already: no new occurrence, so no doubt. Its
    /// outcome can only become worse.
    pub fn note(&mut self, case: Case) {
        let case = bounded(case);
        match self.cases.get_mut(&case.id) {
            Some(known) => merge(known, case),
            None => self.add(case, None),
        }
    }

    pub fn note_all(&mut self, cases: impl IntoIterator<Item = Case>) {
        cases.into_iter().for_each(|case| self.note(case));
    }

    pub fn has(&self, id: &str) -> bool {
        self.cases.contains_key(id)
    }

    /// No pass that was added so far can be relied on.
    pub fn demote(&mut self) {
        self.cases.values_mut().for_each(super::listed::demote);
        self.suites.values_mut().for_each(|suite| suite.unnamed.demote());
    }

    /// Whether a test that failed is known whose last name, after `inside`, is this.
    pub fn ends_with(&self, name: &str, inside: &str) -> bool {
        self.cases.values().filter(|case| case.outcome != Outcome::Passed).any(|case| {
            let before = case.id.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with(inside))
        })
    }

    /// Adds tests that are not named. A suite that is there already counts as its worse half;
    /// of those without a name nobody knows whether they are the same, so the larger counts.
    pub fn suite(&mut self, mut suite: Suite) {
        suite.id = bounded_id(&suite.id);
        if let Some(known) = self.suites.get_mut(&suite.id) {
            known.outcome = known.outcome.max(suite.outcome);
            let passed = known.unnamed.passed.max(suite.unnamed.passed);
            known.unnamed = worse(known.unnamed, suite.unnamed);
            if suite.id.is_empty() {
                known.unnamed.passed = passed;
            }
        } else if self.has_room(suite.id.len()) {
            self.suites.insert(suite.id.clone(), suite);
        }
    }

    /// Adds to what the runner says.
    pub fn claim(&mut self, totals: Totals) {
        *self.claimed.get_or_insert_default() += totals;
    }

    pub fn doubt(&mut self, kind: DoubtKind, line: Option<u64>, words: impl Into<String>) {
        if self.doubts.len() >= MAX_DOUBTS {
            self.more_doubts += 1;
            return;
        }
        self.doubts.push(Doubt { kind, line, words: shortened(&words.into(), MAX_MESSAGE) });
    }

    pub fn has_doubt(&self, kind: DoubtKind) -> bool {
        self.doubts.iter().any(|doubt| doubt.kind == kind)
    }

    /// Adds the tests of one run or one suite, and what the runner says that they are. If it
    /// counts other passes than are listed, nobody knows which of those are real.
    pub fn settle(&mut self, mut listed: Listed, claimed: Totals, at: Option<u64>) {
        let counted = listed.count();
        if let Some(words) = contradiction(counted, claimed) {
            self.doubt(DoubtKind::Contradiction, at, words);
        }
        if counted.passed != claimed.passed {
            listed.demote();
        }
        self.claim(claimed);
        self.add_all(listed);
    }

    /// Adds tests of which the runner claims nothing.
    pub fn add_all(&mut self, listed: Listed) {
        if !listed.has_room() && !self.is_full {
            self.is_full = true;
            self.doubt(DoubtKind::TooMany, None, "there are more tests than are kept");
        }
        listed.into_cases().for_each(|(case, line)| self.add(case, line));
    }

    /// The report, from all that was gathered.
    pub fn finish(mut self, ending: Ending, exit_code: Option<i32>) -> Report {
        // Without last words, the exit code says at least that the runner came to its end.
        let vouched = ending == Ending::Open && exit_code.is_some();
        let is_complete = (ending == Ending::Closed || vouched)
            && !self.has_doubt(DoubtKind::Cut)
            && !self.has_doubt(DoubtKind::Stopped);
        if ending == Ending::Cut && !self.has_doubt(DoubtKind::Cut) {
            self.doubt(DoubtKind::Cut, None, "the text stops before the runner's own end");
        }
        if let Some((id, line)) = self.first_repeated.take() {
            let words = match self.repeated {
                1 => format!("a test is listed twice: {id}"),
                many => format!("{many} times a test is listed again, first {id}"),
            };
            self.doubts.push(Doubt { kind: DoubtKind::Duplicate, line, words });
        }
        if self.more_doubts > 0 {
            let words = format!("{} more doubts", self.more_doubts);
            self.doubts.push(Doubt { kind: DoubtKind::TooMany, line: None, words });
        }
        let mut report = Report {
            format: self.format,
            detected: None,
            cases: self.cases.into_values().collect(),
            suites: self.suites.into_values().collect(),
            totals: Totals::default(),
            claimed: self.claimed,
            printed: Vec::new(),
            is_complete,
            exit_code,
            doubts: self.doubts,
        };
        report.totals = report.count();
        report
    }

    fn has_room(&mut self, more: usize) -> bool {
        let count = self.cases.len() + self.suites.len();
        let bytes = self.bytes + more + ENTRY;
        let fits = bytes <= MAX_BYTES && count < MAX_CASES;
        if fits {
            self.bytes = bytes;
        } else if !self.is_full {
            self.is_full = true;
            let words = format!("only the first {count} tests are kept");
            self.doubt(DoubtKind::TooMany, None, words);
        }
        fits
    }
}

/// How a claim differs from a list, if it does in what matters.
fn contradiction(counted: Totals, claimed: Totals) -> Option<String> {
    if counted.passed == claimed.passed && counted.bad() == claimed.bad() {
        return None;
    }
    let say = |totals: Totals| format!("{} passed and {} failed", totals.passed, totals.bad());
    let unknown = match counted.unknown {
        0 => String::new(),
        some => format!(", and {some} without an outcome"),
    };
    Some(format!("the runner counts {}, but {} are listed{unknown}", say(claimed), say(counted)))
}

fn merge(known: &mut Case, other: Case) {
    // A failure that was told in another place without its attempts is the same failure.
    if known.attempts.is_empty() && !other.attempts.is_empty() {
        known.attempts = other.attempts;
    }
    if other.outcome > known.outcome {
        known.outcome = other.outcome;
        known.message = other.message.or_else(|| known.message.take());
    } else if known.message.is_none() {
        known.message = other.message;
    }
    known.duration_ms = known.duration_ms.or(other.duration_ms);
}

/// Fewer passes and more of everything else.
fn worse(one: Totals, other: Totals) -> Totals {
    Totals {
        passed: one.passed.min(other.passed),
        failed: one.failed.max(other.failed),
        errored: one.errored.max(other.errored),
        skipped: one.skipped.max(other.skipped),
        unknown: one.unknown.max(other.unknown),
    }
}

pub(super) fn bounded(mut case: Case) -> Case {
    case.id = bounded_id(&case.id);
    case.message = case.message.and_then(|message| {
        let lines = message.lines().map(str::trim_end).skip_while(|line| line.trim().is_empty());
        let first: Vec<&str> = lines.take(MAX_MESSAGE_LINES).collect();
        // Colours take room, too.
        let text = shortened(first.join("\n").trim_end(), MAX_MESSAGE * 4);
        let text = shortened(without_colours(&text).trim_end(), MAX_MESSAGE);
        (!text.is_empty()).then_some(text)
    });
    // A test that is run a million times says no more than one that is run a few dozen times.
    if case.attempts.len() > 64 {
        let all = std::mem::take(&mut case.attempts);
        let is_bad = |outcome: &&Outcome| outcome.is_bad();
        case.attempts = all.iter().find(is_bad).into_iter().copied().collect();
        case.attempts.extend(all.iter().rev().take(63).rev());
    }
    case
}

/// The beginning and the end of an id: parameters differ at either.
fn bounded_id(id: &str) -> String {
    if id.len() <= MAX_ID {
        return id.to_owned();
    }
    let head = id.floor_char_boundary(MAX_ID - 256);
    let tail = id.ceil_char_boundary(id.len() - 240);
    format!("{} … {}", &id[..head], &id[tail..])
}

fn shortened(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{} …", text[..text.floor_char_boundary(max)].trim_end())
}
