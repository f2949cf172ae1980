//! The commands that prove a story, and those that prove the whole.

use serde::Serialize;

use super::id::{CriterionId, StoryId};
use super::types::{Layer, Plan};

/// A command to be run by us, and what it proves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub command: String,
    pub purpose: Purpose,
    /// The criteria that it proves, of the story that was asked for; empty for the whole project's.
    pub criteria: Vec<CriterionId>,
    /// The tests that must have run.
    pub tests: Vec<String>,
    /// What it must print: for a known input, or as rows of the test-spec say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// Why a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Build,
    Lint,
    /// The tests of the whole project.
    Test,
    /// Tests of criteria, on one layer.
    Layer(Layer),
    Mutation,
}

impl Plan {
    /// The commands for one story: those of the whole project, then those of its criteria. A command
    /// that proves several criteria is there once.
    pub fn checks_of(&self, story: StoryId) -> Vec<Check> {
        let mut checks = self.project_checks();
        for mapped in self.spec.mapping.iter().filter(|mapped| mapped.story == story) {
            let at = checks.iter().position(|check| check.command == mapped.command);
            let check = match at {
                Some(at) => &mut checks[at],
                None => {
                    push(&mut checks, Check::new(&mapped.command, Purpose::Layer(mapped.layer)))
                }
            };
            if !check.criteria.contains(&mapped.criterion) {
                check.criteria.push(mapped.criterion);
            }
            if !check.tests.contains(&mapped.test) {
                check.tests.push(mapped.test.clone());
            }
            if check.expected.is_none() {
                check.expected = mapped.printed().map(str::to_owned);
            }
        }
        checks
    }

    /// The commands whose exit codes count for all stories together: those of the whole project and of
    /// all layers. What is compared is in [`Plan::release_examples`].
    pub fn release_checks(&self) -> Vec<Check> {
        let mut checks = self.project_checks();
        let mapped = self.spec.mapping.iter().map(|one| (one.layer, &one.command));
        let layers = self.spec.layers.iter();
        let layers = layers.flat_map(|one| one.commands.iter().map(|command| (one.layer, command)));
        for (layer, command) in mapped.chain(layers) {
            if checks.iter().all(|check| check.command != *command) {
                checks.push(Check::new(command, Purpose::Layer(layer)));
            }
        }
        let gate = &self.spec.mutation;
        let mutation = gate.command.given().map(|command| gated(command, gate.threshold));
        checks.extend(mutation.map(|command| Check::new(&command, Purpose::Mutation)));
        checks
    }

    fn project_checks(&self) -> Vec<Check> {
        let commands = &self.spec.commands;
        let mut checks: Vec<Check> = Vec::new();
        for (purpose, filled) in [
            (Purpose::Build, &commands.build),
            (Purpose::Lint, &commands.lint),
            (Purpose::Test, &commands.test),
        ] {
            if let Some(command) = filled.given()
                && checks.iter().all(|check| check.command != command)
            {
                checks.push(Check::new(command, purpose));
            }
        }
        checks
    }
}

impl Check {
    fn new(command: &str, purpose: Purpose) -> Self {
        let (criteria, tests) = (Vec::new(), Vec::new());
        Self { command: command.to_owned(), purpose, criteria, tests, expected: None }
    }
}

/// A command that passes if the last share that `command` prints, such as `83.5 %`, is at least the
/// threshold. Its own exit code does not count: tools fail as soon as one mutant was missed.
fn gated(command: &str, threshold: u8) -> String {
    format!(
        "{{ {command}\n}} 2>&1 | awk -v least={threshold} '{{ print; rest = $0; while (match(rest, \
         /[0-9]+([.][0-9]+)? ?%/)) {{ share = substr(rest, RSTART, RLENGTH) + 0; told = 1; rest = \
         substr(rest, RSTART + RLENGTH) }} }} END {{ if (!told) print \"no share of mutants that were \
         noticed (such as 83.5 %) was printed\"; else if (share < least) print share \" % of the \
         mutants were noticed, and \" least \" % must be\"; exit !told || share < least }}'"
    )
}

/// Adds an item, to be changed further.
fn push(checks: &mut Vec<Check>, check: Check) -> &mut Check {
    checks.push(check);
    let last = checks.len() - 1;
    &mut checks[last]
}
