//! What `go test` says to people: packages, with `-v` also every test.
//!
//! Without `-v` nothing says how many tests a package has, or whether it skipped them all.

mod lines;

use std::collections::BTreeMap;

use countersign_domain::qa::{
    Case, Certainty, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Suite, Totals,
};

use super::room::Room;
use super::text::Line;
use lines::Said;

pub(super) use lines::{End, Said as GoSaid, read as read_line};

pub(super) fn is_own(line: &str) -> bool {
    !matches!(lines::read(line), Said::Nothing | Said::Header(_) | Said::Panic(_))
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    package: Package,
    /// Packages that were told with `-v`, and such that were not: there are never both.
    told: (bool, bool),
    evidence: Option<Certainty>,
}

/// What was said since the last package ended.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) tests: BTreeMap<String, Test>,
    room: Room,
    /// With `-v` every test begins with a line of its own.
    is_verbose: bool,
    /// Lines that no test of it can have written.
    strays: Vec<(u64, String)>,
    /// What is said about the package, or about the test that is open.
    telling: String,
    current: Option<String>,
    line: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Test {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) is_open: bool,
    pub(super) duration_ms: Option<u64>,
    pub(super) message: String,
    pub(super) line: Option<u64>,
}

impl Reader {
    pub(super) fn new() -> Self {
        let draft = Draft::new(Format::GoTest);
        Self { draft, package: Package::default(), told: (false, false), evidence: None }
    }

    pub(super) fn evidence(&self) -> Option<Certainty> {
        self.evidence
    }

    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        let package = &mut self.package;
        match lines::read(line.trimmed()) {
            Said::Run(name) => {
                self.evidence = self.evidence.max(Some(Certainty::Likely));
                package.is_verbose = true;
                package.begin(name, line.at());
            }
            Said::Current(name) => package.current = Some(name.to_owned()),
            Said::Test { outcome, name, duration_ms } => {
                package.end(name, line.believe(outcome), duration_ms, line);
            }
            Said::Package { id, end } => {
                self.evidence = Some(Certainty::Sure);
                self.close(id, end, line);
            }
            Said::Header(_) => package.telling.clear(),
            Said::Panic(what) => {
                package.tell(what);
                package.line = package.line.or(line.at());
            }
            Said::Word => package.current = None,
            Said::Nothing => {
                if !package.end_in_line(line) {
                    package.tell(line.trimmed());
                }
            }
        }
    }

    fn close(&mut self, id: &str, end: End, line: &Line<'_>) {
        match end {
            // What has no tests, or none that could be built, is told between others.
            End::NoTests => return,
            End::Broken => {
                let telling = std::mem::take(&mut self.package.telling);
                self.draft.note(Case::new(id, Outcome::Errored).with_message(telling));
                return;
            }
            End::Ok | End::Failed => {}
        }
        let mut package = std::mem::take(&mut self.package);
        for (at, words) in std::mem::take(&mut package.strays) {
            self.draft.doubt(DoubtKind::Stray, Some(at), words);
        }
        if package.room.is_full {
            self.draft.doubt(DoubtKind::TooMany, line.at(), "there are more tests than are kept");
        }
        let telling = std::mem::take(&mut package.telling);
        let (is_verbose, is_empty) = (package.is_verbose, package.tests.is_empty());
        let has_open = package.tests.values().any(|test| test.is_open);
        let mut listed = package.into_listed(id);
        let bad = listed.count().bad();
        let is_told = !is_empty || end == End::Ok;
        self.told.0 |= is_verbose;
        self.told.1 |= is_told && !is_verbose;
        match end {
            End::Ok => {
                if has_open || bad > 0 {
                    let words = format!("{id} is ok, but not all of its tests are");
                    self.draft.doubt(DoubtKind::Contradiction, line.at(), words);
                    listed.demote();
                }
                if !is_verbose || is_empty {
                    self.suite(id, line.believe(Outcome::Passed));
                }
            }
            End::Failed if bad > 0 => {
                if !is_verbose {
                    self.suite(id, Outcome::Failed);
                }
            }
            _ => self.draft.note(Case::new(id, Outcome::Errored).with_message(telling)),
        }
        self.draft.add_all(listed);
    }

    fn suite(&mut self, id: &str, outcome: Outcome) {
        self.draft.suite(Suite { id: id.to_owned(), outcome, unnamed: Totals::default() });
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let mut package = std::mem::take(&mut self.package);
        let is_cut = !package.tests.is_empty()
            || package.line.is_some()
            || self.evidence != Some(Certainty::Sure);
        if let Some(line) =
            package.tests.values().filter_map(|test| test.line).min().or(package.line)
        {
            let words = "the text stops before the package of these tests ends";
            self.draft.doubt(DoubtKind::Cut, Some(line), words);
        }
        for (at, words) in std::mem::take(&mut package.strays) {
            self.draft.doubt(DoubtKind::Stray, Some(at), words);
        }
        let mut listed = package.into_listed("");
        listed.demote();
        self.draft.add_all(listed);
        if self.told == (true, true) {
            let words = "some packages are told test by test and some are not: a test may have printed them";
            self.draft.doubt(DoubtKind::Stray, None, words);
            self.draft.demote();
        }
        let ending = if is_cut { Ending::Cut } else { Ending::Open };
        self.draft.finish(ending, exit_code)
    }
}

impl Package {
    pub(super) fn begin(&mut self, name: &str, line: Option<u64>) {
        if !self.tests.contains_key(name) && !self.room.take(name) {
            return;
        }
        let test = self.tests.entry(name.to_owned()).or_default();
        test.is_open = true;
        test.line = test.line.or(line);
        self.current = Some(name.to_owned());
    }

    fn end(&mut self, name: &str, outcome: Outcome, duration_ms: Option<u64>, line: &Line<'_>) {
        let is_open = self.tests.get(name).is_some_and(|test| test.is_open);
        // Without `-v` only what failed is told, and where it is told it begins.
        let is_new =
            !self.is_verbose && outcome != Outcome::Passed && !self.tests.contains_key(name);
        if is_new {
            self.begin(name, line.at());
        } else if !is_open {
            if self.strays.len() < 10 {
                let words =
                    format!("`{name}` ends without having begun: a test may have printed it");
                self.strays.push((line.number, words));
            }
            return;
        }
        self.finish(name, outcome, duration_ms);
        self.current = outcome.is_bad().then(|| name.to_owned());
    }

    /// A test has ended.
    pub(super) fn finish(&mut self, name: &str, outcome: Outcome, duration_ms: Option<u64>) {
        if let Some(test) = self.tests.get_mut(name) {
            test.is_open = false;
            if test.outcomes.len() < 1000 {
                test.outcomes.push(outcome);
            }
            test.duration_ms = duration_ms;
            if outcome == Outcome::Passed {
                test.message.clear();
            }
        }
    }

    /// A test that printed half a line ends behind it.
    fn end_in_line(&mut self, line: &Line<'_>) -> bool {
        let text = line.trimmed();
        let Some(at) = text.find("--- ").filter(|at| *at > 0) else { return false };
        let Said::Test { outcome, name, duration_ms } = lines::read(&text[at..]) else {
            return false;
        };
        let is_open = self.tests.get(name).is_some_and(|test| test.is_open);
        if is_open || !self.is_verbose && outcome.is_bad() {
            self.end(name, line.believe(outcome), duration_ms, line);
        }
        is_open
    }

    pub(super) fn telling(&self) -> &str {
        &self.telling
    }

    fn tell(&mut self, text: &str) {
        let current = self.current.take();
        self.tell_of(current.as_deref(), text);
        self.current = current;
    }

    /// What a test said, or if it is none, its package.
    pub(super) fn tell_of(&mut self, name: Option<&str>, text: &str) {
        let told = name.and_then(|name| self.tests.get_mut(name));
        let into = told.map_or(&mut self.telling, |test| &mut test.message);
        if into.len() < 1024 && !text.trim().is_empty() {
            into.push_str(text.trim());
            into.push('\n');
        }
    }

    pub(super) fn into_listed(self, package: &str) -> Listed {
        let mut listed = Listed::default();
        for (name, test) in self.tests {
            let ended = test.outcomes.iter().copied().max();
            let outcome =
                if test.is_open { Outcome::Unknown } else { ended.unwrap_or(Outcome::Unknown) };
            // A test that failed once failed, also if it is open again.
            let outcome = ended.filter(|ended| ended.is_bad()).unwrap_or(outcome);
            let id = if package.is_empty() { name } else { format!("{package} {name}") };
            let mut case = Case::new(id, outcome);
            if test.outcomes.len() > 1 {
                case.attempts = test.outcomes;
            }
            case.duration_ms = test.duration_ms;
            if outcome != Outcome::Passed && !test.message.is_empty() {
                case.message = Some(test.message);
            }
            listed.push(case, test.line);
        }
        listed
    }
}
