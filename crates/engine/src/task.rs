//! Tasks: listed, checked, made, completed.

mod files;
mod goal;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;

use countersign_domain::context::RoleStatus;
use countersign_domain::task::{self, Mistake, Priority, Status, TaskId, Warning};
use countersign_domain::worklog::deviation::Tested;
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Kind, Result};
use files::{ENDINGS, replace, unusable};
pub(crate) use files::{TaskFile, plain, sha_of};
pub use goal::TaskGoal;

/// A task in a list.
#[derive(Debug, Clone, Serialize)]
pub struct TaskRow {
    pub id: String,
    pub title: String,
    pub priority: String,
    pub area: String,
    pub status: String,
    pub file: String,
    /// Where its context stands: the role and its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// All task files, and those that can't be used.
#[derive(Debug, Clone, Serialize)]
pub struct TaskList {
    pub tasks: Vec<TaskRow>,
    pub mistakes: Vec<Mistake>,
}

/// What is wrong or odd in task files.
#[derive(Debug, Clone, Serialize)]
pub struct TaskCheck {
    pub files: usize,
    pub mistakes: Vec<Mistake>,
    /// What else would keep a context from being made: standards, scopes, roles.
    pub unready: Vec<String>,
    pub warnings: Vec<Warning>,
}

/// A task to be written down.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub title: String,
    pub id: Option<String>,
    pub area: String,
    pub priority: String,
}

/// A task file that was made.
#[derive(Debug, Clone, Serialize)]
pub struct MadeTask {
    pub id: String,
    pub file: String,
}

/// A task that is done.
#[derive(Debug, Clone, Serialize)]
pub struct CompletedTask {
    pub id: String,
    pub file: String,
    /// Whether a context was purged with it.
    pub purged: bool,
    pub warnings: Vec<String>,
}

impl Engine {
    /// All tasks, in order of their ids.
    pub fn tasks(&self) -> Result<TaskList> {
        let contexts: BTreeMap<String, String> = self
            .contexts()?
            .into_iter()
            .filter(|row| !row.is_purged)
            .map(|row| {
                let role = row.role.unwrap_or_else(|| "all roles".into());
                (row.task, format!("{role} {}", row.status))
            })
            .collect();
        let mut list = TaskList { tasks: Vec::new(), mistakes: Vec::new() };
        for path in self.task_paths()? {
            match self.read_task(&path)? {
                Err(mistakes) => list.mistakes.extend(mistakes),
                Ok(TaskFile { task, shown, .. }) => list.tasks.push(TaskRow {
                    context: contexts.get(task.id.as_str()).cloned(),
                    id: task.id.to_string(),
                    title: task.title.value,
                    priority: task.priority.name().to_owned(),
                    area: task.area.value,
                    status: task.status.name().to_owned(),
                    file: shown,
                }),
            }
        }
        list.tasks.sort_by(|a, b| (&a.id, &a.file).cmp(&(&b.id, &b.file)));
        Ok(list)
    }

    /// Looks for mistakes in the named task files, or in all.
    pub fn check_tasks(&self, named: &[String]) -> Result<TaskCheck> {
        let paths = if named.is_empty() {
            self.task_paths()?
        } else {
            named.iter().map(|name| self.task_path(name)).collect::<Result<_>>()?
        };
        let (mut mistakes, mut unready, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen: BTreeMap<TaskId, String> = BTreeMap::new();
        for path in &paths {
            match self.read_task(path)? {
                Err(found) => mistakes.extend(found),
                Ok(file) => {
                    if let Some(other) = seen.insert(file.task.id.clone(), file.shown.clone()) {
                        let what = format!("{} has the id {} too", other, file.task.id);
                        mistakes.push(Mistake::new(
                            (&file.shown, task::Place::START),
                            "id",
                            what,
                            "give one of them another id",
                        ));
                    }
                    // Among all files, the other one is met by itself.
                    let is_one =
                        if named.is_empty() { Ok(()) } else { self.expect_one_file(&file) };
                    match is_one.and_then(|()| self.check_task(&file)) {
                        Ok(long) => warnings.extend(long),
                        Err(Error { message, hint, .. }) => {
                            let hint = hint.map(|hint| format!("; {hint}"));
                            unready.push(format!("{message}{}", hint.unwrap_or_default()));
                        }
                    }
                    warnings.extend(file.warnings);
                }
            }
        }
        Ok(TaskCheck { files: paths.len(), mistakes, unready, warnings })
    }

    /// Writes a new task file, to be filled in.
    pub fn new_task(&mut self, new: &NewTask) -> Result<MadeTask> {
        self.screen(&[("the title", Some(&new.title)), ("the area", Some(&new.area))], false)?;
        let id = match &new.id {
            Some(id) => id.parse::<TaskId>().map_err(|error| {
                Error::new(Kind::Usage, error.to_string()).hint("an id such as TASK-0824")
            })?,
            None => self.next_task_id()?,
        };
        let named = |priority: &Priority| priority.name() == new.priority.to_uppercase();
        let priority = Priority::ALL.into_iter().find(named).ok_or_else(|| {
            Error::new(Kind::Usage, format!("'{}' is no priority", new.priority))
                .hint("it is one of P0, P1, P2, P3")
        })?;
        let title = new.title.trim();
        if title.is_empty() {
            return Err(Error::new(Kind::Usage, "the title is empty")
                .hint("countersign task new \"What is to be done\""));
        }
        let text = task::template(&id, title, priority, &new.area);
        let folder = self.task_folder();
        fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, &error))?;
        let path = folder.join(format!("{id}{}", ENDINGS[0]));
        let file = fs::File::create_new(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Error::new(Kind::Refused, format!("{} is already there", path.display()))
                    .hint("give another --id")
            }
            _ => Error::io("create", &path, &error),
        });
        file?.write_all(text.as_bytes()).map_err(|error| Error::io("write", &path, &error))?;
        Ok(MadeTask { id: id.to_string(), file: self.shown_path(&path) })
    }

    /// Marks a task as done, then purges its context. The task is done even if that fails.
    pub fn complete_task(
        &mut self,
        name: &str,
        anyway: Option<&str>,
        actor: &str,
    ) -> Result<CompletedTask> {
        let file = self.task_file(name)?;
        let id = file.task.id.to_string();
        self.screen(&[("the reason", anyway), ("the actor", Some(actor))], false)?;
        if anyway.is_none() {
            self.expect_finished(&id, actor)?;
        }
        let mut warnings = self.unproven(&file)?;
        let text = task::with_status(&file.text, &file.shown, Status::Done)
            .map_err(|mistakes| unusable(&mistakes))?;
        replace(&file.path, text.as_bytes())?;
        let because = match anyway {
            Some(why) => format!("the task was completed: {why}"),
            None => "the task was completed".to_owned(),
        };
        let purged = match self.purge_context(&id, &because, actor) {
            Ok(purged) => purged.was_there,
            // A task need not have a context.
            Err(error) if error.kind == Kind::NotFound => false,
            Err(error) => {
                warnings.push(format!("its context could not be purged: {error}"));
                false
            }
        };
        Ok(CompletedTask { id, file: file.shown, purged, warnings })
    }

    /// What a person who completes a task should know of its checks.
    fn unproven(&self, file: &TaskFile) -> Result<Vec<String>> {
        let found = self.find_context(file.task.id.as_str())?;
        let Some(context) = found.filter(|context| context.purged.is_none()) else {
            return Ok(Vec::new());
        };
        Ok(match context.measured.last() {
            None if file.task.qa_commands.is_empty() => Vec::new(),
            None => vec!["no results of its checks are on record".to_owned()],
            Some(last) if last.conclusion.tested == Tested::Passed => last.findings.clone(),
            Some(last) => vec![format!("the last results of its checks: {}", last.words())],
        })
    }

    /// Refuses a task whose context says that something is left.
    fn expect_finished(&mut self, id: &str, actor: &str) -> Result<()> {
        let found = self.find_context(id)?.filter(|context| context.purged.is_none());
        let Some(mut context) = found else { return Ok(()) };
        let left = context.roles.iter().find(|role| role.status != RoleStatus::Done);
        let what = match left {
            _ if context.drift_budget > 0 => "drift that nobody has explained".to_owned(),
            Some(role) => format!("{} is {}", role.name, role.status.name()),
            // What is completed is what the last role left, and nothing else.
            None => {
                let _lease = self.lock_task(id)?;
                return self.expect_no_drift(&mut context, actor).map(|_| ());
            }
        };
        Err(Error::new(Kind::Refused, format!("{id} is not finished: {what}"))
            .hint(format!("countersign context show {id}; or --anyway \"WHY\"")))
    }

    /// The number after the highest one in use.
    fn next_task_id(&self) -> Result<TaskId> {
        let mut highest = 0;
        for path in self.task_paths()? {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let digits = name
                .as_deref()
                .and_then(|name| name.strip_prefix("TASK-"))
                .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
            highest = highest.max(digits.and_then(|digits| digits.parse().ok()).unwrap_or(0_u32));
        }
        let id = format!("TASK-{:04}", highest + 1);
        id.parse().map_err(|error| Error::new(Kind::Bug, format!("a new id: {error}")))
    }
}
