//! How hard a check is to fool, from the weakest kind to the strongest.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::Ground;

/// What stands behind the result of a check. Each level includes the ones before it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The command ended with 0 on the tree that was handed over.
    ExitCode,
    /// Its tests were counted, and compared with those of the base.
    Counted,
    /// The base's tests and runner settings were run against the new code.
    CleanRoom,
    /// A test that must fail did fail, and one that must pass did pass, in the same process.
    Canaries,
    /// Answers of the new code were compared in our process, not in its own.
    Oracle,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ExitCode => "exit code",
            Self::Counted => "counted tests",
            Self::CleanRoom => "clean room",
            Self::Canaries => "canaries",
            Self::Oracle => "oracle",
        })
    }
}

impl Level {
    /// What kind of evidence one run on `ground` is; `is_counted` says whether its tests were told
    /// apart.
    pub fn of_run(ground: Ground, is_counted: bool) -> Self {
        match ground {
            _ if !is_counted => Self::ExitCode,
            Ground::Handed | Ground::Base => Self::Counted,
            Ground::Room
            | Ground::Red
            | Ground::Varied
            | Ground::VariedBase
            | Ground::Wrong
            | Ground::Single
            | Ground::SingleHanded
            | Ground::Probed
            | Ground::ProbedBase
            | Ground::Worded
            | Ground::WordedBase
            | Ground::Renamed
            | Ground::RenamedBase
            | Ground::Raced
            | Ground::RacedBase
            | Ground::Mutated
            | Ground::Again
            | Ground::RedAgain => Self::CleanRoom,
            Ground::Planted | Ground::PlantedBase => Self::Canaries,
        }
    }
}
