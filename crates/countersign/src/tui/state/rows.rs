//! The rows of the list: relays with their runs below them, and runs of their own; what goes on
//! first, then the newest.

use std::cmp::Reverse;

use countersign_domain::Stamp;
use countersign_engine::relay::Undertaking;
use countersign_engine::watch::{RelaySeen, RunSeen};

use super::Model;

/// One row of the list.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    Relay(&'a RelaySeen),
    Run(&'a RunSeen),
    /// A run of the relay above.
    Leg(&'a RunSeen),
}

impl Row<'_> {
    /// What it is about.
    pub fn of(&self) -> Undertaking {
        match self {
            Self::Relay(relay) => Undertaking::Relay(relay.relay),
            Self::Run(run) | Self::Leg(run) => Undertaking::Run(run.run),
        }
    }

    pub fn is_over(&self) -> bool {
        match self {
            Self::Relay(relay) => relay.outcome.is_some(),
            Self::Run(run) | Self::Leg(run) => run.outcome().is_some(),
        }
    }
}

impl Model {
    pub fn rows(&self) -> Vec<Row<'_>> {
        let is_known = |relay: Stamp| self.sight.relays.iter().any(|seen| seen.relay == relay);
        let relay_of = |run: &RunSeen| run.leg.as_ref().map(|(relay, _)| *relay);
        let mut heads: Vec<Row<'_>> = self.sight.relays.iter().map(Row::Relay).collect();
        let alone = |run: &&RunSeen| relay_of(run).is_none_or(|relay| !is_known(relay));
        heads.extend(self.sight.runs.iter().filter(alone).map(Row::Run));
        heads.sort_by_key(|row| (row.is_over(), Reverse(row.of().id())));
        let mut rows = Vec::new();
        for head in heads {
            rows.push(head);
            if let Row::Relay(relay) = head {
                let is_own = |run: &&RunSeen| relay_of(run) == Some(relay.relay);
                // The sight has the newest first; stories are read from the first to the last.
                rows.extend(self.sight.runs.iter().rev().filter(is_own).map(Row::Leg));
            }
        }
        match self.only {
            None => rows,
            Some(only) => rows.into_iter().filter(|row| belongs(row, only)).collect(),
        }
    }
}

fn belongs(row: &Row<'_>, only: Undertaking) -> bool {
    match (row, only) {
        (Row::Leg(run), Undertaking::Relay(relay)) => {
            run.leg.as_ref().is_some_and(|(id, _)| *id == relay)
        }
        _ => row.of() == only,
    }
}
