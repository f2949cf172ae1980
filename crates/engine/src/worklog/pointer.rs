//! Pointers: which session an agent's session is, in one small file, so that the hot path needs
//! no database. A pointer only repeats what the ledger knows and is remade when it is lost.
//!
//! A pointer lies beside the ledger, or where that can't be written in the user's folder.
//!
//! It also fixes the policy for the time of the session: settings that change midway, perhaps
//! by the agent's own hand, change nothing for it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign_domain::classify::Tier;
use countersign_domain::worklog::Agent;
use countersign_domain::worklog::flags::Flag;
use countersign_domain::{Digest, Stamp};
use serde::{Deserialize, Serialize};

use crate::Home;
use crate::config::{Durability, OnFailure, WorklogConfig};
use crate::error::{Error, Result};
use crate::regular;

/// The most bytes of a pointer: it holds a policy, and no more.
const MOST: u64 = 1 << 20;

/// What the hot path must know of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pointer {
    pub(crate) session: Stamp,
    pub(crate) tier: Tier,
    /// What a person switched off or on.
    #[serde(default)]
    pub(crate) flags: BTreeSet<Flag>,
    pub(crate) durability: Durability,
    pub(crate) policy: WorklogConfig,
    /// Whether a memory backend wants to be told.
    #[serde(default)]
    pub(crate) publishes: bool,
}

impl Pointer {
    pub(crate) fn fails_closed(&self) -> bool {
        self.policy.on_failure == OnFailure::Closed
    }

    /// Nothing but the opening is recorded.
    pub(crate) fn is_off(&self) -> bool {
        self.flags.contains(&Flag::NoWorklog)
    }

    /// Whole reports are kept.
    pub(crate) fn is_verbose(&self) -> bool {
        self.flags.contains(&Flag::VerboseLog)
    }

    /// Todo lists are not read back.
    pub(crate) fn skips_verification(&self) -> bool {
        self.flags.contains(&Flag::SkipVerify) || self.skips_gate()
    }

    /// There are no summaries.
    pub(crate) fn skips_summaries(&self) -> bool {
        self.flags.contains(&Flag::NoCheckpoints) || self.skips_gate()
    }

    /// The agent may stop as it likes.
    pub(crate) fn skips_gate(&self) -> bool {
        self.flags.contains(&Flag::SkipCompliance)
    }

    /// The pointer in the first of the folders that has one.
    pub(crate) fn read(folders: &Folders, agent: Agent, agent_session: &str) -> Option<Self> {
        let name = name(agent, agent_session);
        folders.iter().find_map(|folder| {
            let bytes = regular::read(&folder.join(&name), MOST)?;
            // A pointer that can't be read is as good as none: it is made again from the ledger.
            serde_json::from_slice(&bytes).ok()
        })
    }

    /// Writes the pointer to the first of the folders that takes it.
    pub(crate) fn write(&self, folders: &Folders, agent: Agent, agent_session: &str) -> Result<()> {
        let name = name(agent, agent_session);
        let [first, second] = folders;
        let Err(error) = self.write_in(first, &name) else {
            // One that was written in a bad hour must not be found again.
            let _ = fs::remove_file(second.join(&name));
            return Ok(());
        };
        self.write_in(second, &name).map_err(|_| error)
    }

    fn write_in(&self, folder: &Path, name: &str) -> Result<()> {
        let path = folder.join(name);
        let failed = |error: &std::io::Error| Error::io("write", &path, error);
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
        serde_json::to_writer(&mut file, self)?;
        file.flush().map_err(|error| failed(&error))?;
        file.persist(&path).map_err(|error| failed(&error.error))?;
        Ok(())
    }
}

/// Where pointers lie: beside the ledger, and in the user's folder for bad hours.
pub(crate) type Folders = [PathBuf; 2];

pub(crate) fn folders(home: &Home, state: &Path) -> Folders {
    [state.join("sessions"), home.fallback(state).join("sessions")]
}

/// The agent's name of its session comes from outside: it is only ever part of a path as a hash.
fn name(agent: Agent, agent_session: &str) -> String {
    format!("{agent}-{}.json", Digest::of(agent_session.as_bytes()).short())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer() -> Pointer {
        Pointer {
            session: "20261116_101500_001".parse().unwrap(),
            tier: Tier::Strict,
            flags: BTreeSet::from([Flag::SkipVerify]),
            durability: Durability::PowerLoss,
            policy: WorklogConfig::default(),
            publishes: false,
        }
    }

    /// WL-01: what the hot path needs is found again; names from outside can't leave the folder.
    #[test]
    fn a_pointer_is_found_by_any_name() {
        let (state, folders) = scene();
        for name in ["6f0a-1", "../../etc/passwd", "", "a/b", "\u{0}x"] {
            pointer().write(&folders, Agent::Claude, name).unwrap();
            assert_eq!(Pointer::read(&folders, Agent::Claude, name), Some(pointer()));
            assert_eq!(Pointer::read(&folders, Agent::Codex, name), None);
        }
        let left: Vec<_> = fs::read_dir(state.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing was written elsewhere");
    }

    #[test]
    fn a_damaged_pointer_is_none() {
        let (_state, folders) = scene();
        pointer().write(&folders, Agent::Claude, "x").unwrap();
        fs::write(folders[0].join(name(Agent::Claude, "x")), b"{\"session\":").unwrap();
        assert_eq!(Pointer::read(&folders, Agent::Claude, "x"), None);
    }

    /// WL-16: where the first folder can't be written, the second one serves, for that long.
    #[test]
    fn a_pointer_has_a_second_place() {
        let (_state, folders) = scene();
        // A file in the way: no permission bits stop root, which tests may be.
        fs::write(&folders[0], "").unwrap();
        pointer().write(&folders, Agent::Claude, "x").unwrap();
        assert_eq!(Pointer::read(&folders, Agent::Claude, "x"), Some(pointer()));
        fs::remove_file(&folders[0]).unwrap();
        pointer().write(&folders, Agent::Claude, "x").unwrap();
        assert_eq!(fs::read_dir(&folders[1]).unwrap().count(), 0);
    }

    fn scene() -> (tempfile::TempDir, Folders) {
        let state = tempfile::tempdir().unwrap();
        let folders = ["sessions", "elsewhere"].map(|name| state.path().join(name));
        (state, folders)
    }
}
