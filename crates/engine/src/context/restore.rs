//! The files of a step in a folder of their own, as they were.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::context::{Context, Step};
use countersign_domain::snapshot::{PathText, SpecialKind};
use countersign_git::{Checkout, Modes, Raw, Restore, Tip};
use serde::Serialize;

use super::compare::step_of;
use super::diff::tree_text;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What to restore.
#[derive(Debug, Clone)]
pub struct Restoring {
    pub task: String,
    /// `start`, a role, or `resolution`.
    pub step: String,
    /// A folder that doesn't exist yet.
    pub into: PathBuf,
    pub kinship: Kinship,
}

/// What a folder with restored files is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// A repository of its own, which only borrows objects: to look at, and to copy from.
    Separate,
    /// A linked working tree of the repository, in which the task can be adopted and gone on with.
    Linked,
}

/// What was restored.
#[derive(Debug, Clone, Serialize)]
pub struct Restored {
    pub task: String,
    pub step: String,
    pub tree: String,
    pub folder: String,
    /// What a tree can't hold and was therefore not restored.
    pub left_out: Vec<String>,
    /// The same, each with what it is.
    #[serde(skip)]
    pub left_out_words: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Engine {
    /// In the working tree itself, the files of a step would be drift.
    fn expect_outside(&self, into: &Path, task: &str) -> Result<()> {
        let above = into.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
        let top = &self.repository.layout().worktree;
        if above.is_none_or(|above| !above.starts_with(top)) {
            return Ok(());
        }
        let message =
            format!("{} lies in the working tree, where it would be drift", into.display());
        let beside = top.with_file_name(format!("{task}-restored"));
        Err(Error::new(Kind::Refused, message)
            .hint(format!("name a folder outside of it: --into {}", beside.display())))
    }

    /// Puts the files as a step left them into a new folder, with a repository of its own.
    pub fn restore_context(&self, restoring: &Restoring) -> Result<Restored> {
        let context = self.load_context(&restoring.task)?;
        let step = step_of(&context, Some(&restoring.step))?;
        let into = self.host.cwd.join(&restoring.into);
        if fs::symlink_metadata(&into).is_ok() {
            let message = format!("{} is already there", into.display());
            return Err(
                Error::new(Kind::Refused, message).hint("name a folder that doesn't exist yet")
            );
        }
        self.expect_outside(&into, &context.task)?;
        self.expect_trees(&context, &step.name, &step.recorded)?;
        self.expect_genuine(&context, step)?;
        let is_linked = restoring.kinship == Kinship::Linked;
        if is_linked && step.recorded.position.head.is_none() {
            let message = format!("{} had no commit yet, and a working tree needs one", step.name);
            return Err(Error::new(Kind::Refused, message)
                .hint("restore it with --into, as a repository of its own"));
        }
        let (modes, mut warnings) = self.modes_of(&context, step);
        self.put_grounds((&context, step), &Put { restoring, into: &into, modes }, &mut warnings)?;
        let recorded = &step.recorded;
        let special = recorded.special.iter().map(|one| (&one.path, kind_words(one.kind)));
        let ignored = recorded.watched.iter().map(|one| (&one.path, "ignored"));
        let left_out: Vec<_> = special.chain(ignored).collect();
        let words = left_out.iter().map(|(path, what)| format!("{path} ({what})")).collect();
        Ok(Restored {
            task: context.task.clone(),
            step: step.name.clone(),
            tree: tree_text(&step.recorded),
            folder: into.to_string_lossy().into_owned(),
            left_out: left_out.iter().map(|(path, _)| path.to_string()).collect(),
            left_out_words: words,
            warnings,
        })
    }

    /// The permission bits of what `step` left, or that they are lost.
    fn modes_of(&self, context: &Context, step: &Step) -> (Option<Modes>, Vec<String>) {
        let number = context.steps.iter().position(|known| std::ptr::eq(known, step));
        let cache = number.map(|number| self.cache_of(&context.task, number));
        let modes = cache.and_then(|cache| Modes::read(&cache, &step.recorded));
        let lost = modes.is_none().then(|| {
            "which permissions the files had is lost, so nobody but you can enter the folder; \
             `chmod` opens it"
                .to_owned()
        });
        (modes, lost.into_iter().collect())
    }

    fn put_grounds(
        &self,
        (context, step): (&Context, &Step),
        put: &Put<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let message = format!("{} as {} left it\n", context.task, step.name);
        let store = self.raw_store(&context.task);
        for ground in &step.recorded.grounds {
            let is_top = ground.path.is_empty();
            let tip = Tip::Tree {
                tree: &ground.tree,
                parent: ground.head.as_ref().filter(|_| is_top),
                message: &message,
                time_seconds: u64::try_from(step.at.as_second()).unwrap_or_default(),
            };
            let folder = put.into.join(ground.path.as_path());
            if !step.recorded.is_exact && put.restoring.kinship == Kinship::Separate {
                // Made before bytes were kept: what git makes of its objects is the next best.
                self.repository.checkout(&Checkout { into: &folder, tip, spares: None })?;
                continue;
            }
            let raw = ground.raw.as_ref().map(|tree| Raw { store: &store, tree });
            let (lfs, modes) = (&ground.lfs[..], put.modes.as_ref());
            let restore = Restore { into: &folder, tip, ground: &ground.path, raw, lfs, modes };
            let restore_it = |restore: &Restore<'_>| match (&ground.head, put.restoring.kinship) {
                (Some(head), Kinship::Linked) if is_top => {
                    self.repository.restore_linked(restore, (head, &self.scratch()))
                }
                _ => self.repository.restore(restore),
            };
            let pointers = match restore_it(&restore) {
                Err(error) if raw.is_some() => {
                    warnings.push(format!(
                        "the bytes of files that git converts can't be read ({error}); they are \
                         as git recorded them"
                    ));
                    restore_it(&Restore { raw: None, ..restore })?
                }
                other => other?,
            };
            let pointer = |path: &PathText| {
                format!("{path} is a pointer: LFS does not have what it stands for any more")
            };
            warnings.extend(pointers.iter().map(pointer));
        }
        Ok(())
    }
}

fn kind_words(kind: SpecialKind) -> &'static str {
    match kind {
        SpecialKind::Pipe => "pipe",
        SpecialKind::Socket => "socket",
        SpecialKind::Device => "device",
        SpecialKind::DotGit => "a .git that is no repository",
    }
}

/// Where a step is restored to, and how.
struct Put<'r> {
    restoring: &'r Restoring,
    into: &'r Path,
    modes: Option<Modes>,
}
