//! Comparing the working tree with what a step left, and what follows from it.

use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_domain::context::{Context, ContextEvent, Drifted, Expectation, Step, rules};
use countersign_domain::snapshot::{
    Drift, Exact, IgnoreRules, Moved, Note, Recorded, Watch, explain,
};
use countersign_git::{Look, Record, Trust};

use super::view::Verification;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What recording and comparing need, in one place.
pub(super) struct Ground {
    pub(super) worktree: PathBuf,
    pub(super) scratch: PathBuf,
    pub(super) rules: IgnoreRules,
    pub(super) watch: Watch,
}

impl Ground {
    pub(super) fn record<'g>(&'g self, cache: &'g Path) -> Record<'g> {
        Record {
            worktree: &self.worktree,
            scratch: &self.scratch,
            cache,
            rules: &self.rules,
            watch: &self.watch,
            raw: None,
        }
    }
}

impl Engine {
    /// The ground of a context that is yet to be made: the working tree that we stand in.
    pub(super) fn new_ground(&self) -> Result<Ground> {
        Ok(Ground {
            worktree: self.repository.layout().worktree.clone(),
            scratch: self.scratch(),
            rules: self.repository.ignore_rules()?,
            watch: self.watch()?,
        })
    }

    /// The ground that the roles of `context` work on. It is one working tree, and asking from
    /// another one would compare the wrong files.
    pub(super) fn ground_of(&self, context: &Context) -> Result<Ground> {
        self.expect_its_worktree(context)?;
        let rules = self.store.blobs().read(&context.opened.rules.blob)?;
        Ok(Ground { rules: serde_json::from_slice(&rules)?, ..self.new_ground()? })
    }

    /// Where temporary files of the commands around contexts are.
    pub(super) fn scratch(&self) -> PathBuf {
        self.state.join("scratch")
    }

    fn watch(&self) -> Result<Watch> {
        let extra = self.settings.config.context.unwatched.join("\n");
        Watch::shipped().with(&extra, "context.unwatched").map_err(|error| {
            Error::new(Kind::Usage, error.to_string())
                .hint("`countersign config show` says where it is set")
        })
    }

    /// Where the stat cache of a recorded tree lies.
    pub(super) fn cache_of(&self, task: &str, step: usize) -> PathBuf {
        self.context_folder(task).join("trees").join(step.to_string())
    }

    /// Records the working tree as the first step of a context, and keeps it. Nothing is on the
    /// record yet: that is the event's part.
    pub(super) fn record_start(
        &self,
        (task, generation): (&str, u32),
        ground: &Ground,
    ) -> Result<Recorded> {
        // Later steps believe this one, so it believes nobody: an index that was forged before
        // the task began would deceive all of them.
        self.record_step((task, generation, 0), ground, Trust::Nothing)
    }

    /// The same for the next step, which believes the last one and not git's index.
    pub(super) fn record_next(&self, context: &Context, ground: &Ground) -> Result<Recorded> {
        let name = (context.task.as_str(), context.generation, context.steps.len());
        let cache = self.last_cache(context);
        self.record_step(name, ground, trust_in(context, &cache))
    }

    fn record_step(
        &self,
        (task, generation, number): (&str, u32, usize),
        ground: &Ground,
        trust: Trust<'_>,
    ) -> Result<Recorded> {
        self.own_folder(task)?;
        let cache = self.cache_of(task, number);
        let folder = cache.parent().unwrap_or(&self.state);
        std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, &error))?;
        let raw = self.raw_store(task);
        let record = Record { raw: Some(&raw), ..ground.record(&cache) };
        let recorded = self.repository.record_trusting(&record, trust)?;
        // A step that was recorded but never got on the record may have left its name.
        let name = format!("contexts/{task}/{generation}/{number}");
        for (left, _) in self.repository.kept(&name)? {
            self.repository.release(&left)?;
        }
        self.repository.keep_all(&name, &recorded)?;
        Ok(recorded)
    }

    /// Where the bytes of files that git converts are kept, for as long as the trees of `task`.
    pub(super) fn raw_store(&self, task: &str) -> PathBuf {
        self.state.join("raw").join(task)
    }

    /// The commands that put `drift` right, as far as commands can, and what they can't.
    fn remedies(
        &self,
        context: &Context,
        step: &Step,
        drift: &Drift,
    ) -> (Vec<String>, Vec<String>) {
        let found = self.repository.raw_paths(&self.raw_store(&context.task), &step.recorded);
        let lost = found.is_err().then(|| {
            "the bytes of files that git converts can't be read any more: a remedy brings back \
             what git makes of them"
                .to_owned()
        });
        let folder = format!("../{}-{}", context.task, step.name);
        let restore = format!(
            "countersign context restore {} --role {} --into {folder}",
            context.task, step.name
        );
        let paths = found.unwrap_or_default().into_iter().collect();
        let exact = Exact { paths, restore: &restore, folder: &folder };
        (drift.remedies(&step.recorded, &exact), lost.into_iter().collect())
    }

    /// Where the stat cache of the last step lies.
    pub(super) fn last_cache(&self, context: &Context) -> PathBuf {
        self.cache_of(&context.task, context.steps.len() - 1)
    }

    /// Gives the next step the stat cache of the last one, because it has the same files.
    pub(super) fn repeat_cache(&self, context: &Context) {
        let next = self.cache_of(&context.task, context.steps.len());
        // Without a cache everything is read, which is slower and no less right.
        std::fs::copy(self.last_cache(context), next).ok();
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
        let (remedies, limits) =
            if is_same { (Vec::new(), Vec::new()) } else { self.remedies(&context, &step, &drift) };
        let left = step.unfinished().into_iter();
        let left = left.map(|words| format!("in what {} left, {words}", named_step(&step.name)));
        let notes = left.chain(drift.notes.iter().map(Note::words)).chain(limits).collect();
        Ok(Verification {
            task: task.to_owned(),
            expected: step.name,
            is_same,
            at_work,
            so_far,
            remedies,
            notes,
            drift: (!is_same).then_some(drift),
            attributed,
            hunks,
            drift_budget: context.drift_budget,
        })
    }
}

/// What a recording may believe: the last step, if `cache` is still the one of that step.
pub(super) fn trust_in<'c>(context: &'c Context, cache: &'c Path) -> Trust<'c> {
    Trust::Earlier { cache, recorded: &context.last_step().recorded }
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
        Error::new(Kind::NotFound, what).hint(format!("there are {}", names.join(", ")))
    })
}

/// Whether `HEAD` stands elsewhere: files that a role changed or discarded are its own affair.
fn is_of_history(moved: &Moved) -> bool {
    !matches!(moved, Moved::Stashed { .. } | Moved::Discarded | Moved::Cleaned)
}

fn named_step(name: &str) -> &str {
    match name {
        "start" => "the start",
        "resolution" => "the resolution",
        role => role,
    }
}

/// The error about a tree that is not what it has to be.
fn refusal(context: &Context, expected: &str, drift: &Drift, attributed: &[String]) -> Error {
    let mut lines = vec![format!(
        "the working tree of {} is not what {} left:",
        context.task,
        named_step(expected)
    )];
    lines.extend(drift.lines().into_iter().map(|line| format!("  {line}")));
    lines.extend(attributed.iter().map(|line| format!("  {line}")));
    Error::new(Kind::Drift, lines.join("\n")).hint(format!(
        "look: countersign context verify {task} --hunks; then undo it, or take it as it is: \
         countersign context resolve-drift {task} --note \"WHY\"",
        task = context.task
    ))
}
