//! A context as it is shown.

use countersign_domain::context::{Attached, Context, Immutable, Measured, Role, Step};
use countersign_domain::snapshot::{Drift, Recorded};
use serde::Serialize;

use crate::Engine;
use crate::error::Result;

/// A context as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct ContextView {
    pub task: String,
    pub title: String,
    /// The digest that the immutable account is known by.
    pub context: String,
    /// The file with the account: for `TASK_CONTEXT_PATH`, to be read only.
    pub path: String,
    pub worktree: String,
    pub roles: Vec<Role>,
    pub steps: Vec<StepView>,
    pub drift_budget: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributed: Vec<String>,
    /// The last results of checks, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<String>,
    #[serde(flatten)]
    pub checked: Checked,
    pub evidence: Vec<Attached>,
    pub opened_at: String,
    pub updated_at: String,
    pub updated_by: String,
    pub updates: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purged: Option<String>,
    /// What a reader should know: sources that changed, a commit that moved on.
    pub warnings: Vec<String>,
}

/// How the last results of checks compare with the baseline.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Checked {
    /// What a person should look at: tests that fail now, are gone, or passed and failed.
    #[serde(rename = "results_findings", skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// What is better than it was.
    #[serde(rename = "results_improvements", skip_serializing_if = "Vec::is_empty")]
    pub improvements: Vec<String>,
}

impl Checked {
    pub(super) fn of(context: &Context) -> Self {
        context.measured.last().map_or_else(Self::default, |measured| Self {
            findings: measured.findings.clone(),
            improvements: measured.improvements.clone(),
        })
    }

    /// The same as warnings, for who hands over.
    pub(super) fn warnings(self) -> impl Iterator<Item = String> {
        self.findings.into_iter().map(|words| format!("in the last results, {words}"))
    }
}

/// A step as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct StepView {
    pub name: String,
    pub at: String,
    pub by: String,
    pub tree: String,
    pub head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insertions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was begun in the working tree and not brought to an end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a comparison of the working tree with a step came to.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    pub task: String,
    /// The step whose tree was expected.
    pub expected: String,
    pub is_same: bool,
    /// The role that is at work, and may therefore change files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_work: Option<String>,
    /// What it has changed up to now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub so_far: Vec<String>,
    /// What is different, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Who is known to have changed what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributed: Vec<String>,
    /// The commands that put it right, to be run in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<String>,
    /// What no command can undo, and what to do about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_hand: Vec<String>,
    /// What changed, line by line, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunks: Option<String>,
    /// The same to the byte.
    #[serde(skip)]
    pub hunks_bytes: Vec<u8>,
    pub drift_budget: u32,
    #[serde(flatten)]
    pub checked: Checked,
    /// What is worth knowing and no drift.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Engine {
    /// Everything there is to know of the context of `task`.
    pub fn context_view(&mut self, task: &str) -> Result<ContextView> {
        let mut context = self.load_context(task)?;
        self.attend_files(&mut context)?;
        self.view_of(&context)
    }

    pub(super) fn view_of(&self, context: &Context) -> Result<ContextView> {
        let account = self.account_of(context)?;
        let warnings = self.context_warnings(context, &account)?;
        Ok(self.view_by(context, &account, warnings))
    }

    /// The view of a context of which account and warnings are known.
    pub(super) fn view_by(
        &self,
        context: &Context,
        account: &Immutable,
        warnings: Vec<String>,
    ) -> ContextView {
        let path = self.context_folder(&context.task).join(super::files::ACCOUNT);
        ContextView {
            task: context.task.clone(),
            title: account.task.title.clone(),
            context: context.account.blob.to_string(),
            path: path.to_string_lossy().into_owned(),
            worktree: context.worktree.clone(),
            roles: context.roles.clone(),
            steps: context.steps.iter().map(StepView::of).collect(),
            drift_budget: context.drift_budget,
            drift: context.drift.as_ref().map(|drifted| drifted.drift.clone()),
            attributed: context.drift.as_ref().map_or_else(Vec::new, |d| d.attributed.clone()),
            results: context.measured.last().map(Measured::words),
            checked: Checked::of(context),
            evidence: context.evidence.clone(),
            opened_at: format!("{:.6}", context.opened_at),
            updated_at: format!("{:.6}", context.updated_at),
            updated_by: context.updated_by.clone(),
            updates: context.updates,
            purged: context.purged.as_ref().map(|(at, why)| format!("{at:.0}: {why}")),
            warnings,
        }
    }
}

impl StepView {
    pub(super) fn of(step: &Step) -> Self {
        let handed = step.handed.as_ref();
        Self {
            name: step.name.clone(),
            at: format!("{:.6}", step.at),
            by: step.by.clone(),
            tree: tree_text(&step.recorded),
            head: step.recorded.position.head.as_ref().map(ToString::to_string),
            files: handed.map(|handed| handed.files.len()),
            insertions: handed.map(|handed| handed.insertions),
            deletions: handed.map(|handed| handed.deletions),
            note: step.note.clone(),
            unfinished: step.unfinished(),
            warnings: handed.map_or_else(Vec::new, |handed| handed.warnings.clone()),
        }
    }
}

fn tree_text(recorded: &Recorded) -> String {
    recorded.grounds.first().map_or_else(String::new, |ground| ground.tree.to_string())
}
