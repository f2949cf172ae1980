//! The ledger's own use cases: sealing, verifying, exporting, rebuilding, retention.

mod export;
mod retention;
mod sealing;
mod verification;

use countersign_domain::context::ContextEvent;
use countersign_domain::ledger::{Draft, Replaced, Stored as _, Stream};
use countersign_domain::relay::RelayEvent;
use countersign_domain::run::RunEvent;
use countersign_domain::verify::VerifyEvent;
use countersign_domain::worklog::SessionEvent;
use countersign_domain::{Digest, canonical};
use countersign_store::{EventsOf, Expected, RowsOf, SetAside};
use serde::Serialize;

pub use export::{Exported, verify_file};
pub use retention::Retired;
pub use verification::Verification;

use crate::error::Result;
use crate::relay;
use crate::{Engine, Key};
use crate::{budget, checkpoint, context, contract, memory, query, verify, worklog};

/// A statement with the signature over it, as the body of an event.
#[derive(Serialize)]
pub(crate) struct Signed<'a, T> {
    pub(crate) statement: &'a T,
    pub(crate) signature: countersign_domain::ledger::Signature,
}

impl Engine {
    /// The signing key, made on first use.
    pub fn key(&self) -> Result<Key> {
        Key::load_or_create(&self.home.key())
    }

    /// An event of our own, not yet in a stream.
    pub(crate) fn draft(&self, kind: &str, format: u32, body: String) -> Draft {
        Draft {
            id: self.host.event_id(),
            time: self.host.now(),
            actor: "engine".into(),
            kind: kind.into(),
            format,
            body,
        }
    }

    /// A signed record about the ledger itself.
    fn signed_record<T: Serialize>(
        &self,
        (purpose, kind): (&str, &str),
        statement: &T,
    ) -> Result<Draft> {
        let signature = self.key()?.sign(purpose, statement);
        let body = canonical::to_string(&Signed { statement, signature })?;
        Ok(self.draft(kind, 1, body))
    }

    /// Puts on the record that a damaged database was replaced.
    pub(crate) fn record_replacement(&mut self, aside: &SetAside) -> Result<()> {
        let statement = Replaced {
            ledger: self.store.id(),
            previous: aside.previous,
            reason: aside.reason.clone(),
            kept_in: aside.kept_in.clone(),
            salvaged: aside.salvaged,
        };
        let kind = countersign_domain::ledger::REPLACED;
        let draft = self.signed_record(("replacement", kind), &statement)?;
        self.store.append(&Stream::of_ledger(), Expected::Any, &[draft], &[])?;
        self.rebuild()?;
        Ok(())
    }

    /// Remakes every view by replaying the events. Returns how many rows there are now.
    pub fn rebuild(&mut self) -> Result<u64> {
        Ok(self.store.rebuild(rows_of_stream)?)
    }
}

/// How the names of streams begin that view rows follow from.
const VIEWED: [&str; 10] = [
    "run/",
    "memory/",
    "session/",
    "worklog/",
    "context/",
    "contract/",
    "verify/",
    "checkpoint/",
    "budget/",
    "relay/",
];

/// Whether view rows follow from `stream`.
fn has_views(stream: &Stream) -> bool {
    VIEWED.iter().any(|kind| stream.as_str().starts_with(kind))
}

/// The view rows that follow from `stream`.
pub(crate) fn rows_of_stream(stream: &Stream, events: &dyn Fn() -> EventsOf) -> RowsOf {
    if !has_views(stream) {
        return Ok(Vec::new());
    }
    let events = events()?;
    let rows = match stream.as_str().split('/').next() {
        Some("memory") => memory::rows_of(stream.as_str(), &events),
        Some("session") => worklog::rows_of(stream, &events),
        Some("worklog") => worklog::rows_of_day(&events),
        Some("context") => context::rows_of(stream.as_str(), &events),
        Some("verify") => verify::rows_of(stream.as_str(), &events),
        Some("relay") => relay::rows_of(&events),
        Some("checkpoint") => checkpoint::rows_of(stream.as_str(), &events),
        Some("budget") => budget::rows_of(stream.as_str(), &events),
        Some("contract") => contract::rows_of(stream.as_str(), &events),
        _ => query::rows_of(&events),
    };
    rows.map_err(|error| countersign_store::Error::Unreadable(format!("{stream}: {error}")))
}

/// The blobs that an event refers to.
fn blobs_of(kind: &str, body: &str) -> Vec<Digest> {
    match kind {
        "run.launched"
        | "run.worked"
        | "run.checked"
        | "run.reviewed"
        | "run.verifier_launched"
        | "run.verified"
        | "run.ruled" => {
            RunEvent::decode(kind, body).map(|event| event.blobs()).unwrap_or_default()
        }
        "relay.opened" => {
            RelayEvent::decode(kind, body).map(|event| event.blobs()).unwrap_or_default()
        }
        "session.operated" => match SessionEvent::decode(kind, body) {
            Ok(SessionEvent::Operated(logged)) => logged.full.into_iter().collect(),
            _ => Vec::new(),
        },
        "verify.ran" | "verify.reused" => {
            VerifyEvent::decode(kind, body).map(|event| event.blobs()).unwrap_or_default()
        }
        kind if kind.starts_with(ContextEvent::PREFIX) => {
            ContextEvent::decode(kind, body).map(|event| event.blobs()).unwrap_or_default()
        }
        worklog::ARCHIVED => serde_json::from_str::<worklog::Archived>(body)
            .map(|archived| archived.blobs.into_iter().chain([archived.blob]).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}
