//! What the engine is to do next for a run.

use super::Outcome;
use crate::id::{Digest, ObjectId};

/// What the engine is to do. Each effect ends in one event, and may be performed again after
/// a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Make the attempt's checkout of `tree`.
    Prepare { attempt: u32, tree: ObjectId },
    /// Fix the attempt's prompt.
    Launch { attempt: u32 },
    /// Run the worker to its end.
    Await { attempt: u32, prompt: Digest },
    /// Keep what a cut-off attempt left.
    Interrupt { attempt: u32 },
    /// Record the tree that the worker hands over.
    Snapshot { attempt: u32 },
    /// Run one check of the contract on a fresh checkout of `tree`.
    Check { attempt: u32, check: u32, tree: ObjectId },
    /// Decide, from receipts.
    Rule,
    /// Make the accepted tree a commit on a branch of its own.
    Commit { tree: ObjectId },
    /// Clean up and end.
    Close { outcome: Outcome },
}

/// What follows from the journal so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Perform(Effect),
    Done(Outcome),
}
