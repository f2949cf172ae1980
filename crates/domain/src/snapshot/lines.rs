//! Drift as a person reads it: what happened to the whole first, then the files, a line each.

use super::drift::{Drift, FileDrift, Note, SettingDrift};
use super::recorded::State;

/// How many files are named.
const MOST_NAMED: usize = 12;

impl Drift {
    /// What drifted, a line each. Files that follow from what was done to the whole are named
    /// only where nothing else is.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .moved
            .iter()
            .map(|moved| format!("{} ({})", moved.words(), moved.name()))
            .collect();
        let own: Vec<&FileDrift> = self.files.iter().filter(|file| !file.follows).collect();
        let shown = if own.is_empty() { self.files.iter().collect() } else { own };
        lines.extend(shown.iter().take(MOST_NAMED).map(|file| named(file)));
        if shown.len() > MOST_NAMED {
            lines.push(more(shown.len(), "file"));
        }
        lines.extend(self.settings.iter().take(MOST_NAMED).map(SettingDrift::words));
        if self.settings.len() > MOST_NAMED {
            lines.push(more(self.settings.len(), "setting"));
        }
        let telling = self.notes.iter().filter(|note| Note::is_drift(note));
        lines.extend(telling.map(Note::words));
        lines
    }
}

/// A file with what became of it; the name of that is part of it, so that it can be looked up.
fn named(file: &FileDrift) -> String {
    let (words, name) = (file.words(), file.kind.name());
    let words = if words.ends_with(name) { words } else { format!("{words} ({name})") };
    match (&file.before, &file.after) {
        (Some(State::File { object: expected, .. }), Some(State::File { object: found, .. }))
            if expected != found =>
        {
            format!("{words}; expected {}, found {}", expected.short(), found.short())
        }
        _ => words,
    }
}

fn more(all: usize, what: &str) -> String {
    match all - MOST_NAMED {
        1 => format!("and another {what}"),
        left => format!("and {left} more {what}s"),
    }
}
