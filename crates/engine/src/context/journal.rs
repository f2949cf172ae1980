//! How a context's events get on the record, and how it is read back.

use std::thread;
use std::time::{Duration, Instant};

use countersign_domain::canonical;
use countersign_domain::context::{Context, ContextEvent};
use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::task::TaskId;
use countersign_store::{Appended, Expected, Lease, ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The kind of the view rows.
const VIEW: &str = "context";
/// How often somebody who waits for a task looks whether it is free.
const LOOK: Duration = Duration::from_millis(20);

/// A context in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextRow {
    pub task: String,
    /// The role that is at work or comes next, with where it stands.
    pub role: Option<String>,
    pub status: String,
    pub drift_budget: u32,
    pub worktree: String,
    pub opened_at: String,
    pub updated_at: String,
    pub is_purged: bool,
    /// Whether its trees were let go.
    pub is_released: bool,
}

/// The stream of a task's context.
pub(super) fn stream(task: &str) -> Result<Stream> {
    // It becomes the name of a folder and of references, so it must be a plain one.
    let id = task.parse::<TaskId>().map_err(|error| {
        Error::new(Kind::Usage, error.to_string())
            .hint("letters, digits, '-', '_' and '.', such as TASK-0824")
    })?;
    ContextEvent::stream(id.as_str())
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a context's stream: {error}")))
}

impl Engine {
    /// The contexts of this repository, by task.
    pub fn contexts(&self) -> Result<Vec<ContextRow>> {
        let rows = self.store.views(VIEW, "", u32::MAX)?;
        let mut rows: Vec<ContextRow> =
            rows.iter().map(|row| Ok(serde_json::from_str(&row.body)?)).collect::<Result<_>>()?;
        rows.sort_by(|a, b| a.task.cmp(&b.task));
        Ok(rows)
    }

    /// The context of `task`, if it ever had one.
    pub(crate) fn find_context(&self, task: &str) -> Result<Option<Context>> {
        let stream = stream(task)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        fold(task, &events)
    }

    /// The context of `task`.
    pub(super) fn load_context(&self, task: &str) -> Result<Context> {
        self.find_context(task)?.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("there is no context of '{task}'")).hint(format!(
                "countersign context list lists them; countersign context init {task} makes one"
            ))
        })
    }

    /// The right to change the context of `task`. Others who have it are waited for; one that
    /// died has it no longer.
    pub(crate) fn lock_task(&self, task: &str) -> Result<Lease> {
        let name = stream(task)?.to_string();
        let patience = Duration::from_secs(self.settings.config.context.lock_seconds);
        let began = Instant::now();
        loop {
            match self.store.lease(&name) {
                Err(countersign_store::Error::Leased { holder, .. }) => {
                    if began.elapsed() >= patience {
                        let message = format!(
                            "{task} is being worked on by another command ({holder}); it was \
                             waited for {} s",
                            patience.as_secs()
                        );
                        return Err(Error::new(Kind::Unavailable, message)
                            .hint("try again; context.lock_seconds says how long to wait"));
                    }
                    thread::sleep(LOOK);
                }
                other => return Ok(other?),
            }
        }
    }

    /// Appends what happened, and takes it into `context`. Who calls this holds the lock.
    pub(super) fn append_context(
        &mut self,
        context: &mut Context,
        actor: &str,
        events: Vec<ContextEvent>,
    ) -> Result<()> {
        self.screen(&[("the actor", Some(actor))], false)?;
        let stream = stream(&context.task)?;
        let mut drafts = Vec::with_capacity(events.len());
        let mut after = context.clone();
        for event in events {
            let (kind, body) = event.encode()?;
            let mut draft = self.draft(&kind, ContextEvent::FORMAT, body);
            draft.actor = actor.to_owned();
            after.apply(draft.time, actor, event);
            drafts.push(draft);
        }
        let rows = [row_of(&after)?];
        let expected = Expected::Sequence(context.sequence);
        let appended = self.store.append(&stream, expected, &drafts, &rows)?;
        self.follow_context(&mut after, appended);
        *context = after;
        Ok(())
    }

    /// The first event of a context; `after` is what it makes of it.
    pub(super) fn append_opening(
        &mut self,
        task: &str,
        (before, actor): (Option<&Context>, &str),
        event: ContextEvent,
    ) -> Result<Context> {
        self.screen(&[("the actor", Some(actor))], false)?;
        let stream = stream(task)?;
        let (kind, body) = event.encode()?;
        let mut draft = self.draft(&kind, ContextEvent::FORMAT, body);
        draft.actor = actor.to_owned();
        let time = draft.time;
        let after = match before {
            Some(before) => {
                let mut after = before.clone();
                after.apply(time, actor, event);
                Some(after)
            }
            None => Context::replay(task, [(time, actor.to_owned(), event)]),
        };
        let mut after = after.ok_or_else(|| Error::new(Kind::Bug, "an opening opens nothing"))?;
        let expected = Expected::Sequence(before.map_or(0, |before| before.sequence));
        let rows = [row_of(&after)?];
        let appended = self.store.append(&stream, expected, &[draft], &rows)?;
        self.follow_context(&mut after, appended);
        Ok(after)
    }

    fn follow_context(&mut self, context: &mut Context, appended: Appended) {
        match appended {
            Appended::Written(events) => {
                context.sequence = events.last().map_or(context.sequence, |last| last.sequence);
            }
            Appended::Spooled(why) => self.notices.push(format!(
                "the ledger can't be written now ({why}); what was done waits in the spool, and \
                 the next command takes it in"
            )),
        }
    }
}

/// The fold of a context's events; `None` if there are none or retention took them.
fn fold(task: &str, events: &[Event]) -> Result<Option<Context>> {
    let mut decoded = Vec::with_capacity(events.len());
    for event in events {
        let Some(body) = &event.body else { return Ok(None) };
        let time = event.time.parse().map_err(|error| {
            Error::new(Kind::Tampered, format!("event {} of {task}: {error}", event.sequence))
        })?;
        decoded.push((time, event.actor.clone(), ContextEvent::decode(&event.kind, body)?));
    }
    let mut context = Context::replay(task, decoded);
    if let Some(context) = &mut context {
        context.sequence = events.last().map_or(0, |event| event.sequence);
    }
    Ok(context)
}

/// What follows in the view from all events of one context.
pub(crate) fn rows_of(stream: &str, events: &[Event]) -> Result<Vec<ViewChange>> {
    let task = stream.strip_prefix("context/").unwrap_or_default();
    match fold(task, events)? {
        Some(context) => Ok(vec![row_of(&context)?]),
        None => Ok(vec![ViewChange::remove(VIEW, task)]),
    }
}

fn row_of(context: &Context) -> Result<ViewChange> {
    let current = context.current();
    let row = ContextRow {
        task: context.task.clone(),
        role: current.map(|role| role.name.clone()),
        status: current.map_or("done", |role| role.status.name()).to_owned(),
        drift_budget: context.drift_budget,
        worktree: context.worktree.clone(),
        opened_at: format!("{:.6}", context.opened_at),
        updated_at: format!("{:.6}", context.updated_at),
        is_purged: context.purged.is_some(),
        is_released: context.is_released,
    };
    let body = canonical::to_string(&row)?;
    Ok(ViewRow { kind: VIEW.into(), key: context.task.clone(), body }.into())
}
