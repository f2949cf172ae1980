//! Retention: bodies go, hashes stay, and a signed record says so.

use std::collections::BTreeSet;

use countersign_domain::Digest;
use countersign_domain::checkpoint::State;
use countersign_domain::context::ContextEvent;
use countersign_domain::ledger::{RETAINED, Retained, Span, Stream};
use countersign_domain::run::RunEvent;
use countersign_store::Retention;
use jiff::Timestamp;
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What a retention removed.
#[derive(Debug, Clone, Serialize)]
pub struct Retired {
    pub bodies: u64,
    pub blobs: u64,
    pub spans: Vec<Span>,
}

impl Engine {
    /// Removes the bodies of all events from before `before` in streams that begin with
    /// `prefix`, and the blobs that only they refer to. Runs that have not ended are kept.
    pub fn retain(&mut self, before: Timestamp, prefix: &str, reason: &str) -> Result<Retired> {
        if before > self.host.now() {
            return Err(Error::new(Kind::Usage, format!("{before} is in the future"))
                .hint("retention removes what is older than a time in the past"));
        }
        // The views say which runs are still open, so they must be right.
        self.rebuild()?;
        let retention = Retention {
            // Spelled like the events' own times, which are compared as texts.
            before: format!("{before:.6}"),
            prefix: prefix.to_owned(),
            spared: self.streams_in_use()?,
        };
        let (blobs_before, ledger, reason) =
            (self.blobs_in_use()?, self.store.id(), reason.to_owned());
        let key = self.key()?;
        let draft = self.draft(RETAINED, 1, String::new());
        let spans = self.store.retain(&retention, |spans| {
            let statement = Retained { ledger, reason, spans: spans.to_vec() };
            let signature = key.sign("retention", &statement);
            let body = countersign_domain::canonical::to_string(&super::Signed {
                statement: &statement,
                signature,
            });
            Ok(countersign_domain::ledger::Draft { body: body.unwrap_or_default(), ..draft })
        })?;
        let still_used = self.blobs_in_use()?;
        let unused: Vec<&Digest> = blobs_before.difference(&still_used).collect();
        for digest in &unused {
            self.store.blobs().remove(digest)?;
        }
        // A run whose journal is gone is in no list any more, before and after a rebuild.
        self.rebuild()?;
        self.seal_what_is_done()?;
        Ok(Retired {
            bodies: spans.iter().map(|span| span.to - span.from + 1).sum(),
            blobs: unused.len() as u64,
            spans,
        })
    }

    /// The streams of runs that have not ended, their budgets, questions that wait or whose answer
    /// does, and contexts whose trees are kept: what they say is still needed.
    fn streams_in_use(&self) -> Result<Vec<Stream>> {
        let mut open = Vec::new();
        let mut runs = self.runs(u32::MAX)?;
        runs.retain(|summary| summary.outcome.is_none());
        let runs: Vec<_> = runs.into_iter().map(|summary| summary.run).collect();
        open.extend(runs.iter().filter_map(|run| RunEvent::stream(*run).parse::<Stream>().ok()));
        open.extend(self.budgets_in_use(&runs)?);
        let waits = |state| matches!(state, State::Open | State::Answered);
        for row in self.checkpoints(true)?.into_iter().filter(|row| waits(row.state)) {
            open.extend(row.id.stream().parse::<Stream>().ok());
        }
        for row in self.contexts()?.into_iter().filter(|row| !row.is_released) {
            open.extend(ContextEvent::stream(&row.task).parse::<Stream>().ok());
        }
        Ok(open)
    }

    fn blobs_in_use(&self) -> Result<BTreeSet<Digest>> {
        let mut used = BTreeSet::new();
        self.store.scan(0, |placed| {
            if let Some(body) = &placed.event.body {
                used.extend(super::blobs_of(&placed.event.kind, body));
            }
            Ok(())
        })?;
        Ok(used)
    }
}
