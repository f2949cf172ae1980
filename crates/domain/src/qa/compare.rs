//! What changed between two runs of the same checks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::conclusion::{names, tests};
use super::report::{Outcome, Report, Totals};

/// One test, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Outcome>,
    /// What it says now, or said when it was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How later runs differ from a baseline. Every test is in one list at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Comparison {
    /// Fail now and did not before; also those that are new.
    pub newly_failing: Vec<Change>,
    pub fixed: Vec<Change>,
    pub still_failing: Vec<Change>,
    /// Passed and failed on the same tree.
    pub flaky: Vec<Change>,
    /// Were there and are not any more.
    pub gone: Vec<Change>,
    pub new: Vec<Change>,
    pub newly_skipped: Vec<Change>,
    /// Are there, but nobody knows how they ended.
    pub unknown: Vec<Change>,
    /// Not seen, in reports that are cut or don't name every test: they may be gone or not.
    pub unseen: Vec<Change>,
    /// How many are as they were, or no longer skipped.
    pub unchanged: u64,
    pub before: Totals,
    pub after: Totals,
    /// What keeps the comparison from saying more.
    pub limits: Vec<String>,
}

/// All that is known of one test.
#[derive(Debug, Default)]
struct Seen<'a> {
    outcomes: Vec<Outcome>,
    message: Option<&'a str>,
}

impl Seen<'_> {
    fn worst(&self) -> Option<Outcome> {
        self.outcomes.iter().copied().max()
    }

    fn is_flaky(&self) -> bool {
        self.outcomes.contains(&Outcome::Passed) && self.outcomes.iter().any(|one| one.is_bad())
    }
}

/// Compares a baseline with one or more later runs on one tree. A test is flaky if it passed and
/// failed within them.
pub fn compare(baseline: &Report, later: &[Report]) -> Comparison {
    let mut comparison = Comparison {
        before: baseline.count(),
        after: later.first().map(Report::count).unwrap_or_default(),
        ..Comparison::default()
    };
    let told_all = !later.is_empty() && later.iter().all(|one| one.is_complete && one.names_all());
    comparison.limits = limits(baseline, later);
    let mut before = BTreeMap::new();
    gather(&mut before, baseline);
    let mut after = BTreeMap::new();
    for report in later {
        gather(&mut after, report);
    }
    // A suite is always named, but not by every runner alike.
    let told_suites = !later.is_empty()
        && later.iter().all(|one| one.is_complete && one.format == baseline.format);
    let suites: BTreeSet<&str> = baseline.suites.iter().map(|suite| suite.id.as_str()).collect();
    for (id, was) in before.iter().filter(|(id, _)| !after.contains_key(*id)) {
        let is_gone = told_all || told_suites && suites.contains(id);
        let list = if is_gone { &mut comparison.gone } else { &mut comparison.unseen };
        list.push(change(id, Some(was), None));
    }
    let had_all = baseline.is_complete && baseline.names_all();
    for (id, is) in &after {
        comparison.place(id, before.get(id), is, had_all);
    }
    comparison
}

impl Comparison {
    fn place(&mut self, id: &str, was: Option<&Seen<'_>>, is: &Seen<'_>, had_all: bool) {
        let change = change(id, was, Some(is));
        let failed_before = change.before.is_some_and(Outcome::is_bad);
        let Some(after) = change.after else { return self.unchanged += 1 };
        let list = match (change.before, after) {
            _ if is.is_flaky() => &mut self.flaky,
            (_, Outcome::Unknown) => &mut self.unknown,
            (_, Outcome::Failed | Outcome::Errored) if failed_before => &mut self.still_failing,
            (_, Outcome::Failed | Outcome::Errored) => &mut self.newly_failing,
            (Some(Outcome::Skipped), Outcome::Skipped) => return self.unchanged += 1,
            (Some(_), Outcome::Skipped) => &mut self.newly_skipped,
            (_, Outcome::Passed) if failed_before => &mut self.fixed,
            // Where passing tests have no names, one that gets a name need not be new.
            (None, Outcome::Passed | Outcome::Skipped) if had_all => &mut self.new,
            (_, Outcome::Passed | Outcome::Skipped) => return self.unchanged += 1,
        };
        list.push(change);
    }

    /// What is worse than it was, or can't be told, in words, the worst first.
    pub fn findings(&self) -> Vec<String> {
        let lists = [
            (&self.newly_failing, "fails now and did not before", "fail now and did not before"),
            (&self.gone, "is gone", "are gone"),
            (
                &self.flaky,
                "passed and failed on the same tree",
                "passed and failed on the same tree",
            ),
            (
                &self.newly_skipped,
                "is skipped now and was run before",
                "are skipped now and were run before",
            ),
            (&self.unknown, "ended nobody knows how", "ended nobody knows how"),
            (&self.unseen, "was not seen again", "were not seen again"),
            (&self.still_failing, "fails as before", "fail as before"),
        ];
        let mut findings = told(lists);
        let (before, after) = (self.before.all(), self.after.all());
        if after < before && self.gone.is_empty() {
            findings.push(format!("{} before, {} now", tests(before), tests(after)));
        }
        findings.extend(self.limits.iter().cloned());
        findings
    }

    /// What is better than it was, in words.
    pub fn improvements(&self) -> Vec<String> {
        let lists = [
            (&self.fixed, "failed before and passes now", "failed before and pass now"),
            (&self.new, "is new", "are new"),
        ];
        told(lists)
    }

    /// Whether nothing is worse than it was, and all of that could be told.
    pub fn is_clean(&self) -> bool {
        self.findings().len() == usize::from(!self.still_failing.is_empty())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            (&self.newly_failing, "newly failing"),
            (&self.fixed, "fixed"),
            (&self.still_failing, "still failing"),
            (&self.flaky, "flaky"),
            (&self.gone, "gone"),
            (&self.new, "new"),
            (&self.newly_skipped, "newly skipped"),
            (&self.unknown, "unknown"),
            (&self.unseen, "not seen"),
        ];
        for (list, name) in lists.into_iter().filter(|(list, _)| !list.is_empty()) {
            write!(f, "{} {name}, ", list.len())?;
        }
        write!(f, "{} unchanged", self.unchanged)
    }
}

/// Each list that has something in it, with its words for one and for many.
fn told<const N: usize>(lists: [(&Vec<Change>, &str, &str); N]) -> Vec<String> {
    lists
        .into_iter()
        .filter(|(list, _, _)| !list.is_empty())
        .map(|(list, one, many)| {
            let count = list.len() as u64;
            let what = if count == 1 { one } else { many };
            let ids = names(list.iter().map(|change| change.id.as_str()));
            format!("{} {what}: {ids}", tests(count))
        })
        .collect()
}

fn change(id: &str, was: Option<&Seen<'_>>, is: Option<&Seen<'_>>) -> Change {
    let message = is.and_then(|seen| seen.message).or(was.and_then(|seen| seen.message));
    Change {
        id: id.to_owned(),
        before: was.and_then(Seen::worst),
        after: is.and_then(Seen::worst),
        message: message.map(str::to_owned),
    }
}

/// The outcomes of all tests of a report, and of the suites that stand for tests without names.
fn gather<'a>(seen: &mut BTreeMap<&'a str, Seen<'a>>, report: &'a Report) {
    for case in &report.cases {
        let entry = seen.entry(&case.id).or_default();
        entry.outcomes.push(case.outcome);
        entry.outcomes.extend(&case.attempts);
        if case.outcome != Outcome::Passed {
            entry.message = case.message.as_deref().or(entry.message);
        }
    }
    for suite in report.suites.iter().filter(|suite| !suite.id.is_empty()) {
        let entry = seen.entry(&suite.id).or_default();
        if !(suite.outcome.is_bad() && names_failure_in(report, &suite.id)) {
            entry.outcomes.push(suite.outcome);
        }
    }
}

/// Whether what failed in a suite is named, so that the suite itself need not be told of.
fn names_failure_in(report: &Report, suite: &str) -> bool {
    let from = report.cases.partition_point(|case| case.id.as_str() < suite);
    let inside = report.cases[from..].iter().take_while(|case| case.id.starts_with(suite));
    inside.into_iter().any(|case| case.outcome.is_bad())
}

fn limits(baseline: &Report, later: &[Report]) -> Vec<String> {
    let mut limits = Vec::new();
    if later.is_empty() {
        limits.push("there is no later run".to_owned());
    }
    if let Some(other) = later.iter().find(|one| one.format != baseline.format) {
        let (was, is) = (baseline.format, other.format);
        limits.push(format!("the baseline is in the format {was} and the later run in {is}: one test may have two names"));
    }
    if baseline.names_all() && later.iter().any(|one| !one.names_all()) {
        limits.push("a later run doesn't name the tests that passed".to_owned());
    }
    if !baseline.is_complete {
        limits.push("the baseline is not complete".to_owned());
    }
    if later.iter().any(|one| !one.is_complete) {
        limits.push("a later run is not complete".to_owned());
    }
    limits
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
