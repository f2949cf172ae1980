//! What an agent prints while it works, read as it comes: what it does now, what it used so far,
//! and how it ended.
//!
//! Memory is bounded, whatever is printed. A line that is too long is left out; one that is no
//! event is kept as noise, since that is where agents say what went wrong with them. Standard
//! error comes in the same stream, so an event may stand behind other text on its line.

mod account;
pub(crate) mod ear;
pub(crate) mod faults;
mod lines;

use countersign_domain::agent::{AgentEnd, AgentSpec, Heard, Kind, Usage};
use countersign_domain::receipt::Ended;

use super::json::{Document, Json};
use super::prices::Prices;
use super::{acp, claude, codex, command, gemini, goose, opencode};
pub(crate) use account::told_cost;
use ear::Ear;
use lines::Lines;

/// Something that an agent just did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// It told the name of its conversation, its model, or both.
    Began { session: Option<String>, model: Option<String> },
    /// It called a tool.
    ToolStarted { id: String, tool: String, about: String },
    /// A tool came to its end.
    ToolEnded { id: String, failed: bool },
    /// It said something; cut to a bounded length.
    Said(String),
    /// It printed a line that is no event, which is all that a command does; cut likewise.
    Printed(String),
    /// What it used so far, or an estimate of that if it tells only at the end.
    Used(Usage),
    /// Its model failed, and it tries again by itself.
    Retried { detail: String, wait_ms: Option<u64> },
}

/// Who is told of moments.
pub type Listener<'a> = dyn FnMut(Moment) + 'a;

/// What is known about how one agent tells things.
pub(crate) trait Dialect {
    /// Takes one event in.
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>);

    /// Takes in what is no event.
    fn noise(&mut self, line: &[u8], ear: &mut Ear, _on: &mut Listener<'_>) {
        ear.noise(line);
    }

    /// How it ended, given that it ended by itself.
    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd;

    /// What it said last.
    fn last_words(&self, ear: &Ear) -> String {
        ear.said.clone()
    }
}

/// Reads the output of one agent.
pub struct Reader {
    lines: Lines,
    dialect: Box<dyn Dialect + Send>,
    ear: Ear,
    earlier: Usage,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("ear", &self.ear).finish_non_exhaustive()
    }
}

impl Reader {
    /// A reader for an agent that was started as `spec`, with the shipped prices.
    pub fn new(spec: &AgentSpec) -> Self {
        let dialect: Box<dyn Dialect + Send> = match spec.kind {
            Kind::Claude => Box::<claude::stream::Stream>::default(),
            Kind::Codex => Box::<codex::stream::Stream>::default(),
            Kind::Gemini => Box::<gemini::stream::Stream>::default(),
            Kind::Opencode => Box::<opencode::stream::Stream>::default(),
            Kind::Goose => Box::<goose::stream::Stream>::default(),
            Kind::Acp => Box::<acp::stream::Stream>::default(),
            Kind::Command => Box::new(command::stream::Stream),
        };
        let ear = Ear::new(spec.model.clone());
        Self { lines: Lines::default(), dialect, ear, earlier: Usage::default() }
    }

    /// With other prices.
    #[must_use]
    pub fn priced(mut self, prices: Prices) -> Self {
        self.ear.prices = prices;
        self
    }

    /// With the model that is taken for the agent's own, as long as it names none.
    #[must_use]
    pub fn assuming(mut self, model: Option<String>) -> Self {
        self.ear.model = self.ear.model.or(model);
        self
    }

    /// For a conversation that goes on: what it used before, which agents count again.
    #[must_use]
    pub fn after(mut self, earlier: Usage) -> Self {
        self.earlier = earlier;
        self
    }

    /// Takes in what was printed.
    pub fn feed(&mut self, bytes: &[u8], on: &mut Listener<'_>) {
        let Self { lines, dialect, ear, .. } = self;
        lines.feed(bytes, &mut |line| hear(line, dialect.as_mut(), ear, on));
    }

    /// What was used so far, as far as that is known.
    pub fn usage(&self) -> Usage {
        self.ear.used().since(&self.earlier)
    }

    /// Whether it has told that it came to the end of its work, though its program may still run.
    pub fn has_told_end(&self) -> bool {
        self.dialect.end(&self.ear, &Ended::Exited { code: 0 }).is_finished()
    }

    /// All that was heard, now that the program has ended.
    pub fn finish(mut self, ended: &Ended) -> Heard {
        let Self { lines, dialect, ear, .. } = &mut self;
        lines.finish(&mut |line| hear(line, dialect.as_mut(), ear, &mut |_| {}));
        let end = match ended {
            Ended::TimedOut => stopped("its time was up"),
            Ended::Flooded => stopped("it printed more than is allowed"),
            Ended::Cancelled => stopped("somebody asked for it"),
            Ended::NotStarted { reason } | Ended::Lost { reason } => {
                AgentEnd::Failed { detail: reason.clone() }
            }
            Ended::Exited { .. } | Ended::Signalled { .. } => self.dialect.end(&self.ear, ended),
        };
        let usage = self.usage();
        let said = self.dialect.last_words(&self.ear);
        let Ear { session, model, denied, .. } = self.ear;
        Heard { end, said, session, model, usage, denied }
    }
}

fn stopped(why: &str) -> AgentEnd {
    AgentEnd::Stopped { why: why.to_owned() }
}

/// Finds the event in a line. What a program wrote on standard error may stand before it.
fn hear(line: &[u8], dialect: &mut dyn Dialect, ear: &mut Ear, on: &mut Listener<'_>) {
    let line = line.trim_ascii();
    let mut rest = line;
    // A bounded number of tries: a line of a million braces must not take for ever.
    for _ in 0..8 {
        let Some(at) = memchr::memmem::find(rest, b"{\"") else { break };
        rest = &rest[at..];
        let document = Document::of(rest);
        if document.trouble().is_none_or(|trouble| trouble.starts_with("not UTF-8")) {
            if rest.len() < line.len() {
                dialect.noise(&line[..line.len() - rest.len()], ear, on);
            }
            dialect.hear(document.root(), ear, on);
            return;
        }
        rest = &rest[2..];
    }
    dialect.noise(line, ear, on);
}
