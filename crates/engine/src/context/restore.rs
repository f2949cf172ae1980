//! The files of a step in a folder of their own, as they were.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::snapshot::PathText;
use countersign_git::{Checkout, Raw, Restore, Tip};
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
        let message = format!("{} as {} left it\n", context.task, step.name);
        let (store, mut warnings) = (self.raw_store(&context.task), Vec::new());
        for ground in &step.recorded.grounds {
            let tip = Tip::Tree {
                tree: &ground.tree,
                parent: ground.head.as_ref().filter(|_| ground.path.is_empty()),
                message: &message,
                time_seconds: u64::try_from(step.at.as_second()).unwrap_or_default(),
            };
            let folder = into.join(ground.path.as_path());
            if !step.recorded.is_exact {
                // Made before bytes were kept: what git makes of its objects is the next best.
                self.repository.checkout(&Checkout { into: &folder, tip })?;
                continue;
            }
            let raw = ground.raw.as_ref().map(|tree| Raw { store: &store, tree });
            let restore = Restore { into: &folder, tip, raw, lfs: &ground.lfs };
            let pointers = match self.repository.restore(&restore) {
                Err(error) if raw.is_some() => {
                    warnings.push(format!(
                        "the bytes of files that git converts can't be read ({error}); they are \
                         as git recorded them"
                    ));
                    self.repository.restore(&Restore { raw: None, ..restore })?
                }
                other => other?,
            };
            let pointer = |path: &PathText| {
                format!("{path} is a pointer: LFS does not have what it stands for any more")
            };
            warnings.extend(pointers.iter().map(pointer));
        }
        let special = step.recorded.special.iter().map(|special| special.path.to_string());
        let ignored = step.recorded.watched.iter().map(|watched| watched.path.to_string());
        Ok(Restored {
            task: context.task.clone(),
            step: step.name.clone(),
            tree: tree_text(&step.recorded),
            folder: into.to_string_lossy().into_owned(),
            left_out: special.chain(ignored).collect(),
            warnings,
        })
    }
}
