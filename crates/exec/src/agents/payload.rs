//! What one call of a hook says, before anybody knows what it means. The names of the fields are
//! the same for all agents, because all of them followed the first one.

use countersign_domain::worklog::{Deed, End, Lane, Operation, Seen};

use super::json::Json;

/// The fields of all events of all agents.
#[derive(Debug)]
pub(crate) struct Payload<'a> {
    pub(crate) event: String,
    pub(crate) session: Option<String>,
    pub(crate) transcript: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) lane: Option<Lane>,
    /// Whether the event names a sub-agent without saying of what sort.
    pub(crate) is_nameless: bool,
    pub(crate) call: Call<'a>,
    root: Json<'a>,
}

/// One call of a tool, as it was told.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(crate) tool: String,
    pub(crate) input: Json<'a>,
    pub(crate) response: Json<'a>,
    pub(crate) id: Option<String>,
    pub(crate) duration_ms: Option<u64>,
}

impl<'a> Payload<'a> {
    pub(crate) fn of(root: Json<'a>) -> Self {
        // One walk for all: what lies between the fields may be megabytes.
        let [event, session, transcript, cwd, lane, kind, call @ ..] = root.pick([
            "hook_event_name",
            "session_id",
            "transcript_path",
            "cwd",
            "agent_id",
            "agent_type",
            "tool_name",
            "tool_input",
            "tool_response",
            "tool_use_id",
            "duration_ms",
        ]);
        let (lane, kind) = (lane.id(), kind.text().unwrap_or_default());
        Self {
            event: event.text().unwrap_or_default(),
            session: session.id(),
            transcript: transcript.text(),
            cwd: cwd.text(),
            is_nameless: lane.is_some() && kind.is_empty(),
            lane: lane.filter(|_| !kind.is_empty()).map(|id| Lane { id, kind }),
            call: Call::from_fields(call),
            root,
        }
    }

    /// Fields that only some events have.
    pub(crate) fn pick<const N: usize>(&self, names: [&str; N]) -> [Json<'a>; N] {
        self.root.pick(names)
    }

    pub(crate) fn field(&self, name: &str) -> Json<'a> {
        self.root.field(name)
    }

    /// The operation of the event's own call.
    pub(crate) fn operation(&self, deed: Deed, end: End) -> Operation {
        self.call.operation(deed, end, self.lane.as_ref(), Seen::Hook)
    }
}

impl<'a> Call<'a> {
    pub(crate) fn of(root: Json<'a>) -> Self {
        const FIELDS: [&str; 5] =
            ["tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms"];
        Self::from_fields(root.pick(FIELDS))
    }

    fn from_fields([tool, input, response, id, duration]: [Json<'a>; 5]) -> Self {
        Self {
            tool: tool.text().unwrap_or_default(),
            input,
            response,
            id: id.id(),
            duration_ms: duration.number().and_then(|ms| u64::try_from(ms).ok()),
        }
    }

    pub(crate) fn operation(
        &self,
        deed: Deed,
        end: End,
        lane: Option<&Lane>,
        seen: Seen,
    ) -> Operation {
        Operation {
            call: self.id.clone(),
            tool: self.tool.clone(),
            deed,
            end,
            lane: lane.map(|lane| lane.id.clone()),
            duration_ms: self.duration_ms,
            seen,
        }
    }
}
