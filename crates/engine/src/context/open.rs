//! Opening a context, once, and making its account anew when its sources have changed.

use std::thread;

use countersign_domain::context::{ContextEvent, Opened, Rebuilt, Text};
use countersign_git::First;
use serde::Serialize;

use super::capture::Captured;
use super::recording::{Ground, step_name};
use super::update::Held;
use super::view::ContextView;
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::task::TaskFile;

/// A context to be opened.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The task: its id, or the path of its file.
    pub task: String,
    pub force_secrets: bool,
    pub actor: String,
}

/// A context that was opened.
#[derive(Debug, Clone, Serialize)]
pub struct OpenedContext {
    #[serde(flatten)]
    pub view: ContextView,
    /// What was read, with its digest.
    pub sources: Vec<countersign_domain::context::Source>,
    pub citations: usize,
    pub repo_paths: usize,
    pub criteria: usize,
    pub commands: usize,
    /// Whether something was not committed when the task began.
    pub was_dirty: bool,
    pub notes: Vec<String>,
}

/// An account to be made anew.
#[derive(Debug, Clone)]
pub struct Rebuilding {
    pub task: String,
    pub dry_run: bool,
    pub force_secrets: bool,
    pub actor: String,
}

/// An account that was made anew, or would be.
#[derive(Debug, Clone, Serialize)]
pub struct RebuiltContext {
    pub task: String,
    /// The sources that changed.
    pub changed: Vec<String>,
    /// Whether the account is another one now.
    pub is_new: bool,
    pub before: String,
    pub after: String,
    pub dry_run: bool,
    pub warnings: Vec<String>,
}

impl Engine {
    /// Fixes what a task asks for, and hands it to the first role. A second time is refused.
    pub fn open_context(&mut self, opening: &Opening) -> Result<OpenedContext> {
        // Git answers while we read the task.
        let asked = self.repository.clone();
        let frozen = thread::spawn(move || asked.freeze());
        let file = self.task_file(&opening.task)?;
        self.expect_one_file(&file)?;
        let task = file.task.id.to_string();
        let _lease = self.lock_task(&task)?;
        let before = self.find_context(&task)?;
        if before.as_ref().is_some_and(|context| context.purged.is_none()) {
            return Err(Error::new(Kind::Refused, format!("{task} has a context already"))
                .hint(format!(
                    "countersign context show {task}; rebuild takes changed sources in, purge ends it"
                )));
        }
        self.expect_free_worktree(&task)?;
        self.repository.expect_updates();
        let frozen = frozen.join().unwrap_or_else(|_| self.repository.freeze())?;
        let ground = self.ground_by(frozen.rules.clone())?;
        let first = self.record_start(&task, (&ground, &frozen))?;
        let generation = before.as_ref().map_or(1, |context| context.generation + 1);
        let name = step_name((&task, generation), 0);
        let (repository, recorded) = (self.repository.clone(), &first.recorded);
        let (made, kept) = thread::scope(|scope| {
            let kept = scope.spawn(|| repository.keep_only(&name, recorded));
            (self.opened(&file, (&ground, &first), opening), kept.join())
        });
        let (opened, captured) = made?;
        // What the event names has to be there before it.
        kept.unwrap_or_else(|_| self.repository.keep_only(&name, &first.recorded))?;
        let event = ContextEvent::Opened(Box::new(opened));
        let context = self.append_opening(&task, (before.as_ref(), &opening.actor), event)?;
        if let Err(error) = self.write_files(&context) {
            self.notices.push(format!(
                "the files of {task} could not be written ({}); the next command makes them",
                error.message
            ));
        }
        self.seal_what_is_done()?;
        // Its sources were read a moment ago: there is nothing to warn of.
        let view = self.view_by(&context, &captured.account, Vec::new());
        let was_dirty = self.is_dirty(&first);
        Ok(opened_view(view, captured, was_dirty))
    }

    /// What opens a context, with all that it names kept as blobs.
    fn opened(
        &mut self,
        file: &TaskFile,
        (ground, first): (&Ground, &First),
        opening: &Opening,
    ) -> Result<(Opened, Captured)> {
        let captured = self.capture(file, (&first.recorded, &first.paths))?;
        let bytes = captured.account.to_bytes()?;
        let forced = self.screen_account(file, &bytes, opening.force_secrets)?;
        let (manifest, rules) = (captured.manifest.to_bytes()?, serde_json::to_vec(&ground.rules)?);
        let mut texts: Vec<&[u8]> = vec![&bytes, &manifest, &rules];
        texts.extend(captured.texts.iter().map(String::as_bytes));
        let mut kept = self.keep_texts(&texts)?.into_iter();
        let mut next = || kept.next().ok_or_else(|| Error::new(Kind::Bug, "a text was not kept"));
        let opened = Opened {
            context: next()?,
            manifest: next()?,
            rules: next()?,
            sources: kept.collect(),
            roles: captured.account.roles.clone(),
            task_file: file.shown.clone(),
            task_file_sha: file.sha(),
            worktree: ground.worktree.to_string_lossy().into_owned(),
            place: Some(self.own_place()?),
            start: first.recorded.clone(),
            forced_secrets: forced,
        };
        Ok((opened, captured))
    }

    fn keep_sources(&self, captured: &Captured) -> Result<Vec<Text>> {
        captured.texts.iter().map(|text| self.keep_text(text.as_bytes())).collect()
    }

    /// Two tasks in one working tree would each see the other's work as drift.
    fn expect_free_worktree(&mut self, task: &str) -> Result<()> {
        let here = self.own_worktree();
        let other = self.contexts()?.into_iter().find(|row| {
            row.worktree == here && !row.is_purged && row.task != task && row.status != "done"
        });
        if let Some(other) = other {
            self.notices.push(format!(
                "{} is being worked on in this working tree too: each will see the other's changes \
                 as drift. `git worktree add` makes another one",
                other.task
            ));
        }
        Ok(())
    }

    fn screen_account(
        &mut self,
        file: &TaskFile,
        bytes: &[u8],
        is_forced: bool,
    ) -> Result<Vec<String>> {
        let texts = [(file.shown.as_str(), file.text.as_bytes()), ("the account", bytes)];
        Ok(self.screen_bytes(texts, is_forced)?.rules)
    }

    /// Makes the account anew from its sources, and says what changed. What roles handed over
    /// stays as it is.
    pub fn rebuild_context(&mut self, rebuilding: &Rebuilding) -> Result<RebuiltContext> {
        let mut held = self.hold_context(&rebuilding.task)?;
        let Held { context, .. } = &mut held;
        let path = self.repository.layout().worktree.join(&context.opened.task_file);
        let file = self.task_file(&path.to_string_lossy())?;
        if file.task.id.as_str() != context.task {
            let message = format!("{} is the file of {} now", file.shown, file.task.id);
            return Err(Error::new(Kind::Refused, message)
                .hint("a task keeps its id; purge this context and make one for the other"));
        }
        let begun = &context.steps[0].recorded;
        let captured = self.capture(&file, (begun, &self.paths_in(begun)?))?;
        let changed = self.manifest_of(context)?.changes(&captured.manifest.sources);
        let bytes = captured.account.to_bytes()?;
        let forced = self.screen_account(&file, &bytes, rebuilding.force_secrets)?;
        let before = context.account.blob;
        let after = countersign_domain::Digest::of(&bytes);
        let is_new = before != after || !changed.is_empty();
        if captured.account.roles != context.opened.roles {
            return Err(Error::new(Kind::Refused, "the roles of a task that was begun are fixed")
                .hint("purge the context and make a new one"));
        }
        if is_new && !rebuilding.dry_run {
            let rebuilt = Rebuilt {
                context: self.keep_text(&bytes)?,
                manifest: self.keep_text(&captured.manifest.to_bytes()?)?,
                sources: self.keep_sources(&captured)?,
                task_file_sha: file.sha(),
                changed: changed.clone(),
                forced_secrets: forced,
            };
            let event = ContextEvent::Rebuilt(rebuilt);
            self.append_context(context, &rebuilding.actor, vec![event])?;
            self.write_files(context)?;
        }
        Ok(RebuiltContext {
            task: context.task.clone(),
            changed,
            is_new,
            before: before.to_string(),
            after: after.to_string(),
            dry_run: rebuilding.dry_run,
            warnings: captured.warnings,
        })
    }
}

impl Engine {
    /// Whether the tree, or one of the repositories in it, differs from the commit that it stands
    /// on.
    fn is_dirty(&self, first: &First) -> bool {
        let Some((root, inside)) = first.recorded.grounds.split_first() else { return false };
        let top = &self.repository.layout().worktree;
        first.commit.as_ref() != Some(&root.tree)
            || inside.iter().any(|ground| {
                let folder = top.join(ground.path.as_path());
                self.repository.committed_inside(&folder).as_ref() != Some(&ground.tree)
            })
    }
}

fn opened_view(view: ContextView, captured: Captured, was_dirty: bool) -> OpenedContext {
    let mut notes = captured.warnings;
    if was_dirty {
        notes.push(
            "the working tree had changes that are not committed; they count as the start, and \
             not as anybody's work"
                .to_owned(),
        );
    }
    OpenedContext {
        view,
        sources: captured.manifest.sources,
        citations: captured.account.standards_citations.len(),
        repo_paths: captured.account.repo_paths.len(),
        criteria: captured.account.task.acceptance_criteria.len(),
        commands: captured.account.validation_baseline.commands.len(),
        was_dirty,
        notes,
    }
}
