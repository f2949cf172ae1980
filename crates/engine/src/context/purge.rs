//! The end of a context: its working files go, its trees and texts stay for the retention time,
//! its hashes for ever.

use std::fs;
use std::path::Path;

use countersign_domain::context::{Context, ContextEvent};
use jiff::Timestamp;
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Result};

/// A context that was purged.
#[derive(Debug, Clone, Serialize)]
pub struct PurgedContext {
    pub task: String,
    /// Whether there was anything left to purge.
    pub was_there: bool,
    /// Until when its trees can be restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_until: Option<String>,
}

/// How to sweep.
#[derive(Debug, Clone, Copy)]
pub struct Sweeping {
    /// Only what nobody touched for so long.
    pub ttl_seconds: u64,
    pub dry_run: bool,
}

/// What a sweep did, or would do.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Swept {
    /// Contexts whose task is gone or done.
    pub purged: Vec<String>,
    /// Purged contexts whose retention is over.
    pub released: Vec<String>,
    /// Folders that belong to no context.
    pub orphans: Vec<String>,
    /// How many texts were removed that killed processes had only begun to store.
    pub unfinished: u64,
    pub dry_run: bool,
}

impl Engine {
    /// Removes the working files of a context. Doing it twice is fine; where there never was one,
    /// the name is a mistake.
    pub fn purge_context(
        &mut self,
        task: &str,
        because: &str,
        actor: &str,
    ) -> Result<PurgedContext> {
        self.screen(&[("the reason", Some(because))], false)?;
        let _lease = self.lock_task(task)?;
        let context = self.load_context(task)?;
        let context = Some(context).filter(|context| context.purged.is_none());
        let was_there = context.is_some();
        let mut kept_until = None;
        if let Some(mut context) = context {
            let because = because.chars().take(200).collect();
            self.append_context(&mut context, actor, vec![ContextEvent::Purged { because }])?;
            kept_until = Some(format!("{:.0}", self.kept_until(&context)));
        }
        // After the event: a purge that is cut off here is finished by the next one.
        self.remove_folder(task)?;
        Ok(PurgedContext { task: task.to_owned(), was_there, kept_until })
    }

    fn kept_until(&self, context: &Context) -> Timestamp {
        let days = i64::from(self.settings.config.context.retention_days);
        let purged_at = context.purged.as_ref().map_or(context.updated_at, |(at, _)| *at);
        Timestamp::from_second(purged_at.as_second() + days * 86_400).unwrap_or(Timestamp::MAX)
    }

    fn remove_folder(&self, task: &str) -> Result<()> {
        remove(&self.context_folder(task))
    }

    /// Purges contexts whose task is gone or done and that nobody touched for a while, and lets
    /// go of the trees of those whose retention is over.
    pub fn sweep_contexts(&mut self, sweeping: &Sweeping) -> Result<Swept> {
        let mut swept = Swept { dry_run: sweeping.dry_run, ..Swept::default() };
        let now = self.host.now();
        for row in self.contexts()? {
            let Some(context) = self.find_context(&row.task)? else { continue };
            let idle = now.as_second() - context.updated_at.as_second();
            let is_idle = u64::try_from(idle).is_ok_and(|idle| idle >= sweeping.ttl_seconds);
            if context.purged.is_none() && is_idle && self.task_is_over(&context) {
                if !sweeping.dry_run {
                    self.purge_context(&row.task, "swept: its task is over or gone", "engine")?;
                }
                swept.purged.push(row.task);
            } else if context.purged.is_some()
                && !context.is_released
                && now >= self.kept_until(&context)
            {
                if !sweeping.dry_run {
                    self.release_context(&row.task)?;
                }
                swept.released.push(row.task);
            }
        }
        swept.orphans = self.sweep_folders(sweeping.dry_run)?;
        if !sweeping.dry_run {
            swept.unfinished = self.store.blobs().sweep()?;
        }
        Ok(swept)
    }

    /// Lets go of the trees of a purged context.
    fn release_context(&mut self, task: &str) -> Result<()> {
        let _lease = self.lock_task(task)?;
        let mut context = self.load_context(task)?;
        if context.purged.is_none() || context.is_released {
            return Ok(());
        }
        for (name, _) in self.repository.kept(&format!("contexts/{task}"))? {
            self.repository.release(&name)?;
        }
        remove(&self.raw_store(task))?;
        self.append_context(&mut context, "engine", vec![ContextEvent::Released {}])
    }

    /// Removes folders that belong to no context that works.
    fn sweep_folders(&self, dry_run: bool) -> Result<Vec<String>> {
        let folder = self.state.join("contexts");
        let Ok(found) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
        let mut orphans = Vec::new();
        for entry in found.flatten() {
            let Ok(task) = entry.file_name().into_string() else { continue };
            // One that is being made now is nobody's orphan.
            let Ok(_lease) = self.lock_task(&task) else { continue };
            let works = self.find_context(&task)?.is_some_and(|context| context.purged.is_none());
            if !works {
                if !dry_run {
                    self.remove_folder(&task)?;
                }
                orphans.push(task);
            }
        }
        orphans.sort();
        Ok(orphans)
    }
}

/// Removes a folder of ours, if it is there.
fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", folder, &error))
        }
        _ => Ok(()),
    }
}
