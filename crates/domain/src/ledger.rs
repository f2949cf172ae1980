//! The ledger: every fact is an event in a stream, each event chained to the one before it.
//!
//! An event's hash covers an *envelope* that names its body only by digest. So a body can be
//! removed later (retention) while the chain still proves what it was.

mod envelope;
mod finding;
mod merkle;
mod missing;
mod records;
mod seal;
mod sealing;
mod stored;
mod verify;

pub use envelope::{Draft, Event, LedgerId, Stream};
pub use finding::{Finding, FindingKind, Report};
pub use merkle::{Head, Heads};
pub use records::{REPLACED, RETAINED, Replaced, Retained, Span};
pub use seal::{Order, PublicKey, Seal, SealError, Signature, Statement, signed_bytes};
pub use stored::Stored;
pub use verify::{Anchor, Verifier};
