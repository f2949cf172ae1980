//! Amending a contract from what was really changed.

use std::collections::BTreeMap;

use countersign_domain::contract::rules::Change;
use countersign_domain::contract::{Amendment, ContractEvent, Version, amend};
use countersign_domain::{ObjectId, Stamp};
use serde::Serialize;

use super::journal::{ContractView, view_of};
use crate::Engine;
use crate::error::Result;

/// Which diff a contract is amended from.
#[derive(Debug, Clone, Default)]
pub struct AmendRequest {
    /// The revision that the work started from; without it, the tree that the contract names.
    pub base: Option<String>,
}

/// A contract after its diff was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Amended {
    #[serde(flatten)]
    pub view: ContractView,
    /// Whether the diff called for more.
    pub is_amended: bool,
    /// The files that changed.
    pub changed: Vec<String>,
    /// Those of them that nobody expected.
    pub unexpected: Vec<String>,
    /// The tree that was looked at.
    pub tree: ObjectId,
}

impl Engine {
    /// Adds to a contract what the real diff calls for and it missed.
    pub fn amend_contract(&mut self, id: Stamp, request: &AmendRequest) -> Result<Amended> {
        let (agreement, sequence) = self.load_contract(id)?;
        let newest = &agreement.newest().contract;
        let worktree = self.repository.layout().worktree.clone();
        let scratch = self.home.work(&self.state);
        let tree = self.repository.snapshot(&worktree, &scratch)?.tree;
        let base = match &request.base {
            Some(revision) => Some(self.repository.resolve(revision)?.tree),
            None => newest.scope.tree.clone(),
        };
        let files = self.changes(base.as_ref(), &tree)?;
        let changes: Vec<Change<'_>> =
            files.iter().map(|(path, added)| Change { path, added }).collect();
        let grounds = self.grounds()?;
        let next = amend(
            newest,
            Amendment {
                changes: &changes,
                project: &grounds.project,
                rules: &grounds.rules,
                without: grounds.settings.without(),
                now: self.host.now(),
            },
        );
        let is_expected =
            |path: &&String| newest.expected_files.iter().any(|file| file.path == **path);
        let unexpected = files.keys().filter(|path| !is_expected(path)).cloned().collect();
        let changed = files.keys().cloned().collect();
        let is_amended = next.is_some();
        let view = match next {
            Some(contract) => {
                let hash = contract.hash();
                let version = Version { contract, hash, tree: Some(tree.clone()) };
                self.append_contract(id, sequence, &[ContractEvent::Amended(Box::new(version))])?;
                self.contract(id)?
            }
            None => view_of(id, &agreement),
        };
        Ok(Amended { view, is_amended, changed, unexpected, tree })
    }

    /// The files that differ between two trees, with the lines that were added. Both names of a
    /// file that was moved count.
    fn changes(
        &self,
        base: Option<&ObjectId>,
        tree: &ObjectId,
    ) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let Some(base) = base else {
            for listed in self.repository.list(tree)? {
                files.insert(listed.path.to_string_lossy().into_owned(), Vec::new());
            }
            return Ok(files);
        };
        for change in self.repository.diff(base, tree)? {
            let path = change.path.to_string_lossy().into_owned();
            if let countersign_git::Status::Renamed { from } = &change.status {
                files.entry(from.to_string_lossy().into_owned()).or_default();
            }
            let patch = self.repository.patch_at(base, tree, &change.path)?;
            files.entry(path).or_default().extend(added(&patch));
        }
        Ok(files)
    }
}

/// The lines that a patch adds.
fn added(patch: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"+") && !line.starts_with(b"+++ ") {
            lines.extend_from_slice(&line[1..]);
        }
    }
    lines
}
