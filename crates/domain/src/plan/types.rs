//! What a plan is made of.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::filled::Filled;
use super::id::{CriterionId, Line, Slug, StoryId};
use crate::agent::AgentSpec;
use crate::classify::Risk;
use crate::mistake::suggestion;
use crate::task::Priority;

/// A closed set of words: each is written in one way and read in several.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident $what:literal {
        $($(#[$note:meta])* $variant:ident = $text:literal $(| $alias:literal)*),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
        )]
        pub enum $name {
            $($(#[$note])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As it is written.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// Reads its name and what others call it; case, `-`, `_` and spaces make no difference.
            pub fn parse(text: &str) -> Option<Self> {
                let text = alike(text);
                match text.as_str() {
                    $($(text if text == alike($alias) => Some(Self::$variant),)*)+
                    text => Self::ALL.iter().copied().find(|one| alike(one.name()) == text),
                }
            }

            /// What to write instead of `text`.
            pub fn hint(text: &str) -> String {
                suggestion(text, Self::ALL.iter().map(|one| one.name()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| {
                    serde::de::Error::custom(format!("'{text}' is no {}; {}", $what, Self::hint(&text)))
                })
            }
        }
    };
}

pub(super) use words;

/// A word without what makes no difference between spellings.
pub(super) fn alike(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !"-_".contains(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

words! {
    /// How large a story is.
    Size "size" {
        Small = "S" | "small",
        Medium = "M" | "medium",
        Large = "L" | "large",
    }
}

words! {
    /// What sort of work a story is.
    StoryKind "type of story" {
        Code = "code",
        Visual = "visual" | "ui",
        Content = "content" | "docs" | "documentation",
        Integration = "integration",
        Infra = "infra" | "infrastructure",
    }
}

words! {
    /// What a verification looks at.
    Layer "layer" {
        /// Functions by themselves.
        L1 = "L1" | "unit" | "unit test" | "unit tests",
        /// Together with real services.
        L2 = "L2" | "integration" | "integration test",
        /// A known input through the whole, and its output compared.
        L3 = "L3" | "e2e" | "end to end" | "e2e simulation",
        /// Where it is deployed.
        L4 = "L4" | "deploy" | "deploy verify",
    }
}

impl Layer {
    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::L1 => "Unit",
            Self::L2 => "Integration",
            Self::L3 => "End to end",
            Self::L4 => "Deploy",
        }
    }
}

words! {
    /// What a test tries.
    Category "category" {
        Happy = "happy" | "happy path" | "positive",
        Negative = "negative" | "error" | "negative/error" | "failure" | "unhappy",
        Boundary = "boundary" | "edge" | "edge case" | "limit",
    }
}

words! {
    /// A rule that only the user can waive, for one story and with a reason.
    Law "law" {
        /// Nothing is done without fresh evidence.
        Evidence = "IL-1",
        /// No criterion is ambiguous.
        Ambiguity = "IL-2",
        /// No required layer is left open.
        Layers = "IL-3",
        /// Every criterion has enough tests.
        Tests = "IL-4",
    }
}

words! {
    /// What one worker does in one iteration. Only the user chooses it.
    IterationUnit "iteration unit" {
        PerStory = "per story" | "per us" | "one story" | "one us per iteration",
        AllAtOnce = "all at once" | "all" | "all stories at once",
    }
}

words! {
    /// When the Verifier looks.
    VerifyMode "verify mode" {
        PerStory = "per story" | "per us",
        Batch = "batch" | "all at once",
    }
}

words! {
    /// Which verifications need a second Verifier.
    ConsensusScope "consensus scope" {
        All = "all" | "every verify",
        FinalOnly = "final only" | "final",
    }
}

/// A plan: a PRD and its test-spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    pub slug: Slug,
    /// What is achieved when all is done; may have several paragraphs.
    pub objective: String,
    pub stories: Vec<Story>,
    pub non_goals: Vec<String>,
    pub constraints: Vec<String>,
    pub done_when: Vec<String>,
    pub choices: Choices,
    pub spec: TestSpec,
}

/// One piece of work that is useful by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Story {
    pub id: StoryId,
    pub title: String,
    pub priority: Priority,
    pub size: Size,
    pub kind: StoryKind,
    pub risk: Risk,
    pub depends_on: Vec<StoryId>,
    /// Globs of the files that it is expected to touch; empty if nobody said.
    pub files: Vec<String>,
    pub criteria: Vec<AcceptanceCriterion>,
    /// What must not happen.
    pub negatives: Vec<String>,
    /// What happens at the limits: nothing, the most, at once.
    pub boundaries: Vec<String>,
    /// For each of the four layers, in order, how it is covered.
    pub layers: Vec<(Layer, Filled)>,
    pub waivers: Vec<Waiver>,
    pub line: Line,
    /// Where it says what it depends on.
    #[serde(skip)]
    pub depends_line: Line,
}

/// One behaviour, by which it is told whether a story is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptanceCriterion {
    pub id: CriterionId,
    pub given: String,
    pub when: String,
    pub then: String,
    pub line: Line,
}

/// A law that doesn't hold for a story, because a person says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiver {
    pub law: Law,
    pub justification: String,
    /// Who waived it.
    pub by: String,
    pub line: Line,
}

/// How the plan is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choices {
    pub iteration_unit: IterationUnit,
    pub verify_mode: VerifyMode,
    /// Without one, as the settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<AgentSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<AgentSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<AgentSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus: Option<Consensus>,
    pub max_iterations: u32,
    /// Whether a report on the process itself is wanted at the end.
    pub self_verification: bool,
}

/// A second opinion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consensus {
    /// Without one, another than the first Verifier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<AgentSpec>,
    pub scope: ConsensusScope,
    /// How often the two may disagree about a story before a person decides; without it, as the settings
    /// say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
}

/// How everything will be proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestSpec {
    pub commands: Commands,
    /// All four, in order.
    pub layers: Vec<SpecLayer>,
    /// A known input through the whole, and what must come out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub happy: Option<EndToEnd>,
    /// The same with an input that must be refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EndToEnd>,
    pub mutation: Mutation,
    pub mapping: Vec<Mapped>,
    pub impacted: Vec<Impacted>,
    /// What makes the result the same elsewhere: lock files, a clean install.
    pub reproducibility: Vec<String>,
}

/// The commands of the whole project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commands {
    pub build: Filled,
    pub test: Filled,
    pub lint: Filled,
}

/// How one layer is verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecLayer {
    pub layer: Layer,
    /// Its commands; without any, `instead` says why.
    pub commands: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<Filled>,
    pub line: Line,
}

/// A command, what it gets and what it must say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndToEnd {
    pub input: String,
    pub expected: String,
    pub command: String,
}

/// Whether tests notice that code was broken on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mutation {
    pub command: Filled,
    /// How many of a hundred mutants must be noticed.
    pub threshold: u8,
    pub line: Line,
}

impl Mutation {
    pub const THRESHOLD: u8 = 60;
}

/// A test, and the criterion that it proves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mapped {
    pub story: StoryId,
    pub criterion: CriterionId,
    pub layer: Layer,
    pub category: Category,
    pub command: String,
    /// The test's id, as its runner names it.
    pub test: String,
    /// As it stands in the table; `printed` says what of it is compared.
    pub expected: String,
    pub line: Line,
}

/// The tests that a story may break.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Impacted {
    pub story: StoryId,
    pub tests: Vec<String>,
}

impl Plan {
    pub fn story(&self, id: StoryId) -> Option<&Story> {
        self.stories.iter().find(|story| story.id == id)
    }

    /// The tests that a story may break, to be run before and after.
    pub fn impacted(&self, id: StoryId) -> &[String] {
        let found = self.spec.impacted.iter().find(|impacted| impacted.story == id);
        found.map_or(&[], |impacted| &impacted.tests)
    }
}

impl Story {
    pub fn criterion(&self, id: CriterionId) -> Option<&AcceptanceCriterion> {
        self.criteria.iter().find(|criterion| criterion.id == id)
    }

    pub fn waives(&self, law: Law) -> Option<&Waiver> {
        self.waivers.iter().find(|waiver| waiver.law == law)
    }

    /// Whether its criteria must be proven on this layer.
    pub fn needs(&self, layer: Layer) -> bool {
        self.layers.iter().any(|(one, filled)| *one == layer && filled.is_given())
    }
}

impl TestSpec {
    pub fn layer(&self, layer: Layer) -> Option<&SpecLayer> {
        self.layers.iter().find(|one| one.layer == layer)
    }
}

impl Choices {
    /// How many iterations are worth suggesting for so many stories.
    pub fn suggested_iterations(stories: usize) -> u32 {
        let stories = u32::try_from(stories).unwrap_or(u32::MAX);
        // One to do it, two to mend it, one in reserve, and one for all of them together.
        stories.saturating_mul(4).saturating_add(4).clamp(10, 100)
    }

    /// Whether a report on the process is worth suggesting: from HIGH on.
    pub fn suggested_self_verification(risks: impl IntoIterator<Item = Risk>) -> bool {
        risks.into_iter().any(|risk| risk >= Risk::High)
    }
}
