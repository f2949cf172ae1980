//! Gaming: ways to make checks pass without doing the work.
//!
//! The rules with their words are data in `data/gaming/rules.txt`. Who finds something by reading
//! a change is `countersign-gaming`; who finds something by executing is the engine. Both say it
//! with the same [`Finding`].

mod allow;
mod asked;
mod finding;
mod knowledge;
pub(crate) mod name;
mod rule;

pub use allow::{Allow, Judged, allowed};
pub use asked::Words;
pub use finding::{Basis, Finding, Severity};
pub use rule::{Rule, UnknownRule};
