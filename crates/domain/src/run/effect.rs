//! What the engine is to do next for a run.

use jiff::Timestamp;

use super::{AskFor, Outcome};
use crate::id::{Digest, ObjectId};

/// What the engine is to do. Each effect ends in one event, and may be performed again after
/// a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Make the attempt's checkout of `tree`.
    Prepare { attempt: u32, tree: ObjectId },
    /// Have the assignment looked at before the work, or say why it isn't.
    Review { attempt: u32 },
    /// Fix the attempt's prompt.
    Launch { attempt: u32 },
    /// Run the worker to its end.
    Await { attempt: u32, prompt: Digest },
    /// Keep what a cut-off attempt left.
    Interrupt { attempt: u32 },
    /// Read what the worker says it did.
    Claim { attempt: u32 },
    /// Record the tree that the worker hands over.
    Snapshot { attempt: u32 },
    /// Run one check of the contract on a fresh checkout of `tree`.
    Check { attempt: u32, check: u32, tree: ObjectId },
    /// Verify `tree` against the base, with everything that this takes.
    Examine { attempt: u32, tree: ObjectId },
    /// Fix a verifier's prompt.
    LaunchVerifier { attempt: u32, verifier: u32 },
    /// Run a verifier to its end, on a fresh checkout of `tree`.
    Verify { attempt: u32, verifier: u32, prompt: Digest, tree: ObjectId },
    /// Note that a verifier was cut off.
    InterruptVerifier { attempt: u32, verifier: u32 },
    /// Look at the user's own repository again, which could not be done when somebody had ended.
    Look { attempt: u32 },
    /// Decide, from receipts.
    Rule,
    /// Let the time pass that a ruling told to wait.
    Wait { attempt: u32, until: Timestamp },
    /// Put a question to a person.
    Ask { number: u32, ask_for: AskFor },
    /// Make the accepted tree a commit on a branch of its own.
    Commit { tree: ObjectId },
    /// Clean up and end.
    Close { outcome: Outcome },
}

/// What follows from the journal so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Perform(Effect),
    /// A person has to answer first. Nothing runs meanwhile.
    Answer {
        number: u32,
        ask_for: AskFor,
        checkpoint: String,
    },
    Done(Outcome),
}
