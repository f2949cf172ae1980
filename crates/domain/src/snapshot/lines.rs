//! Drift as a person reads it: what happened to the whole first, then the files, a line each.

use super::drift::{Drift, FileDrift, Note, SettingDrift};
use super::recorded::{Recorded, State};
use super::remedy::Exact;

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
            lines.push(format!("and {} more files", shown.len() - MOST_NAMED));
        }
        lines.extend(self.settings.iter().take(MOST_NAMED).map(SettingDrift::words));
        let telling = self.notes.iter().filter(|note| Note::is_drift(note));
        lines.extend(telling.map(Note::words));
        lines
    }

    /// The commands that put it right, as far as a command can. What git puts back, it converts,
    /// so the files of `exact` come from where their bytes are.
    pub fn remedies(&self, recorded: &Recorded, exact: &Exact<'_>) -> Vec<String> {
        let whole = self.moved.iter().map(|moved| moved.remedy(recorded));
        let mut each: Vec<String> = Vec::new();
        for file in &self.files {
            match exact.remedy(file) {
                Some(remedy) => each.extend([exact.restore.to_owned(), remedy]),
                None if file.follows => {}
                None => each.extend(file.remedy(recorded)),
            }
        }
        let mut all: Vec<String> = Vec::new();
        for remedy in whole.chain(each) {
            if !all.contains(&remedy) && all.len() < MOST_NAMED {
                all.push(remedy);
            }
        }
        all
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
