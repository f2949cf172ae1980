//! What changed in the user's own repository while an agent was at work in its checkout (G46).
//!
//! Agents run with the rights of the user, so they can reach it. What makes programs run later, or hides
//! changes, stops the work until a person has looked; what people do themselves while a run goes on (a commit,
//! a fetch, an edit) is told.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::effect::{Effect, Next};
use super::state::Step;
use super::{Run, RunEvent};
use crate::id::Digest;
use crate::secret::Scanner;

/// What sort of thing changed. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A setting of git that makes programs run, or changes what git sees.
    Setting,
    Hook,
    /// A file that git obeys, such as `info/attributes`.
    File,
    /// An object that another one stands in for.
    Replaced,
    /// A reference that only we move.
    Own,
    /// A file that the index tells git not to look at.
    Hidden,
    /// A reference that came to a commit of the agent's making.
    Pushed,
    /// A branch, a tag, or `HEAD`.
    Reference,
    /// What is staged.
    Index,
    /// Files of the working tree.
    Files,
    /// A lock that keeps commands of git from running.
    Lock,
    /// A file with settings that git can't read any more.
    Unreadable,
    /// The repository itself, with which git can't work any more.
    Broken,
}

impl Sort {
    /// Whether a person has to look at it before the work can count.
    pub fn is_asked_about(self) -> bool {
        !matches!(self, Self::Reference | Self::Index | Self::Files | Self::Lock)
    }
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    pub sort: Sort,
    pub name: String,
    /// In short, and never a secret; nothing if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Who was at work meanwhile, where that is told apart from what else went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub during: Option<String>,
}

impl Outside {
    /// The repository can't be looked at any more, because of `error`.
    pub fn broken(error: &impl fmt::Display) -> Self {
        let name = Scanner::builtin().redact(&error.to_string()).into_owned();
        Self { sort: Sort::Broken, name, before: None, after: None, during: None }
    }
}

/// The names of filters among what changed. Whoever planted one would have it run by whoever records files.
pub fn filters(outside: &[Outside]) -> Vec<String> {
    let settings = outside.iter().filter(|one| one.sort == Sort::Setting);
    let mut names: Vec<String> = settings
        .filter_map(|one| {
            let key = one.name.split(" (").next()?.strip_prefix("filter.")?;
            Some(key.rsplit_once('.')?.0.to_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.sort {
            Sort::Setting => write!(f, "git's setting {name}")?,
            Sort::Hook => write!(f, "the hook {name}")?,
            Sort::File => write!(f, "{name}, which git obeys,")?,
            Sort::Replaced => write!(f, "what stands in for the object {name}")?,
            Sort::Own => write!(f, "our own reference {name}")?,
            Sort::Hidden => return write!(f, "git was told not to look at {name} any more"),
            Sort::Pushed | Sort::Reference => f.write_str(name)?,
            Sort::Index => return write!(f, "what is staged changed"),
            Sort::Files => return write!(f, "files were changed: {name}"),
            Sort::Lock => {
                return write!(f, "git's lock {name} is there; if no git is at work, remove it");
            }
            Sort::Unreadable => {
                return write!(
                    f,
                    "git can't read the settings in {name} any more: mend that file, or put back what it was"
                );
            }
            Sort::Broken => return write!(f, "git could not work with it any more: {name}"),
        }
        let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        write!(f, " went from {} to {}", side(&self.before), side(&self.after))?;
        match self.sort {
            Sort::Pushed => f.write_str(", a commit that was made in the agent's own checkout"),
            _ => Ok(()),
        }
    }
}

impl Run {
    /// What is known of the user's own repository.
    pub(super) fn take_outside(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Prepared { fingerprint, .. }
            | RunEvent::Launched { fingerprint, .. }
            | RunEvent::VerifierLaunched { fingerprint, .. }
            | RunEvent::Looked { fingerprint, .. } => {
                self.notice(event);
                (self.fingerprint, self.is_unseen) = (*fingerprint, false);
            }
            RunEvent::Reviewed(_)
            | RunEvent::Worked { .. }
            | RunEvent::Interrupted { .. }
            | RunEvent::Verified(_)
            | RunEvent::VerifierInterrupted { .. }
            | RunEvent::Checked(_)
            | RunEvent::Examined(_) => {
                self.notice(event);
                self.is_unseen = event.outside().iter().any(|one| one.sort == Sort::Broken);
                // What breaks it may hide what else was done there, until somebody mends it.
                self.fingerprint = self.fingerprint.filter(|_| self.is_unseen);
            }
            _ => {}
        }
    }

    /// Whether it could not be looked at when somebody had ended, and that is due before anything else is.
    pub(super) fn must_look_again(&self) -> bool {
        let is_at_rest = match self.step {
            Step::Opened
            | Step::Reviewed
            | Step::Worked
            | Step::Claimed
            | Step::Snapshotted { .. } => true,
            Step::Prepared
            | Step::Launched { .. }
            | Step::VerifierLaunched { .. }
            | Step::Ruled { .. }
            | Step::Asked { .. }
            | Step::Committed { .. }
            | Step::Cancelling
            | Step::Stopping { .. }
            | Step::Closed { .. } => false,
        };
        is_at_rest && self.is_unseen && self.fingerprint.is_some()
    }

    /// Whether somebody may have looked now: before checks, or at what was not seen before.
    pub(super) fn may_be_looked_at(
        &self,
        fingerprint: Option<&Digest>,
        outside: &[Outside],
    ) -> bool {
        let is_checking =
            || matches!(self.due(), Next::Perform(Effect::Check { .. } | Effect::Examine { .. }));
        match (self.fingerprint, fingerprint) {
            (None, Some(_)) => outside.is_empty() && is_checking(),
            (Some(_), None) => {
                self.must_look_again() || matches!(self.step, Step::Snapshotted { .. })
            }
            _ => false,
        }
    }

    /// Takes in what an event tells of, with who was at work then.
    pub(super) fn notice(&mut self, event: &RunEvent) {
        let attempt = self.attempt;
        let who = match event {
            RunEvent::Reviewed(_) => "the reviewer".to_owned(),
            RunEvent::Verified(verified) => format!("verifier {}", verified.verifier + 1),
            RunEvent::VerifierInterrupted { verifier, .. } => format!("verifier {}", verifier + 1),
            RunEvent::Checked(_) | RunEvent::Examined(_) | RunEvent::Looked { .. } => {
                "a check".to_owned()
            }
            _ => "the worker".to_owned(),
        };
        // Where nothing could be seen then, it is known who was at work.
        let known = self.outside.last().filter(|_| self.is_unseen);
        let known = known.filter(|_| matches!(event, RunEvent::Looked { .. }));
        let known = known.and_then(|last| last.during.clone());
        let during = known.or_else(|| Some(format!("{who} of attempt {attempt}")));
        let all = event.outside().iter();
        self.outside.extend(all.map(|one| Outside { during: during.clone(), ..one.clone() }));
    }

    /// Who was at work when something happened that nobody has answered for.
    pub fn suspects(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for who in self.unanswered().filter_map(|one| one.during.as_deref()) {
            if !all.contains(&who) {
                all.push(who);
            }
        }
        all
    }

    /// What nobody has answered for yet and has to.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = &Outside> {
        let since = self.outside.get(self.answered..).unwrap_or_default();
        since.iter().filter(|one| one.sort.is_asked_about())
    }

    /// Whether a person has to look at the user's repository first.
    pub(super) fn must_be_looked_at(&self) -> bool {
        self.unanswered().next().is_some()
    }
}
