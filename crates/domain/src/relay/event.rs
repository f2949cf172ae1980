//! What can happen in a relay.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agent::AgentSpec;
use crate::budget::RunCaps;
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
use crate::run::{Base, Limits, Outcome, RefusedBecause, RequiredTest};
use crate::stamp::Stamp;
use crate::verify::Example;

/// One story, as it was when the relay was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryTerms {
    /// Such as `US-001`.
    pub id: String,
    pub title: String,
    /// What its worker is told: this story, and nothing of the others.
    pub goal: String,
    /// What is asked for and no more: what its verification goes by.
    pub task: String,
    pub criteria: Vec<String>,
    /// The commands that prove it.
    pub checks: Vec<String>,
    /// Tests that must have run and passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<RequiredTest>,
    /// What its commands must print.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Globs; none if nobody said what it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impacted: Vec<String>,
    pub risk: String,
}

/// The first event of every relay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub relay: Stamp,
    pub slug: String,
    pub objective: String,
    /// The plan, by its hash.
    pub plan: Digest,
    /// Its two files, whole.
    pub prd: Digest,
    pub spec: Digest,
    pub base: Base,
    /// In the order of their dependencies.
    pub stories: Vec<StoryTerms>,
    /// What is asked of all of them together.
    pub release_goal: String,
    pub release_task: String,
    pub release_checks: Vec<String>,
    /// What commands must print: those of all stories, and known inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub release_examples: Vec<Example>,
    pub workers: Vec<AgentSpec>,
    /// Of every story.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifiers: Vec<AgentSpec>,
    /// Of all stories together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub release_verifiers: Vec<AgentSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<AgentSpec>,
    pub limits: Limits,
    /// How often verifiers may disagree about a story; three times where it isn't said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    pub caps: RunCaps,
    /// How many stories may be worked on at once.
    pub jobs: u32,
    /// How often a story may be taken up again.
    pub max_reopened: u32,
    /// Whether a report on the process itself is written at the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_verification: bool,
    /// The plan's own files, from the root of the repository: workers don't see them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The relay that ended before all of it held, and that this one goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<Box<Continued>>,
}

impl Opened {
    /// What the plan is for, in one line of at most so many letters; what is left out is marked.
    pub fn headline(&self, most: usize) -> String {
        let first = self.objective.trim().split("\n\n").next().unwrap_or_default();
        let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut short: String = line.chars().take(most).collect();
        if short.len() < line.len() {
            short.push('…');
        }
        short
    }
}

/// What a relay takes over from one that was blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continued {
    pub relay: Stamp,
    /// Everything that landed there is below this.
    pub tip: ObjectId,
    pub tip_tree: ObjectId,
    /// What landed there and is asked for in the same words now.
    pub landed: Vec<LandedBefore>,
    /// What is known about stories that are done again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub findings: BTreeMap<String, Vec<String>>,
}

/// A story that landed in an earlier relay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandedBefore {
    pub story: String,
    pub run: Stamp,
    pub commit: ObjectId,
}

/// What a run of a relay is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "leg", content = "story", rename_all = "snake_case")]
pub enum Leg {
    Story(String),
    /// All stories together.
    Release,
}

impl std::fmt::Display for Leg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Story(story) => story,
            Self::Release => "ALL",
        })
    }
}

/// Why a relay ended without all of its stories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "blocked", rename_all = "snake_case")]
pub enum Blocked {
    /// A story was not accepted.
    Story {
        story: String,
        run: Stamp,
        because: RefusedBecause,
    },
    /// All stories hold by themselves, and not together.
    Release {
        run: Stamp,
        because: RefusedBecause,
    },
    /// A story was taken up again too often.
    Reopened {
        story: String,
    },
    Cancelled,
}

/// How a relay ended. There is exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum RelayOutcome {
    Complete {
        commit: ObjectId,
        branch: String,
    },
    /// What was accepted until then is on the branch, if anything was.
    Blocked {
        #[serde(flatten)]
        blocked: Blocked,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// Stories that were not begun, since they depend on what failed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        waiting: Vec<String>,
    },
}

/// One fact about a relay. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum RelayEvent {
    Opened(Box<Opened>),
    /// A run was opened for a leg, on top of everything that has landed.
    Started {
        #[serde(flatten)]
        leg: Leg,
        run: Stamp,
        base: ObjectId,
    },
    /// The run of a leg came to its end.
    Ended {
        #[serde(flatten)]
        leg: Leg,
        run: Stamp,
        outcome: Outcome,
    },
    /// An accepted story is on top of everything that has landed.
    Landed {
        story: String,
        run: Stamp,
        commit: ObjectId,
        tree: ObjectId,
        /// The verification of the story together with what landed while it was worked on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verification: Option<Stamp>,
    },
    /// An accepted story does not go together with what landed meanwhile: it is done again.
    Collided {
        story: String,
        run: Stamp,
        reasons: Vec<String>,
    },
    /// A story that had landed no longer holds.
    Reopened {
        story: String,
        reasons: Vec<String>,
    },
    CancelRequested {
        by: String,
    },
    Closed(RelayOutcome),
}

impl Stored for RelayEvent {
    const PREFIX: &'static str = "relay.";
}

impl RelayEvent {
    /// The blobs that this event refers to.
    pub fn blobs(&self) -> Vec<Digest> {
        match self {
            Self::Opened(opened) => vec![opened.prd, opened.spec],
            _ => Vec::new(),
        }
    }

    /// The stream of a relay.
    pub fn stream(relay: Stamp) -> String {
        format!("relay/{relay}")
    }
}
