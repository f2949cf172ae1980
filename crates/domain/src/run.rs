//! The machine of one goal: contract, attempts, receipts, ruling.
//!
//! A run is the fold of its journal. [`Run::next`] says what to do, the engine performs it and
//! appends one [`RunEvent`], [`Run::apply`] takes it in. Nothing else about a run is stored.
//!
//! `apply` has no thresholds: a decision is made once, by [`rule`], and journaled.
//!
//! A run with a [`Crew`] hears agents: a worker that claims, verifiers that judge. Both can only
//! stop work; what speaks for it is what we ran.

mod asking;
mod consensus;
mod crew;
mod crew_rule;
mod effect;
mod event;
mod fingerprint;
mod follow;
mod history;
mod judged;
mod outside;
mod phase;
mod prompt;
mod recovery;
mod report;
mod ruling;
mod state;
mod verdicts;

pub use asking::{AskFor, Consequence, Most, choices};
pub use consensus::{MAX_ROUNDS, Round, merged};
pub use crew::{Assigned, Crew, Handed, Looked, Policy, RequiredTest};
pub use effect::{Effect, Next};
pub use event::{Base, Lands, Limits, Opened, Outcome, RefusedBecause, RunEvent};
pub use fingerprint::{
    Fingerprint, HEAD, Moved, OUR_BRANCHES, Obeyed, SHALLOW, UNREADABLE, compare, is_obeyed, moved,
};
pub use judged::{Examined, Proof, Reproduced, Review, Reviewed, Said, Verified};
pub use outside::{Outside, Sort, filters};
pub use phase::{phase, phases};
pub use prompt::{CLAIM_FILE, DECIDED, Shown, assignment, review_assignment, verifier_assignment};
pub use recovery::{Recovery, Reflected};
pub use report::escalation;
pub use ruling::{Decision, Proposed, Reason, Ruling, rule};
pub use state::{Refusal, Resolution, Run, Step};
