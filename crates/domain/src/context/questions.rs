//! What can be asked of a context: whose turn it is, what the tree has to be, which steps there are.

use super::event::RoleStatus;
use super::measured::Measured;
use super::state::{Context, Expectation, Role};
use super::step::Step;
use crate::id::Digest;

impl Context {
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.place(name).map(|place| &self.roles[place])
    }

    /// The role that is at work, or the next one: the first that is not done.
    pub fn current(&self) -> Option<&Role> {
        self.roles.iter().find(|role| role.status != RoleStatus::Done)
    }

    /// The newest tree on the record.
    pub fn last_step(&self) -> &Step {
        // There is always a start.
        &self.steps[self.steps.len() - 1]
    }

    /// The role whose work the newest tree is, if any.
    pub fn last_worker(&self) -> Option<&str> {
        let worked = |step: &&Step| self.role(&step.name).is_some();
        self.steps.iter().rev().find(worked).map(|step| step.name.as_str())
    }

    /// The results on one tree, oldest first.
    pub fn measured_on(&self, tree: &Digest) -> impl Iterator<Item = &Measured> {
        self.measured.iter().filter(move |measured| measured.tree.as_ref() == Some(tree))
    }

    /// What the working tree has to be now.
    pub fn expectation(&self) -> Expectation<'_> {
        let at_work = self.roles.iter().find(|role| role.status == RoleStatus::InProgress);
        match at_work {
            Some(role) => Expectation::AtWork(role, self.last_step()),
            None => Expectation::AsLeft(self.last_step()),
        }
    }

    /// The step of this name: `start`, a role, or `resolution` for the newest one; with a number
    /// behind it (`reviewer#1`) for an earlier one; with another before it (`1/reviewer`) for one
    /// of an earlier context of the same task.
    pub fn step(&self, name: &str) -> Option<&Step> {
        let all = || self.earlier.iter().chain(&self.steps);
        match name.rsplit_once('#') {
            Some((name, number)) => {
                let number: usize = number.parse().ok()?;
                all().filter(|step| step.name == name).nth(number.checked_sub(1)?)
            }
            None => all().rfind(|step| step.name == name),
        }
    }

    /// The names by which all steps can be asked for, in order.
    pub fn step_names(&self) -> Vec<String> {
        let all: Vec<&Step> = self.earlier.iter().chain(&self.steps).collect();
        let times = |name: &str, among: &[&Step]| among.iter().filter(|s| s.name == name).count();
        all.iter()
            .enumerate()
            .map(|(place, step)| match times(&step.name, &all) {
                1 => step.name.clone(),
                _ => format!("{}#{}", step.name, 1 + times(&step.name, &all[..place])),
            })
            .collect()
    }

    /// The step that the last turn of `role` began from, and the one it ended with.
    pub fn turn(&self, role: &str) -> Option<(&Step, &Step)> {
        let last = self.steps.iter().rposition(|step| step.name == role)?;
        // A role that was blocked in between left several steps in a row.
        let first = self.steps[..last].iter().rposition(|step| step.name != role)?;
        Some((&self.steps[first], &self.steps[last]))
    }

    /// The results that later ones are compared with, the newest first. What an older one knows
    /// stays known, up to the one for which a person said why it may differ from those before.
    pub fn baselines(&self) -> impl Iterator<Item = &Measured> {
        let from = self.measured.iter().rposition(|one| one.is_baseline && one.note.is_some());
        let known = &self.measured[from.unwrap_or_default()..];
        known.iter().rev().filter(|measured| measured.is_baseline)
    }
}

/// A step by its name, as a part of a sentence.
pub fn step_words(name: &str) -> &str {
    match name {
        "start" => "the start",
        "resolution" => "the resolution",
        role => role,
    }
}
