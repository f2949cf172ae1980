//! Plans: what is to be built, story by story, and how each will be proven, as two Markdown files
//! that a person writes and edits: a PRD and a test-spec.
//!
//! Reading is strict, with the line of every mistake. What is written is always the same for the
//! same plan, so that its hash names it.

mod checks;
mod code;
mod filled;
mod id;
mod order;
mod page;
mod read;
mod render;
mod show;
mod step;
mod types;

pub use checks::{Check, Purpose};
pub use filled::Filled;
pub use id::{CriterionId, Line, Slug, StoryId};
pub use order::Cycle;
pub use read::{MAX_BYTES, Names};
pub use step::StepKind;
pub use types::{
    AcceptanceCriterion, Category, Choices, Commands, Consensus, ConsensusScope, EndToEnd,
    Impacted, IterationUnit, Law, Layer, Mapped, Mutation, Plan, Size, SpecLayer, Story, StoryKind,
    TestSpec, VerifyMode, Waiver,
};
