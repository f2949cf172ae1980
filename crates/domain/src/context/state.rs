//! The fold of a context's events.

use jiff::Timestamp;
use serde::Serialize;

use super::event::{Attached, ContextEvent, Drifted, Handed, Opened, RoleStatus, Text, Updated};
use super::measured::Measured;
use super::place::Place;
use super::step::Step;
use crate::id::Digest;

/// A context as its events made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Context {
    pub task: String,
    /// How often a context was made for the task; a purged one may be followed by another.
    pub generation: u32,
    pub opened: Opened,
    /// The immutable account as it is now: a rebuild replaces it.
    pub account: Text,
    pub manifest: Text,
    pub task_file_sha: Digest,
    /// The working tree that the roles work in now, and what it is known by.
    pub worktree: String,
    pub place: Option<Place>,
    pub roles: Vec<Role>,
    /// What was recorded, in order: the start, what roles handed over, what a person resolved.
    pub steps: Vec<Step>,
    /// Those of earlier contexts of the task, with their number before the name.
    pub earlier: Vec<Step>,
    /// How many verifications failed since a person last said why.
    pub drift_budget: u32,
    /// What the last failed verification found.
    pub drift: Option<Drifted>,
    pub measured: Vec<Measured>,
    pub evidence: Vec<Attached>,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    pub updated_by: String,
    pub updates: u64,
    pub purged: Option<(Timestamp, String)>,
    pub is_released: bool,
    /// The number of the last event; not part of what happened.
    #[serde(skip)]
    pub sequence: u64,
}

/// One role of a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Role {
    pub name: String,
    pub status: RoleStatus,
    pub began_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub qa_log: Option<String>,
    pub session: Option<String>,
    pub findings: Vec<Finding>,
}

/// Something that must be dealt with before the work goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub number: u32,
    pub text: String,
    pub at: Timestamp,
    /// How it was dealt with.
    pub cleared: Option<String>,
}

/// What the working tree has to be now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation<'a> {
    /// A role is at work: files may change, but the commit may not.
    AtWork(&'a Role, &'a Step),
    /// Nobody is at work: exactly what this step left.
    AsLeft(&'a Step),
}

impl Expectation<'_> {
    pub fn step(&self) -> &Step {
        match self {
            Self::AtWork(_, step) | Self::AsLeft(step) => step,
        }
    }
}

impl Context {
    /// The fold of `events`; `None` if the first is no opening.
    pub fn replay(
        task: &str,
        events: impl IntoIterator<Item = (Timestamp, String, ContextEvent)>,
    ) -> Option<Self> {
        let mut events = events.into_iter();
        let (at, by, first) = events.next()?;
        let ContextEvent::Opened(opened) = first else { return None };
        let mut context = Self::open(task, 1, (at, &by), *opened);
        for (at, by, event) in events {
            context.apply(at, &by, event);
        }
        Some(context)
    }

    fn open(task: &str, generation: u32, (at, by): (Timestamp, &str), opened: Opened) -> Self {
        let start = Step {
            name: "start".to_owned(),
            at,
            by: by.to_owned(),
            recorded: opened.start.clone(),
            incremental: None,
            handed: None,
            note: None,
        };
        let roles = opened.roles.iter().enumerate().map(|(place, name)| Role {
            name: name.clone(),
            // The task is handed to the first role as it is opened.
            status: if place == 0 { RoleStatus::InProgress } else { RoleStatus::Pending },
            began_at: (place == 0).then_some(at),
            completed_at: None,
            qa_log: None,
            session: None,
            findings: Vec::new(),
        });
        Self {
            task: task.to_owned(),
            generation,
            account: opened.context.clone(),
            manifest: opened.manifest.clone(),
            task_file_sha: opened.task_file_sha,
            worktree: opened.worktree.clone(),
            place: opened.place.clone(),
            roles: roles.collect(),
            steps: vec![start],
            earlier: Vec::new(),
            drift_budget: 0,
            drift: None,
            measured: Vec::new(),
            evidence: Vec::new(),
            opened_at: at,
            updated_at: at,
            updated_by: by.to_owned(),
            updates: 0,
            purged: None,
            is_released: false,
            sequence: 0,
            opened,
        }
    }

    /// Takes in what happened. It takes facts as they are: whether they may happen was asked of
    /// the rules before.
    pub fn apply(&mut self, at: Timestamp, by: &str, event: ContextEvent) {
        self.updated_at = at;
        self.updated_by = by.to_owned();
        self.updates += 1;
        match event {
            ContextEvent::Opened(opened) => {
                let number = self.generation;
                let named = |step: Step| Step { name: format!("{number}/{}", step.name), ..step };
                let mut earlier = std::mem::take(&mut self.earlier);
                earlier.extend(std::mem::take(&mut self.steps).into_iter().map(named));
                *self = Self::open(&self.task, number + 1, (at, by), *opened);
                self.earlier = earlier;
            }
            ContextEvent::Updated(updated) => self.update(at, updated),
            ContextEvent::Blocked { role, finding, .. } => self.block(at, &role, finding),
            ContextEvent::Cleared { role, finding, note } => self.clear(&role, finding, &note),
            ContextEvent::Handed(handed) => self.hand_over((at, by), *handed),
            ContextEvent::Drifted(drifted) => {
                self.drift_budget += 1;
                self.drift = Some(*drifted);
            }
            ContextEvent::Resolved(resolved) => {
                self.drift_budget = 0;
                self.drift = None;
                self.steps.push(Step {
                    name: "resolution".to_owned(),
                    at,
                    by: by.to_owned(),
                    recorded: resolved.recorded,
                    incremental: Some(resolved.incremental),
                    handed: None,
                    note: Some(resolved.note),
                });
            }
            ContextEvent::Adopted(adopted) => {
                self.worktree = adopted.worktree;
                self.place = Some(adopted.place);
            }
            ContextEvent::Measured(measured) => self.measured.push(*measured),
            ContextEvent::Attached(attached) => self.evidence.push(attached),
            ContextEvent::Rebuilt(rebuilt) => {
                self.account = rebuilt.context;
                self.manifest = rebuilt.manifest;
                self.task_file_sha = rebuilt.task_file_sha;
            }
            ContextEvent::Tampered { file, .. } => self.blame(at, &file),
            ContextEvent::Purged { because } => self.purged = Some((at, because)),
            ContextEvent::Released {} => self.is_released = true,
        }
    }

    fn update(&mut self, at: Timestamp, updated: Updated) {
        let Some(place) = self.place(&updated.role) else { return };
        let role = &mut self.roles[place];
        role.qa_log = updated.qa_log.or(role.qa_log.take());
        role.session = updated.session.or(role.session.take());
        let Some(status) = updated.status else { return };
        role.status = status;
        match status {
            RoleStatus::InProgress => {
                role.began_at = Some(at);
                role.completed_at = None;
                // Whoever came after has to look at the new work again.
                for later in &mut self.roles[place + 1..] {
                    later.status = RoleStatus::Pending;
                    later.completed_at = None;
                }
            }
            RoleStatus::Done => role.completed_at = Some(at),
            RoleStatus::Pending | RoleStatus::Blocked => {}
        }
    }

    fn block(&mut self, at: Timestamp, role: &str, finding: String) {
        let Some(place) = self.place(role) else { return };
        let role = &mut self.roles[place];
        let number = u32::try_from(role.findings.len()).unwrap_or(u32::MAX).saturating_add(1);
        role.findings.push(Finding { number, text: finding, at, cleared: None });
        role.status = RoleStatus::Blocked;
    }

    fn clear(&mut self, role: &str, number: u32, note: &str) {
        let Some(place) = self.place(role) else { return };
        let role = &mut self.roles[place];
        let found = role.findings.iter_mut().find(|finding| finding.number == number);
        if let Some(finding) = found {
            finding.cleared = Some(note.to_owned());
        }
        if role.status == RoleStatus::Blocked && role.open_findings().next().is_none() {
            role.status = RoleStatus::Pending;
        }
    }

    fn hand_over(&mut self, (at, by): (Timestamp, &str), handed: Handed) {
        if let Some(place) = self.place(&handed.role) {
            self.roles[place].status = RoleStatus::Done;
            self.roles[place].completed_at = Some(at);
        }
        self.steps.push(Step {
            name: handed.role.clone(),
            at,
            by: by.to_owned(),
            recorded: handed.recorded.clone(),
            incremental: Some(handed.incremental.clone()),
            handed: Some(handed),
            note: None,
        });
    }

    /// Puts a change by another hand on the role that has to deal with it.
    fn blame(&mut self, at: Timestamp, file: &str) {
        let current = self.current().map(|role| role.name.clone());
        let name = current.or_else(|| self.roles.last().map(|role| role.name.clone()));
        if let Some(name) = name {
            let finding = format!("{file} of the context was written by another hand than ours");
            self.block(at, &name, finding);
        }
    }

    pub(super) fn place(&self, role: &str) -> Option<usize> {
        self.roles.iter().position(|known| known.name == role)
    }
}

impl Role {
    pub fn open_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.cleared.is_none())
    }
}
