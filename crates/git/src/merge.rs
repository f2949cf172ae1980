//! Merges computed on recorded commits: no index, no branch and no file is touched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use countersign_domain::id::ObjectId;

use crate::command::Outcome;
use crate::discover::as_path;
use crate::error::Error;
use crate::repository::{Repository, Version};

/// The oldest git that merges what it is told to merge, without a working tree.
const OLDEST: Version = Version { major: 2, minor: 40, patch: 0 };

/// Settings that decide what a merge comes to: the same wherever it is computed.
const SETTINGS: &[&str] = &[
    "merge.renames=true",
    "merge.renameLimit=7000",
    // A file that would have to be moved on a guess is for a person to place.
    "merge.directoryRenames=conflict",
    "merge.conflictStyle=merge",
    "merge.default=text",
    "merge.renormalize=false",
];

/// What two histories come to that began with the same commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Everything of both.
    Tree(ObjectId),
    /// Where a person has to decide, in git's order; each path once.
    Conflicts(Vec<Conflict>),
}

/// A path at which both sides want something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub path: PathBuf,
    /// In git's words, such as `contents` or `modify/delete`.
    pub kinds: Vec<String>,
}

impl Repository {
    /// That merges can be computed here, which needs a newer git than the rest.
    pub fn expect_merging(&self) -> Result<(), Error> {
        self.too_old()?.map_or(Ok(()), Err)
    }

    /// Merges `ours` and `theirs`, which both go back to `base`; all three are commits. The tree is
    /// stored, and nothing keeps it. What attributes say of merging is read from `ours`.
    pub fn merge_trees(
        &self,
        base: &ObjectId,
        ours: &ObjectId,
        theirs: &ObjectId,
    ) -> Result<Merged, Error> {
        for commit in [base, ours, theirs] {
            self.resolve(commit.as_str())?;
        }
        let mut git = self.git().env("GIT_ATTR_SOURCE", ours.as_str());
        for setting in SETTINGS {
            git = git.setting(setting);
        }
        let asked = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages"];
        let said = git
            .args(asked)
            .arg(format!("--merge-base={base}"))
            .args([ours.as_str(), theirs.as_str()])
            .outcome()?;
        match said.status.code() {
            Some(0 | 1) => read(&said).ok_or_else(|| not_understood(&said)),
            _ => Err(self.too_old()?.unwrap_or_else(|| said.into_error())),
        }
    }

    /// Whether `older` is `newer` or among its ancestors.
    pub fn is_below(&self, older: &ObjectId, newer: &ObjectId) -> Result<bool, Error> {
        let asked = ["merge-base", "--is-ancestor", older.as_str(), newer.as_str()];
        let outcome = self.git().args(asked).outcome()?;
        match outcome.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(outcome.into_error()),
        }
    }

    /// The error of a git that can't merge without a working tree, if ours is one.
    fn too_old(&self) -> Result<Option<Error>, Error> {
        let found = self.git_version()?;
        let error = Error::GitTooOld { found: found.to_string(), needed: OLDEST.to_string() };
        Ok((found < OLDEST).then_some(error))
    }
}

/// Reads `<tree>`, then the paths with conflicts up to an empty one, then messages:
/// `<number of paths>`, that many paths, the kind, the words.
fn read(said: &Outcome) -> Option<Merged> {
    let mut parts = said.stdout.split(|byte| *byte == 0);
    let tree = str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    if said.status.success() {
        return Some(Merged::Tree(tree));
    }
    let paths: Vec<&[u8]> = parts.by_ref().take_while(|part| !part.is_empty()).collect();
    let mut kinds: BTreeMap<&[u8], Vec<String>> = BTreeMap::new();
    while let Some(count) = parts.next().filter(|part| !part.is_empty()) {
        let count: usize = str::from_utf8(count).ok()?.parse().ok()?;
        let about: Vec<&[u8]> = parts.by_ref().take(count).collect();
        let kind = String::from_utf8_lossy(parts.next()?).into_owned();
        parts.next()?;
        let Some(kind) = kind.strip_prefix("CONFLICT (").and_then(|kind| kind.strip_suffix(')'))
        else {
            continue;
        };
        for path in about {
            kinds.entry(path).or_default().push(kind.to_owned());
        }
    }
    let mut found: Vec<Conflict> = Vec::new();
    for path in paths {
        let kinds = kinds.remove(path).unwrap_or_default();
        found.push(Conflict { path: as_path(path), kinds });
    }
    if found.is_empty() {
        // Some conflicts leave no path undecided, as with a folder that was renamed on a guess.
        let told = kinds.into_iter();
        found.extend(told.map(|(path, kinds)| Conflict { path: as_path(path), kinds }));
    }
    Some(Merged::Conflicts(found))
}

fn not_understood(said: &Outcome) -> Error {
    let shown = String::from_utf8_lossy(&said.stdout[..said.stdout.len().min(200)]);
    Error::Failed {
        command: "git merge-tree".to_owned(),
        code: said.status.code(),
        stderr: format!("its answer is not understood: {shown}"),
    }
}
