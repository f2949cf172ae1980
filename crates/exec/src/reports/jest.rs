//! What jest says to people: files that passed or failed, with their tests if it is verbose or
//! there is one file only, and a summary.

mod lines;
mod run;

use countersign_domain::qa::{
    Certainty, DoubtKind, Draft, Ending, Format, Outcome, Report, Suite, Totals,
};

use super::text::Line;
use lines::{Said, Sum};
use run::Run;

pub(super) fn is_own(line: &str) -> bool {
    matches!(lines::read(line), Said::File { .. } | Said::Suites(_) | Said::Tests(_) | Said::End)
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    run: Run,
    runs: u64,
    empty: Option<u64>,
    is_closed: bool,
    has_files: bool,
    evidence: Option<Certainty>,
}

/// One call of jest.
impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::Jest),
            run: Run::default(),
            runs: 0,
            empty: None,
            is_closed: false,
            has_files: false,
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
        let said = lines::read(line.trimmed());
        let run = &mut self.run;
        if self.is_closed && matches!(said, Said::File { .. } | Said::Suites(_)) {
            self.is_closed = false;
        }
        match said {
            Said::File { has_passed, id } => {
                self.has_files = true;
                run.begin(id, has_passed, line);
            }
            Said::Block(title) => run.block(title, line),
            Said::Suites(sum) => {
                run.in_tree = false;
                run.suites = Some(sum);
            }
            Said::Tests(sum) => run.tests = Some((sum, line.number)),
            Said::Time | Said::End => self.close(line),
            Said::NoTests => {
                self.evidence = self.evidence.max(Some(Certainty::Likely));
                self.is_closed = true;
                self.runs += 1;
                self.empty = self.empty.or(line.at());
            }
            Said::Exited => {
                self.evidence = self.evidence.max(Some(Certainty::Likely));
                self.draft.doubt(DoubtKind::Stopped, line.at(), line.text.trim());
            }
            Said::Nothing if run.in_tree => run.tree(line),
            Said::Nothing => run.tell(line),
        }
    }

    fn close(&mut self, line: &Line<'_>) {
        let mut run = std::mem::take(&mut self.run);
        run.flush();
        let (Some(suites), Some((tests, at))) = (run.suites, run.tests) else {
            if run.line.is_some() {
                self.run = run;
            }
            return;
        };
        let certainty = if self.has_files { Certainty::Sure } else { Certainty::Likely };
        self.evidence = self.evidence.max(Some(certainty));
        self.is_closed = true;
        self.runs += 1;
        if self.runs == 2 {
            self.draft.doubt(DoubtKind::SeveralRuns, line.at(), "a second run ends here");
        }
        if tests.total == 0 {
            self.empty = self.empty.or(line.at());
        }
        self.check(&run, &suites, &tests, at);
        self.settle(run, &tests, at);
    }

    /// Whether the two sums are sums, and fit the files that are listed.
    fn check(&mut self, run: &Run, suites: &Sum, tests: &Sum, at: u64) {
        let at = Some(at);
        if tests.totals.all() != tests.total {
            self.draft.doubt(DoubtKind::Contradiction, at, "the tests don't add up to their total");
        }
        if suites.run.saturating_add(suites.totals.skipped) < suites.total {
            let words = format!("only {} of {} files were run", suites.run, suites.total);
            self.draft.doubt(DoubtKind::Stopped, at, words);
        }
        let passed = run.files.iter().filter(|file| file.has_passed).count() as u64;
        let failed = run.files.len() as u64 - passed;
        if (passed, failed) != (suites.totals.passed, suites.totals.bad()) {
            let words = format!(
                "{} files passed and {} failed, says the summary; {passed} and {failed} are listed",
                suites.totals.passed,
                suites.totals.bad()
            );
            self.draft.doubt(DoubtKind::Contradiction, at, words);
        }
    }

    fn settle(&mut self, mut run: Run, tests: &Sum, at: u64) {
        if run.room.is_full {
            self.draft.doubt(DoubtKind::TooMany, None, "there are more tests than are kept");
        }
        let is_verbose = run.files.iter().all(|file| file.has_tree || !file.has_passed);
        let is_verbose = is_verbose && !run.listed.is_empty();
        run.name_blocks();
        if is_verbose {
            // A file that could not be run failed without a test of its own.
            let broken = run.broken();
            self.draft.settle(run.listed, tests.totals, Some(at));
            self.draft.note_all(broken);
            return;
        }
        let broken = run.broken();
        let counted = run.listed.count();
        if counted.bad() > tests.totals.bad() || counted.passed > tests.totals.passed {
            let words = format!("the runner counts {}, but {counted} are listed", tests.totals);
            self.draft.doubt(DoubtKind::Contradiction, Some(at), words);
            run.listed.demote();
        }
        self.draft.claim(tests.totals);
        self.draft.add_all(run.listed);
        self.draft.note_all(broken);
        for file in run.files.into_iter().filter(|file| !file.has_tree) {
            let outcome = if file.has_passed { Outcome::Passed } else { Outcome::Failed };
            self.draft.suite(Suite { id: file.id, outcome, unnamed: Totals::default() });
        }
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let mut run = std::mem::take(&mut self.run);
        let is_cut = run.line.is_some() || run.suites.is_some() || !self.is_closed;
        run.flush();
        run.name_blocks();
        if let Some(line) = run.line {
            self.draft.doubt(
                DoubtKind::Cut,
                Some(line),
                "the text stops before the summary of this run",
            );
        }
        run.listed.demote();
        self.draft.add_all(run.listed);
        if let Some(at) = self.empty.filter(|_| self.runs > 1) {
            self.draft.doubt(DoubtKind::Empty, Some(at), "one of the runs ran no test");
        }
        let ending = if is_cut { Ending::Cut } else { Ending::Closed };
        self.draft.finish(ending, exit_code)
    }
}
