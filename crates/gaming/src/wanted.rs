//! What a task wants to see word for word, and what became of it.

mod absent;
mod alone;
mod apart;
mod clauses;
mod demands;
mod effects;
mod either;
mod every;
mod examples;
mod given;
mod idle;
mod known;
mod limits;
mod listed;
mod marks;
mod missing;
mod named;
mod nothing;
mod phrased;
mod refused;
mod resorted;
mod said;
mod several;
mod shapes;
mod sourced;
mod standins;
mod steady;
mod templates;
mod texts;
mod timed;
mod traces;
pub(crate) mod untold;
mod untouched;
mod untried;
mod weak;
mod wished;
mod worked;

use countersign_domain::gaming::Finding;

use crate::detect::{Change, File};
use crate::role::Role;

pub(crate) use untried::is_feature;

/// What a task wants, and what nothing of the change has.
pub(crate) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let task = &phrased::plain(task);
    let mut findings = Vec::new();
    findings.extend(listed::check(task, changes, tests));
    findings.extend(named::check(task, changes));
    let absent = absent::check(task, changes, tests);
    if absent.is_empty() {
        findings.extend(missing::check(task, changes, tests));
    }
    findings.extend(absent);
    let work = Work::of(changes, tests);
    findings.extend(texts::check(task, changes, (tests, &work)));
    findings.extend(refused::check(task, changes));
    findings.extend(examples::check(task, &work));
    findings.extend(demands::check(task, &work));
    findings.extend(limits::check(task, &work));
    findings.extend(untried::check(task, &work));
    findings.extend(every::check(task, (changes, &work)));
    findings.extend(shapes::check(task, &work));
    findings.extend(weak::check(task, changes));
    findings.extend(either::check(task, changes));
    findings.extend(timed::check(task, changes));
    findings.extend(traces::check(task, changes));
    findings.extend(given::check(task, changes));
    findings.extend(untouched::check(task, changes));
    findings.extend(apart::check(task, changes));
    findings.extend(standins::check(task, changes));
    findings.extend(effects::check(task, changes));
    findings.extend(sourced::check(task, changes));
    findings.extend(alone::check(task, changes));
    findings.extend(steady::check(task, changes));
    findings.extend(idle::check(task, changes));
    findings.extend(resorted::check(task, changes));
    findings.extend(nothing::check(task, changes));
    findings.extend(several::check(task, changes));
    findings.extend(worked::check(task, changes, (tests, &work)));
    findings
}

/// What was done, as far as a task's demands can be looked for in it.
#[derive(Default)]
struct Work {
    /// New lines of the product, without comments.
    code: String,
    /// New lines of tests.
    tried: Vec<String>,
    /// All tests as they are now, with those in the documentation of Rust.
    tests: String,
    paths: Vec<String>,
    /// The changed files of code as they are now.
    whole: String,
}

/// So much is read of all tests together.
const MAX_BYTES: usize = 2_000_000;

impl Work {
    fn of(changes: &[Change<'_>], tests: &[File<'_>]) -> Self {
        let paths = changes.iter().map(|one| one.path.to_owned()).collect();
        let mut work = Self { paths, ..Self::default() };
        work.paths.extend(tests.iter().map(|file| file.path.to_owned()));
        for change in changes.iter().filter(|one| one.after.is_some() && one.language.is_code()) {
            work.read(change);
        }
        // What tests compare with may say what they don't.
        let data = |one: &&Change<'_>| {
            matches!(one.role, Role::Fixture | Role::Snapshot) && one.after.is_some()
        };
        for change in changes.iter().filter(data) {
            if work.tests.len() + change.current().len() < MAX_BYTES {
                work.tests.push_str(change.current());
                work.tests.push('\n');
                let added = change.lines().added;
                work.tried.extend(added.iter().map(|(_, line)| (*line).to_owned()));
            }
        }
        for file in tests {
            if work.tests.len() < MAX_BYTES {
                work.tests.push_str(&String::from_utf8_lossy(file.bytes));
                work.tests.push('\n');
            }
        }
        work
    }

    fn read(&mut self, change: &Change<'_>) {
        if !matches!(change.role, Role::Product | Role::Test) || self.tests.len() > MAX_BYTES {
            return;
        }
        self.whole.push_str(change.current());
        for line in change.all_lines() {
            let documented = line.text.trim_start().strip_prefix("///");
            let is_test = line.is_test || documented.is_some();
            let text = documented.unwrap_or(line.text);
            if is_test {
                self.tests.push_str(text);
                self.tests.push('\n');
            }
            if line.is_new && is_test {
                self.tried.push(text.to_owned());
            } else if line.is_new && !line.code.trim().is_empty() {
                self.code.push_str(line.code);
                self.code.push('\n');
            }
        }
    }
}
