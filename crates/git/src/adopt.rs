//! Takes a commit over into the user's own working tree and branch, as `git merge` does when it has
//! nothing to merge: the one thing that we change of the user's, and only when told to.
//!
//! Files and index come first and the branch last. Who is killed in between leaves files that have
//! their new content already, and these are never in the way: doing it again completes it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::Operation;

use crate::command::Git;
use crate::commit::{Identity, signed};
use crate::diff::Change;
use crate::discover::as_path;
use crate::error::Error;
use crate::position::operation;
use crate::repository::{Head, Repository};
use crate::scratch::{Purpose, Scratch};

/// What a working tree is to be taken to.
#[derive(Debug, Clone, Copy)]
pub struct Adoption<'a> {
    /// Where it stands, as the caller has seen it.
    pub from: &'a Head,
    pub commit: &'a ObjectId,
    pub tree: &'a ObjectId,
    /// For the log of references.
    pub why: &'a str,
    /// A folder for temporary files.
    pub scratch: &'a Path,
}

/// What lies where an adoption would write.
#[derive(Debug, Default)]
struct Lying {
    /// What would be lost.
    in_the_way: BTreeSet<PathBuf>,
    /// What has its new content already.
    is_there: BTreeSet<PathBuf>,
}

impl Repository {
    /// What git is in the middle of in this working tree, if anything.
    pub fn unfinished(&self) -> Option<Operation> {
        operation(&self.layout().git_dir)
    }

    /// The files whose content would be lost if the working tree went from one tree to the other:
    /// changed, staged or untracked ones in paths that differ, ignored ones included.
    pub fn in_the_way(
        &self,
        from: &ObjectId,
        to: &ObjectId,
        scratch: &Path,
    ) -> Result<Vec<PathBuf>, Error> {
        Ok(self.lying(from, to, scratch)?.in_the_way.into_iter().collect())
    }

    /// Takes the working tree and what it stands on to a commit. Nothing is changed if the tree stands
    /// elsewhere meanwhile ([`Error::Moved`]) or something is in the way.
    pub fn adopt(&self, adoption: &Adoption<'_>) -> Result<(), Error> {
        let Adoption { from, tree, .. } = *adoption;
        let found = self.head()?;
        if found.as_ref() != Some(from) {
            let found = found.map(|head| head.commit);
            return Err(Error::Moved { name: shown(from), found });
        }
        let lying = self.lying(&from.tree, tree, adoption.scratch)?;
        if let Some(path) = lying.in_the_way.into_iter().next() {
            return Err(Error::InTheWay { path });
        }
        self.take_in(&lying.is_there)?;
        // A file that was written anew with the same content has only another time.
        let index = self.layout().git_dir.join("index");
        self.at_work(&index).args(["update-index", "-q", "--refresh"]).outcome()?;
        self.lay_out(&from.tree, tree)?;
        let moved = self.move_to(adoption);
        if moved.is_err() {
            // Nothing was lost on the way there, so nothing is on the way back.
            self.lay_out(tree, &from.tree).ok();
        }
        moved
    }

    fn lying(&self, from: &ObjectId, to: &ObjectId, scratch: &Path) -> Result<Lying, Error> {
        let changes = self.diff_plain(from, to)?;
        if changes.is_empty() {
            return Ok(Lying::default());
        }
        let scratch = Scratch::create(scratch, Purpose::Now)?;
        let mut touched = self.touched(&changes, scratch.path())?;
        let old = changes.iter().filter(|change| change.old.is_some());
        let old: BTreeSet<&Path> = old.map(|change| change.path.as_path()).collect();
        for change in changes.iter().filter(|change| change.old.is_none()) {
            touched.extend(self.hidden_at(&change.path, &old)?);
        }
        if touched.is_empty() {
            return Ok(Lying::default());
        }
        let there = self.already(&changes, &touched, scratch.path())?;
        let (is_there, in_the_way) = touched.into_iter().partition(|path| there.contains(path));
        Ok(Lying { in_the_way, is_there })
    }

    /// What git sees as changed, staged or untracked where `changes` would write. Entries that are
    /// marked in the index as unchanged are not believed.
    fn touched(&self, changes: &[Change], scratch: &Path) -> Result<BTreeSet<PathBuf>, Error> {
        let index = scratch.join("index");
        copy(&self.layout().git_dir.join("index"), &index)?;
        let by_path: BTreeSet<&Path> = changes.iter().map(|one| one.path.as_path()).collect();
        let said = self.at_work(&index).args(["ls-files", "-z", "-v"]).output()?;
        let mut believed = Vec::new();
        for entry in said.split(|byte| *byte == 0) {
            let Some((tag, path)) = entry.split_at_checked(2) else { continue };
            if tag[0].is_ascii_lowercase() && by_path.contains(as_path(path).as_path()) {
                believed.extend(path.iter().chain(&[0]));
            }
        }
        if !believed.is_empty() {
            let asked = ["update-index", "--no-assume-unchanged", "-z", "--stdin"];
            self.at_work(&index).args(asked).input(believed).output()?;
        }
        let mut found = BTreeSet::new();
        for path in self.status(&index, "--untracked-files=all")? {
            // A file where a folder will be, or the other way round, is met as well.
            let mut above = path.ancestors();
            let below = by_path.range(path.as_path()..).next();
            let is_met = above.any(|one| by_path.contains(one))
                || below.is_some_and(|below| below.starts_with(&path));
            if is_met {
                found.insert(path);
            }
        }
        Ok(found)
    }

    /// What lies at a path that is new, or above or below it, and is in neither tree: git says nothing
    /// of ignored files, and would write over them.
    fn hidden_at(&self, path: &Path, old: &BTreeSet<&Path>) -> Result<Vec<PathBuf>, Error> {
        let worktree = &self.layout().worktree;
        for above in path.ancestors().skip(1).filter(|one| !one.as_os_str().is_empty()) {
            if exists(&worktree.join(above))?.is_some_and(|kind| !kind.is_dir()) {
                let is_new = !old.contains(above);
                return Ok(is_new.then(|| above.to_owned()).into_iter().collect());
            }
        }
        match exists(&worktree.join(path))? {
            None => Ok(Vec::new()),
            Some(kind) if !kind.is_dir() => Ok(vec![path.to_owned()]),
            Some(_) => {
                let mut inside = Vec::new();
                files_below(worktree, path, &mut inside)?;
                inside.retain(|one| !old.contains(one.as_path()));
                Ok(inside)
            }
        }
    }

    /// Of the paths that are touched, those that are as they are to be.
    fn already(
        &self,
        changes: &[Change],
        touched: &BTreeSet<PathBuf>,
        scratch: &Path,
    ) -> Result<BTreeSet<PathBuf>, Error> {
        let (mut there, mut wanted) = (BTreeSet::new(), Vec::new());
        for change in changes.iter().filter(|change| touched.contains(&change.path)) {
            if let Some(new) = &change.new {
                wanted.extend(format!("{:o} {}\t", new.mode, new.object).into_bytes());
                wanted.extend(change.path.as_os_str().as_bytes().iter().chain(&[0]));
                there.insert(change.path.clone());
            } else if exists(&self.layout().worktree.join(&change.path))?.is_none() {
                there.insert(change.path.clone());
            }
        }
        let index = scratch.join("wanted");
        let asked = ["update-index", "-z", "--index-info"];
        self.at_work(&index).args(asked).input(wanted).output()?;
        // Nothing is known yet of these files, so each is looked into. That some differ is no failure.
        self.at_work(&index).args(["update-index", "-q", "--refresh"]).outcome()?;
        let asked =
            ["diff-files", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty"];
        for differing in paths(&self.at_work(&index).args(asked).output()?) {
            there.remove(&differing);
        }
        Ok(there)
    }

    /// Tells the index of files that have their new content already.
    fn take_in(&self, known: &BTreeSet<PathBuf>) -> Result<(), Error> {
        if known.is_empty() {
            return Ok(());
        }
        let mut input = Vec::new();
        for path in known {
            input.extend(path.as_os_str().as_bytes().iter().chain(&[0]));
        }
        let asked = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let index = self.layout().git_dir.join("index");
        self.at_work(&index).args(asked).input(input).output().map(|_| ())
    }

    /// Lets files and index go from one tree to the other; git refuses where something would be lost.
    fn lay_out(&self, from: &ObjectId, to: &ObjectId) -> Result<(), Error> {
        let index = self.layout().git_dir.join("index");
        let mut git = self.at_work(&index);
        let is_sparse = self.git().args(["config", "--worktree", "--type=bool", "--get"]);
        let is_sparse = is_sparse.arg("core.sparseCheckout").outcome()?;
        if is_sparse.stdout.trim_ascii() == b"true" {
            // What the user does not want on disk stays away from it.
            git = git.setting("core.sparseCheckout=true");
        }
        git.args(["read-tree", "-m", "-u", from.as_str(), to.as_str()]).output().map(|_| ())
    }

    /// Moves the branch, or a `HEAD` that stands on none, from where the caller has seen it.
    fn move_to(&self, adoption: &Adoption<'_>) -> Result<(), Error> {
        let Adoption { from, commit, why, .. } = *adoption;
        let name = from.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let git = signed(self.git(), Identity::COUNTERSIGN, Identity::COUNTERSIGN);
        let git = git.args(["update-ref", "-m", why]);
        let git = match &name {
            Some(name) => git.arg(name),
            None => git.args(["--no-deref", "HEAD"]),
        };
        let outcome = git.args([commit.as_str(), from.commit.as_str()]).outcome()?;
        if outcome.status.success() {
            return Ok(());
        }
        let found = self.peel(name.as_deref().unwrap_or("HEAD"))?;
        if found.as_ref() == Some(&from.commit) {
            return Err(outcome.into_error());
        }
        Err(Error::Moved { name: shown(from), found })
    }

    /// What git says is changed, by the index of the given name.
    fn status(&self, index: &Path, untracked: &str) -> Result<Vec<PathBuf>, Error> {
        let asked = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=dirty"];
        let said = self.at_work(index).args(asked).arg(untracked).output()?;
        let lines = said.split(|byte| *byte == 0).filter_map(|line| line.get(3..));
        Ok(lines.map(|path| as_path(path.strip_suffix(b"/").unwrap_or(path))).collect())
    }

    fn at_work(&self, index: &Path) -> Git {
        let worktree = &self.layout().worktree;
        self.git().env("GIT_WORK_TREE", worktree).env("GIT_INDEX_FILE", index).within(worktree)
    }
}

/// Where somebody stands, in words.
fn shown(head: &Head) -> String {
    head.branch.clone().unwrap_or_else(|| "HEAD".to_owned())
}

fn paths(said: &[u8]) -> impl Iterator<Item = PathBuf> {
    let parts = said.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts.map(as_path)
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    match fs::copy(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("read", from)(error))
        }
        _ => Ok(()),
    }
}

/// What lies at `path`, links not followed.
fn exists(path: &Path) -> Result<Option<fs::FileType>, Error> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.file_type())),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(Error::io("look at", path)(error)),
    }
}

/// Every file below `folder`, which is named from `top`.
fn files_below(top: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let place = top.join(folder);
    for entry in fs::read_dir(&place).map_err(Error::io("open", &place))? {
        let entry = entry.map_err(Error::io("open", &place))?;
        let path = folder.join(entry.file_name());
        if entry.file_type().map_err(Error::io("look at", &path))?.is_dir() {
            files_below(top, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}
