//! Differences between any two steps, in both directions. Trees are compared, so that can't fail as
//! long as the trees are kept.

use countersign_domain::context::{Context, Step, step_words};
use countersign_domain::snapshot::{PathText, Recorded};
use countersign_git::{Purpose, Scratch};
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
    /// The same to the byte.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// A file of a difference.
#[derive(Debug, Clone, Serialize)]
pub struct DiffFile {
    pub path: PathText,
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<PathText>,
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
        self.expect_genuine_between(context, &before, &after)?;
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
            bytes: patch.bytes,
        })
    }

    /// Says what is lost, what is not, and what to do, if the files of a step are no longer there.
    pub(super) fn expect_trees(
        &self,
        context: &Context,
        step: &str,
        recorded: &Recorded,
    ) -> Result<()> {
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
    pub(super) fn hunks_since(&self, context: &Context, step: &Step) -> Result<Vec<u8>> {
        let now = self.recorded_now(context)?;
        self.expect_genuine_between(context, &step.recorded, &now)?;
        Ok(self.raw_patch(&step.recorded, &now)?.bytes)
    }
}

fn side(step: &Step) -> (String, Recorded) {
    (step.name.clone(), step.recorded.clone())
}

pub(super) fn tree_text(recorded: &Recorded) -> String {
    recorded.grounds.first().map_or_else(String::new, |ground| ground.tree.to_string())
}
