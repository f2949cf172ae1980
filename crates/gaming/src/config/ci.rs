//! What a server runs for every change: jobs that may fail, never run, or are gone.

use std::collections::HashSet;

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::command::{Fate, fate, filter, runs_tests};
use crate::args::{short, squeeze};
use crate::detect::Change;
use crate::role::Role;

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if change.role != Role::Ci {
        return Vec::new();
    }
    let old = change.old();
    if change.after.is_none() {
        let ran = old.lines().any(runs_tests);
        let message = "A file of the CI that ran tests is gone.";
        return ran.then(|| change.text(Rule::G44, 0, message)).into_iter().collect();
    }
    let before: Vec<Line<'_>> = read(old);
    let after: Vec<Line<'_>> = read(change.new());
    let known: HashSet<&str> = before.iter().map(|line| line.text).collect();
    let lines = change.lines();
    let mut findings = Vec::new();
    for line in after.iter().filter(|line| lines.is_added(line.number)) {
        let existed = !line.unit.is_empty() && known.contains(line.unit);
        findings.extend(judge(change, line, existed));
    }
    let runs = |lines: &[Line<'_>]| lines.iter().filter(|line| runs_tests(line.text)).count();
    if runs(&after) < runs(&before) {
        let gone = lines.removed.iter().find(|(_, text)| runs_tests(text));
        let (number, text) = gone.copied().unwrap_or((0, ""));
        let finding =
            change.text(Rule::G44, number, "The CI runs fewer commands that test or guard.");
        findings.push(finding.change(Some(short(text)), None));
    }
    findings
}

/// A line, and the job or step that it belongs to, by its name or its command.
#[derive(Debug)]
struct Line<'t> {
    number: u32,
    text: &'t str,
    unit: &'t str,
}

/// Lines with the step that they stand in: the nearest item of a list or key that is less deep.
fn read(text: &str) -> Vec<Line<'_>> {
    let all: Vec<&str> = text.lines().take(20_000).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (number, line) in (1..).zip(&all) {
        let told = line.trim();
        if told.is_empty() || told.starts_with('#') {
            continue;
        }
        let deep = depth(line);
        open.retain(|(other, _)| *other < deep);
        let unit = open.last().map_or("", |(_, unit)| *unit);
        found.push(Line { number, text: told, unit });
        // A step is known by its first line, whatever stands below it.
        if told.ends_with(':') || told.starts_with("- ") {
            open.push((deep, told));
        }
    }
    // A setting may be the first line of its own step; it then belongs to what follows.
    found
}

fn judge(change: &Change<'_>, line: &Line<'_>, existed: bool) -> Vec<Finding> {
    let squeezed = squeeze(line.text.trim_start_matches("- "));
    let at = |message: &str| {
        change.text(Rule::G44, line.number, message).change(None, Some(short(line.text)))
    };
    let grade =
        |finding: Finding| finding.graded(if existed { Severity::Block } else { Severity::Info });
    let mut findings = Vec::new();
    let harmless = [
        "continue-on-error:true",
        "allow_failure:true",
        "soft_fail:true",
        "continueOnError:true",
        "catchError",
    ];
    if harmless.iter().any(|word| squeezed.starts_with(word)) {
        findings.push(grade(at("A job or step may fail now.")));
    }
    if ["if:false", "if:${{false}}", "when:never", "enabled:false", "condition:false"]
        .iter()
        .any(|word| squeezed.starts_with(word))
    {
        findings.push(grade(at("A job or step never runs now.")));
    }
    let command = line
        .text
        .trim_start_matches("- ")
        .trim_start_matches("run:")
        .trim_start_matches("script:")
        .trim();
    let command = command.trim_matches(['"', '\'']);
    match fate(command) {
        Fate::ThrownAway => {
            findings.push(at("The failure of a command is thrown away.").graded(Severity::Block))
        }
        Fate::Lost => findings.push(at("The failure of a command gets lost in a pipe.")),
        _ => {}
    }
    if runs_tests(command) && filter(command).is_some() {
        findings.push(Finding { rule: Rule::G03, ..at("The CI leaves tests out.") });
    }
    if line.text.starts_with("set +e") {
        findings.push(at("Failures don't end the script any more."));
    }
    findings
}
