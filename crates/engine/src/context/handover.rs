//! Handing over: the tree as a role leaves it, with everything the next one needs to know.

use countersign_domain::Digest;
use countersign_domain::context::{
    Context, ContextEvent, Expectation, FileRecord, Handed, Incremental, Step, Text, rules,
};
use countersign_domain::scope::{self, Scope};
use countersign_domain::snapshot::{self, Note, PathText, Recorded};
use countersign_git::{Change, Patch, Side, Status};
use serde::Serialize;

use super::recording::{Ground, step_name};
use super::update::Held;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// A role that hands over.
#[derive(Debug, Clone)]
pub struct Handing {
    pub task: String,
    pub role: String,
    pub force_secrets: bool,
    pub actor: String,
}

/// What was handed over.
#[derive(Debug, Clone, Serialize)]
pub struct HandedOver {
    pub task: String,
    pub role: String,
    pub tree: String,
    /// Everything since the start.
    pub files: Vec<FileRecord>,
    pub insertions: u64,
    pub deletions: u64,
    /// The blob with the whole diff, and its digest with plain line ends.
    pub diff: String,
    pub diff_sha: Digest,
    /// What this role added.
    pub incremental: Incremental,
    /// The role that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    pub warnings: Vec<String>,
}

/// A patch as it is kept and compared.
struct KeptPatch {
    text: Text,
    sha: Digest,
}

impl Engine {
    /// Records the working tree as `role` leaves it. The role is done then.
    pub fn hand_over(&mut self, handing: &Handing) -> Result<HandedOver> {
        let Handing { task, role, force_secrets, actor } = handing;
        let mut held = self.hold_context(task)?;
        let Held { context, .. } = &mut held;
        rules::may_hand_over(context, role)?;
        self.expect_no_drift(context, actor)?;
        let ground = self.ground_of(context)?;
        let recorded = self.record_next(context, &ground)?;
        if is_same_content(&recorded, &context.steps[0].recorded) {
            let message = format!("{role} has nothing to hand over: no file of {task} was changed");
            return Err(Error::new(Kind::Refused, message).hint(
                "the work is not in this working tree, or was committed or stashed, or is only \
                 staged (`git restore .` puts what is staged on disk); `git status` tells",
            ));
        }
        let mut handed = self.handed(context, (role, *force_secrets), recorded)?;
        handed.warnings.extend(self.keep_staged(context)?);
        let event = ContextEvent::Handed(Box::new(handed.clone()));
        self.append_context(context, actor, vec![event])?;
        self.seal_what_is_done()?;
        Ok(HandedOver {
            task: task.clone(),
            role: role.clone(),
            tree: handed.recorded.grounds.first().map_or_else(String::new, |g| g.tree.to_string()),
            files: handed.files,
            insertions: handed.insertions,
            deletions: handed.deletions,
            diff: handed.diff.blob.to_string(),
            diff_sha: handed.diff_sha,
            incremental: handed.incremental,
            next: context.current().map(|role| role.name.clone()),
            warnings: context
                .last_step()
                .unfinished()
                .into_iter()
                .chain(handed.warnings)
                .chain(super::view::Checked::of(context).warnings())
                .collect(),
        })
    }

    /// Keeps what is staged and not on disk beside the next step, and says so: what lies on disk is
    /// what was handed over.
    fn keep_staged(&self, context: &Context) -> Result<Option<String>> {
        let Some(staged) = self.repository.staged_apart(&self.scratch())? else { return Ok(None) };
        let name = step_name((&context.task, context.generation), context.steps.len());
        let mut words = format!(
            "{} staged with another content than on disk; what is on disk was handed over",
            files_are(&staged.paths)
        );
        if let Some(tree) = &staged.tree {
            self.repository.keep(&format!("{name}/index"), tree)?;
            words +=
                &format!(", and what is staged is kept: git show refs/countersign/{name}/index:");
            words += &staged.paths[0].to_string();
        }
        Ok(Some(words))
    }

    /// What a role that stops in the middle has changed by then, if anything.
    pub(super) fn left_so_far(
        &mut self,
        context: &Context,
        (role, force_secrets): (&str, bool),
    ) -> Result<Option<ContextEvent>> {
        let ground = self.ground_of(context)?;
        let recorded = self.record_next(context, &ground)?;
        if is_same_content(&recorded, &context.last_step().recorded) {
            return Ok(None);
        }
        let handed = self.handed(context, (role, force_secrets), recorded)?;
        Ok(Some(ContextEvent::Handed(Box::new(handed))))
    }

    fn handed(
        &mut self,
        context: &Context,
        (role, force_secrets): (&str, bool),
        recorded: Recorded,
    ) -> Result<Handed> {
        let earlier = self.expect_genuine_work(context, &recorded)?;
        let (start, last) = (&earlier.start, context.last_step());
        let patch = self.raw_patch(start, &recorded)?;
        let added = if is_same_content(start, &last.recorded) {
            Ok(patch.clone())
        } else {
            self.raw_patch(&last.recorded, &recorded)
        };
        // Of the role that hands over: what others let through is on the record already.
        let forced = self.screen_work(&added.as_ref().unwrap_or(&patch).bytes, force_secrets)?;
        self.keep_next(context, &recorded)?;
        let files = self.files_between(context, start, &recorded)?;
        let (insertions, deletions) = self.lines_between(start, &recorded)?;
        let mut warnings = super::warnings::warnings_about(&patch, &files);
        warnings.extend(earlier.warnings);
        warnings.extend(recorded.beyond.iter().map(|place| {
            let note = Note::Beyond { path: place.path.clone(), why: place.why };
            note.words()
        }));
        let conflicts = super::conflict::conflicted(&patch.bytes, &files);
        let patch = self.kept_patch(&patch)?;
        Ok(Handed {
            role: role.to_owned(),
            base_commit: start.position.head.clone(),
            incremental: self.kept_difference(last, added)?,
            diff: patch.text,
            diff_sha: patch.sha,
            insertions,
            deletions,
            scope: self.scope_digest(context, &recorded)?,
            conflicts,
            files,
            recorded,
            warnings,
            forced_secrets: forced.rules,
        })
    }

    /// What `recorded` adds to `step`.
    pub(super) fn incremental(&self, step: &Step, recorded: &Recorded) -> Result<Incremental> {
        self.kept_difference(step, self.raw_patch(&step.recorded, recorded))
    }

    fn kept_difference(&self, step: &Step, patch: Result<Patch>) -> Result<Incremental> {
        let from = step.name.clone();
        Ok(match patch {
            Ok(patch) => {
                let kept = self.kept_patch(&patch)?;
                Incremental { from, diff: Some(kept.text), sha: Some(kept.sha), error: None }
            }
            Err(error) if error.kind == Kind::Unavailable => return Err(error),
            // Only a tree that is lost has no difference to another one.
            Err(error) => Incremental { from, diff: None, sha: None, error: Some(error.message) },
        })
    }

    fn kept_patch(&self, patch: &Patch) -> Result<KeptPatch> {
        let text = self.keep_text(&patch.bytes)?;
        Ok(KeptPatch { text, sha: Digest::of(&plain_line_ends(&patch.bytes)) })
    }

    /// The difference between two recorded trees and all repositories in them.
    pub(super) fn raw_patch(&self, from: &Recorded, to: &Recorded) -> Result<Patch> {
        Ok(self.repository.patch_between((from, to), &self.scratch())?)
    }

    pub(super) fn lines_between(&self, from: &Recorded, to: &Recorded) -> Result<(u64, u64)> {
        let stat = self.repository.stat_between((from, to), &self.scratch())?;
        Ok((stat.insertions, stat.deletions))
    }

    pub(super) fn files_between(
        &self,
        context: &Context,
        from: &Recorded,
        to: &Recorded,
    ) -> Result<Vec<FileRecord>> {
        let scope = self.scope_of(context)?;
        let changes = self.repository.diff_between((from, to), &self.scratch())?;
        let mut files: Vec<FileRecord> =
            changes.iter().map(|change| file_record(change, scope.as_ref())).collect();
        let objects: Vec<_> = files.iter().filter_map(|file| file.object.as_ref()).collect();
        let mut sizes = self.repository.sizes(&objects)?.into_iter();
        for file in files.iter_mut().filter(|file| file.object.is_some()) {
            file.size = sizes.next().flatten();
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// A digest over what the tree holds for the task's scope.
    pub(super) fn scope_digest(&self, context: &Context, recorded: &Recorded) -> Result<Digest> {
        let Some(root) = recorded.grounds.first() else { return Ok(Digest::of(b"")) };
        let Some(scope) = self.scope_of(context)? else {
            // Everything is in scope, and has a name already.
            return Ok(Digest::of(root.tree.as_str().as_bytes()));
        };
        let mut inside = Vec::new();
        for file in self.repository.list(&root.tree)?.iter() {
            let path = PathText::from(file.path.as_path());
            if scope.has(&path) {
                let kind = kind_of(&file.side);
                let object = Digest::of(file.side.object.as_str().as_bytes());
                inside.push(scope::Found { path, kind, content: Some(object) });
            }
        }
        Ok(scope::digest(inside))
    }

    /// Records the tree as it is because a person said why it is so.
    pub fn resolve_drift(
        &mut self,
        task: &str,
        note: &str,
        actor: &str,
    ) -> Result<super::ContextView> {
        self.screen(&[("the note", Some(note))], false)?;
        let mut held = self.hold_context(task)?;
        let Held { context, .. } = &mut held;
        rules::may_resolve(context, note)?;
        let note = super::update::bounded("note", note)?.to_owned();
        let ground: Ground = self.ground_of(context)?;
        let mut recorded = self.record_next(context, &ground)?;
        if matches!(context.expectation(), Expectation::AtWork(..)) {
            // Where HEAD stands is explained; the files are still the work of who is at it.
            let last = context.last_step().recorded.clone();
            recorded = Recorded { position: recorded.position, ..last };
            self.repeat_cache(context);
        }
        self.keep_next(context, &recorded)?;
        let incremental = self.incremental(context.last_step(), &recorded)?;
        let resolved = countersign_domain::context::Resolved { note, recorded, incremental };
        let event = ContextEvent::Resolved(Box::new(resolved));
        self.append_context(context, actor, vec![event])?;
        self.seal_what_is_done()?;
        self.view_of(context)
    }
}

/// Whether two records hold the same files, with the same bytes as far as both know them.
pub(super) fn is_same_content(one: &Recorded, other: &Recorded) -> bool {
    let knows_bytes = one.is_exact && other.is_exact;
    let trees = |recorded: &Recorded| -> Vec<_> {
        let raw = |ground: &snapshot::Ground| ground.raw.clone().filter(|_| knows_bytes);
        let grounds = recorded.grounds.iter();
        grounds.map(|ground| (ground.path.clone(), ground.tree.clone(), raw(ground))).collect()
    };
    trees(one) == trees(other)
}

fn file_record(change: &Change, scope: Option<&Scope>) -> FileRecord {
    let path = PathText::from(change.path.as_path());
    let (status, renamed_from) = match &change.status {
        Status::Added => ("added", None),
        Status::Deleted => ("deleted", None),
        Status::Modified => ("modified", None),
        Status::ModeChanged => ("mode", None),
        Status::TypeChanged => ("type", None),
        Status::Renamed { from } => ("renamed", Some(PathText::from(from.as_path()))),
    };
    FileRecord {
        is_out_of_scope: scope.is_some_and(|scope| !scope.has(&path)),
        path,
        status: status.to_owned(),
        renamed_from,
        object: change.new.as_ref().map(|side| side.object.clone()),
        previous: change.old.as_ref().map(|side| side.object.clone()),
        mode: change.new.as_ref().map(|side| format!("{:o}", side.mode)),
        size: None,
    }
}

fn kind_of(side: &Side) -> scope::Kind {
    match side.mode {
        0o120_000 => scope::Kind::Link,
        0o160_000 => scope::Kind::Submodule,
        0o100_755 => scope::Kind::Executable,
        _ => scope::Kind::File,
    }
}

/// The same bytes on every system: each line ends in one LF.
fn plain_line_ends(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len() + 1);
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'\r' => {
                rest.next_if_eq(&b'\n');
                plain.push(b'\n');
            }
            byte => plain.push(byte),
        }
    }
    if plain.last().is_some_and(|last| *last != b'\n') {
        plain.push(b'\n');
    }
    plain
}

/// The first files, and that they are.
fn files_are(paths: &[PathText]) -> String {
    match paths {
        [one] => format!("{one} is"),
        [first, rest @ ..] => format!("{first} and {} more are", rest.len()),
        [] => "nothing is".to_owned(),
    }
}
