//! The journal of the selected run or relay in lines, and what its agents did last.

use countersign_domain::relay::{Relay, RelayEvent};
use countersign_domain::run::{Lands, RunEvent};
use countersign_engine::Error;
use countersign_engine::relay::Undertaking;
use countersign_engine::run::Went;
use countersign_engine::watch::{Lookout, OperationSeen, Page};
use jiff::Timestamp;

use super::text::clean;
use crate::narrate;

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
    pub operations: Vec<OperationSeen>,
    /// Whether an agent was at work when they were read.
    was_at_work: bool,
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
        let was_at_work = false;
        let (sequence, position, relay) = (0, None, None);
        Self { of, pages, operations, was_at_work, sequence, position, relay, lands }
    }

    #[cfg(test)]
    pub fn sample(of: Undertaking, pages: Vec<Told>) -> Self {
        Self { pages, ..Self::new(of) }
    }

    /// Takes in what was appended and done since; says whether anything was.
    pub fn follow(&mut self, lookout: &mut Lookout) -> Result<bool, Error> {
        let (before, position) = (self.sequence, Some(lookout.position()));
        let is_at_work = lookout.is_at_work(self.of);
        let has_moved = self.position != position;
        if !has_moved && !is_at_work && !self.was_at_work {
            return Ok(false);
        }
        if has_moved {
            self.read_on(lookout)?;
            self.position = position;
        }
        self.was_at_work = is_at_work;
        let operations = lookout.operations(self.of)?;
        let is_new = self.sequence != before || operations != self.operations;
        self.operations = operations;
        Ok(is_new)
    }

    fn read_on(&mut self, lookout: &Lookout) -> Result<(), Error> {
        match self.of {
            Undertaking::Run(run) => {
                for page in lookout.run_pages(run, self.sequence)? {
                    if let Some(RunEvent::Opened(opened)) = &page.event {
                        self.lands = opened.lands();
                    }
                    let text = page.event.as_ref().map(|event| narrate::line(event, self.lands));
                    self.add(&page, text);
                }
            }
            Undertaking::Relay(relay) => {
                for page in lookout.relay_pages(relay, self.sequence)? {
                    let text = page.event.as_ref().and_then(|event| self.relay_line(event));
                    self.add(&page, text);
                }
            }
        }
        Ok(())
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

/// An operation in a line.
pub fn operation(seen: &OperationSeen) -> Told {
    let (mark, tone) = match seen.operation.went {
        Went::Done => ("✓", Tone::Good),
        Went::Failed => ("✗", Tone::Bad),
        Went::Retried => ("↻", Tone::Plain),
        Went::Skipped => ("–", Tone::Plain),
        Went::Going => ("…", Tone::Plain),
        Went::Told => ("·", Tone::Plain),
    };
    let story = seen.story.as_ref().map(|story| format!("{story} ")).unwrap_or_default();
    let number = seen.verifier.map_or_else(String::new, |number| format!(" {number}"));
    let text = clean(&format!("{mark} {story}{}{number}: {}", seen.by, seen.operation.what));
    Told { at: seen.operation.at, text, tone }
}
