//! The commands that put right what became of a tree, and what only a person can do.
//!
//! They are meant to be pasted in their order, in the folder that [`Here`] names. None of them
//! loses anything that is not recorded or named in it. What git obeys comes first, as it decides
//! what the other commands do.

mod exact;
mod files;
mod head;
mod settings;
mod shell;

use serde::Serialize;

use super::drift::{Drift, Note};
use super::recorded::Recorded;
pub use exact::Exact;
pub use shell::Here;

/// What puts drift right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Remedies {
    /// Commands for a shell, to be run in this order.
    pub commands: Vec<String>,
    /// What no command can undo, and what to do about it.
    pub by_hand: Vec<String>,
}

impl Drift {
    /// Everything that puts it right, for a shell that stands at `here`. The files of `exact` come
    /// from where their bytes are.
    pub fn remedies(&self, recorded: &Recorded, here: &Here, exact: &Exact<'_>) -> Remedies {
        let mut remedies = Remedies::default();
        for setting in &self.settings {
            setting.remedy(here, &mut remedies);
        }
        head::remedy(self, recorded, here, &mut remedies);
        files::remedy(self, (recorded, exact), here, &mut remedies);
        if self.notes.contains(&Note::BesideChanged) {
            remedies.by_hand.push(
                "permissions or line endings of some file differ, and which one can't be told \
                 without the stat cache: look through what you changed, or take it as it is"
                    .to_owned(),
            );
        }
        remedies
    }
}

impl Remedies {
    fn command(&mut self, command: impl Into<String>) {
        let command = command.into();
        if !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }

    fn by_hand(&mut self, words: impl Into<String>) {
        self.by_hand.push(words.into());
    }
}

#[cfg(test)]
mod tests;
