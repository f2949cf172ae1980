//! The context of a task: one immutable account of what was asked for, and the roles that work
//! on it one after the other. What a role leaves is recorded, and the next one begins from
//! exactly that, or not at all.
//!
//! A context is the fold of its events ([`Context::apply`]); what may happen next is asked of
//! [`rules`], which never look at the world.

mod event;
mod evidence;
mod export;
mod immutable;
mod manifest;
mod measured;
mod place;
mod questions;
pub mod rules;
mod state;
mod step;

pub use event::{
    Adopted, Attached, ContextEvent, Drifted, FileRecord, Handed, Incremental, Opened, Rebuilt,
    Resolved, RoleStatus, Text, Updated,
};
pub use evidence::{Evidence, EvidenceKind};
pub use export::{Export, Handover, MARKDOWN_LIMIT, markdown};
pub use immutable::{GitFacts, Immutable, SCHEMA_VERSION, TaskFacts, Validation};
pub use manifest::{Manifest, SERIALIZER, Source};
pub use measured::Measured;
pub use place::{Place, There, Whereabouts};
pub use questions::step_words;
pub use state::{Context, Expectation, Finding, Role};
pub use step::Step;
