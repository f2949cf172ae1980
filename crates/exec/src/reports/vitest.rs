//! What vitest says to people: files with the number of their tests, or every test by name if it
//! is verbose, then what failed, and a summary.

mod lines;
mod run;

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Outcome, Report, Suite, Totals,
};

use super::text::Line;
use lines::Said;
use run::Run;

pub(super) fn is_own(line: &str) -> bool {
    let said = lines::read(line);
    matches!(said, Said::Begin | Said::File { .. } | Said::Test { .. } | Said::Failed(_))
        || matches!(said, Said::Files(_) | Said::Tests(_) | Said::Errors(_))
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    run: Option<Run>,
    runs: u64,
    empty: Option<u64>,
    is_closed: bool,
    is_sure: bool,
}

impl Reader {
    pub(super) fn new() -> Self {
        let (draft, run) = (Draft::new(Format::Vitest), None);
        Self { draft, run, runs: 0, empty: None, is_closed: false, is_sure: false }
    }

    pub(super) fn evidence(&self) -> Option<Certainty> {
        self.is_sure.then_some(Certainty::Sure)
    }

    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        let said = lines::read(line.trimmed());
        if said == Said::Begin {
            self.begin(line);
            return;
        }
        let Some(run) = &mut self.run else { return };
        match said {
            Said::Nothing => run.tell(line),
            Said::File { outcome, id, counted } => run.file(outcome, id, counted),
            Said::Test { outcome, id, retries } => run.test(outcome, id, retries, line),
            Said::Inner { outcome, name, retries } => run.inner(outcome, name, retries, line),
            Said::Dots(dots) if run.files.is_empty() && run.listed.is_empty() && line.is_whole => {
                run.dots += dots;
            }
            Said::Begin | Said::Dots(_) => {}
            Said::Suites => run.in_suites = true,
            Said::FailedTests => run.in_suites = false,
            Said::Failed(id) => run.fail(id),
            Said::Files(sum) => run.sums.0 = Some(sum),
            Said::Tests(sum) => run.sums.1 = Some((sum, line.number)),
            Said::Errors(count) => run.errors = count,
            Said::NoTests => {
                self.empty = self.empty.or(line.at());
                self.run = None;
                self.is_closed = true;
            }
            Said::End => self.close(),
        }
    }

    fn begin(&mut self, line: &Line<'_>) {
        self.is_sure = true;
        self.abandon("another run begins before the summary of this one");
        self.runs += 1;
        self.is_closed = false;
        if self.runs == 2 {
            self.draft.doubt(DoubtKind::SeveralRuns, line.at(), "a second run begins here");
        }
        self.run = Some(Run { line: line.number, ..Run::default() });
    }

    fn close(&mut self) {
        // Tests may print what the end looks like; without the sums before it, it is none.
        let Some(run) = self.run.take_if(|run| run.sums.0.is_some() && run.sums.1.is_some()) else {
            return;
        };
        self.is_closed = true;
        let (files, tests, at) = match run.sums {
            (Some(files), Some((tests, at))) => (files, tests, Some(at)),
            _ => return,
        };
        for (sum, what) in [(files, "files"), (tests, "tests")] {
            if sum.totals.all() < sum.total {
                let words = format!("only {} of {} {what} were run", sum.totals.all(), sum.total);
                self.draft.doubt(DoubtKind::Stopped, at, words);
            } else if sum.totals.all() > sum.total {
                let words = format!("the {what} don't add up to their total");
                self.draft.doubt(DoubtKind::Contradiction, at, words);
            }
        }
        if tests.total == 0 {
            self.empty = self.empty.or(at);
        }
        self.settle(run, tests.totals, at);
    }

    fn settle(&mut self, mut run: Run, claimed: Totals, at: Option<u64>) {
        run.flush();
        if run.room.is_full {
            self.draft.doubt(DoubtKind::TooMany, at, "there are more tests than are kept");
        }
        if run.errors > 0 {
            let errors = Totals { errored: run.errors, ..Totals::default() };
            self.draft.claim(errors);
            let case = Case::new("unhandled errors", Outcome::Errored);
            self.draft.note(case.with_message(format!("{} outside of any test", run.errors)));
        }
        for id in &run.broken {
            let mut case = Case::new(id, Outcome::Errored);
            case.message = run.listed.message(id).map(str::to_owned);
            self.draft.note(case);
        }
        if run.files.is_empty() && run.dots.is_zero() {
            run.name_failed();
            self.draft.settle(run.listed, claimed, at);
            return;
        }
        let suites: Vec<Suite> = run.suites();
        let mut counted = run.listed.count();
        for suite in &suites {
            counted += suite.unnamed;
        }
        let is_sound = counted.passed == claimed.passed && counted.bad() <= claimed.bad();
        if !is_sound {
            let words = format!("the runner counts {claimed}, but {counted} are shown");
            self.draft.doubt(DoubtKind::Contradiction, at, words);
            run.listed.demote();
        }
        self.draft.claim(claimed);
        for mut suite in suites {
            let named = run.failed.range(suite.id.clone()..);
            let named = named.take_while(|id| id.starts_with(&suite.id)).count() as u64;
            suite.unnamed.failed = suite.unnamed.failed.saturating_sub(named);
            if !is_sound {
                suite.unnamed.demote();
            }
            self.draft.suite(suite);
        }
        run.name_failed();
        self.draft.add_all(run.listed);
    }

    fn abandon(&mut self, words: &str) {
        let Some(mut run) = self.run.take() else { return };
        run.flush();
        self.draft.doubt(DoubtKind::Cut, Some(run.line), words);
        for mut suite in run.suites() {
            suite.unnamed.demote();
            suite.outcome = suite.outcome.max(Outcome::Unknown);
            self.draft.suite(suite);
        }
        run.name_failed();
        run.listed.demote();
        self.draft.add_all(run.listed);
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let is_cut = self.run.is_some() || !self.is_closed;
        self.abandon("the text stops before the summary of this run");
        if let Some(at) = self.empty.filter(|_| self.runs > 1) {
            self.draft.doubt(DoubtKind::Empty, Some(at), "one of the runs ran no test");
        }
        let ending = if is_cut { Ending::Cut } else { Ending::Closed };
        self.draft.finish(ending, exit_code)
    }
}
