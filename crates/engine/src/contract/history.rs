//! The history of the repository, kept as a file so that a draft needn't ask git for all of it.

use countersign_domain::ObjectId;
use countersign_domain::contract::History;
use countersign_git::Past;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::{Engine, regular};

/// How many commits are looked at.
const MOST: u32 = 500;
/// How many files of a commit are kept; one that changed more was about no one thing.
const MOST_FILES: usize = 31;
/// The largest index that is read.
const MAX_BYTES: u64 = 16 << 20;

/// The index as it is kept: a view of git's history, which may be thrown away.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    tip: Option<ObjectId>,
    history: History,
}

impl Engine {
    /// What was done before, up to `tip`.
    pub(super) fn history(&self, tip: &ObjectId) -> Result<History> {
        let path = self.state.join("history.json");
        let known: Index = regular::read(&path, MAX_BYTES)
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        if known.tip.as_ref() == Some(tip) {
            return Ok(known.history);
        }
        // What another branch did is not what was done here; then it is begun anew, as it is for a
        // commit that is gone.
        let is_before = |old: &&ObjectId| self.repository.comes_after(tip, old).unwrap_or(false);
        let newer = known
            .tip
            .as_ref()
            .filter(is_before)
            .and_then(|since| self.repository.history(tip, Some(since), MOST).ok());
        let mut commits: Vec<(String, Vec<String>)>;
        match newer {
            Some(newer) => {
                commits = newer.into_iter().map(kept).collect();
                commits.extend(known.history.commits);
            }
            None => {
                let all = self.repository.history(tip, None, MOST)?;
                commits = all.into_iter().map(kept).collect();
            }
        }
        commits.truncate(MOST as usize);
        let index = Index { tip: Some(tip.clone()), history: History { commits } };
        self.keep_index(&path, &index);
        Ok(index.history)
    }

    /// Whole or not at all; without it, the next draft takes longer, and nothing else.
    fn keep_index(&self, path: &std::path::Path, index: &Index) {
        let Ok(bytes) = serde_json::to_vec(index) else { return };
        let written = tempfile::NamedTempFile::new_in(&self.state).and_then(|mut file| {
            std::io::Write::write_all(&mut file, &bytes)?;
            file.persist(path).map_err(|error| error.error)
        });
        drop(written);
    }
}

fn kept(past: Past) -> (String, Vec<String>) {
    let mut files = past.files;
    files.truncate(MOST_FILES);
    (past.subject, files)
}
