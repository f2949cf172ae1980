//! What a report proves: a pass only if nothing speaks against it.

use serde::{Deserialize, Serialize};

use super::doubt::Doubt;
use super::format::Format;
use super::report::{Case, Outcome, Report};
use crate::worklog::deviation::Tested;

/// How many names a reason lists.
const MAX_NAMED: usize = 5;

/// What a report proves, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    pub tested: Tested,
    pub basis: Basis,
    /// Why it is no pass; for a pass, what it rests on.
    pub reasons: Vec<String>,
}

/// What a conclusion rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum Basis {
    /// Tests that we counted ourselves.
    Counted { passed: u64 },
    /// Tests that only the runner counted; we saw which files or packages they are in.
    Claimed { passed: u64 },
    /// The exit code alone. No test was counted.
    ExitCode,
}

impl Report {
    /// What this report proves. It is a pass only if it is complete, one test at least passed,
    /// none failed or is unknown, nothing contradicts it, and the exit code, if known, is 0. A
    /// command without tests is judged by its exit code alone.
    pub fn conclusion(&self) -> Conclusion {
        let basis = self.basis();
        let bad = self.bad_reasons();
        let unclear = self.unclear_reasons(basis);
        let (tested, reasons) = match (bad.is_empty(), unclear.is_empty()) {
            (false, _) => (Tested::Failed, [bad, unclear].concat()),
            (true, false) => (Tested::Unknown, unclear),
            (true, true) => (Tested::Passed, vec![self.good_reason(basis)]),
        };
        Conclusion { tested, basis, reasons }
    }

    fn basis(&self) -> Basis {
        let counted = self.count().passed;
        let claimed = self.claimed.map_or(0, |claimed| claimed.passed);
        let is_seen = self.suites.iter().any(|suite| suite.outcome == Outcome::Passed);
        match (counted, claimed) {
            (1.., _) => Basis::Counted { passed: counted },
            (0, 1..) if is_seen => Basis::Claimed { passed: claimed },
            _ => Basis::ExitCode,
        }
    }

    fn bad_reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let named = self.cases.iter().filter(|case| case.outcome.is_bad()).count() as u64;
        if named > 0 {
            reasons.push(list(named, "failed", self.cases.iter(), Outcome::is_bad));
        }
        let counted = self.count().bad().max(self.claimed.map_or(0, |claimed| claimed.bad()));
        // Runners count attempts and failures while cleaning up as well, so more is no news.
        if named == 0 && counted > 0 {
            reasons.push(format!("{} failed without being named", tests(counted)));
        }
        let suites = self.suites.iter().filter(|suite| suite.outcome.is_bad());
        let suites: Vec<&str> = suites.map(|suite| suite.id.as_str()).take(MAX_NAMED).collect();
        if reasons.is_empty() && !suites.is_empty() {
            reasons.push(format!("failed: {}", suites.join(", ")));
        }
        if let Some(code) = self.exit_code.filter(|code| *code != 0) {
            reasons.push(format!("the exit code is {code}"));
        }
        reasons
    }

    fn unclear_reasons(&self, basis: Basis) -> Vec<String> {
        let mut reasons: Vec<String> = self
            .doubts
            .iter()
            .filter(|doubt| doubt.kind.is_grave())
            .map(Doubt::to_string)
            .collect();
        if !self.is_complete && reasons.is_empty() {
            reasons.push("nothing says that the run came to its end".to_owned());
        }
        let count = self.count();
        if count.unknown > 0 {
            let is_unknown = |outcome| outcome == Outcome::Unknown;
            reasons.push(list(
                count.unknown,
                "ended nobody knows how",
                self.cases.iter(),
                is_unknown,
            ));
        }
        if self.suites.iter().any(|suite| suite.outcome == Outcome::Unknown) {
            reasons.push("of some files or packages nobody says how they ended".to_owned());
        }
        let is_plain = self.format == Format::Plain;
        let has_suites = self.suites.iter().any(|suite| suite.outcome == Outcome::Passed);
        match (basis, self.exit_code) {
            (Basis::Counted { .. } | Basis::Claimed { .. }, _) => {}
            (Basis::ExitCode, Some(_)) if is_plain => {}
            (Basis::ExitCode, Some(_)) if has_suites && count.all() == 0 => {}
            (Basis::ExitCode, None) if is_plain || has_suites => {
                reasons.push("no test is counted, and the exit code is not known".to_owned());
            }
            (Basis::ExitCode, _) => reasons.push("no test passed".to_owned()),
        }
        reasons
    }

    fn good_reason(&self, basis: Basis) -> String {
        let flaky = match self.flaky().count() as u64 {
            0 => String::new(),
            some => format!(", {} only when run again", tests(some)),
        };
        match basis {
            Basis::Counted { passed } => format!("{} passed{flaky}", tests(passed)),
            Basis::Claimed { passed } => {
                format!("{} passed, says the runner{flaky}", tests(passed))
            }
            Basis::ExitCode => {
                "the exit code is 0; it holds no tests that can be counted".to_owned()
            }
        }
    }
}

/// `3 tests`.
pub(super) fn tests(count: u64) -> String {
    if count == 1 { "1 test".to_owned() } else { format!("{count} tests") }
}

/// Some names, and how many there are besides.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut more = 0_usize;
    for name in names {
        if shown.len() < MAX_NAMED { shown.push(name.to_owned()) } else { more += 1 }
    }
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

fn list<'a>(
    count: u64,
    what: &str,
    cases: impl Iterator<Item = &'a Case>,
    wanted: fn(Outcome) -> bool,
) -> String {
    let ids = names(cases.filter(|case| wanted(case.outcome)).map(|case| case.id.as_str()));
    let colon = if ids.is_empty() { "" } else { ": " };
    format!("{} {what}{colon}{ids}", tests(count))
}

#[cfg(test)]
#[path = "conclusion_tests.rs"]
mod tests;
