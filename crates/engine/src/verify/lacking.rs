//! Commands that the project names and this machine has no program for: they are not run, and what they
//! would say is unknown. That is told, and never taken for a pass.

use countersign_domain::verify::{Due, Judgement, Mark, NotRun, Reason, Result, Weight};

use super::Work;

/// A command that is due, and what it lacks here.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    pub due: Due,
    /// The program that is not installed.
    pub lacks: Option<String>,
}

impl Planned {
    /// Why it is not run, and what would change that.
    pub(super) fn why(&self) -> Option<String> {
        let program = self.lacks.as_ref()?;
        Some(format!("{program} is not installed; {}", mend(program)))
    }

    /// What that means for the work. Whether types and style hold is worth knowing; without tests, a
    /// person has to look.
    pub(super) fn reason(&self) -> Option<Reason> {
        let (why, due) = (self.why()?, &self.due);
        let weight = if due.is_test() { Weight::Ask } else { Weight::Note };
        let unknown = if due.is_test() { "" } else { ", so nobody knows whether it holds" };
        let (activity, command) = (&due.activity, &due.command);
        let text = format!("`{command}` ({activity}) was not run{unknown}: {why}");
        Some(Reason { weight, text })
    }
}

/// Programs that Python's package manager brings under the same name.
const OF_PYTHON: [&str; 14] = [
    "pytest",
    "ruff",
    "mypy",
    "pyright",
    "flake8",
    "pylint",
    "black",
    "tox",
    "nox",
    "pre-commit",
    "sqlfluff",
    "uv",
    "poetry",
    "mutmut",
];

/// What would bring a program.
fn mend(program: &str) -> String {
    if OF_PYTHON.contains(&program) {
        return format!("`pip install {program}` brings it");
    }
    match program {
        "npm" | "npx" | "node" => "install Node.js".to_owned(),
        "cargo" => "install Rust".to_owned(),
        "dotnet" => "install the .NET SDK".to_owned(),
        _ => "install it, or name another command below [project.commands]".to_owned(),
    }
}

impl Work<'_> {
    /// The rows of criteria that were not run, since their programs are not here.
    pub(super) fn unknown_results(&self) -> Vec<Result> {
        let criteria = self.agreed.contract.criteria.iter();
        let lacking = (1..).zip(criteria).filter_map(|(number, criterion)| {
            let why = self.agreed.lacking.get(&number)?;
            let is_test = criterion.activity.is_test();
            Some(Result {
                activity: criterion.activity.name().to_owned(),
                command: criterion.command.clone().unwrap_or_default(),
                mark: if is_test { Mark::Fail } else { Mark::Skipped },
                level: None,
                attempts: 0,
                error: Some(format!("it was not run: {why}")),
                receipts: Vec::new(),
            })
        });
        lacking.collect()
    }

    /// The same, for whoever reads no more than the verdict.
    pub(super) fn lacking(&self) -> Vec<NotRun> {
        let criteria = (1..).zip(&self.agreed.contract.criteria);
        let lacking = criteria.filter_map(|(number, criterion)| {
            Some(NotRun {
                activity: criterion.activity.name().to_owned(),
                command: criterion.command.clone().unwrap_or_default(),
                why: self.agreed.lacking.get(&number)?.clone(),
            })
        });
        lacking.collect()
    }

    /// That criteria somebody agreed to can't be told to hold: a person has to know.
    pub(super) fn unknown_criteria(&self, judgement: &Judgement) -> Vec<Reason> {
        if !self.agreed.is_named {
            return Vec::new();
        }
        let rows = self.agreed.numbers.iter().zip(&judgement.results);
        let unknown = rows.filter(|(_, result)| result.mark == Mark::Skipped);
        let told = unknown.map(|(number, result)| Reason {
            weight: Weight::Ask,
            text: format!(
                "criterion {number} ({}: `{}`) was agreed on, and nobody knows whether it holds",
                result.activity, result.command
            ),
        });
        told.collect()
    }
}
