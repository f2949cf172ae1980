//! What happens to a memory, and to its second place.

use serde::{Deserialize, Serialize};

use super::Cause;
use crate::ledger::Stored;

/// One fact about a memory. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum MemoryEvent {
    /// The memory's text is this from now on. In the memory's own stream.
    Written { text: String },
    /// The memory is gone; what it was is still on the record. In the memory's own stream.
    Deleted {},
    /// The second backend has taken the memory `name`. In the stream of the backend.
    Published { name: String, duration_ms: u64 },
    /// The second backend has not. In the stream of the backend.
    Unavailable {
        name: String,
        cause: Cause,
        /// What the backend said; never shown to an agent.
        detail: String,
    },
    /// The user was told that the backend doesn't answer. In the stream of the backend.
    Noticed { name: String },
}

impl Stored for MemoryEvent {
    const PREFIX: &'static str = "memory.";
}

impl MemoryEvent {
    /// The stream of the second backend: no memory can have this name, as it is one of ours.
    pub const BACKEND_STREAM: &'static str = "memory/_backend";

    /// The memory that an event of the backend is about.
    pub fn published_name(&self) -> Option<&str> {
        match self {
            Self::Published { name, .. }
            | Self::Unavailable { name, .. }
            | Self::Noticed { name } => Some(name),
            Self::Written { .. } | Self::Deleted {} => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-01: what is stored reads and writes as it always did.
    #[test]
    fn the_stored_form_is_fixed() {
        let check = |event: MemoryEvent, kind: &str, body: &str| {
            assert_eq!(event.encode().unwrap(), (kind.to_owned(), body.to_owned()));
            assert_eq!(MemoryEvent::decode(kind, body).unwrap(), event);
        };
        let name = || "_worklog/1".to_owned();
        check(
            MemoryEvent::Written { text: "a\n\"b\"".into() },
            "memory.written",
            r#"{"text":"a\n\"b\""}"#,
        );
        check(MemoryEvent::Deleted {}, "memory.deleted", "{}");
        check(
            MemoryEvent::Published { name: name(), duration_ms: 7 },
            "memory.published",
            r#"{"duration_ms":7,"name":"_worklog/1"}"#,
        );
        check(MemoryEvent::Noticed { name: name() }, "memory.noticed", r#"{"name":"_worklog/1"}"#);
        for (cause, word) in [
            (Cause::NotStarted, "not_started"),
            (Cause::NoAnswer, "no_answer"),
            (Cause::Ended, "ended"),
            (Cause::Garbled, "garbled"),
            (Cause::Refused, "refused"),
        ] {
            check(
                MemoryEvent::Unavailable { name: name(), cause, detail: "d".into() },
                "memory.unavailable",
                &format!(r#"{{"cause":"{word}","detail":"d","name":"_worklog/1"}}"#),
            );
        }
    }
}
