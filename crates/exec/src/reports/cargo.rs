//! What `cargo test` says to people: one run for each program, with a list and a summary.
//!
//! There are no last words: after one program there may be another. So a text is complete only
//! if the exit code vouches for it.

mod lines;
mod run;

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Suite, Totals,
};

use super::text::Line;
use lines::Said;
pub(super) use lines::{bare, item_of, number_examples, target_of};
use run::Run;

/// How much of what a test said is gathered.
const MAX_TOLD: usize = 1024;

/// Whether a line is one that only libtest writes.
pub(super) fn is_own(line: &str) -> bool {
    let said = lines::read(line);
    matches!(said, Said::Result { .. } | Said::Begin(_) | Said::Failed(_))
        || matches!(said, Said::Test { outcome: Some(_), .. })
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    /// The program whose run is to follow.
    target: Option<String>,
    /// A run whose program was not named, and whether cargo itself is heard: it names them all.
    nameless: Option<u64>,
    hears_cargo: bool,
    run: Option<Run>,
    /// Who the message that is being read belongs to.
    telling: Option<(String, String)>,
    programs: Vec<String>,
    evidence: Option<Certainty>,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::Cargo),
            target: None,
            nameless: None,
            hears_cargo: false,
            run: None,
            telling: None,
            programs: Vec::new(),
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
        self.hears_cargo |= lines::is_cargos(line.trimmed());
        self.tell(line, &said);
        let is_captured = self.run.as_ref().is_some_and(|run| run.is_captured);
        match (said, &mut self.run) {
            (Said::Result { totals, is_ok }, _) => self.close(totals, is_ok, line),
            (Said::Captured, Some(run)) => run.is_captured = true,
            (Said::Target(name), _) => self.begin_target(name),
            _ if is_captured => {}
            (Said::Begin(count), _) => self.begin(count, line),
            (Said::Broken(what), _) => self.end_early(&what),
            (Said::ListOnly, _) => {
                self.evidence = self.evidence.max(Some(Certainty::Likely));
                let words = "tests were listed here, and not run";
                self.draft.doubt(DoubtKind::Empty, line.at(), words);
            }
            (Said::Test { name, outcome, message }, _) => {
                self.test(name, (outcome, message), line);
            }
            (Said::Failed(name), Some(_)) => self.test(name, (Some(Outcome::Failed), None), line),
            (Said::Dots(dots), Some(run)) if line.is_whole => run.dots += dots,
            (Said::Nothing, Some(run)) => run.end_open(line),
            _ => {}
        }
    }

    fn begin_target(&mut self, name: String) {
        self.abandon("the next program begins before the summary of this one");
        // A program that says nothing we know is one without libtest.
        self.programs.extend(self.target.replace(name));
    }

    fn begin(&mut self, expected: u64, line: &Line<'_>) {
        if let Some(run) = &self.run {
            if !run.is_captured {
                let words = "a run begins inside of another: a test may have printed this";
                self.draft.doubt(DoubtKind::Stray, line.at(), words);
            }
            return;
        }
        let target = self.target.take();
        if target.is_none() {
            self.nameless = self.nameless.or(line.at());
        }
        self.run = Some(Run {
            suite: target.unwrap_or_default(),
            expected,
            cases: Listed::default(),
            dots: Totals::default(),
            open: None,
            is_captured: false,
            unfit: None,
            line: line.number,
        });
    }

    fn test(&mut self, name: &str, said: (Option<Outcome>, Option<&str>), line: &Line<'_>) {
        let Some(run) = &mut self.run else {
            // Without a beginning it is something that a test or another program printed.
            if said.0.is_some() {
                let words = format!("`{name}` is listed outside of any run");
                self.draft.doubt(DoubtKind::Stray, line.at(), words);
            }
            return;
        };
        self.evidence = Some(Certainty::Sure);
        run.abandon_open();
        let id = run.id(name);
        let Some(outcome) = said.0 else {
            run.open = Some(id);
            return;
        };
        let mut case = Case::new(id, line.believe(outcome));
        case.message = said.1.map(str::to_owned);
        run.cases.push(case, line.at());
    }

    fn close(&mut self, claimed: Totals, is_ok: bool, line: &Line<'_>) {
        let Some(run) = &mut self.run else {
            let words = "a summary without a run: something else may have printed this";
            self.draft.doubt(DoubtKind::Stray, line.at(), words);
            return;
        };
        run.abandon_open();
        let listed = run.listed();
        let fits = listed.passed == claimed.passed
            && listed.bad() == claimed.bad()
            && is_ok == (claimed.bad() == 0)
            && claimed.all() == run.expected;
        if !fits {
            // What tests printed may hold summaries of other runs.
            if !run.is_captured {
                let words = "the summary doesn't fit the run: a test may have printed it";
                self.draft.doubt(DoubtKind::Stray, line.at(), words);
            }
            run.unfit = Some((claimed, line.number));
            return;
        }
        if let Some(run) = self.run.take() {
            self.evidence = Some(Certainty::Sure);
            self.settle(run, claimed, line.number);
        }
    }

    fn settle(&mut self, mut run: Run, claimed: Totals, at: u64) {
        if run.expected != claimed.all() {
            let (expected, found) = (run.expected, claimed.all());
            let words = format!("{expected} tests were announced, and {found} are summed up");
            self.draft.doubt(DoubtKind::Contradiction, Some(at), words);
        }
        number_examples(&mut run.cases);
        if run.dots.is_zero() {
            self.draft.settle(run.cases, claimed, Some(at));
            return;
        }
        let listed = run.listed();
        if listed.passed != claimed.passed || listed.bad() != claimed.bad() {
            let words = format!("the runner counts {claimed}, but {listed} are shown");
            self.draft.doubt(DoubtKind::Contradiction, Some(at), words);
            run.dots.demote();
        }
        let outcome = if claimed.bad() > 0 { Outcome::Failed } else { Outcome::Passed };
        self.draft.claim(claimed);
        self.draft.suite(Suite { id: run.suite, outcome, unnamed: run.dots });
        self.draft.add_all(run.cases);
    }

    /// The run will not come to its summary any more.
    fn abandon(&mut self, words: &str) {
        let Some(mut run) = self.run.take() else { return };
        run.abandon_open();
        if let Some((claimed, at)) = run.unfit {
            self.settle(run, claimed, at);
            return;
        }
        self.draft.doubt(DoubtKind::Cut, Some(run.line), words);
        number_examples(&mut run.cases);
        run.cases.demote();
        run.dots.demote();
        if !run.dots.is_zero() {
            let id = run.suite.clone();
            self.draft.suite(Suite { id, outcome: Outcome::Unknown, unnamed: run.dots });
        }
        self.draft.add_all(run.cases);
    }

    /// Cargo says that a program failed, or that there is none.
    fn end_early(&mut self, what: &str) {
        self.evidence = self.evidence.max(Some(Certainty::Likely));
        let suite = self.run.as_ref().map(|run| run.suite.clone()).or_else(|| self.target.take());
        let is_open = self.run.is_some();
        self.abandon("the program ended before its summary");
        if is_open || !lines::is_said_of_failures(what) {
            let id = suite.filter(|suite| !suite.is_empty()).unwrap_or_else(|| item_of(what));
            self.draft.note(Case::new(id, Outcome::Errored).with_message(what));
        }
    }

    /// Gathers the first lines that a failed test said.
    fn tell(&mut self, line: &Line<'_>, said: &Said<'_>) {
        let Some(run) = self.run.as_mut().filter(|run| run.is_captured) else { return };
        let header = lines::captured_of(line.trimmed());
        let is_end = header.is_some() || matches!(said, Said::Result { .. } | Said::Captured);
        if let Some((id, text)) = self.telling.take_if(|_| is_end) {
            run.cases.tell(id, text);
        }
        if let Some(name) = header {
            self.telling = Some((run.id(name), String::new()));
        } else if let Some((_, text)) = &mut self.telling
            && text.len() < MAX_TOLD
            && !(text.is_empty() && line.trimmed().is_empty())
        {
            text.push_str(line.trimmed());
            text.push('\n');
        }
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let was_open = self.run.as_ref().is_some_and(|run| run.unfit.is_none());
        self.abandon("the text stops inside of this run");
        if let Some(id) = self.target.take() {
            self.draft.doubt(DoubtKind::Cut, None, format!("nothing is said about {id}"));
            let (outcome, unnamed) = (Outcome::Unknown, Totals::default());
            self.draft.suite(Suite { id, outcome, unnamed });
        }
        for id in std::mem::take(&mut self.programs) {
            let outcome = if exit_code == Some(0) { Outcome::Passed } else { Outcome::Unknown };
            self.draft.suite(Suite { id, outcome, unnamed: Totals::default() });
        }
        if let Some(line) = self.nameless.filter(|_| self.hears_cargo) {
            let words = "a run begins without its program: something else may have printed it";
            self.draft.doubt(DoubtKind::Stray, Some(line), words);
            self.draft.demote();
        }
        let ending = if was_open { Ending::Cut } else { Ending::Open };
        self.draft.finish(ending, exit_code)
    }
}
