//! Recording steps: what a recording needs, what it believes, and where its parts are kept.

use std::path::{Path, PathBuf};

use countersign_domain::context::Context;
use countersign_domain::snapshot::{IgnoreRules, Recorded, Watch};
use countersign_git::{First, Frozen, Record, Trust};

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
    /// The ground that the roles of `context` work on. It is one working tree, and asking from
    /// another one would compare the wrong files.
    pub(super) fn ground_of(&self, context: &Context) -> Result<Ground> {
        self.expect_its_worktree(context)?;
        let rules = self.store.blobs().read(&context.opened.rules.blob)?;
        self.ground_by(serde_json::from_slice(&rules)?)
    }

    /// The working tree that we stand in, by these ignore rules.
    pub(super) fn ground_by(&self, rules: IgnoreRules) -> Result<Ground> {
        Ok(Ground {
            worktree: self.repository.layout().worktree.clone(),
            scratch: self.scratch(),
            rules,
            watch: self.watch()?,
        })
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

    /// Records the working tree as the first step of a context. Nothing keeps it yet, and nothing
    /// is on the record.
    pub(super) fn record_start(
        &self,
        task: &str,
        (ground, frozen): (&Ground, &Frozen),
    ) -> Result<First> {
        let (cache, raw) = self.room_for(task, 0)?;
        let record = Record { raw: Some(&raw), ..ground.record(&cache) };
        Ok(self.repository.record_first(&record, frozen)?)
    }

    /// Records the next step, which believes the last one and not git's index. Nothing keeps it
    /// yet.
    pub(super) fn record_next(&self, context: &Context, ground: &Ground) -> Result<Recorded> {
        let number = context.steps.len();
        let before = self.last_cache(context);
        // To keep it, and to seal what is written about it.
        self.repository.expect_updates();
        let (cache, raw) = self.room_for(&context.task, number)?;
        let record = Record { raw: Some(&raw), ..ground.record(&cache) };
        let trust = trust_in(context, &before);
        Ok(self.repository.record_trusting(&record, trust)?)
    }

    /// Keeps what was recorded as the next step alive.
    pub(super) fn keep_next(&self, context: &Context, recorded: &Recorded) -> Result<()> {
        let name = step_name((&context.task, context.generation), context.steps.len());
        Ok(self.repository.keep_only(&name, recorded)?)
    }

    /// Where the stat cache and the bytes of a step go.
    fn room_for(&self, task: &str, number: usize) -> Result<(PathBuf, PathBuf)> {
        self.own_folder(task)?;
        let cache = self.cache_of(task, number);
        let folder = cache.parent().unwrap_or(&self.state);
        std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, &error))?;
        Ok((cache, self.raw_store(task)))
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

/// The name under which a step of a context is kept.
pub(super) fn step_name((task, generation): (&str, u32), number: usize) -> String {
    format!("contexts/{task}/{generation}/{number}")
}

/// What a recording may believe: the last step, if `cache` is still the one of that step.
pub(super) fn trust_in<'c>(context: &'c Context, cache: &'c Path) -> Trust<'c> {
    Trust::Earlier { cache, recorded: &context.last_step().recorded }
}
