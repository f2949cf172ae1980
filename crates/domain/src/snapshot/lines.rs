//! Drift as a person reads it: what happened to the whole first, then the files, a line each.

use super::drift::{Drift, FileDrift, Note};

/// How many files are named.
const MOST_NAMED: usize = 12;

impl Drift {
    /// What drifted, a line each. Files that follow from what was done to the whole are named
    /// only where nothing else is.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.moved.iter().map(|moved| moved.words()).collect();
        let own: Vec<&FileDrift> = self.files.iter().filter(|file| !file.follows).collect();
        let shown = if own.is_empty() { self.files.iter().collect() } else { own };
        lines.extend(shown.iter().take(MOST_NAMED).map(|file| file.words()));
        if shown.len() > MOST_NAMED {
            lines.push(format!("and {} more files", shown.len() - MOST_NAMED));
        }
        lines.extend(self.settings.iter().take(MOST_NAMED).map(|setting| setting.words()));
        let telling = self.notes.iter().filter(|note| Note::is_drift(note));
        lines.extend(telling.map(|note| note.words()));
        lines
    }
}
