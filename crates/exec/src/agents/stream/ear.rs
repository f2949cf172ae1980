//! What was heard from an agent so far, in whichever dialect.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use super::account::Account;
use super::{Listener, Moment, faults};
use crate::agents::json::Json;
use crate::agents::prices::Prices;
use crate::agents::words::{MAX_MESSAGE, brief};

/// How much is kept of what is no event.
const MAX_NOISE: usize = 8 * 1024;
/// How many refusals are told.
const MAX_DENIED: usize = 50;
/// How much of a text is told as a moment.
const MAX_SAID: usize = 4 * 1024;

/// Bounded in all its parts.
#[derive(Debug)]
pub(crate) struct Ear {
    pub(crate) prices: Prices,
    pub(crate) account: Account,
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    /// Its last words.
    pub(crate) said: String,
    pub(crate) denied: Vec<String>,
    /// The last thing that went wrong and was not followed by anything better.
    pub(crate) fault: Option<AgentEnd>,
    noise: Vec<u8>,
    /// Whether anything came that could be read.
    pub(crate) heard: bool,
}

impl Ear {
    pub(crate) fn new(model: Option<String>) -> Self {
        Self {
            prices: Prices::shipped(),
            account: Account::default(),
            session: None,
            model,
            said: String::new(),
            denied: Vec::new(),
            fault: None,
            noise: Vec::new(),
            heard: false,
        }
    }

    /// What was used so far.
    pub(crate) fn used(&self) -> Usage {
        self.account.usage(&self.prices, self.model.as_deref())
    }

    /// Tells what was used so far.
    pub(crate) fn tell_use(&self, on: &mut Listener<'_>) {
        on(Moment::Used(self.used()));
    }

    /// It told who it is.
    pub(crate) fn began(&mut self, session: Json<'_>, model: Json<'_>, on: &mut Listener<'_>) {
        let session = session.id();
        let model = model.text();
        if session.is_none() && model.is_none() {
            return;
        }
        let is_new =
            session.is_some() && session != self.session || model.is_some() && model != self.model;
        self.session = session.or(self.session.take());
        self.model = model.or(self.model.take());
        if is_new {
            on(Moment::Began { session: self.session.clone(), model: self.model.clone() });
        }
    }

    /// It said something, which is its last word until it says more.
    pub(crate) fn says(&mut self, text: Json<'_>, on: &mut Listener<'_>) {
        let Some(said) = text.text_up_to(MAX_MESSAGE).filter(|said| !said.trim().is_empty()) else {
            return;
        };
        self.account.came_out(text.raw().len());
        self.fault = None;
        on(Moment::Said(said.chars().take(MAX_SAID).collect()));
        self.said = said;
    }

    /// It said more of the same.
    pub(crate) fn says_more(&mut self, text: Json<'_>, on: &mut Listener<'_>) {
        let room = MAX_MESSAGE.saturating_sub(self.said.len());
        let before = std::mem::take(&mut self.said);
        self.says(text, on);
        let more = std::mem::take(&mut self.said);
        self.said = before;
        self.said.push_str(&more.chars().take(room).collect::<String>());
    }

    /// It called a tool.
    pub(crate) fn calls(
        &mut self,
        id: Json<'_>,
        tool: Json<'_>,
        input: Json<'_>,
        on: &mut Listener<'_>,
    ) {
        self.account.came_out(input.raw().len());
        let tool = brief(&tool.text_up_to(200).unwrap_or_else(|| "a tool".to_owned()));
        let about = crate::agents::stream::ear::about(input);
        on(Moment::ToolStarted { id: id.id().unwrap_or_default(), tool, about });
    }

    /// A tool came to its end, with `bytes` for the model to read.
    pub(crate) fn got(&mut self, id: Json<'_>, failed: bool, bytes: usize, on: &mut Listener<'_>) {
        self.account.went_in(bytes);
        self.fault = None;
        on(Moment::ToolEnded { id: id.id().unwrap_or_default(), failed });
    }

    /// It was refused something.
    pub(crate) fn refused(&mut self, what: String) {
        if self.denied.len() < MAX_DENIED && !self.denied.contains(&what) {
            self.denied.push(what);
        }
    }

    /// Keeps the end of what is no event.
    pub(crate) fn noise(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        let line = &line[line.len().saturating_sub(MAX_NOISE)..];
        self.noise.extend_from_slice(line);
        self.noise.push(b'\n');
        if self.noise.len() > 2 * MAX_NOISE {
            self.noise.drain(..self.noise.len() - MAX_NOISE);
        }
    }

    /// What was printed besides events.
    pub(crate) fn noise_text(&self) -> String {
        String::from_utf8_lossy(&self.noise).trim().to_owned()
    }

    /// The end of an agent that says that it is done.
    pub(crate) fn end_when_done(&self, ended: &Ended) -> AgentEnd {
        if !ended.passed() {
            let detail = format!("it says that it is done, but: {ended}");
            return AgentEnd::Failed { detail };
        }
        if self.said.trim().is_empty() { AgentEnd::Silent } else { AgentEnd::Finished }
    }

    /// The end of an agent that told none: by what went wrong last, by what it printed besides,
    /// and by how its program ended.
    pub(crate) fn end_without_word(&self, ended: &Ended) -> AgentEnd {
        if let Some(fault) = &self.fault {
            return fault.clone();
        }
        let noise = self.noise_text();
        if let Some(fault) = faults::read(None, &noise) {
            return fault;
        }
        if ended.passed() && noise.is_empty() && !self.heard {
            return AgentEnd::Silent;
        }
        let last = noise.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let detail = match last {
            "" => format!("{ended}, and it told no end of its work"),
            last => format!("{ended}: {}", brief(last)),
        };
        AgentEnd::Failed { detail }
    }
}

/// What a tool was called for, in few words.
pub(crate) fn about(input: Json<'_>) -> String {
    const NAMES: [&str; 10] = [
        "command",
        "file_path",
        "path",
        "filePath",
        "cmd",
        "pattern",
        "query",
        "url",
        "description",
        "prompt",
    ];
    let said = crate::agents::words::first_of(input, NAMES);
    if said.is_empty() { crate::agents::words::anything(input) } else { said }
}
