//! A plan as answers: what an interview asks, and what a file can say instead.

mod build;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::id::StoryId;
use super::types::{
    Category, ConsensusScope, IterationUnit, Law, Layer, Size, StoryKind, VerifyMode,
};
use crate::classify::{Label as _, Risk};
use crate::task::Priority;

/// All answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// The short name of the plan and of its folder, as in auth-refactor.
    pub slug: String,
    /// What is achieved when all is done.
    pub objective: String,
    pub stories: Vec<AnswerStory>,
    #[serde(default)]
    pub non_goals: Vec<String>,
    #[serde(default)]
    pub constraints: Vec<String>,
    #[serde(default)]
    pub done_when: Vec<String>,
    pub choices: AnswerChoices,
    #[serde(default)]
    pub spec: AnswerSpec,
}

/// One story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerStory {
    pub title: String,
    /// P0 (most urgent) to P3.
    #[schemars(schema_with = "priorities")]
    #[serde(default = "usual_priority")]
    pub priority: Priority,
    pub size: Size,
    #[serde(rename = "type")]
    pub kind: StoryKind,
    #[schemars(schema_with = "risks")]
    pub risk: Risk,
    /// Stories are numbered in their order, from US-001 on.
    #[schemars(with = "Vec<String>")]
    #[serde(default)]
    pub depends_on: Vec<StoryId>,
    /// Globs of the files that it is expected to touch.
    #[serde(default)]
    pub touches: Vec<String>,
    /// At least one, at most four.
    pub criteria: Vec<AnswerCriterion>,
    /// What must not happen.
    #[serde(default)]
    pub negatives: Vec<String>,
    /// What happens at the limits.
    #[serde(default)]
    pub boundaries: Vec<String>,
    /// By layer (L1 to L4), how it is verified, or 'N/A — reason'.
    #[serde(default)]
    pub layers: BTreeMap<String, String>,
    #[serde(default)]
    pub waivers: Vec<AnswerWaiver>,
    /// Tests that it may break.
    #[serde(default)]
    pub impacted: Vec<String>,
}

/// One acceptance criterion, with its tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerCriterion {
    pub given: String,
    pub when: String,
    pub then: String,
    /// At least three, of at least two categories.
    #[serde(default)]
    pub tests: Vec<AnswerTest>,
}

/// One test of a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerTest {
    pub layer: Layer,
    pub category: Category,
    /// The command that runs it.
    pub command: String,
    /// Its id, as its runner names it.
    pub test: String,
    #[serde(default = "passes")]
    pub expected: String,
}

/// A law that a person waives for a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerWaiver {
    pub law: Law,
    pub justification: String,
    /// Who waives it.
    pub by: String,
}

/// How the plan is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerChoices {
    /// What one worker does in one iteration. There is no default: it is the user's to choose.
    pub iteration_unit: IterationUnit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_mode: Option<VerifyMode>,
    /// The agent that works: claude:opus, codex:gpt-5.5@high, 'command:…'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// yes, no, or the agent that gives the second opinion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus_scope: Option<ConsensusScope>,
    /// How often the two may disagree about a story before a person decides.
    #[schemars(range(min = 1, max = 20))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus_rounds: Option<u32>,
    #[schemars(range(min = 1, max = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_verification: Option<bool>,
}

/// How everything is proven. What is left out has to be filled in before the plan can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerSpec {
    /// A command, or 'N/A — reason'.
    #[serde(default)]
    pub build: String,
    #[serde(default)]
    pub test: String,
    #[serde(default)]
    pub lint: String,
    /// By layer (L1 to L4), its command, or 'N/A — reason'.
    #[serde(default)]
    pub layers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub happy: Option<AnswerEnd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AnswerEnd>,
    /// The command of the mutation gate, or 'N/A — reason'.
    #[serde(default)]
    pub mutation: String,
    #[schemars(range(max = 100))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation_threshold: Option<u8>,
    #[serde(default)]
    pub reproducibility: Vec<String>,
}

/// A known input through the whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerEnd {
    pub input: String,
    pub expected: String,
    pub command: String,
}

impl Answers {
    /// The JSON Schema of a file of answers.
    pub fn schema() -> serde_json::Value {
        let schema = schemars::schema_for!(Self);
        serde_json::to_value(schema).unwrap_or_default()
    }
}

fn usual_priority() -> Priority {
    Priority::P1
}

fn passes() -> String {
    "passes".to_owned()
}

fn priorities(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Priority::ALL.map(Priority::name) })
}

fn risks(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = Risk::ALL.iter().map(|risk| risk.name()).collect();
    json_schema!({ "type": "string", "enum": names })
}
