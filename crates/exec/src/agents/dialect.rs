//! The dialects of the agents: from the bytes of a hook or a transcript to what they mean, and
//! from what is to be said to the bytes that an agent understands. Pure.

use std::io::{self, BufRead};

use countersign_domain::worklog::{Agent, Answer, End, News, Operation, Report};

pub use super::said::Said;
pub use super::transcript::{Moment, Transcript, What};

use super::json::{Document, Json};
use super::payload::Payload;
use super::{claude, codex, gemini, opencode};

/// What was read of a call of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub report: Report,
    /// What was wrong with it, in words. What could be read is in the report all the same.
    pub trouble: Option<String>,
}

/// Reads a call of a hook, whatever the bytes are.
pub fn read(agent: Agent, payload: &[u8]) -> Reading {
    let document = Document::of(payload);
    let root = document.root();
    let payload = Payload::of(root);
    let news = match agent {
        Agent::Claude => claude::hook::news(&payload),
        Agent::Codex => codex::hook::news(&payload),
        Agent::Gemini => gemini::hook::news(&payload),
        Agent::Opencode => opencode::hook::news(&payload),
    };
    let trouble = document.trouble().or_else(|| gaps(&payload, root, news.as_ref()));
    let report = Report {
        agent_session: payload.session.unwrap_or_default(),
        transcript: payload.transcript,
        cwd: payload.cwd,
        event: payload.event,
        lane: payload.lane,
        news: news.unwrap_or(News::Other),
    };
    Reading { report, trouble }
}

/// What is missing in a document that is whole.
fn gaps(payload: &Payload<'_>, root: Json<'_>, news: Option<&News>) -> Option<String> {
    if !root.is_object() {
        return Some("not an object".to_owned());
    }
    if payload.event.is_empty() {
        return Some("it names no event (hook_event_name)".to_owned());
    }
    let Some(news) = news else { return Some(format!("unknown event {:?}", payload.event)) };
    if payload.session.is_none() {
        return Some("it names no session (session_id)".to_owned());
    }
    let is_call = matches!(news, News::Began(_) | News::Operated(_));
    (is_call && payload.call.tool.is_empty()).then(|| "it names no tool (tool_name)".to_owned())
}

/// Says something in answer to an event. To allow without a word is to be silent.
pub fn answer(agent: Agent, event: &str, answer: &Answer) -> Said {
    match agent {
        Agent::Claude => claude::hook::answer(event, answer),
        Agent::Codex => codex::hook::answer(event, answer),
        Agent::Gemini => gemini::hook::answer(event, answer),
        Agent::Opencode => opencode::hook::answer(event, answer),
    }
}

/// Reads a transcript line by line. Lines that make no sense are counted; the error is that of
/// the input alone. OpenCode keeps none in a file.
pub fn transcript(agent: Agent, input: impl BufRead) -> io::Result<Transcript> {
    match agent {
        Agent::Claude => claude::transcript::read(input),
        Agent::Codex => codex::transcript::read(input),
        Agent::Gemini => gemini::transcript::read(input),
        Agent::Opencode => Ok(Transcript::default()),
    }
}

/// Whether the agent tells its hooks of the end of such a call. Where it doesn't, silence is the
/// agent's habit; where it does, silence means that nobody was listening.
pub fn expects_hook(agent: Agent, operation: &Operation) -> bool {
    match agent {
        Agent::Claude => claude::hook::expects_hook(operation),
        Agent::Codex => codex::hook::expects_hook(operation),
        Agent::Gemini => gemini::hook::expects_hook(operation),
        Agent::Opencode => opencode::hook::expects_hook(operation),
    }
}

/// Whether the transcript of the agent itself would have such a call, had it been made. What is
/// only in transcripts of others, or is written down by some versions alone, proves nothing by
/// being absent.
pub fn would_tell(agent: Agent, transcript: &Transcript, operation: &Operation) -> bool {
    match agent {
        Agent::Claude => claude::transcript::would_tell(transcript, operation),
        Agent::Codex => codex::transcript::would_tell(transcript, operation),
        Agent::Gemini => !transcript.may_have_delegated(),
        Agent::Opencode => false,
    }
}

/// The end of a call that is in a [`News::Batch`], if no event of its own told of it. Only Claude
/// Code sends such lists.
pub fn unheard(operation: &Operation) -> End {
    claude::hook::unheard(operation)
}
