//! Differences between any two steps, in both directions, and the files of a step in a folder of
//! their own. Trees are compared, so neither can fail as long as the trees are kept.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::context::{Context, Step, step_words};
use countersign_domain::snapshot::{PathText, Recorded};
use countersign_git::{Checkout, Purpose, Raw, Restore, Scratch, Tip};
use serde::Serialize;

use super::compare::step_of;
use super::recording::trust_in;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Between {
    /// What a role added to the step before it.
    OfRole(String),
    /// Two steps: `start`, a role, `resolution`, or `now`.
    Steps { from: String, to: String },
}

impl Between {
    pub fn steps(from: &str, to: &str) -> Self {
        Self::Steps { from: from.to_owned(), to: to.to_owned() }
    }
}

/// A difference between two steps.
#[derive(Debug, Clone, Serialize)]
pub struct ContextDiff {
    pub task: String,
    pub from: String,
    pub to: String,
    pub from_tree: String,
    pub to_tree: String,
    pub files: Vec<DiffFile>,
    pub insertions: u64,
    pub deletions: u64,
    /// The whole patch; what is no text in it is made readable.
    pub patch: String,
}

/// A file of a difference.
#[derive(Debug, Clone, Serialize)]
pub struct DiffFile {
    pub path: PathText,
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<PathText>,
}

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
    /// What is different between two steps of `task`. This needs nothing but the record, and
    /// works for purged contexts too as long as their trees are kept.
    pub fn context_diff(&self, task: &str, between: &Between) -> Result<ContextDiff> {
        let context = self.load_context(task)?;
        let (from, to) = match between {
            Between::Steps { from, to } => (from.clone(), to.clone()),
            Between::OfRole(role) => {
                step_of(&context, Some(role))?;
                let (before, step) = context.turn(role).ok_or_else(|| {
                    Error::new(Kind::NotFound, format!("{role} has handed nothing over"))
                        .hint("name two steps with --from and --to")
                })?;
                return self.difference(&context, side(before), side(step));
            }
        };
        let from = self.side_of(&context, &from)?;
        let to = self.side_of(&context, &to)?;
        self.difference(&context, from, to)
    }

    fn difference(
        &self,
        context: &Context,
        (from, before): (String, Recorded),
        (to, after): (String, Recorded),
    ) -> Result<ContextDiff> {
        for (name, recorded) in [(&from, &before), (&to, &after)] {
            self.expect_trees(context, name, recorded)?;
        }
        let patch = self.raw_patch(&before, &after)?;
        let files = self.files_between(context, &before, &after)?;
        let (insertions, deletions) = self.lines_between(&before, &after)?;
        let files = files
            .into_iter()
            .map(|file| DiffFile {
                path: file.path,
                status: file.status,
                renamed_from: file.renamed_from,
            })
            .collect();
        Ok(ContextDiff {
            task: context.task.clone(),
            from_tree: tree_text(&before),
            to_tree: tree_text(&after),
            from,
            to,
            files,
            insertions,
            deletions,
            patch: String::from_utf8_lossy(&patch.bytes).into_owned(),
        })
    }

    /// Says what is lost, what is not, and what to do, if the files of a step are no longer there.
    fn expect_trees(&self, context: &Context, step: &str, recorded: &Recorded) -> Result<()> {
        let trees: Vec<_> = recorded.grounds.iter().map(|ground| &ground.tree).collect();
        let sizes = self.repository.sizes(&trees)?;
        let missing = trees.iter().zip(sizes).find(|(_, size)| size.is_none());
        let Some((tree, _)) = missing else { return Ok(()) };
        let (task, words) = (&context.task, step_words(step));
        if context.is_released {
            let message = format!(
                "the files as {words} left them were let go: {task} was purged, and its retention \
                 is over"
            );
            return Err(Error::new(Kind::NotFound, message).hint(format!(
                "what was done stays on record: countersign context show {task}; \
                 context.retention_days says how long files are kept"
            )));
        }
        let message = format!(
            "the files as {words} left them are lost: tree {tree} is no longer in the repository, \
             so someone removed refs/countersign/contexts/{task}/ or the object itself"
        );
        Err(Error::new(Kind::NotFound, message).hint(format!(
            "what is on record still holds, and other steps work: countersign context show {task}; \
             to get the files back, fetch refs/countersign/contexts/{task}/* from a clone or a \
             backup that has them"
        )))
    }

    /// A step by its name, or the working tree as it is.
    fn side_of(&self, context: &Context, name: &str) -> Result<(String, Recorded)> {
        if name == "now" {
            return Ok((name.to_owned(), self.recorded_now(context)?));
        }
        Ok(side(step_of(context, Some(name))?))
    }

    /// The working tree as it is, recorded for nobody.
    pub(super) fn recorded_now(&self, context: &Context) -> Result<Recorded> {
        let ground = self.ground_of(context)?;
        let private = Scratch::create(&ground.scratch, Purpose::Now)?;
        let (cache, last) = (private.path().join("cache"), self.last_cache(context));
        let record = ground.record(&cache);
        Ok(self.repository.record_trusting(&record, trust_in(context, &last))?)
    }

    /// What changed since `step`, as a patch.
    pub(super) fn hunks_since(&self, context: &Context, step: &Step) -> Result<String> {
        let now = self.recorded_now(context)?;
        let patch = self.raw_patch(&step.recorded, &now)?;
        Ok(String::from_utf8_lossy(&patch.bytes).into_owned())
    }

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

fn side(step: &Step) -> (String, Recorded) {
    (step.name.clone(), step.recorded.clone())
}

fn tree_text(recorded: &Recorded) -> String {
    recorded.grounds.first().map_or_else(String::new, |ground| ground.tree.to_string())
}
