//! Working trees as they were at one moment, and what became of them since.
//!
//! The `git` crate looks at the disk and hands in facts: [`Recorded`] when a moment is written
//! down, [`Found`] when a tree is compared with it. [`explain()`] turns the two into a [`Drift`]
//! that people can read and act on.

mod drift;
mod explain;
mod found;
mod lines;
mod path_text;
mod recorded;
mod remedy;
mod rules;
mod setting_words;
mod text;
mod watch;
mod words;

pub use drift::{Drift, FileDrift, Kind, Moved, Note, SettingDrift};
pub use explain::explain;
pub use found::{FileChange, Found, How, Position, Step, Trail};
pub use path_text::PathText;
pub use recorded::{
    Beyond, Ground, Operation, Recorded, Said, Setting, Special, SpecialKind, State, Watched, Why,
};
pub use remedy::{Exact, Here, Remedies};
pub use rules::IgnoreRules;
pub use text::{Difference, difference};
pub use watch::{Watch, WatchError};
