//! What `cargo nextest run` says to people. It ends with a summary, and repeats below that what
//! failed.

mod lines;

use std::collections::BTreeMap;

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Suite, Totals,
};

use super::cargo;
use super::room::Room;
use super::text::Line;
use lines::{Said, Status};

pub(super) fn is_own(line: &str) -> bool {
    !matches!(lines::read(line), Said::Nothing | Said::Broken(_))
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    run: Option<Run>,
    /// Whether the summary of the last run was read; what failed is repeated after it.
    is_closed: bool,
    runs: u64,
    /// Whether a summary was read that fits no run.
    is_doubtful: bool,
    evidence: Option<Certainty>,
}

#[derive(Debug, Default)]
struct Run {
    expected: u64,
    tests: BTreeMap<String, Test>,
    room: Room,
    /// What iterations of a stress test claim, if it is one, and the most passes of one.
    stressed: Option<Totals>,
    most: u64,
    last: Option<String>,
    line: u64,
}

/// One test and how its attempts ended.
#[derive(Debug, Default)]
struct Test {
    attempts: Vec<Outcome>,
    duration_ms: Option<u64>,
    message: Option<String>,
    line: Option<u64>,
    /// Whether it counts as failed although an attempt passed.
    is_failed: bool,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::Nextest),
            run: None,
            is_closed: false,
            runs: 0,
            is_doubtful: false,
            evidence: None,
        }
    }

    pub(super) fn evidence(&self) -> Option<Certainty> {
        self.evidence
    }

    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        match lines::read(line.trimmed()) {
            Said::Nothing => {}
            Said::Header => self.evidence = Some(Certainty::Sure),
            Said::Begin(expected) => self.begin(expected, line),
            Said::Test { status, id, duration_ms } => self.test(status, id, duration_ms, line),
            Said::FailedIfFlaky => self.fail_last(),
            Said::Iteration(totals) => {
                if let Some(run) = &mut self.run {
                    *run.stressed.get_or_insert_default() += totals;
                    run.most = run.most.max(totals.passed);
                }
            }
            Said::Summary { run, of, claimed } => self.close(run, of, claimed, line),
            Said::Stopped(what) => self.draft.doubt(DoubtKind::Stopped, line.at(), what),
            Said::Broken(what) => self.broken(&what, line),
        }
    }

    fn begin(&mut self, expected: u64, line: &Line<'_>) {
        self.evidence = Some(Certainty::Sure);
        self.abandon("another run begins before the summary of this one");
        self.runs += 1;
        self.is_closed = false;
        if self.runs == 2 {
            self.draft.doubt(DoubtKind::SeveralRuns, line.at(), "a second run begins here");
        }
        self.run = Some(Run { expected, line: line.number, ..Run::default() });
    }

    fn test(&mut self, status: Status, id: &str, duration_ms: Option<u64>, line: &Line<'_>) {
        let Status { outcome, is_flaky_failure, .. } = status;
        if self.is_closed {
            self.repeat(&status, id);
            return;
        }
        let Some(run) = &mut self.run else {
            let words = format!("`{id}` is listed outside of any run");
            self.draft.doubt(DoubtKind::Stray, line.at(), words);
            return;
        };
        if !run.tests.contains_key(id) && !run.room.take(id) {
            return;
        }
        let test = run.tests.entry(id.to_owned()).or_default();
        test.attempts.push(line.believe(outcome));
        test.duration_ms = duration_ms;
        test.is_failed |= is_flaky_failure;
        test.message = test.message.take().or(status.words);
        test.line = test.line.or(line.at());
        run.last = Some(id.to_owned());
    }

    /// What is told again after the summary; if it wasn't told before, it is told here only.
    fn repeat(&mut self, status: &Status, id: &str) {
        let outcome = if status.is_flaky_failure { Outcome::Failed } else { status.outcome };
        if outcome.is_bad() || outcome == Outcome::Skipped && !self.draft.has(id) {
            let mut case = Case::new(id, outcome);
            case.message.clone_from(&status.words);
            self.draft.note(case);
        }
    }

    fn fail_last(&mut self) {
        let Some(run) = &mut self.run else { return };
        if let Some(test) = run.last.as_ref().and_then(|id| run.tests.get_mut(id)) {
            test.is_failed = true;
            test.message = Some("it is flaky, and counts as failed".to_owned());
        }
    }

    fn close(&mut self, ran: u64, of: u64, claimed: Option<Totals>, line: &Line<'_>) {
        let is_stress = claimed.is_none();
        // One that doesn't fit was printed by a test; the runner's own is still to come.
        let Some(run) = self.run.take_if(|run| is_stress || of == run.expected) else {
            let words = "the summary fits no run: its beginning is missing, or a test printed it";
            self.draft.doubt(DoubtKind::Stray, line.at(), words);
            self.evidence = self.evidence.max(Some(Certainty::Likely));
            // Then one before it may have been printed as well.
            self.is_doubtful = true;
            return;
        };
        self.is_closed = true;
        if ran < of {
            let words = format!("only {ran} of {of} were run");
            self.draft.doubt(DoubtKind::Stopped, line.at(), words);
        }
        let claimed = claimed.or(run.stressed).unwrap_or_default();
        self.settle(run, claimed, is_stress, line.at());
    }

    fn settle(&mut self, run: Run, claimed: Totals, is_stress: bool, at: Option<u64>) {
        let (is_full, most) = (run.room.is_full, run.most);
        let mut listed = run.into_listed();
        let counted = listed.count();
        // Which tests are shown is a setting; what is not shown is only counted.
        let hidden = claimed.passed.saturating_sub(counted.passed);
        if is_stress {
            // Its iterations claim every test once each.
            if claimed.bad() > 0 && counted.bad() == 0 || counted.passed > most {
                listed.demote();
                let words = format!("the iterations count {claimed}, but {counted} are listed");
                self.draft.doubt(DoubtKind::Contradiction, at, words);
            }
            self.draft.claim(claimed);
            self.draft.add_all(listed);
        } else if hidden > 0 && counted.bad() <= claimed.bad() && counted.unknown == 0 && !is_full {
            let unnamed = Totals { passed: hidden, ..Totals::default() };
            let id = String::new();
            self.draft.suite(Suite { id, outcome: Outcome::Passed, unnamed });
            self.draft.claim(claimed);
            self.draft.add_all(listed);
        } else {
            self.draft.settle(listed, claimed, at);
        }
        if is_full {
            self.draft.doubt(DoubtKind::TooMany, at, "there are more tests than are kept");
        }
    }

    fn broken(&mut self, what: &str, line: &Line<'_>) {
        match what {
            // Said of every run in which a test failed.
            "test run failed" => {}
            "no tests to run" => self.draft.doubt(DoubtKind::Empty, line.at(), what),
            _ => {
                if what.contains("cargo test --no-run") {
                    self.evidence = self.evidence.max(Some(Certainty::Likely));
                }
                let case = Case::new(cargo::item_of(what), Outcome::Errored);
                self.draft.note(case.with_message(what));
            }
        }
    }

    fn abandon(&mut self, words: &str) {
        if let Some(run) = self.run.take() {
            self.draft.doubt(DoubtKind::Cut, Some(run.line), words);
            let mut listed = run.into_listed();
            listed.demote();
            self.draft.add_all(listed);
        }
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let is_cut = self.run.is_some() || !self.is_closed;
        self.abandon("the text stops inside of this run");
        if self.is_doubtful {
            self.draft.demote();
        }
        let ending = if is_cut { Ending::Cut } else { Ending::Closed };
        self.draft.finish(ending, exit_code)
    }
}

impl Run {
    fn into_listed(self) -> Listed {
        let mut listed = Listed::default();
        for (id, test) in self.tests {
            let last = test.attempts.last().copied().unwrap_or(Outcome::Unknown);
            let outcome = if test.is_failed { Outcome::Failed } else { last };
            let mut case = Case::new(id, outcome);
            if test.attempts.len() > 1 {
                case.attempts = test.attempts;
            }
            // Iterations of a stress test are no attempts to get better.
            if self.stressed.is_some() {
                case.outcome = case.attempts.iter().copied().max().unwrap_or(outcome);
            }
            case.message = test.message;
            case.duration_ms = test.duration_ms;
            listed.push(case, test.line);
        }
        listed
    }
}
