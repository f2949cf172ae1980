//! Which operations become entries, by tier. The policy is data with a version
//! (`data/worklog/significance.txt`), and settings can change it line by line.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::operation::{Deed, Operation};
use super::todo::TodoUpdate;
use crate::classify::{Label as _, Tier};

const SHIPPED: &str = include_str!("../../data/worklog/significance.txt");

/// What an entry is about, by the names that worklogs have always used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    TodoWrite,
    Edit,
    MultiEdit,
    Write,
    Bash,
    Task,
    Checkpoint,
    Verify,
    CheckpointDetection,
}

impl Action {
    pub const ALL: [Self; 9] = [
        Self::TodoWrite,
        Self::Edit,
        Self::MultiEdit,
        Self::Write,
        Self::Bash,
        Self::Task,
        Self::Checkpoint,
        Self::Verify,
        Self::CheckpointDetection,
    ];

    /// The name in entries and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::TodoWrite => "TodoWrite",
            Self::Edit => "Edit",
            Self::MultiEdit => "MultiEdit",
            Self::Write => "Write",
            Self::Bash => "Bash",
            Self::Task => "Task",
            Self::Checkpoint => "Checkpoint",
            Self::Verify => "Verify",
            Self::CheckpointDetection => "CheckpointDetection",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The action of an operation. `None` for what changes nothing, and for tools we don't know:
/// those are entries only if a person named them, and then go by their own name.
pub fn action_of(operation: &Operation) -> Option<Action> {
    match &operation.deed {
        Deed::Todo { update: TodoUpdate::Read { .. } } | Deed::Look { .. } | Deed::Other { .. } => {
            None
        }
        Deed::Todo { .. } => Some(Action::TodoWrite),
        Deed::Edit { files } if files.len() > 1 || operation.tool == "MultiEdit" => {
            Some(Action::MultiEdit)
        }
        Deed::Edit { .. } => Some(Action::Edit),
        Deed::Write { .. } => Some(Action::Write),
        Deed::Command { .. } => Some(Action::Bash),
        Deed::Delegate { .. } => Some(Action::Task),
    }
}

/// A set of tiers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tiers(u8);

impl Tiers {
    fn of(tiers: &[Tier]) -> Self {
        Self(tiers.iter().fold(0, |bits, tier| bits | Self::bit(*tier)))
    }

    fn bit(tier: Tier) -> u8 {
        match tier {
            Tier::Exempt => 1,
            Tier::Light => 2,
            Tier::Standard => 4,
            Tier::Strict => 8,
        }
    }

    fn has(self, tier: Tier) -> bool {
        self.0 & Self::bit(tier) != 0
    }
}

/// The policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Significance {
    version: u32,
    actions: BTreeMap<Action, Tiers>,
    /// By an agent's own name of a tool; a last `*` stands for any ending.
    tools: BTreeMap<String, Tiers>,
}

impl Significance {
    /// What we ship.
    pub fn shipped() -> &'static Self {
        static POLICY: OnceLock<Significance> = OnceLock::new();
        // The file is ours, and a test reads it: it can't be wrong here.
        POLICY.get_or_init(|| Self::parse(SHIPPED).unwrap_or_default())
    }

    /// Reads the format that the head of the shipped file describes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut policy = Self::default();
        for (at, line) in text.lines().enumerate() {
            let mut words = line.split_whitespace();
            let Some(first) = words.next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            if first == "version" {
                let number = words.next().and_then(|word| word.parse().ok());
                policy.version = number.ok_or_else(|| wrong("`version` needs a number"))?;
                continue;
            }
            let tiers: Option<Vec<Tier>> = words.map(Tier::parse).collect();
            let tiers = tiers.ok_or_else(|| {
                wrong("a tier is none of STRICT, STANDARD, LIGHT and EXEMPT; correct it")
            })?;
            policy.put(first, &tiers);
        }
        if policy.version == 0 {
            return Err("no line says `version` and a number above 0; add one".to_owned());
        }
        Ok(policy)
    }

    /// The same with what the settings say: for an action, a tool by its own name, or the
    /// beginning of such names with a `*`. The settings win, tools over actions.
    pub fn with_overrides(mut self, overrides: &BTreeMap<String, Vec<Tier>>) -> Self {
        for (name, tiers) in overrides {
            self.put(name, tiers);
        }
        self
    }

    fn put(&mut self, name: &str, tiers: &[Tier]) {
        let tiers = Tiers::of(tiers);
        match Action::parse(name) {
            Some(action) => drop(self.actions.insert(action, tiers)),
            None => drop(self.tools.insert(name.to_owned(), tiers)),
        }
    }

    /// Written down with every session.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether an action is an entry in this tier; for what we do ourselves.
    pub fn covers(&self, action: Action, tier: Tier) -> bool {
        self.actions.get(&action).is_some_and(|tiers| tiers.has(tier))
    }

    /// Whether an operation is an entry in this tier. A command is one only if it runs tests
    /// (its `runner` is known), unless its tool was named by a person.
    pub fn is_significant(&self, operation: &Operation, tier: Tier) -> bool {
        if let Some(tiers) = self.named(&operation.tool) {
            return tiers.has(tier);
        }
        let runs_no_tests = matches!(&operation.deed, Deed::Command { runner: None, .. });
        !runs_no_tests && action_of(operation).is_some_and(|action| self.covers(action, tier))
    }

    /// What was said about a tool: by its whole name, or else by the longest beginning.
    fn named(&self, tool: &str) -> Option<Tiers> {
        let begins = |name: &&String| {
            name.strip_suffix('*').is_some_and(|beginning| tool.starts_with(beginning))
        };
        let longest = || self.tools.keys().filter(begins).max_by_key(|name| name.len());
        self.tools.get(tool).or_else(|| self.tools.get(longest()?)).copied()
    }
}

#[cfg(test)]
#[path = "significance_tests.rs"]
mod tests;
