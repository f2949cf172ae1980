//! Where the words of a rule don't say whether a task asks for what was found: "get `npm test` green" asks for
//! no other command, and "let that leg run, but not turn the workflow red" asks for a job that may fail.

use countersign_domain::gaming::{Finding, Rule};

use crate::args::has_word;

/// Who says one of these wants what tests print to go somewhere.
const PRINTED: &[&str] = &[
    "pipe", "pipes", "piped", "tee", "log", "logs", "logged", "output", "filter", "grep", "tail",
    "head", "print", "prints", "printed", "shorter", "quiet", "quieter", "lines", "record",
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
    let is_about_failing = finding.rule == Rule::G44 && finding.message.contains("may fail");
    let stops_nobody = |sentence: &str| {
        sentence.len() < MAX_SENTENCE
            && RUNS.iter().any(|word| has_word(sentence, word))
            && STOPS_NOBODY.iter().any(|word| has_word(sentence, word))
    };
    (is_about_failing && lower.split(". ").any(stops_nobody)).then_some(true)
}
