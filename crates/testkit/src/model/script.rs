//! What the model is to say, as data.

use serde_json::{Value, json};

use super::request::{Protocol, Request};

/// One answer of the model.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) fault: Option<Fault>,
    pub(super) input_tokens: Option<u64>,
}

/// A tool that the model calls.
#[derive(Debug, Clone)]
pub struct ToolCall {
    pub(super) name: String,
    /// The arguments of a function, or the text of a tool that takes text, such as `apply_patch`.
    pub(super) input: Value,
    pub(super) is_text: bool,
    /// Where the tool lives, for agents whose tools have families.
    pub(super) namespace: Option<String>,
}

/// How a model fails.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// An answer with this status and an error in it.
    Http(u16),
    /// The same, in these words.
    Told(u16, &'static str),
    /// No answer, until the agent gives up.
    Hang,
    /// The stream ends in the middle of the answer.
    Cut,
}

impl Turn {
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    /// A turn that begins with a call.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::default().call(name, input)
    }

    pub fn fault(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::text("This is never heard to its end.") }
    }

    /// Says something before calling anything.
    pub fn say(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// Calls a function.
    pub fn call(self, name: &str, input: Value) -> Self {
        self.push(name, input, false)
    }

    /// Calls a tool that takes text.
    pub fn call_with_text(self, name: &str, text: &str) -> Self {
        self.push(name, json!(text), true)
    }

    /// Says which family the last tool belongs to.
    pub fn of(mut self, namespace: &str) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.namespace = Some(namespace.to_owned());
        }
        self
    }

    /// How long the model says that the request was.
    pub fn input_tokens(mut self, count: u64) -> Self {
        self.input_tokens = Some(count);
        self
    }

    fn push(mut self, name: &str, input: Value, is_text: bool) -> Self {
        let name = name.to_owned();
        self.calls.push(ToolCall { name, input, is_text, namespace: None });
        self
    }

    /// Replaces `{{CWD}}` in everything that is said.
    fn at(mut self, cwd: &str) -> Self {
        self.text = self.text.map(|text| text.replace(CWD, cwd));
        for call in &mut self.calls {
            fill(&mut call.input, cwd);
        }
        self
    }
}

/// Stands for the folder that the agent works in.
const CWD: &str = "{{CWD}}";

fn fill(value: &mut Value, cwd: &str) {
    match value {
        Value::String(text) => *text = text.replace(CWD, cwd),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, cwd)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill(field, cwd)),
        _ => {}
    }
}

/// A turn that may depend on what was asked.
type Reply = Box<dyn Fn(&Request) -> Turn + Send>;

/// The turns of one conversation, and where it stands.
#[derive(Default)]
struct Lane {
    /// Words of the user by which the conversation is known; empty for the main one.
    words: String,
    /// The language of the agent whose conversation it is, if only one agent's is.
    protocol: Option<Protocol>,
    replies: Vec<Reply>,
    position: usize,
}

/// What the model says: one conversation, and more for other agents that the first one starts.
#[derive(Default)]
pub struct Script {
    main: Lane,
    lanes: Vec<Lane>,
    finally: Option<Turn>,
    cwd: String,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Script").field("left", &self.left()).finish_non_exhaustive()
    }
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next turn of the main conversation.
    pub fn turn(self, turn: Turn) -> Self {
        self.reply(move |_| turn.clone())
    }

    /// The next turn of the main conversation, made from the request.
    pub fn reply(mut self, reply: impl Fn(&Request) -> Turn + Send + 'static) -> Self {
        self.main.replies.push(Box::new(reply));
        self
    }

    /// A conversation of its own: requests in which the user says `words`.
    pub fn lane(self, words: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.push(None, words, turns)
    }

    /// A conversation of its own, of an agent that speaks `protocol`: requests in which the user says
    /// `words`. What is more special comes first.
    pub fn lane_of(
        self,
        protocol: Protocol,
        words: &str,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Self {
        self.push(Some(protocol), words, turns)
    }

    fn push(
        mut self,
        protocol: Option<Protocol>,
        words: &str,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Self {
        let replies = turns
            .into_iter()
            .map(|turn| -> Reply { Box::new(move |_: &Request| turn.clone()) })
            .collect();
        self.lanes.push(Lane { words: words.to_owned(), protocol, replies, position: 0 });
        self
    }

    /// What is said whenever a conversation is over; otherwise a short text.
    pub fn finally(mut self, turn: Turn) -> Self {
        self.finally = Some(turn);
        self
    }

    /// What `{{CWD}}` stands for.
    pub fn at(mut self, cwd: impl AsRef<std::path::Path>) -> Self {
        self.cwd = cwd.as_ref().display().to_string();
        self
    }

    /// How many turns were not said yet.
    pub(super) fn left(&self) -> usize {
        let all = self.lanes.iter().chain([&self.main]);
        all.map(|lane| lane.replies.len().saturating_sub(lane.position)).sum()
    }

    /// The answer to `request`. One without tools that no conversation claims is the agent
    /// talking to itself (a title, a guess, a check of the key): it gets a word and takes no turn.
    pub(super) fn answer(&mut self, request: &Request) -> Turn {
        let said = request.user_texts();
        let claimed = |lane: &&mut Lane| {
            lane.protocol.is_none_or(|protocol| protocol == request.protocol)
                && said.iter().any(|text| text.contains(&lane.words))
        };
        let lane = match self.lanes.iter_mut().find(claimed) {
            Some(lane) => lane,
            None if !request.offers_tools() => return Turn::text("ok"),
            None => &mut self.main,
        };
        let reply = lane.replies.get(lane.position).map(|reply| reply(request));
        lane.position += 1;
        let turn = reply.or_else(|| self.finally.clone());
        turn.unwrap_or_else(|| Turn::text("The script is over.")).at(&self.cwd)
    }
}
