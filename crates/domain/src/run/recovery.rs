//! CO-16: what is done about a failure, in four levels. Each is bounded, and on the record with the ruling
//! that took it.

use serde::{Deserialize, Serialize};

use super::{Decision, Reason, Ruling, Run};

/// A level of recovery, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// The same again: nothing is known against the way that was taken.
    Retry,
    /// Another way: the worker first writes down why the last one failed.
    Reflection,
    /// Another way, and the next worker of the ladder.
    Stronger,
    /// A person decides.
    Human,
}

/// The level that a ruling takes; none where it accepts or ends.
pub(super) fn level(run: &Run, ruling: &Ruling) -> Option<Recovery> {
    match ruling.decision {
        Decision::Accept | Decision::Block { .. } => None,
        Decision::Ask { .. } => Some(Recovery::Human),
        Decision::Revise if ruling.rung.is_some_and(|rung| rung > run.rung) => {
            Some(Recovery::Stronger)
        }
        Decision::Revise if ruling.reasons.iter().any(is_about_the_way) => {
            Some(Recovery::Reflection)
        }
        Decision::Retry { .. } | Decision::Revise => Some(Recovery::Retry),
    }
}

/// Whether a reason says that the work was gone about in the wrong way. A form that was filled in wrongly,
/// a crash or a question does not.
fn is_about_the_way(reason: &Reason) -> bool {
    reason.is_about_tree() || matches!(reason, Reason::NothingChanged { .. } | Reason::FolderGone)
}

/// What a worker wrote down about why the attempt before it failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reflected {
    pub attempt: u32,
    pub words: String,
}
