//! Submodules: a tree holds which commit of them it wants, and their files are in a repository of
//! their own. They are checked out from there, without asking anybody else.

use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_domain::verify::{Reason, Weight};
use countersign_git::{Checkout, Commit, Repository, Tip};

use super::Work;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// Submodules in submodules, and so on, end here.
const DEEPEST: usize = 8;

/// A submodule of a tree.
struct Module {
    /// From the root of what it is a part of.
    path: PathBuf,
    wanted: ObjectId,
    /// Its repository, if it is here.
    repository: Option<Repository>,
}

impl Module {
    /// The commit that is wanted, if it is here.
    fn commit(&self) -> Option<Commit> {
        self.repository.as_ref()?.resolve(self.wanted.as_str()).ok()
    }
}

/// The submodules of `tree`, which `repository` has at work in `worktree`.
fn modules(repository: &Repository, tree: &ObjectId, worktree: &Path) -> Result<Vec<Module>> {
    let links = repository.links(tree)?;
    let module = |path: PathBuf, wanted: ObjectId| {
        let there = worktree.join(&path);
        let opened = Repository::open(&there).ok();
        // A folder that is no repository belongs to the one around it.
        let is_own = |opened: &Repository| {
            there.canonicalize().is_ok_and(|there| opened.layout().worktree == there)
        };
        Module { path, wanted, repository: opened.filter(is_own) }
    };
    Ok(links.into_iter().map(|one| module(one.path, one.side.object)).collect())
}

/// Checks the submodules of `tree` out into `checkout`, as far as they are here.
pub(super) fn fill(work: &Work<'_>, tree: &ObjectId, checkout: &Path) -> Result<()> {
    let repository = &work.engine.repository;
    below(repository, tree, (&repository.layout().worktree, checkout), 0)
}

fn below(
    repository: &Repository,
    tree: &ObjectId,
    (worktree, checkout): (&Path, &Path),
    depth: usize,
) -> Result<()> {
    if depth >= DEEPEST {
        return Ok(());
    }
    for module in modules(repository, tree, worktree)? {
        let (Some(own), Some(commit)) = (&module.repository, module.commit()) else { continue };
        if !own.forged(&commit.tree)?.is_empty() {
            let message =
                format!("objects of the submodule {} were replaced", module.path.display());
            return Err(Error::new(Kind::Refused, message)
                .hint("fetch the submodule anew, then verify again"));
        }
        let (there, into) = (worktree.join(&module.path), checkout.join(&module.path));
        let tip = Tip::Commit(&commit.commit);
        own.checkout_plain(&Checkout { into: &into, tip, spares: None })?;
        below(own, &commit.tree, (&there, &into), depth + 1)?;
    }
    Ok(())
}

/// What is to be said about the submodules of what was handed over.
pub(super) fn reasons(work: &Work<'_>) -> Result<Vec<Reason>> {
    let repository = &work.engine.repository;
    let mut found = Vec::new();
    for module in modules(repository, &work.tree, &repository.layout().worktree)? {
        let path = module.path.display();
        if module.commit().is_none() {
            let text = format!("the submodule {path} is not here, so checks ran without its files");
            found.push(Reason { weight: Weight::Note, text });
        }
    }
    for path in work.engine.dirty_modules(&work.tree, &work.scratch())? {
        let text = format!(
            "the submodule {} has changes that are not committed there: they were not verified",
            path.display()
        );
        found.push(Reason { weight: Weight::Ask, text });
    }
    Ok(found)
}

impl Engine {
    /// The submodules of `tree` whose files are others than those of their own last commit.
    pub(super) fn dirty_modules(&self, tree: &ObjectId, scratch: &Path) -> Result<Vec<PathBuf>> {
        let worktree = &self.repository.layout().worktree;
        let mut found = Vec::new();
        for module in modules(&self.repository, tree, worktree)? {
            let Some(own) = &module.repository else { continue };
            let Some(head) = own.head()? else { continue };
            let now = own.snapshot(&own.layout().worktree, scratch)?;
            if now.tree != head.tree {
                found.push(module.path);
            }
        }
        Ok(found)
    }
}
