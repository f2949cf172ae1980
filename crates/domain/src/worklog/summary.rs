//! What happened in one phase, told shortly: to a person, to an agent, in one entry.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::deviation::{Deviation, DeviationKind, Severity};
use super::phase::Phase;
use super::tokens::tokens;
use super::verification::Outcome;

/// The most that a summary may cost an agent, in tokens; and an entry.
pub const MAX_TOKENS: usize = 100;
pub const MAX_ENTRY_TOKENS: usize = 30;

/// Stored: fields are only added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub phase: Phase,
    pub at: Timestamp,
    /// Since the summary before.
    pub operations: u32,
    /// Changed since the summary before.
    pub files: Vec<String>,
    pub todos_done: usize,
    pub todos_remaining: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<Deviation>,
    pub verification: Verifications,
}

/// How the verifications of todos went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verifications {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
}

impl Verifications {
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.passed += 1,
            Outcome::Mismatch | Outcome::Timeout => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }
}

impl Summary {
    /// `ADJUSTMENT_NEEDED`: the work must not go on as it did.
    pub fn needs_adjustment(&self) -> bool {
        self.deviations.iter().any(|deviation| deviation.severity == Severity::High)
    }

    /// D0.9: whether something that an earlier summary complained about is put right in this one.
    pub fn corrects(&self, earlier: &Self) -> bool {
        let still = |kind: DeviationKind, item: &String| {
            self.deviations.iter().any(|now| now.kind == kind && now.items.contains(item))
        };
        let gone = |then: &Deviation| then.items.iter().any(|item| !still(then.kind, item));
        self.phase != Phase::PlanningComplete && earlier.deviations.iter().any(gone)
    }

    /// For an agent, in [`MAX_TOKENS`].
    pub fn render(&self) -> String {
        let mut text = self.facts();
        if self.needs_adjustment() {
            text.push_str(" ADJUSTMENT_NEEDED.");
        }
        let mut said = 0;
        for deviation in &self.deviations {
            let full = format!(" {}", tell(deviation, 2));
            let short = format!(" {}", tell(deviation, 0));
            let room = |more: &str| tokens(&text) + tokens(more) + 6 <= MAX_TOKENS;
            let Some(more) = [full, short].into_iter().find(|more| room(more)) else { break };
            text.push_str(&more);
            said += 1;
        }
        if said < self.deviations.len() {
            text.push_str(&format!(" {} more.", self.deviations.len() - said));
        }
        text
    }

    /// For one line of a worklog, in [`MAX_ENTRY_TOKENS`].
    pub fn render_entry(&self) -> String {
        let found = match self.deviations.len() {
            0 => String::new(),
            _ if self.needs_adjustment() => ", ADJUSTMENT_NEEDED".to_owned(),
            1 => ", 1 deviation".to_owned(),
            count => format!(", {count} deviations"),
        };
        let Self { operations, files, todos_done, .. } = self;
        let todos = todos_done + self.todos_remaining;
        let phase = self.phase.name().trim_end_matches("_complete");
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{phase}: {operations} op{}, {} file{}, {todos_done}/{todos} todos{found}",
            plural(*operations as usize),
            files.len(),
            plural(files.len())
        )
    }

    fn facts(&self) -> String {
        let todos = self.todos_done + self.todos_remaining;
        let count = |count: usize, what: &str| {
            format!("{count} {what}{}", if count == 1 { "" } else { "s" })
        };
        let mut text = format!(
            "{}: {}, {}",
            self.phase.name(),
            count(self.operations as usize, "operation"),
            count(self.files.len(), "file")
        );
        if todos > 0 {
            text.push_str(&format!(", {}/{todos} todos", self.todos_done));
        }
        if self.verification.failed > 0 {
            text.push_str(&format!(", {} unverified", self.verification.failed));
        }
        text.push('.');
        text
    }
}

/// A deviation with so many of its items.
fn tell(deviation: &Deviation, items: usize) -> String {
    let count = deviation.items.len();
    let names: Vec<String> = deviation.items.iter().take(items).map(|item| clip(item)).collect();
    let names = match (names.is_empty(), count > names.len()) {
        (true, _) => String::new(),
        (false, true) => format!(": {}, …", names.join(", ")),
        (false, false) => format!(": {}", names.join(", ")),
    };
    let plural = if count == 1 { "" } else { "s" };
    match (deviation.kind, deviation.severity) {
        (DeviationKind::TodoIncomplete, _) => format!("{count} todo{plural} open{names}."),
        (DeviationKind::TodoDropped, _) => format!("{count} todo{plural} dropped{names}."),
        (DeviationKind::UnplannedFile, _) => format!("{count} unplanned file{plural}{names}."),
        (DeviationKind::TestFailure, Severity::High) => format!("Tests failed{names}."),
        (DeviationKind::TestFailure, _) => format!("Tests not known to pass{names}."),
    }
}

/// An agent's or a person's own words, on one line and short. The end of a path tells more
/// than its start.
fn clip(text: &str) -> String {
    const LONGEST: usize = 32;
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(400)
        .collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = plain.chars().count();
    if count <= LONGEST {
        plain
    } else if plain.contains('/') && !plain.contains(' ') {
        format!("…{}", plain.chars().skip(count + 1 - LONGEST).collect::<String>())
    } else {
        format!("{}…", plain.chars().take(LONGEST - 1).collect::<String>())
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
