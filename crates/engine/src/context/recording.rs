//! Recording steps: what a recording needs, what it believes, and where its parts are kept.

use std::path::{Path, PathBuf};

use countersign_domain::context::Context;
use countersign_domain::snapshot::{IgnoreRules, Recorded, Watch};
use countersign_git::{Record, Trust};

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
}

/// What a recording may believe: the last step, if `cache` is still the one of that step.
pub(super) fn trust_in<'c>(context: &'c Context, cache: &'c Path) -> Trust<'c> {
    Trust::Earlier { cache, recorded: &context.last_step().recorded }
}
