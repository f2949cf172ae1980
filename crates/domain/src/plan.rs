//! Plans: what is to be built, story by story, and how each will be proven, as two Markdown files
//! that a person writes and edits: a PRD and a test-spec.
//!
//! Reading is strict, with the line of every mistake. What is written is always the same for the
//! same plan, so that its hash names it.

mod ambiguity;
mod answers;
mod check;
mod checks;
mod code;
mod expected;
mod filled;
mod id;
mod import;
mod order;
mod page;
mod read;
mod render;
mod show;
mod step;
mod types;

pub use ambiguity::{Dimension, Gate, Rated, Score, lower, score};
pub use answers::{
    AnswerChoices, AnswerCriterion, AnswerEnd, AnswerSpec, AnswerStory, AnswerTest, AnswerWaiver,
    Answers,
};
pub use check::{Checked, Scored, Severity, Shortcoming};
pub use checks::{Check, Purpose};
pub use expected::Expectations;
pub use filled::Filled;
pub use id::{CriterionId, Line, Slug, StoryId};
pub use import::{Imported, Note, Source, import};
pub use order::Cycle;
pub use read::{MAX_BYTES, Names};
pub use step::StepKind;
pub use types::{
    AcceptanceCriterion, Category, Choices, Commands, Consensus, ConsensusScope, EndToEnd,
    Impacted, IterationUnit, Law, Layer, Mapped, Mutation, Plan, Size, SpecLayer, Story, StoryKind,
    TestSpec, VerifyMode, Waiver,
};
