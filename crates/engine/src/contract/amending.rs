//! Amending a contract from what was really changed.

use std::collections::BTreeMap;

use countersign_domain::contract::rules::Change;
use countersign_domain::contract::{Agreement, Amendment, ContractEvent, Version, amend};
use countersign_domain::scope;
use countersign_domain::snapshot::PathText;
use countersign_domain::{ObjectId, Stamp};
use serde::Serialize;

use super::Grounds;
use super::journal::{ContractView, view_of};
use crate::Engine;
use crate::config::PROJECT_FILE;
use crate::error::Result;

/// Which diff a contract is amended from.
#[derive(Debug, Clone, Default)]
pub struct AmendRequest {
    /// The revision that the work started from; without it, the tree that the contract names.
    pub base: Option<String>,
}

/// A contract after its diff was looked at.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
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
        let worktree = self.repository.layout().worktree.clone();
        let scratch = self.home.work(&self.state);
        let tree = self.repository.snapshot(&worktree, &scratch)?.tree;
        let base = match &request.base {
            Some(revision) => Some(self.repository.resolve(revision)?.tree),
            None => self.load_contract(id)?.0.newest().contract.scope.tree.clone(),
        };
        self.amend_to(id, base.as_ref(), &tree)
    }

    /// As [`Engine::amend_contract`], for trees that are recorded already.
    pub(crate) fn amend_to(
        &mut self,
        id: Stamp,
        base: Option<&ObjectId>,
        tree: &ObjectId,
    ) -> Result<Amended> {
        let files = self.changes(base, tree)?;
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let grounds = match base {
            Some(base) => self.grounds_before(base, &names)?,
            None => self.grounds()?,
        };
        if names.contains(&PROJECT_FILE) {
            self.notices.push(format!(
                "{PROJECT_FILE} is part of the diff, so what it says about the project is not \
                 believed here"
            ));
        }
        loop {
            let (agreement, sequence) = self.load_contract(id)?;
            match self.amend_once((id, &agreement, sequence), tree, (&files, &grounds)) {
                // Somebody was first; what they added needn't be added again.
                Err(_) if self.head_of(id)? != sequence => {}
                amended => return amended,
            }
        }
    }

    fn amend_once(
        &mut self,
        (id, agreement, sequence): (Stamp, &Agreement, u64),
        tree: &ObjectId,
        (files, grounds): (&BTreeMap<String, Vec<u8>>, &Grounds),
    ) -> Result<Amended> {
        let newest = &agreement.newest().contract;
        let touched: Vec<Change<'_>> =
            files.iter().map(|(path, added)| Change { path, added }).collect();
        let next = amend(
            newest,
            Amendment {
                changes: &touched,
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
                // By the tree: others may amend the same version from another one.
                let name = format!("contracts/{id}/{tree}");
                self.repository.keep(&name, tree)?;
                let hash = contract.hash();
                let version = Version { contract, hash, tree: Some(tree.clone()) };
                self.append_contract(id, sequence, &[ContractEvent::Amended(Box::new(version))])?;
                self.contract(id)?
            }
            None => view_of(id, agreement),
        };
        Ok(Amended { view, is_amended, changed, unexpected, tree: tree.clone() })
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
            // Nothing was committed before the work, so all of it is new.
            for listed in self.repository.list(tree)?.iter() {
                files.insert(listed.path.to_string_lossy().into_owned(), Vec::new());
            }
            for (path, added) in added(&self.repository.whole(tree)?) {
                files.entry(path).or_default().extend(added);
            }
            return Ok(files);
        };
        for change in self.repository.diff(base, tree)? {
            let path = change.path.to_string_lossy().into_owned();
            if let countersign_git::Status::Renamed { from } = &change.status {
                files.entry(from.to_string_lossy().into_owned()).or_default();
            }
            files.entry(path).or_default();
        }
        let patch = self.repository.patch(base, tree)?;
        for (path, added) in added(&patch) {
            files.entry(path).or_default().extend(added);
        }
        Ok(files)
    }
}

/// The lines that a patch adds, by file. Lines are counted as the heads of hunks say, so that no
/// content passes for a head.
fn added(patch: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut file = String::new();
    let (mut old, mut new) = (0_u64, 0_u64);
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if old > 0 || new > 0 {
            match line.first() {
                Some(b'+') => {
                    new = new.saturating_sub(1);
                    files.entry(file.clone()).or_default().extend_from_slice(&line[1..]);
                }
                Some(b'-') => old = old.saturating_sub(1),
                Some(b' ') => {
                    old = old.saturating_sub(1);
                    new = new.saturating_sub(1);
                }
                _ => {}
            }
        } else if let Some(head) = line.strip_prefix(b"@@ ") {
            (old, new) = lengths(&String::from_utf8_lossy(head));
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            let name = String::from_utf8_lossy(name).trim_end_matches(['\n', '\t']).to_owned();
            let name = scope::from_quoted(&name).unwrap_or_else(|_| PathText::new(name));
            let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
            file = name.strip_prefix("b/").unwrap_or(&name).to_owned();
        }
    }
    files
}

/// How many lines a hunk has of the old and of the new file: `-1,4 +1,6 @@`.
fn lengths(head: &str) -> (u64, u64) {
    let mut ranges = head.split(' ').map(|range| {
        let range = range.trim_start_matches(['-', '+']);
        range.split_once(',').map_or(1, |(_, length)| length.parse().unwrap_or(0))
    });
    (ranges.next().unwrap_or(0), ranges.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VC-04: what stands in a file never passes for the head of another.
    #[test]
    fn lines_belong_to_the_file_that_they_are_in() {
        let patch = b"diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,3 @@\n one\n\
            +++ b/docs/x.md\n+eval(x)\ndiff --git \"a/\\303\\244.ts\" \"b/\\303\\244.ts\"\n\
            +++ \"b/\\303\\244.ts\"\n@@ -0,0 +1 @@\n+two\n\\ No newline at end of file\n";
        let files = added(patch);
        let told =
            |path: &str| files.get(path).map(|text| String::from_utf8_lossy(text).into_owned());
        assert_eq!(told("a.ts").as_deref(), Some("++ b/docs/x.md\neval(x)\n"));
        assert_eq!(told("\u{e4}.ts").as_deref(), Some("two\n"));
        assert_eq!(files.len(), 2);
    }
}
