//! The journal of the selected run or relay in lines, and what its agent did by its worklog.

use countersign_domain::relay::{Relay, RelayEvent};
use countersign_domain::run::{Lands, RunEvent};
use countersign_domain::worklog::entry::{Entry, Status};
use countersign_engine::Error;
use countersign_engine::relay::Undertaking;
use countersign_engine::watch::{Lookout, Page};
use jiff::Timestamp;

use super::text::clean;
use crate::narrate;

/// How many operations of the worklog are shown.
const OPERATIONS: usize = 5;

/// How a line is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
    /// A person has to do something.
    Asking,
}

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub at: Option<Timestamp>,
    pub text: String,
    pub tone: Tone,
}

/// What is shown of the selected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub of: Undertaking,
    pub pages: Vec<Told>,
    /// Oldest first.
    pub operations: Vec<Told>,
    /// How far the journal was read.
    sequence: u64,
    /// How far the ledger went then: as long as it goes no further, nothing has to be read.
    position: Option<u64>,
    /// The relay so far, if it is one.
    relay: Option<Box<Relay>>,
    /// When its commit lands, if it is a run.
    lands: Lands,
}

impl Detail {
    pub fn new(of: Undertaking) -> Self {
        let (pages, operations) = (Vec::new(), Vec::new());
        let lands = Lands::default();
        Self { of, pages, operations, sequence: 0, position: None, relay: None, lands }
    }

    #[cfg(test)]
    pub fn sample(of: Undertaking, pages: Vec<Told>) -> Self {
        Self { pages, ..Self::new(of) }
    }

    /// Takes in what was appended since; says whether anything was.
    pub fn follow(&mut self, lookout: &Lookout) -> Result<bool, Error> {
        let (before, position) = (self.sequence, Some(lookout.position()));
        if self.position == position {
            return Ok(false);
        }
        match self.of {
            Undertaking::Run(run) => {
                for page in lookout.run_pages(run, self.sequence)? {
                    if let Some(RunEvent::Opened(opened)) = &page.event {
                        self.lands = opened.lands();
                    }
                    let text = page.event.as_ref().map(|event| narrate::line(event, self.lands));
                    self.add(&page, text);
                }
                let operations = lookout.operations(run, OPERATIONS)?;
                let operations: Vec<Told> = operations.iter().map(operation).collect();
                let is_new = self.sequence != before || operations != self.operations;
                self.operations = operations;
                self.position = position;
                return Ok(is_new);
            }
            Undertaking::Relay(relay) => {
                for page in lookout.relay_pages(relay, self.sequence)? {
                    let text = page.event.as_ref().and_then(|event| self.relay_line(event));
                    self.add(&page, text);
                }
            }
        }
        self.position = position;
        Ok(self.sequence != before)
    }

    /// An event of a relay in words; `None` if it can't follow on what was read.
    fn relay_line(&mut self, event: &RelayEvent) -> Option<String> {
        match (&mut self.relay, event) {
            (None, RelayEvent::Opened(opened)) => {
                self.relay = Some(Box::new(Relay::open(*opened.clone())));
            }
            (relay, event) => relay.as_mut()?.apply(event.clone()).ok()?,
        }
        self.relay.as_ref().map(|relay| narrate::relay_line(relay, event))
    }

    fn add<E>(&mut self, page: &Page<E>, text: Option<String>) {
        self.sequence = page.sequence;
        let text = text.unwrap_or_else(|| format!("{} (can't be read here)", page.kind));
        // Our own colours: what others said went through `printable` and has none left.
        let tone = if text.contains("\u{1b}[31m") || text.contains(";31m") {
            Tone::Bad
        } else if text.contains("\u{1b}[32m") || text.contains(";32m") {
            Tone::Good
        } else {
            Tone::Plain
        };
        let text = anstream::adapter::strip_str(&text).to_string();
        let at: Option<Timestamp> = page.time.parse().ok();
        for (number, line) in text.lines().enumerate() {
            let at = at.filter(|_| number == 0);
            self.pages.push(Told { at, text: clean(line.trim_end()), tone });
        }
    }
}

fn operation(entry: &Entry) -> Told {
    let (mark, tone) = match entry.status {
        Status::Completed => ("✓", Tone::Good),
        Status::Failed | Status::Timeout => ("✗", Tone::Bad),
        Status::Retried => ("↻", Tone::Plain),
        Status::Skipped => ("–", Tone::Plain),
        Status::Initiated => ("…", Tone::Plain),
    };
    let text = clean(&format!("{mark} {} {}", entry.action, entry.context));
    Told { at: Some(entry.time), text, tone }
}
