//! The ledger's own use cases: sealing, verifying, exporting, rebuilding, retention.

mod export;
mod retention;
mod sealing;
mod verification;

use countersign_domain::canonical;
use countersign_domain::ledger::{Draft, Replaced, Stream};
use countersign_store::{EventsOf, Expected, RowsOf, SetAside};
use serde::Serialize;

pub use export::{Exported, verify_file};
pub use retention::Retired;
pub use verification::Verification;

use crate::error::Result;
use crate::query;
use crate::{Engine, Key};

/// A statement with the signature over it, as the body of an event.
#[derive(Serialize)]
struct Signed<'a, T> {
    statement: &'a T,
    signature: countersign_domain::ledger::Signature,
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

/// The view rows that follow from `stream`: only runs have any.
pub(crate) fn rows_of_stream(stream: &Stream, events: &dyn Fn() -> EventsOf) -> RowsOf {
    if !stream.as_str().starts_with("run/") {
        return Ok(Vec::new());
    }
    query::rows_of(&events()?)
        .map_err(|error| countersign_store::Error::Unreadable(format!("{stream}: {error}")))
}
