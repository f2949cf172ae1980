//! What a change calls for: the union over all rules that it meets.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Candidate, GlobMatcher};
use serde::{Deserialize, Serialize};

use super::late::Late;
use super::{At, E2e, FileRule, Kind, Rules, Says, Timing};
use crate::project::Activity;

/// How many paths and rules an explanation names, and how long a line may be to be looked at.
const MAX_HITS: usize = 8;
const MAX_LINE: usize = 4_096;

/// A file of a change.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    pub path: &'a str,
    /// The lines that were added; nothing before the work is done.
    pub added: &'a [u8],
}

/// A rule that a file met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The file of rules.
    pub file: String,
    pub line: usize,
    /// The glob or the expression; `defaults` where no rule held.
    pub rule: String,
    /// What met it.
    pub path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// An activity that is called for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    pub activity: Activity,
    /// The critic, where the activity is one.
    pub critic: Option<String>,
    pub timing: Timing,
    /// The files that call for it.
    pub paths: BTreeSet<String>,
    pub hits: Vec<Hit>,
}

/// All that a change calls for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls {
    pub called: Vec<Called>,
    /// Whether every file is one that has no part in how the program behaves.
    pub is_plain: bool,
}

#[derive(Default)]
struct Found {
    timing: Option<Timing>,
    paths: BTreeSet<String>,
    hits: Vec<Hit>,
}

type Table = BTreeMap<(Activity, Option<String>), Found>;

impl Rules {
    /// What the files of a change call for, besides typecheck and lint.
    pub fn resolve(&self, changes: &[Change<'_>]) -> Calls {
        let mut table = Table::new();
        let mut is_plain = !changes.is_empty();
        for change in changes {
            if !self.take_file(change.path, &mut table) {
                is_plain = false;
                self.take_lines(change, &mut table);
            }
        }
        self.take_across(changes, &mut table);
        let called = table.into_iter().map(|((activity, critic), found)| Called {
            activity,
            critic,
            timing: found.timing.unwrap_or(Timing::Immediate),
            paths: found.paths,
            hits: found.hits,
        });
        Calls { called: called.collect(), is_plain }
    }

    /// Whether a file is one that doesn't change how a program behaves.
    pub fn is_plain(&self, path: &str) -> bool {
        self.take_file(path, &mut Table::new())
    }

    /// Whether a file is text for people, and nothing else.
    pub fn is_text(&self, path: &str) -> bool {
        let met = self.globs.matches_candidate(&Candidate::new(path));
        let mut kinds = met.iter().filter_map(|at| self.files.get(*at)?.says.kind).peekable();
        kinds.peek().is_some() && kinds.all(|kind| kind == Kind::Docs)
    }

    fn take_file(&self, path: &str, table: &mut Table) -> bool {
        let met = self.globs.matches_candidate(&Candidate::new(path));
        let met: Vec<&FileRule> = met.iter().filter_map(|at| self.files.get(*at)).collect();
        let kinds: Vec<Kind> = met.iter().filter_map(|rule| rule.says.kind).collect();
        for rule in met.iter().filter(|rule| kinds.is_empty() || rule.says.kind.is_some()) {
            let unit = rule.says.unit.or(Some(self.unit));
            let says = Says { unit, ..rule.says.clone() };
            add(table, &says, &hit(&rule.at, (&rule.glob, path), &rule.says.reason));
        }
        if met.is_empty() {
            let says = Says { unit: Some(self.unit), e2e: Some(self.e2e), ..Says::default() };
            add(table, &says, &hit(&self.defaults_at, ("defaults", path), "no rule names it"));
        }
        !kinds.is_empty() && kinds.iter().all(|kind| kind.is_plain())
    }

    fn take_lines(&self, change: &Change<'_>, table: &mut Table) {
        if change.added.is_empty() {
            return;
        }
        for rule in &self.lines {
            if !is_within(rule.within.as_ref(), change.path) {
                continue;
            }
            let Some(expression) = rule.expression.get() else { continue };
            let mut lines = change.added.split(|byte| *byte == b'\n');
            if lines.any(|line| expression.is_match(&line[..line.len().min(MAX_LINE)])) {
                let hit = hit(&rule.at, (&rule.pattern, change.path), &rule.says.reason);
                add(table, &rule.says, &hit);
            }
        }
    }

    fn take_across(&self, changes: &[Change<'_>], table: &mut Table) {
        for rule in &self.across {
            let is_within = |path: &&str| is_within(rule.within.as_ref(), path);
            let paths = changes.iter().map(|change| change.path).filter(is_within);
            let folders: BTreeSet<&str> =
                paths.clone().map(|path| path.rsplit_once('/').map_or("", |(f, _)| f)).collect();
            let Some(first) = paths.into_iter().next() else { continue };
            if folders.len() >= rule.at_least {
                add(table, &rule.says, &hit(&rule.at, (&rule.name, first), &rule.says.reason));
            }
        }
    }
}

fn hit(at: &At, (rule, path): (&str, &str), reason: &str) -> Hit {
    Hit {
        file: at.file.clone(),
        line: at.place.line,
        rule: rule.to_owned(),
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn add(table: &mut Table, says: &Says, hit: &Hit) {
    let mut put = |key: (Activity, Option<String>), timing: Timing| {
        let found = table.entry(key).or_default();
        found.timing = found.timing.max(Some(timing));
        found.paths.insert(hit.path.clone());
        if found.hits.len() < MAX_HITS {
            found.hits.push(hit.clone());
        }
    };
    if says.unit == Some(true) {
        put((Activity::Unit, None), Timing::Immediate);
    }
    if let Some(E2e::Run(timing)) = says.e2e {
        put((Activity::E2e, None), timing);
    }
    for critic in &says.critics {
        put((Activity::Critic, Some(critic.clone())), Timing::Immediate);
    }
}

/// Whether a path is one that a rule is for.
fn is_within(within: Option<&Late<GlobMatcher>>, path: &str) -> bool {
    within.is_none_or(|glob| glob.get().is_some_and(|glob| glob.is_match(path)))
}
