//! Drafting a contract: from the words, the files that are expected to change and what the
//! repository is, to criteria that can be carried out.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::predict::{Expected, Source};
use super::rules::{Called, Change, Rules, Timing};
use super::task::{Criterion, GeneratedFrom, Scope, TaskContract, Why};
use crate::classify::{Classification, ContractType, Label as _, Origin};
use crate::project::{Activity, Project, Tool, Without};

/// What a contract is drafted from.
#[derive(Debug, Clone)]
pub struct Drafting<'a> {
    pub task: &'a str,
    pub classified: &'a Classification,
    pub expected: Vec<Expected>,
    pub project: &'a Project,
    pub rules: &'a Rules,
    /// What the project says it has none of.
    pub without: &'a Without,
    pub generated_from: GeneratedFrom,
    pub scope: Scope,
    pub now: Timestamp,
}

/// The first version of a task's contract.
pub fn draft(from: Drafting<'_>) -> TaskContract {
    let effective = from.classified.effective();
    let mut notes = Vec::new();
    if from.classified.unsure && from.classified.contract.origin == Origin::Inferred {
        notes.push(format!(
            "the words don't say clearly what kind of task this is ({} at best), so it is treated as {}",
            from.classified.contract.value.name(),
            effective.contract.name(),
        ));
    }
    if from.classified.provisional && effective.contract != ContractType::Verifiable {
        notes.push("a change of code will be verified whatever the words said".to_owned());
    }
    let surroundings =
        Surroundings { project: from.project, without: from.without, rules: from.rules };
    // A guess asks for no command that nobody has.
    let is_sure =
        |file: &&Expected| file.source != Source::History || !from.project.is_strange(&file.path);
    let expected = from.expected.iter().filter(is_sure);
    let paths: Vec<&str> = expected.map(|file| file.path.as_str()).collect();
    let changes: Vec<Change<'_>> = paths.iter().map(|path| Change { path, added: b"" }).collect();
    let criteria = match effective.contract {
        ContractType::Advisory => Vec::new(),
        ContractType::Skip => always(&surroundings, &paths, effective.contract),
        ContractType::Verifiable => {
            let mut criteria = always(&surroundings, &paths, effective.contract);
            let calls = from.rules.resolve(&changes).called;
            // Nothing is known about the files: the whole project's tests are called for.
            let calls = if changes.is_empty() { vec![unit_of_all()] } else { calls };
            for called in &calls {
                criteria.extend(surroundings.criteria(called, &mut notes));
            }
            criteria
        }
    };
    TaskContract {
        contract_type: effective.contract,
        criteria: ordered(criteria),
        generated_from: from.generated_from,
        generated_at: from.now,
        task: from.task.to_owned(),
        tier: effective.tier,
        risk: effective.risk,
        expected_files: from.expected,
        notes,
        scope: from.scope,
        version: 1,
        previous: None,
        examples: Vec::new(),
    }
}

/// What is noted where e2e tests would only be deferred, and there are none.
pub(super) const NO_E2E: &str = "the project has no e2e tests, so none are deferred";

fn unit_of_all() -> Called {
    Called {
        activity: Activity::Unit,
        critic: None,
        timing: Timing::Immediate,
        paths: BTreeSet::new(),
        hits: Vec::new(),
    }
}

/// Each criterion once, in the order in which they are carried out.
pub(super) fn ordered(criteria: Vec<Criterion>) -> Vec<Criterion> {
    let mut kept: Vec<Criterion> = Vec::new();
    for criterion in criteria {
        match kept.iter_mut().find(|other| other.key() == criterion.key()) {
            Some(same) => {
                same.timing = same.timing.max(criterion.timing);
                for why in criterion.why {
                    if !same.why.contains(&why) {
                        same.why.push(why);
                    }
                }
            }
            None => kept.push(criterion),
        }
    }
    kept.sort_by_key(|criterion| place(criterion.activity));
    kept
}

/// Typecheck, lint, unit, critics, e2e; the rest at its place in between.
fn place(activity: Activity) -> u8 {
    match activity {
        Activity::Build => 0,
        Activity::Typecheck => 1,
        Activity::Lint => 2,
        Activity::Format => 3,
        Activity::Unit | Activity::Check => 4,
        Activity::Integration => 5,
        Activity::Coverage => 6,
        Activity::Mutation => 7,
        Activity::Critic => 8,
        Activity::E2e => 9,
    }
}

/// What there is to carry criteria out with.
pub(super) struct Surroundings<'a> {
    pub(super) project: &'a Project,
    pub(super) without: &'a Without,
    pub(super) rules: &'a Rules,
}

/// What every contract of a type has, besides advisory ones: typecheck and lint.
pub(super) fn always(
    surroundings: &Surroundings<'_>,
    paths: &[&str],
    contract_type: ContractType,
) -> Vec<Criterion> {
    let why = Why::Always { text: format!("every {} task has it", contract_type.name()) };
    let mut criteria = Vec::new();
    for activity in [Activity::Typecheck, Activity::Lint] {
        if !surroundings.without.all(activity) {
            criteria.extend(surroundings.resolved(
                activity,
                paths,
                Timing::Immediate,
                std::slice::from_ref(&why),
            ));
        }
    }
    criteria
}

impl Surroundings<'_> {
    /// The criteria for what a rule calls for. What is left out is noted.
    pub(super) fn criteria(&self, called: &Called, notes: &mut Vec<String>) -> Vec<Criterion> {
        let why: Vec<Why> = called.hits.iter().cloned().map(Why::Rule).collect();
        if let Some(critic) = &called.critic {
            return vec![critic_of(critic, called, why)];
        }
        if self.without.all(called.activity) {
            note(notes, format!("the settings say that there is no {} here", called.activity));
            return Vec::new();
        }
        let paths: Vec<&str> = called.paths.iter().map(String::as_str).collect();
        let found = self.resolved(called.activity, &paths, called.timing, &why);
        let is_missing = found.iter().all(Criterion::is_unresolved);
        if is_missing && called.activity == Activity::E2e && called.timing == Timing::Deferred {
            // Most projects have none, and nothing here is said to need one at once.
            note(notes, NO_E2E.to_owned());
            return Vec::new();
        }
        found
    }

    /// One criterion for each command that does `activity` for `paths`, and one without a command
    /// where there is code that none of them looks at.
    fn resolved(
        &self,
        activity: Activity,
        paths: &[&str],
        timing: Timing,
        why: &[Why],
    ) -> Vec<Criterion> {
        let mut found: Vec<(&Tool, bool)> = Vec::new();
        let mut unread: Vec<&str> = Vec::new();
        for path in paths.iter().filter(|path| !self.without.of(activity, path)) {
            let is_code = self.project.part_of_code(path).is_some();
            match self.project.tool_for(activity, path) {
                Some(tool) => match found.iter_mut().find(|(other, _)| is_same(other, tool)) {
                    Some((_, of_code)) => *of_code |= is_code,
                    None => found.push((tool, is_code)),
                },
                // Other parts' tools don't look at it.
                None if is_code || self.is_strange(activity, path) => unread.push(path),
                None => {}
            }
        }
        let mut tools = without_repeats(&found);
        let is_left_out =
            !paths.is_empty() && paths.iter().all(|path| self.without.of(activity, path));
        if is_left_out {
            return Vec::new();
        }
        if tools.is_empty() && unread.is_empty() {
            tools = self.project.tools(activity);
        }
        let of = |tool: &&Tool| criterion(activity, Some(tool), timing, why.to_vec());
        let mut criteria: Vec<Criterion> = tools.iter().map(of).collect();
        if criteria.is_empty() || !unread.is_empty() {
            let pattern = (!unread.is_empty()).then(|| listed(unread.iter().copied()));
            let none = criterion(activity, None, timing, why.to_vec());
            criteria.push(Criterion { pattern, ..none });
        }
        criteria
    }

    /// Whether no tool for `activity` deals with the language of `path`. Tests of a whole system have to
    /// do with all of it, and what is plain has no part in how it behaves.
    fn is_strange(&self, activity: Activity, path: &str) -> bool {
        let is_of_whole = matches!(activity, Activity::Integration | Activity::E2e);
        !is_of_whole && self.project.is_strange(path) && !self.rules.is_plain(path)
    }
}

/// Tools, each with whether code calls for it, without those that would run the same tests again for what
/// is no code: `make test` beside what it runs.
fn without_repeats<'a>(found: &[(&'a Tool, bool)]) -> Vec<&'a Tool> {
    let repeats = |tool: &Tool| {
        let mut others = found.iter().filter(|(_, of_code)| *of_code);
        tool.runner.is_some()
            && others.any(|(other, _)| (other.runner, &other.folder) == (tool.runner, &tool.folder))
    };
    let kept = found.iter().filter(|(tool, of_code)| *of_code || !repeats(tool));
    kept.map(|(tool, _)| *tool).collect()
}

fn is_same(one: &Tool, other: &Tool) -> bool {
    (&one.command, &one.folder) == (&other.command, &other.folder)
}

/// A few paths, and how many more.
fn listed<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = paths.len().saturating_sub(3);
    let few: Vec<&str> = paths.take(3).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", few.join(", "))
}

fn note(notes: &mut Vec<String>, text: String) {
    if !notes.contains(&text) {
        notes.push(text);
    }
}

fn criterion(
    activity: Activity,
    tool: Option<&Tool>,
    timing: Timing,
    mut why: Vec<Why>,
) -> Criterion {
    let description = match activity {
        Activity::Build => "it builds",
        Activity::Typecheck => "there are no type errors",
        Activity::Lint => "the linter finds nothing",
        Activity::Format => "the files are laid out as agreed",
        Activity::Unit => "the unit tests pass",
        Activity::Check => "the command ends with exit code 0",
        Activity::Integration => "the integration tests pass",
        Activity::E2e => "the end-to-end tests pass",
        Activity::Coverage => "the coverage is as agreed",
        Activity::Mutation => "the tests notice changes of the code",
        Activity::Critic => "a critic has nothing against it",
    };
    let place = tool.map(|tool| tool.folder.as_str()).filter(|folder| !folder.is_empty());
    let description = match place {
        Some(folder) => format!("{description} in {folder}"),
        None => description.to_owned(),
    };
    if let Some(tool) = tool {
        why.extend(tool.why.iter().map(Why::from));
    }
    Criterion {
        activity,
        description,
        pattern: None,
        timing,
        command: tool.map(|tool| tool.command.shell.clone()),
        folder: tool.map(|tool| tool.folder.clone()).unwrap_or_default(),
        critic: None,
        amended: false,
        why,
    }
}

fn critic_of(critic: &str, called: &Called, why: Vec<Why>) -> Criterion {
    let mut reasons: Vec<&str> =
        called.hits.iter().map(|hit| hit.reason.as_str()).filter(|text| !text.is_empty()).collect();
    reasons.dedup();
    let about =
        if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    Criterion {
        activity: Activity::Critic,
        description: format!("the {critic} critic has nothing against it{about}"),
        pattern: (!called.paths.is_empty())
            .then(|| listed(called.paths.iter().map(String::as_str))),
        timing: Timing::Immediate,
        command: None,
        folder: String::new(),
        critic: Some(critic.to_owned()),
        amended: false,
        why,
    }
}
