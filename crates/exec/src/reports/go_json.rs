//! `go test -json`: one event a line, for packages and for tests.
//!
//! There are no last words, so the text is complete only if the exit code vouches for it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Outcome, Report, Suite, Totals,
};
use serde::Deserialize;

use super::go::{GoSaid, Package, read_line};
use super::room::Room;
use super::text::Line;
use super::words::seconds;

pub(super) fn is_own(line: &str) -> bool {
    line.starts_with('{') && serde_json::from_str::<Event<'_>>(line).is_ok_and(|one| one.is_known())
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    packages: BTreeMap<String, Open>,
    /// What compilers said, by what they built.
    builds: BTreeMap<String, String>,
    room: Room,
    is_sure: bool,
}

/// A package that has begun.
#[derive(Debug, Default)]
struct Open {
    package: Package,
    /// Whether it said that it has no tests, or none of those that were asked for.
    is_empty: bool,
    line: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow, default)]
    package: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    test: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    output: Option<Cow<'a, str>>,
    #[serde(default)]
    elapsed: Option<f64>,
    #[serde(borrow, default)]
    import_path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    failed_build: Option<Cow<'a, str>>,
}

impl Event<'_> {
    fn is_known(&self) -> bool {
        let known = [
            "start",
            "run",
            "pause",
            "cont",
            "pass",
            "bench",
            "fail",
            "output",
            "skip",
            "build-output",
            "build-fail",
            "attr",
            "artifacts",
        ];
        known.contains(&&*self.action) && (self.package.is_some() || self.import_path.is_some())
    }
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::GoJson),
            packages: BTreeMap::new(),
            builds: BTreeMap::new(),
            room: Room::default(),
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
        let text = line.text.trim();
        if !text.starts_with('{') {
            self.take_words(text);
            return;
        }
        match serde_json::from_str::<Event<'_>>(text) {
            Ok(event) if event.is_known() => {
                self.is_sure = true;
                self.event(&event, line);
            }
            Ok(event) => {
                let words = format!("what `{}` means is not known", event.action);
                self.draft.doubt(DoubtKind::Unreadable, line.at(), words);
            }
            Err(error) => {
                let words = format!("an event can't be read: {error}");
                self.draft.doubt(DoubtKind::Unreadable, line.at(), words);
            }
        }
    }

    /// Before Go 1.24, what could not be built was told in words.
    fn take_words(&mut self, text: &str) {
        if let GoSaid::Package { id, end: super::go::End::Broken } = read_line(text) {
            self.draft.note(Case::new(id, Outcome::Errored).with_message("it could not be built"));
        }
    }

    fn event(&mut self, event: &Event<'_>, line: &Line<'_>) {
        let Some(id) = &event.package else {
            let (path, output) = (event.import_path.as_deref(), event.output.as_deref());
            if let (Some(path), Some(output)) = (path, output) {
                self.build(path, output);
            }
            return;
        };
        if !self.packages.contains_key(&**id) {
            if !self.room.take(id) {
                return;
            }
            self.packages.insert(id.to_string(), Open { line: line.at(), ..Open::default() });
        }
        let Some(open) = self.packages.get_mut(&**id) else { return };
        let outcome = match &*event.action {
            "pass" => Outcome::Passed,
            "fail" => Outcome::Failed,
            "skip" => Outcome::Skipped,
            "run" => {
                open.package.begin(event.test.as_deref().unwrap_or_default(), line.at());
                return;
            }
            "output" => {
                open.output(event);
                return;
            }
            _ => return,
        };
        match &event.test {
            Some(name) => {
                let is_open = open.package.tests.get(&**name).is_some_and(|test| test.is_open);
                if !is_open {
                    // Before Go 1.20, what tests print was taken for events.
                    let words =
                        format!("`{name}` ends without having begun: a test may have printed it");
                    self.draft.doubt(DoubtKind::Stray, line.at(), words);
                    if outcome == Outcome::Passed {
                        return;
                    }
                    open.package.begin(name, line.at());
                }
                let elapsed = event.elapsed.and_then(seconds);
                open.package.finish(name, line.believe(outcome), elapsed);
            }
            None => self.close(id, outcome, event, line),
        }
    }

    fn build(&mut self, path: &str, output: &str) {
        if !self.builds.contains_key(path) && !self.room.take(path) {
            return;
        }
        let said = self.builds.entry(path.to_owned()).or_default();
        if said.len() < 1024 && !output.starts_with("# ") {
            said.push_str(output);
        }
    }

    fn close(&mut self, id: &str, outcome: Outcome, event: &Event<'_>, line: &Line<'_>) {
        let Some(open) = self.packages.remove(id) else { return };
        let has_tests = !open.package.tests.is_empty();
        let has_open = open.package.tests.values().any(|test| test.is_open);
        let telling = open.package.telling().to_owned();
        let mut listed = open.package.into_listed(id);
        let bad = listed.count().bad();
        if outcome == Outcome::Passed && (has_open || bad > 0) {
            let words = format!("{id} passed, but not all of its tests did");
            self.draft.doubt(DoubtKind::Contradiction, line.at(), words);
            listed.demote();
        }
        if outcome == Outcome::Failed && bad == 0 {
            let built = event.failed_build.as_deref().and_then(|path| self.builds.get(path));
            let said = built.cloned().unwrap_or(telling);
            self.draft.note(Case::new(id, Outcome::Errored).with_message(said));
        }
        if outcome == Outcome::Passed && !has_tests && !open.is_empty {
            let (outcome, unnamed) = (line.believe(Outcome::Passed), Totals::default());
            self.draft.suite(Suite { id: id.to_owned(), outcome, unnamed });
        }
        self.draft.add_all(listed);
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let mut is_cut = !self.is_sure;
        for (id, open) in std::mem::take(&mut self.packages) {
            is_cut = true;
            self.draft.doubt(DoubtKind::Cut, open.line, format!("{id} begins and doesn't end"));
            let mut listed = open.package.into_listed(&id);
            listed.demote();
            self.draft.add_all(listed);
        }
        if self.room.is_full {
            self.draft.doubt(DoubtKind::TooMany, None, "there are more packages than are kept");
        }
        let ending = if is_cut { Ending::Cut } else { Ending::Open };
        self.draft.finish(ending, exit_code)
    }
}

impl Open {
    fn output(&mut self, event: &Event<'_>) {
        let Some(output) = event.output.as_deref() else { return };
        self.is_empty |= event.test.is_none()
            && (output.contains("[no tests to run]") || output.contains("[no test files]"));
        // What go adds itself says nothing new.
        let is_frame = ["=== ", "--- ", "PASS\n", "FAIL", "ok  \t"];
        if !is_frame.iter().any(|frame| output.trim_start_matches(' ').starts_with(frame)) {
            self.package.tell_of(event.test.as_deref(), output);
        }
    }
}
