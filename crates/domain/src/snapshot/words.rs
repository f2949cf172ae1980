//! What became of a tree, in words for people, and the command that puts it right.

use super::drift::{FileDrift, Kind, Moved, Note, SettingDrift};
use super::recorded::Recorded;

impl Moved {
    /// What happened, in one sentence without its full stop.
    pub fn words(&self) -> String {
        format!("{self:?}")
    }

    /// The command that puts it right.
    pub fn remedy(&self, _recorded: &Recorded) -> Option<String> {
        None
    }
}

impl Kind {
    /// One or two words: `edited`, `line endings only`.
    pub fn name(&self) -> &'static str {
        "edited"
    }
}

impl FileDrift {
    pub fn words(&self) -> String {
        format!("{}: {}", self.path, self.kind.name())
    }

    /// The command that puts it right, for a shell in the top folder of the working tree.
    pub fn remedy(&self, _recorded: &Recorded) -> Option<String> {
        None
    }
}

impl SettingDrift {
    pub fn words(&self) -> String {
        self.name.to_string()
    }
}

impl Note {
    pub fn words(&self) -> String {
        format!("{self:?}")
    }
}
