//! Who works and who judges in a run, for what, and within which bounds. Fixed when the run is
//! opened: a setting that changes tomorrow changes nothing about it.

use serde::{Deserialize, Serialize};

use crate::agent::AgentSpec;
use crate::budget::RunCaps;
use crate::classify::Risk;
use crate::id::{Digest, ObjectId};
use crate::stamp::Stamp;
use crate::verify::Example;

/// The agents of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crew {
    /// From the first that is tried to the strongest.
    pub workers: Vec<AgentSpec>,
    /// Each must pass the work. None: what we run decides alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifiers: Vec<AgentSpec>,
    /// Who looks at the assignment before anybody works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<AgentSpec>,
    pub policy: Policy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Assigned>,
    /// What is judged, where nobody works: all stories of a relay together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<Handed>,
    /// What is asked for and no more, where the goal has other things around it: commands, tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Questions to the new code whose answers we compare ourselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// Whether the checks are those that the base's own files name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_detected: bool,
}

impl Crew {
    /// The worker on a rung of the ladder; the strongest for all rungs above.
    pub fn worker(&self, rung: u32) -> Option<&AgentSpec> {
        self.workers.get(rung as usize).or_else(|| self.workers.last())
    }

    /// The highest rung.
    pub fn top(&self) -> u32 {
        u32::try_from(self.workers.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

/// Work that is there already and is judged as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    pub tree: ObjectId,
    pub commit: ObjectId,
    /// The branch that it gets when it is accepted.
    pub branch: String,
    /// What people took in the run of a story, about files that are still the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looked: Vec<Looked>,
}

/// A finding that a person has looked at and taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// As it was said.
    pub text: String,
    /// In which story, and by whom.
    pub story: String,
    pub by: String,
}

/// The story of a plan that a run is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigned {
    /// The relay that the run is part of.
    pub relay: Stamp,
    /// Such as `US-001`.
    pub story: String,
    /// The plan, by its hash.
    pub plan: Digest,
    /// The ids of its acceptance criteria.
    pub criteria: Vec<String>,
    /// Tests that may be affected, to run before and after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impacted: Vec<String>,
    /// Tests that must have run and passed, as the test-spec names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<RequiredTest>,
    /// Files that the story may touch, as globs; nothing is said of others if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// How much harm it can do, as the plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The plan's own files, from the root of the repository: the worker doesn't see them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan_files: Vec<String>,
}

/// A test of a test-spec, and the command that runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredTest {
    pub test: String,
    pub command: String,
}

/// The bounds of a run with a crew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// How often the same criterion may fail in a row before a stronger worker is taken.
    pub same_criterion: u32,
    /// How many failed attempts in a row go to a person.
    pub failures: u32,
    /// How often in a row nothing may change.
    pub unchanged: u32,
    /// How often a rate limit, an overload or a crash is tried again.
    pub retries: u32,
    /// How often verifiers may disagree about it: with the last of these a person decides.
    pub rounds: u32,
    /// An agent that says nothing for so long is ended and started again.
    pub stale_seconds: u64,
    /// Whether work without a claim is sent back.
    pub requires_claim: bool,
    /// What may be spent.
    #[serde(default)]
    pub caps: RunCaps,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            same_criterion: 2,
            failures: 3,
            unchanged: 3,
            retries: 3,
            rounds: 3,
            stale_seconds: 600,
            requires_claim: true,
            caps: RunCaps::default(),
        }
    }
}
