//! libtest's JSON (`--format json`) and nextest's (`libtest-json`, `libtest-json-plus`): one
//! event a line.
//!
//! Nextest splits the tests of one program over several suites, so only the sums of all suites
//! are compared. There are no last words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Suite, Totals,
};
use serde::Deserialize;

use super::cargo::{self, number_examples};
use super::room::Room;
use super::text::Line;
use super::words::seconds;

pub(super) fn is_own(line: &str) -> bool {
    line.starts_with('{') && serde_json::from_str::<Event<'_>>(line).is_ok_and(|one| one.is_known())
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    listed: Listed,
    /// Tests that began and have not ended.
    open: BTreeMap<String, Option<u64>>,
    /// Tests that were skipped; nextest tells of them in every suite.
    skipped: BTreeSet<String>,
    room: Room,
    /// The program whose suite is being told, as cargo named it.
    target: Option<String>,
    suites: Vec<u64>,
    claimed: Totals,
    has_failed: bool,
    last: u64,
    is_sure: bool,
}

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, rename = "event")]
    said: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    stdout: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
    exec_time: Option<f64>,
    passed: Option<u64>,
    failed: Option<u64>,
    ignored: Option<u64>,
    measured: Option<u64>,
}

impl Event<'_> {
    fn is_known(&self) -> bool {
        matches!(&*self.kind, "suite" | "test" | "bench" | "report")
            && (self.said.is_some() || self.name.is_some() || self.kind == "report")
    }
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::LibtestJson),
            listed: Listed::default(),
            open: BTreeMap::new(),
            skipped: BTreeSet::new(),
            room: Room::default(),
            target: None,
            suites: Vec::new(),
            claimed: Totals::default(),
            has_failed: false,
            last: 0,
            is_sure: false,
        }
    }

    pub(super) fn evidence(&self) -> Option<Certainty> {
        self.is_sure.then_some(Certainty::Sure)
    }

    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        let text = line.trimmed();
        if !text.starts_with('{') {
            match cargo::target_of(text) {
                Some(target) => self.target = Some(target),
                None => self.broken(text),
            }
            return;
        }
        match serde_json::from_str::<Event<'_>>(text) {
            Ok(event) if event.is_known() => {
                self.is_sure = true;
                self.last = line.number;
                self.event(&event, line);
            }
            Ok(event) => {
                let words = format!("what an event of type `{}` means is not known", event.kind);
                self.draft.doubt(DoubtKind::Unreadable, line.at(), words);
            }
            Err(error) => {
                let words = format!("an event can't be read: {error}");
                self.draft.doubt(DoubtKind::Unreadable, line.at(), words);
            }
        }
    }

    fn broken(&mut self, text: &str) {
        if let Some(what) =
            text.strip_prefix("error: ").filter(|what| what.starts_with("could not compile"))
        {
            let case = Case::new(cargo::item_of(what), Outcome::Errored);
            self.draft.note(case.with_message(what));
        }
    }

    fn event(&mut self, event: &Event<'_>, line: &Line<'_>) {
        match (&*event.kind, event.said.as_deref().unwrap_or_default()) {
            ("suite", "started") => self.suites.push(line.number),
            ("suite", end @ ("ok" | "failed")) => self.close(event, end == "failed", line),
            ("test", "started") => {
                let id = self.id(event);
                if self.room.take(&id) {
                    self.open.insert(id, line.at());
                }
            }
            ("test", "ok") | ("bench", _) => self.end(event, Outcome::Passed, line),
            ("test", "failed") => self.end(event, Outcome::Failed, line),
            ("test", "ignored") => self.end(event, Outcome::Skipped, line),
            // A test that takes long, and what was found out about the run.
            ("test", "timeout") | ("suite", "discovery" | "completed") | ("report", _) => {}
            (kind, other) => {
                let words = format!("what `{other}` of a {kind} means is not known");
                self.draft.doubt(DoubtKind::Unreadable, line.at(), words);
            }
        }
    }

    fn close(&mut self, event: &Event<'_>, has_failed: bool, line: &Line<'_>) {
        if self.suites.pop().is_none() {
            let words = "a suite ends that has not begun: a test may have printed it";
            self.draft.doubt(DoubtKind::Stray, line.at(), words);
        }
        self.has_failed |= has_failed;
        self.claimed += Totals {
            passed: event.passed.unwrap_or(0).saturating_add(event.measured.unwrap_or(0)),
            failed: event.failed.unwrap_or(0),
            skipped: event.ignored.unwrap_or(0),
            ..Totals::default()
        };
        if has_failed && event.failed == Some(0) {
            let words = "the suite failed, and no test of it did";
            self.draft.doubt(DoubtKind::Contradiction, line.at(), words);
        }
    }

    fn end(&mut self, event: &Event<'_>, outcome: Outcome, line: &Line<'_>) {
        let told = self.id(event);
        // `name#3` is the third attempt.
        let attempt = told
            .rsplit_once('#')
            .and_then(|(id, n)| Some((id.to_owned(), n.parse::<usize>().ok()?)));
        let (id, attempts) = attempt.unwrap_or((told, 1));
        self.open.remove(&id);
        if outcome == Outcome::Skipped && !self.skipped.insert(id.clone()) {
            return;
        }
        let outcome = line.believe(outcome);
        let mut case = Case::new(id, outcome);
        if attempts > 1 {
            case.attempts = vec![Outcome::Failed; (attempts - 1).min(64)];
            case.attempts.push(outcome);
        }
        case.duration_ms = event.exec_time.and_then(seconds);
        let said = event.message.as_deref().or(event.stdout.as_deref());
        case.message = said.filter(|_| outcome != Outcome::Passed).map(str::to_owned);
        self.listed.push(case, line.at());
    }

    /// `package::program$name` of nextest is `package::program name`, and where both are the
    /// same, `package name`, as it is told to people.
    fn id(&self, event: &Event<'_>) -> String {
        let name = event.name.as_deref().unwrap_or_default();
        if let Some((program, name)) = name.split_once('$') {
            let same = program.split_once("::").filter(|(package, binary)| {
                package == binary || package.replace('-', "_") == *binary
            });
            return format!("{} {name}", same.map_or(program, |(package, _)| package));
        }
        let name = cargo::bare(name);
        match &self.target {
            Some(target) => format!("{target} {name}"),
            None => name.to_owned(),
        }
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let begun = self.suites.first().copied();
        if let Some(line) = begun {
            let words = "a suite begins here and doesn't end";
            self.draft.doubt(DoubtKind::Cut, Some(line), words);
        }
        if self.room.is_full {
            self.draft.doubt(DoubtKind::TooMany, None, "there are more tests than are kept");
        }
        for (id, line) in std::mem::take(&mut self.open) {
            self.listed.push(Case::new(id, Outcome::Unknown), line);
        }
        number_examples(&mut self.listed);
        // What nextest skips is in no sum that could be relied on.
        let claimed = Totals { skipped: self.listed.count().skipped, ..self.claimed };
        if begun.is_some() || !self.is_sure {
            self.listed.demote();
            self.draft.add_all(self.listed);
        } else {
            self.draft.settle(self.listed, claimed, Some(self.last));
        }
        if let Some(target) = self.target.filter(|_| !self.is_sure) {
            let (outcome, unnamed) = (Outcome::Unknown, Totals::default());
            self.draft.suite(Suite { id: target, outcome, unnamed });
        }
        let ending = if begun.is_some() || !self.is_sure { Ending::Cut } else { Ending::Open };
        self.draft.finish(ending, exit_code)
    }
}
