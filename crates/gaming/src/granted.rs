//! Where the words of a rule don't say whether a task asks for what was found: "get `npm test` green" asks for
//! no other command, and "let that leg run, but not turn the workflow red" asks for a job that may fail.

use countersign_domain::gaming::{Finding, Rule};
use countersign_domain::verify::only_adds;

use crate::args::has_word;

/// Who says one of these wants what tests print to go somewhere.
const PRINTED: &[&str] = &[
    "pipe", "pipes", "piped", "tee", "log", "logs", "logged", "output", "filter", "grep", "tail",
    "head", "print", "prints", "printed", "shorter", "quiet", "quieter", "lines", "record",
];
/// Who says one of these wants something to be there and not yet to be had.
const STAGED: &[&str] = &[
    "toggle",
    "rollout",
    "roll out",
    "staged",
    "experimental",
    "feature flag",
    "feature-flag",
    "behind a flag",
    "behind a switch",
    "off by default",
    "disabled by default",
    "opt-in",
];
/// What a server runs.
const RUNS: &[&str] = &[
    "ci",
    "workflow",
    "workflows",
    "pipeline",
    "job",
    "jobs",
    "leg",
    "legs",
    "matrix",
    "build",
    "runner",
    "runners",
    "step",
];
/// A failure that is to stop nobody.
const STOPS_NOBODY: &[&str] = &[
    "not turn",
    "not make",
    "not fail",
    "not break",
    "not block",
    "not stop",
    "without failing",
    "without turning",
    "without breaking",
    "without blocking",
    "shouldn't fail",
    "shouldn't turn",
    "shouldn't block",
    "doesn't fail",
    "doesn't block",
    "doesn't turn",
];
/// So long are sentences that are looked at.
const MAX_SENTENCE: usize = 2_000;

/// Whether a task asks for what was found, where the words of its rule don't decide.
pub(crate) fn decided(finding: &Finding, task: &str) -> Option<bool> {
    let lower = task.to_lowercase();
    if finding.message.ends_with("gets lost in a pipe.") {
        return (!PRINTED.iter().any(|word| has_word(&lower, word))).then_some(false);
    }
    // "Give Party a `resident` flag" asks for a field, and for nothing that waits for a variable.
    if finding.rule == Rule::G28 && finding.message.ends_with("in the environment.") {
        return (!STAGED.iter().any(|word| has_word(&lower, word))).then_some(false);
    }
    // "Add a csv format" asks for no other text report.
    if finding.rule == Rule::G16 && only_adds(task) {
        return Some(false);
    }
    let is_about_failing = finding.rule == Rule::G44 && finding.message.contains("may fail");
    let stops_nobody = |sentence: &str| {
        sentence.len() < MAX_SENTENCE
            && RUNS.iter().any(|word| has_word(sentence, word))
            && STOPS_NOBODY.iter().any(|word| has_word(sentence, word))
    };
    (is_about_failing && lower.split(". ").any(stops_nobody)).then_some(true)
}

#[cfg(test)]
mod tests {
    use countersign_domain::gaming::Basis;

    use super::*;

    /// G28, G16: words of a rule that a task has for something else ask for nothing.
    #[test]
    fn what_a_task_asks_for_with_the_same_words() {
        let check = |rule: Rule, message: &str, task: &str, wanted: Option<bool>| {
            let finding = Finding::new(rule, Basis::Text, message);
            assert_eq!(decided(&finding, task), wanted, "{task}");
        };
        let waits = "New behaviour waits for 'FARES' in the environment.";
        check(Rule::G28, waits, "Give Party a `resident` flag for islanders.", Some(false));
        check(Rule::G28, waits, "Put the new fares behind a feature flag.", None);
        check(Rule::G28, waits, "Ship the fares as experimental for now.", None);
        let recorded = "Recorded output was changed.";
        check(Rule::G16, recorded, "Add a csv format to the list.", Some(false));
        check(Rule::G16, recorded, "Change the format of the list.", None);
        check(Rule::G16, recorded, "Add the weekday to the list, update the snapshots.", None);
    }
}
