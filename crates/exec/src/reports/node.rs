//! What `node --test` says to people: tests with marks, groups around them, and a summary.
//!
//! Whether a group is a suite or a test with tests in it is not said, so groups are not counted.

use std::collections::BTreeSet;

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Suite, Totals,
};

use super::room::Room;
use super::text::Line;
use super::words::{INSIDE, is_script, milliseconds, whole_number};

/// Deeper groups are not followed.
const MAX_DEPTH: usize = 64;
/// How much of what is told again is looked at.
const MAX_REPEATS: u32 = 1000;

pub(super) fn is_own(line: &str) -> bool {
    test(line.trim_start()).is_some_and(|test| test.time.is_some()) || count(line).is_some()
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    run: Run,
    runs: u64,
    repeats: u32,
    is_closed: bool,
    has_sum: bool,
}

#[derive(Debug, Default)]
struct Run {
    line: Option<u64>,
    listed: Listed,
    /// The groups that the next test is in, each with whether something failed in it.
    path: Vec<(String, bool)>,
    /// Groups that passed, any of which may be a test.
    groups: u64,
    /// Files that count as a test because they reported none.
    scripts: BTreeSet<String>,
    room: Room,
    counts: Counts,
    telling: Option<(String, String)>,
}

/// The counts at the end.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) tests: Option<u64>,
    pub(super) totals: Totals,
}

impl Counts {
    /// Takes in one count; node has the same ones in TAP.
    pub(super) fn take(&mut self, name: &str, count: u64) -> bool {
        let totals = &mut self.totals;
        match name {
            "tests" => *self = Self { tests: Some(count), ..Self::default() },
            "pass" => totals.passed = count,
            "fail" | "cancelled" => totals.failed = totals.failed.saturating_add(count),
            "skipped" | "todo" => totals.skipped = totals.skipped.saturating_add(count),
            "suites" => {}
            _ => return false,
        }
        true
    }

    /// Why the list can't be what is counted, if files without tests count (`scripts`) and tests
    /// with tests in them may (`groups`).
    pub(super) fn contradiction(
        &self,
        listed: Totals,
        scripts: u64,
        groups: u64,
    ) -> Option<String> {
        let least = listed.passed.saturating_add(scripts);
        let passed = least..=least.saturating_add(groups);
        let fits = passed.contains(&self.totals.passed)
            && listed.bad() <= self.totals.bad()
            && (listed.bad() > 0) == (self.totals.bad() > 0)
            && self.tests.is_none_or(|tests| tests == self.totals.all());
        (!fits).then(|| format!("the runner counts {}, but {listed} are listed", self.totals))
    }
}

struct Test<'a> {
    outcome: Outcome,
    is_group: bool,
    name: &'a str,
    time: Option<u64>,
    reason: Option<&'a str>,
}

impl Reader {
    pub(super) fn new() -> Self {
        let draft = Draft::new(Format::Node);
        Self { draft, run: Run::default(), runs: 0, repeats: 0, is_closed: false, has_sum: false }
    }

    pub(super) fn evidence(&self) -> Option<Certainty> {
        self.has_sum.then_some(Certainty::Sure)
    }

    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        let text = line.trimmed();
        if let Some((name, value)) = count(text) {
            if name == "duration_ms" {
                self.close(line);
            } else if let Some(value) = whole_number(value) {
                self.run.counts.take(name, value);
            }
            return;
        }
        let found = test(text.trim_start()).filter(|_| line.indent().is_multiple_of(2));
        match found {
            // Below the summary, what failed is told again.
            Some(found) if self.is_closed && found.outcome != Outcome::Passed => {
                self.repeat(&found, line);
            }
            Some(found) => {
                self.is_closed = false;
                self.run.test(&found, line);
            }
            None => self.run.tell(line),
        }
    }

    fn close(&mut self, line: &Line<'_>) {
        let run = &mut self.run;
        let Some(tests) = run.counts.tests else { return };
        self.has_sum = true;
        self.is_closed = true;
        self.runs += 1;
        if self.runs == 2 {
            self.draft.doubt(DoubtKind::SeveralRuns, line.at(), "a second run ends here");
        }
        if tests == 0 && self.runs > 1 {
            self.draft.doubt(DoubtKind::Empty, line.at(), "one of the runs ran no test");
        }
        let mut run = std::mem::take(&mut self.run);
        if !run.path.is_empty() {
            let words = format!("the group `{}` has no end", run.path[0].0);
            self.draft.doubt(DoubtKind::Contradiction, line.at(), words);
        }
        let listed = run.listed.count();
        let scripts = run.scripts.len() as u64;
        if let Some(words) = run.counts.contradiction(listed, scripts, run.groups) {
            self.draft.doubt(DoubtKind::Contradiction, line.at(), words);
            run.listed.demote();
        }
        // A file that reported no test is none.
        let passed = run.counts.totals.passed.saturating_sub(run.scripts.len() as u64);
        self.draft.claim(Totals { passed, ..run.counts.totals });
        self.finish_run(run);
    }

    fn finish_run(&mut self, run: Run) {
        for id in run.scripts {
            let (outcome, unnamed) = (Outcome::Passed, Totals::default());
            self.draft.suite(Suite { id, outcome, unnamed });
        }
        self.draft.add_all(run.listed);
    }

    /// What is told again is known by its last name only.
    fn repeat(&mut self, found: &Test<'_>, line: &Line<'_>) {
        self.repeats += 1;
        let is_told = line.indent() > 0 || found.is_group || self.repeats > MAX_REPEATS;
        if !is_told && !self.draft.ends_with(found.name, INSIDE) {
            self.draft.note(Case::new(found.name, found.outcome));
        }
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let mut run = std::mem::take(&mut self.run);
        let is_cut = run.line.is_some() || !self.is_closed;
        if let Some(line) = run.line {
            let words = "the text stops before the summary of this run";
            self.draft.doubt(DoubtKind::Cut, Some(line), words);
            run.listed.demote();
            run.scripts.clear();
        }
        self.finish_run(run);
        let ending = if is_cut { Ending::Cut } else { Ending::Closed };
        self.draft.finish(ending, exit_code)
    }
}

impl Run {
    fn test(&mut self, found: &Test<'_>, line: &Line<'_>) {
        let depth = line.indent() / 2;
        if depth > self.path.len() || depth > MAX_DEPTH {
            return;
        }
        self.line = self.line.or(line.at());
        self.flush();
        let is_end = self.path.get(depth).is_some_and(|(name, _)| name == found.name);
        if found.is_group && found.time.is_none() {
            self.path.truncate(depth);
            self.path.push((found.name.to_owned(), false));
            return;
        }
        if is_end && found.time.is_some() {
            let (_, has_failed) = self.path.swap_remove(depth);
            self.path.truncate(depth);
            self.groups += u64::from(!found.outcome.is_bad());
            if has_failed || !found.outcome.is_bad() {
                self.path.iter_mut().for_each(|(_, failed)| *failed |= has_failed);
                return;
            }
        }
        self.path.truncate(depth);
        self.leaf(found, line);
    }

    fn leaf(&mut self, found: &Test<'_>, line: &Line<'_>) {
        let outcome = line.believe(found.outcome);
        if self.path.is_empty() && outcome == Outcome::Passed && is_script(found.name) {
            if self.room.take(found.name) {
                self.scripts.insert(found.name.to_owned());
            }
            return;
        }
        let parts = self.path.iter().map(|(name, _)| name.as_str()).chain([found.name]);
        let id = parts.collect::<Vec<_>>().join(INSIDE);
        let mut case = Case::new(&id, outcome);
        case.duration_ms = found.time;
        case.message = found.reason.map(str::to_owned);
        if outcome.is_bad() {
            self.path.iter_mut().for_each(|(_, failed)| *failed = true);
            self.telling = Some((id, String::new()));
        }
        self.listed.push(case, line.at());
    }

    fn tell(&mut self, line: &Line<'_>) {
        match &mut self.telling {
            Some((_, text)) if !line.trimmed().is_empty() && text.len() < 1024 => {
                text.push_str(line.text.trim());
                text.push('\n');
            }
            _ => self.flush(),
        }
    }

    fn flush(&mut self) {
        if let Some((id, text)) = self.telling.take()
            && !text.is_empty()
        {
            self.listed.tell(id, text);
        }
    }
}

/// `ℹ tests 15`
fn count(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("ℹ ")?.split_once(' ').filter(|(_, value)| {
        value.starts_with(|letter: char| letter.is_ascii_digit()) && !value.contains(' ')
    })
}

/// `✔ adds (0.3ms) # TODO`
fn test(text: &str) -> Option<Test<'_>> {
    let (mark, rest) = text.split_once(' ')?;
    let (said, reason) = match rest.split_once("ms) # ") {
        Some((said, reason)) => (Some(said), Some(reason)),
        None => (rest.strip_suffix("ms)"), None),
    };
    let timed = said.and_then(|said| said.rsplit_once(" ("));
    let timed = timed.and_then(|(name, time)| Some((name, milliseconds(time.parse().ok()?)?)));
    let (name, time) = timed.map_or((rest, None), |(name, time)| (name, Some(time)));
    // What is to be done need not pass yet, and what passes need not count.
    let outcome = match mark {
        _ if reason.is_some() => Outcome::Skipped,
        "✔" | "▶" => Outcome::Passed,
        "✖" => Outcome::Failed,
        "﹣" | "⚠" => Outcome::Skipped,
        _ => return None,
    };
    let is_group = mark == "▶";
    let is_test = matches!(mark, "✔" | "✖" | "﹣" | "⚠") && time.is_some();
    (is_group || is_test).then_some(Test { outcome, is_group, name, time, reason })
}
