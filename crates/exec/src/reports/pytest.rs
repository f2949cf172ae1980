//! What pytest says to people: with `-v` by name, otherwise as dots, and then by name what
//! failed. Its last line counts everything.

mod lines;
mod run;

use std::collections::BTreeMap;

use countersign_domain::qa::listed::demote;
use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Outcome, Report, Suite, Totals,
};

use super::text::Line;
use lines::{Final, Said};
use run::{Run, Section};

pub(super) fn is_own(line: &str) -> bool {
    matches!(lines::read(line), Said::Begin | Said::Final(_) | Said::Stopped(_))
        || lines::told(line).is_some()
        || lines::short(line).is_some_and(|told| lines::is_node(&told.id))
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    run: Option<Run>,
    runs: u64,
    /// Where a run ended that ran no test.
    empty: Option<u64>,
    is_closed: bool,
    evidence: Option<Certainty>,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::Pytest),
            run: None,
            runs: 0,
            empty: None,
            is_closed: false,
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
            Said::Begin => {
                self.begin(line);
                self.evidence = Some(Certainty::Sure);
                self.run.iter_mut().for_each(|run| run.has_header = true);
            }
            Said::Section => self.enter(Section::Other),
            Said::ShortSummary => self.enter(Section::Short),
            Said::Collected(count) => {
                if let Some(run) = &mut self.run {
                    run.expected = Some(run.expected.unwrap_or(0).max(count));
                }
            }
            Said::Stopped(what) => self.draft.doubt(DoubtKind::Stopped, line.at(), what),
            Said::Final(said) => self.last_line(said, line),
            Said::Nothing => self.test(line),
        }
    }

    fn begin(&mut self, line: &Line<'_>) {
        self.abandon("another run begins before the last line of this one");
        self.runs += 1;
        self.is_closed = false;
        if self.runs == 2 {
            self.draft.doubt(DoubtKind::SeveralRuns, line.at(), "a second run begins here");
        }
        self.run = Some(Run { line: line.number, ..Run::default() });
    }

    fn enter(&mut self, section: Section) {
        self.run.iter_mut().for_each(|run| run.section = section);
    }

    fn test(&mut self, line: &Line<'_>) {
        match self.run.as_ref().map_or(Section::Progress, |run| run.section) {
            Section::Progress => self.progress(line),
            Section::Short => {
                if let (Some(run), Some(told)) = (&mut self.run, lines::short(line.trimmed())) {
                    run.name(&told, line);
                }
            }
            Section::Other => {}
        }
    }

    fn progress(&mut self, line: &Line<'_>) {
        let text = line.trimmed();
        if let Some(told) = lines::told(text) {
            if told.is_marked {
                self.evidence = self.evidence.max(Some(Certainty::Likely));
            }
            self.running(line).tell(&told, line);
        } else if let Some((file, totals, is_marked)) = lines::dots(text) {
            // Without a beginning and without a mark, dots are anybody's.
            if self.run.is_some() || is_marked {
                if is_marked {
                    self.evidence = self.evidence.max(Some(Certainty::Likely));
                }
                self.running(line).show(file, totals, text.ends_with("[100%]"));
            }
        } else if let Some(run) = &mut self.run {
            run.follow(text, line);
        }
    }

    fn running(&mut self, line: &Line<'_>) -> &mut Run {
        if self.run.is_none() {
            self.begin(line);
        }
        self.run.get_or_insert_default()
    }

    fn last_line(&mut self, said: Final, line: &Line<'_>) {
        let Some(run) = &mut self.run else {
            let words = "a last line without a run: its beginning is missing, or a test printed it";
            self.draft.doubt(DoubtKind::Stray, line.at(), words);
            return;
        };
        let (listed, claimed) = (run.listed(), said.totals);
        // Files that can't be collected are errors and no tests.
        let fits = listed.passed == claimed.passed && listed.bad() <= claimed.bad();
        if !fits {
            run.unfit = Some((said, line.number));
            return;
        }
        self.evidence = self.evidence.max(Some(Certainty::Likely));
        self.close(&said, line.number);
    }

    fn close(&mut self, said: &Final, at: u64) {
        let Some(mut run) = self.run.take() else { return };
        self.is_closed = true;
        if self.draft.has_doubt(DoubtKind::Stopped) {
            run.forget_begun();
        }
        if let Some(strange) = &said.strange {
            let words = format!("what `{strange}` counts is not known");
            self.draft.doubt(DoubtKind::Unreadable, Some(at), words);
        }
        let claimed = said.totals;
        if claimed.all() == 0 {
            self.empty = self.empty.or(Some(at));
        }
        if let Some(expected) = run.expected.filter(|expected| claimed.all() < *expected)
            && claimed.all() > 0
        {
            let words = format!("{expected} tests were collected, and {} counted", claimed.all());
            self.draft.doubt(DoubtKind::Stopped, Some(at), words);
        }
        self.settle(run, Some((claimed, at)));
    }

    fn settle(&mut self, mut run: Run, claimed: Option<(Totals, u64)>) {
        if run.room.is_full {
            self.draft.doubt(DoubtKind::TooMany, None, "there are more tests than are kept");
        }
        let mut listed = std::mem::take(&mut run.listed);
        let named = std::mem::take(&mut run.named);
        let is_listed = !listed.is_empty();
        let dots = run.dots.values().fold(Totals::default(), |mut sum, one| {
            sum += *one;
            sum
        });
        // Tests are told by name or as dots, and never both.
        let is_mixed = is_listed && !dots.is_zero();
        if is_mixed {
            let words = "tests are told by name and as dots: a test may have printed them";
            self.draft.doubt(DoubtKind::Stray, Some(run.line), words);
            listed.demote();
        }
        match claimed {
            Some((claimed, at)) if is_listed => {
                let collecting = claimed.bad().saturating_sub(listed.count().bad());
                let errored = claimed.errored.saturating_sub(collecting);
                self.draft
                    .claim(Totals { errored: claimed.errored - errored, ..Totals::default() });
                self.draft.settle(listed, Totals { errored, ..claimed }, Some(at));
            }
            Some((claimed, at)) => {
                if dots.passed != claimed.passed {
                    let words = format!("the runner counts {claimed}, but {dots} are shown");
                    self.draft.doubt(DoubtKind::Contradiction, Some(at), words);
                }
                self.draft.claim(claimed);
                self.draft.add_all(listed);
            }
            None => self.draft.add_all(listed),
        }
        let fits = claimed.is_none_or(|(claimed, _)| claimed.passed == dots.passed);
        let is_sound = fits && !is_mixed;
        let is_known = |case: &Case| case.outcome == Outcome::Passed;
        let mut named = named;
        if is_listed {
            named.retain(|_, case| !is_known(case));
        } else if named.values().filter(|case| is_known(case)).count() as u64 > dots.passed {
            let words = "more tests are named that passed than are shown";
            self.draft.doubt(DoubtKind::Contradiction, claimed.map(|(_, at)| at), words);
            named.values_mut().for_each(demote);
        }
        self.unnamed(run.dots, &named, is_sound);
        self.draft.note_all(named.into_values());
    }

    /// What is shown as dots and not named. A test whose teardown fails is a dot and an error:
    /// so many passes fewer are counted.
    fn unnamed(
        &mut self,
        dots: BTreeMap<String, Totals>,
        named: &BTreeMap<String, Case>,
        is_sound: bool,
    ) {
        let all = Totals::of(named.values().map(|case| case.outcome));
        let shown: u64 = dots.values().map(|totals| totals.passed).sum();
        let mut room = shown.saturating_sub(all.passed);
        for (file, mut totals) in dots {
            let inside = named.range(file.clone()..).take_while(|(id, _)| id.starts_with(&file));
            let named = Totals::of(inside.map(|(_, case)| case.outcome));
            let outcome = if totals.bad() > 0 { Outcome::Failed } else { Outcome::Passed };
            totals.passed = totals.passed.saturating_sub(named.passed + totals.errored).min(room);
            room -= totals.passed;
            totals.failed = totals.failed.saturating_sub(named.failed);
            totals.errored = totals.errored.saturating_sub(named.errored);
            totals.skipped = totals.skipped.saturating_sub(named.skipped);
            if !is_sound {
                totals.demote();
            }
            // All of it is named after all.
            if totals.is_zero() && named.all() > 0 && outcome == Outcome::Passed {
                continue;
            }
            self.draft.suite(Suite { id: file, outcome, unnamed: totals });
        }
    }

    /// The run has no last line, or none that fits.
    fn abandon(&mut self, words: &str) {
        let Some(run) = &mut self.run else { return };
        if let Some((said, at)) = run.unfit.take() {
            run.forget_begun();
            self.close(&said, at);
        } else if let Some(mut run) = self.run.take() {
            self.draft.doubt(DoubtKind::Cut, Some(run.line), words);
            run.demote();
            self.settle(run, None);
        }
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        // With `-qq` there is no last line.
        let is_quiet = |run: &Run| {
            let passes = run.named.values().filter(|case| case.outcome == Outcome::Passed);
            let named = passes.count() as u64;
            // Where all that passed are named at the end, nothing of it is missing.
            let is_whole = named == 0 || named == run.shown.passed;
            !run.has_header && run.is_full && run.unfit.is_none() && is_whole
        };
        let ending = match &self.run {
            Some(run) if is_quiet(run) => Ending::Open,
            Some(run) if run.unfit.is_none() => Ending::Cut,
            None if !self.is_closed => Ending::Cut,
            _ => Ending::Closed,
        };
        if ending == Ending::Open {
            let mut run = self.run.take().unwrap_or_default();
            run.keep_bad();
            self.settle(run, None);
        }
        self.abandon("the text stops inside of this run");
        if let Some(at) = self.empty.filter(|_| self.runs > 1) {
            self.draft.doubt(DoubtKind::Empty, Some(at), "one of the runs ran no test");
        }
        self.draft.finish(ending, exit_code)
    }
}
