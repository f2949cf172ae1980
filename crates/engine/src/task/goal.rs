//! A task file as the goal of a run.

use std::collections::BTreeMap;

use countersign_domain::task::{Criticality, QaCommand, is_unfilled};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What a task file asks of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskGoal {
    pub goal: String,
    /// The commands that it names; none if it leaves that to the project.
    pub checks: Vec<String>,
    /// How long a check may take, if the task gives one of them more time than is usual.
    pub check_seconds: Option<u64>,
    /// How long single checks may take, where the task says so.
    pub own_seconds: BTreeMap<String, u64>,
    /// What the task says that a run does not follow, for a person to know.
    pub notes: Vec<String>,
}

impl Engine {
    /// What the task `name` asks for, in words and in commands.
    pub fn task_goal(&self, name: &str) -> Result<TaskGoal> {
        let file = self.task_file(name)?;
        let task = &file.task;
        if is_unfilled(&task.description.value) {
            let message = format!("the description of task '{name}' is still that of the template");
            return Err(Error::new(Kind::Refused, message)
                .hint("say in its file what is to be done, and why; then run it again"));
        }
        let mut goal = format!("{}\n\n{}\n", task.title.value, task.description.value.trim());
        let mut list = |title: &str, items: Vec<&str>| {
            if !items.is_empty() {
                goal += &format!("\n{title}:\n\n");
                for item in items {
                    goal +=
                        &format!("- {}\n", item.split_whitespace().collect::<Vec<_>>().join(" "));
                }
            }
        };
        let texts = |placed: &'_ [countersign_domain::mistake::Placed]| -> Vec<String> {
            placed.iter().map(|one| one.value.clone()).collect()
        };
        let (criteria, inside, outside) =
            (texts(&task.acceptance_criteria), texts(&task.scope_in), texts(&task.scope_out));
        list("It is done when", criteria.iter().map(String::as_str).collect());
        list("It is about", inside.iter().map(String::as_str).collect());
        list("It is not about", outside.iter().map(String::as_str).collect());
        // What is only recommended keeps nobody from being done.
        let required = || {
            let commands = task.qa_commands.iter().map(|one| &one.value);
            commands.filter(|one| one.criticality == Criticality::Required)
        };
        let checks = required().map(QaCommand::as_check).collect();
        let timed = required().filter(|one| one.is_timed);
        let own_seconds: BTreeMap<String, u64> =
            timed.map(|one| (one.as_check(), one.timeout_ms.div_ceil(1000))).collect();
        let usual = self.settings.config.run.check_seconds;
        let check_seconds = own_seconds.values().copied().max().filter(|most| *most > usual);
        let notes = required().filter(|one| one.retry.max_attempts > 1).map(not_retried).collect();
        Ok(TaskGoal { goal, checks, check_seconds, own_seconds, notes })
    }
}

/// What passes only now and then is not proven, so that a run never asks again until it does.
fn not_retried(one: &QaCommand) -> String {
    format!(
        "{}: its 'retry_policy' is not followed here: a check of a run that fails has failed",
        one.id
    )
}
