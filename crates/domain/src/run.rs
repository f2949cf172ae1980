//! The machine of one goal: contract, attempts, receipts, ruling.
//!
//! A run is the fold of its journal. [`Run::next`] says what to do, the engine performs it and
//! appends one [`RunEvent`], [`Run::apply`] takes it in. Nothing else about a run is stored.
//!
//! `apply` has no thresholds: a decision is made once, by [`rule`], and journaled.

mod effect;
mod event;
mod prompt;
mod ruling;
mod state;

pub use effect::{Effect, Next};
pub use event::{Base, Limits, Opened, Outcome, RefusedBecause, RunEvent};
pub use prompt::assignment;
pub use ruling::{Decision, Reason, Ruling, rule};
pub use state::{Refusal, Run, Step};
