//! Comparing the working tree with what a step left, and what follows from it.

use countersign_domain::ObjectId;
use countersign_domain::context::{
    Context, ContextEvent, Drifted, Expectation, Step, rules, step_words,
};
use countersign_domain::snapshot::{Drift, Exact, Here, Moved, Note, Remedies, explain};
use countersign_git::Look;

use super::view::{Checked, Verification};
use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// What puts `drift` right, and what is to be known about that.
    fn remedies(
        &self,
        context: &Context,
        (name, step): (&str, &Step),
        drift: &Drift,
    ) -> (Remedies, Option<String>) {
        if !drift.is_none() && self.expect_trees(context, name, &step.recorded).is_err() {
            let by_hand = vec![format!(
                "the files as {} left them are lost, so no command brings them back; take the tree \
                 as it is: countersign context resolve-drift {} --note \"WHY\"",
                step_words(&step.name),
                context.task
            )];
            return (Remedies { by_hand, ..Remedies::default() }, None);
        }
        let found = if drift.is_none() {
            Ok(Vec::new())
        } else {
            self.repository.raw_paths(&self.raw_store(&context.task), &step.recorded)
        };
        let lost = found.is_err().then(|| {
            "the bytes of files that git converts can't be read any more: a remedy brings back \
             what git makes of them"
                .to_owned()
        });
        let paths = found.unwrap_or_default().into_iter().collect();
        let folder = self.free_folder(&context.task, name);
        let exact = Exact { paths, task: &context.task, step: name, folder: &folder };
        (drift.remedies(&step.recorded, &self.here(), &exact), lost)
    }

    /// What is different now from what `step` left.
    pub(super) fn drift_since(&self, context: &Context, step: &Step) -> Result<Drift> {
        let ground = self.ground_of(context)?;
        let number = context.steps.iter().position(|known| std::ptr::eq(known, step));
        let cache = self.cache_of(&context.task, number.unwrap_or(0));
        let found =
            self.repository.compare(&step.recorded, &ground.record(&cache), Look::Cached)?;
        Ok(explain(&step.recorded, &found))
    }

    /// Expects the tree to be what the context says it has to be, before anything about the
    /// context changes. Drift is put on the record, and stops everything until a person has said
    /// why. Gives the tree that was found.
    pub(crate) fn expect_no_drift(
        &mut self,
        context: &mut Context,
        actor: &str,
    ) -> Result<Option<ObjectId>> {
        let (name, drift, is_whole) = {
            let expectation = context.expectation();
            let step = expectation.step();
            match expectation {
                Expectation::AsLeft(_) => {
                    (step.name.clone(), self.drift_since(context, step)?, true)
                }
                // Who is at work may change files, but not what they are counted from.
                Expectation::AtWork(..) if self.stands_where(step)? => {
                    self.ground_of(context)?;
                    (step.name.clone(), Drift::default(), false)
                }
                Expectation::AtWork(..) => {
                    let moved = self.drift_since(context, step)?.moved.filter(is_of_history);
                    let drift = Drift { moved, ..Drift::default() };
                    (step.name.clone(), drift, false)
                }
            }
        };
        if drift.is_none() {
            let tree = context.last_step().recorded.grounds.first().map(|root| root.tree.clone());
            return Ok(tree.filter(|_| is_whole));
        }
        let attributed = self.attribute(context, &drift)?;
        let error = refusal(context, &name, &drift, &attributed);
        let drifted = Drifted { expected: name, drift, attributed };
        let event = ContextEvent::Drifted(Box::new(drifted));
        self.append_context(context, actor, vec![event])?;
        Err(error)
    }

    /// Where commands that we tell are pasted.
    fn here(&self) -> Here {
        let top = &self.repository.layout().worktree;
        let shell = self.person.stands_in.as_ref().and_then(|shell| shell.canonicalize().ok());
        shell.map_or_else(|| Here::anywhere(top), |shell| Here::new(top, &shell))
    }

    /// Whether `HEAD` is where it was at `step`, without a look at any file.
    fn stands_where(&self, step: &Step) -> Result<bool> {
        let head = self.repository.head()?.map(|head| head.commit);
        Ok(head == step.recorded.position.head)
    }

    /// Compares the working tree with what `role` left, or the last step. A tree that is not what
    /// it has to be now is put on the record as drift.
    pub fn verify_context(
        &mut self,
        task: &str,
        role: Option<&str>,
        wants_hunks: bool,
    ) -> Result<Verification> {
        let _lease = self.lock_task(task)?;
        let mut context = self.load_context(task)?;
        rules::alive(&context)?;
        self.attend_files(&mut context)?;
        let step = step_of(&context, role)?.clone();
        let place = context.steps.iter().rposition(|known| *known == step).unwrap_or_default();
        let mut drift = self.drift_since(&context, &context.steps[place])?;
        let at_work = match context.expectation() {
            Expectation::AtWork(worker, _) if role.is_none() => Some(worker.name.clone()),
            _ => None,
        };
        let mut so_far = Vec::new();
        if at_work.is_some() {
            let moved = drift.moved.take().filter(is_of_history);
            so_far = drift.lines();
            drift = Drift { moved, ..Drift::default() };
        }
        let attributed = self.attribute(&context, &drift)?;
        let hunks = if wants_hunks && !drift.is_none() {
            Some(self.hunks_since(&context, &step)?)
        } else {
            None
        };
        let is_expected = at_work.is_some()
            || matches!(context.expectation(), Expectation::AsLeft(last) if *last == step);
        let is_same = drift.is_none();
        if !is_same && is_expected {
            let (expected, drift) = (step.name.clone(), drift.clone());
            let drifted = Drifted { expected, drift, attributed: attributed.clone() };
            let event = ContextEvent::Drifted(Box::new(drifted));
            self.append_context(&mut context, "engine", vec![event])?;
        }
        let (remedies, limit) =
            self.remedies(&context, (role.unwrap_or(&step.name), &step), &drift);
        let left = step.unfinished().into_iter();
        let left = left.map(|words| format!("in what {} left, {words}", step_words(&step.name)));
        let notes = left.chain(drift.notes.iter().map(Note::words)).chain(limit).collect();
        Ok(Verification {
            task: task.to_owned(),
            expected: step.name,
            is_same,
            at_work,
            so_far,
            by_hand: remedies.by_hand,
            remedies: remedies.commands,
            notes,
            drift: (!is_same).then_some(drift),
            attributed,
            hunks: hunks.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            hunks_bytes: hunks.unwrap_or_default(),
            drift_budget: context.drift_budget,
            checked: Checked::of(&context),
        })
    }
}

/// The newest step of this name; without one, the last.
pub(super) fn step_of<'c>(context: &'c Context, name: Option<&str>) -> Result<&'c Step> {
    let Some(name) = name else { return Ok(context.last_step()) };
    context.step(name).ok_or_else(|| {
        let names = context.step_names();
        let what = if context.role(name).is_some() {
            format!("{name} has not handed anything over yet")
        } else {
            format!("{} has no step '{name}'", context.task)
        };
        Error::new(Kind::NotFound, what).hint(format!("its steps are: {}", names.join(", ")))
    })
}

/// Whether `HEAD` stands elsewhere: files that a role changed or discarded are its own affair.
fn is_of_history(moved: &Moved) -> bool {
    !matches!(moved, Moved::Stashed { .. } | Moved::Discarded | Moved::Cleaned)
}

/// The error about a tree that is not what it has to be.
fn refusal(context: &Context, expected: &str, drift: &Drift, attributed: &[String]) -> Error {
    let mut lines = vec![format!(
        "the working tree of {} is not what {} left:",
        context.task,
        step_words(expected)
    )];
    lines.extend(drift.lines().into_iter().map(|line| format!("  {line}")));
    lines.extend(attributed.iter().map(|line| format!("  {line}")));
    Error::new(Kind::Drift, lines.join("\n")).hint(format!(
        "look: countersign context verify {task} --hunks, which also tells what undoes it; undo it or \
         keep it, and then say why: countersign context resolve-drift {task} --note \"WHY\"",
        task = context.task
    ))
}
