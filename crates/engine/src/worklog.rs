//! Worklogs: sessions of agents on the record.
//!
//! `hook` is the way in. Most calls end on the hot path (`hook.rs`): one line in the spool. What
//! needs the session as a whole goes to the orchestrator, which knows five events (a task starts,
//! an operation, a phase is complete, a task is complete, an error) and four parts that know
//! nothing of each other: the journal, the verification of todos, the summaries, the detection of
//! earlier work.

mod account;
mod archive;
mod bounds;
mod compare;
mod degraded;
mod desk;
mod detect;
mod ending;
mod gate;
mod hook;
mod input;
mod journal;
mod lenient;
mod memories;
mod one_by_one;
mod opening;
mod orchestrator;
mod place;
mod pointer;
mod policy;
mod publish;
mod query;
mod reconcile;
mod restore;
mod rows;
mod settings_guard;
mod spending;
mod stats;
mod summaries;
mod sweep;
mod tamper;
mod tokens;
mod transcripts;
mod unmade;
mod verify;

pub use account::Account;
pub use archive::{Archived, RetiredSessions};
pub use hook::{Input, hook};
pub use input::{Received, receive};
pub use restore::Restored;
pub use rows::SessionRow;
pub use stats::{Capture, Rate, Stats, Tokens, outcome_word};
pub use sweep::Swept;

pub(crate) use archive::{ARCHIVED, rows_of_day};
pub(crate) use lenient::resolve as lenient;
pub(crate) use policy::Policy;
pub(crate) use rows::{VIEWS, rows_of};
pub(crate) use tamper::note_uninstalled;
pub(crate) use tokens::count as count_tokens;
