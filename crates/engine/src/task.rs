//! Task files: found, checked, made, completed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::context::RoleStatus;
use countersign_domain::task::{self, Mistake, Priority, Status, Task, TaskId, Warning};
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// How the names of task files end.
const ENDINGS: [&str; 2] = [".task.yaml", ".task.yml"];
/// How deep below their folder task files are looked for.
const MAX_DEPTH: usize = 4;
/// The largest task file.
const MAX_BYTES: u64 = 1024 * 1024;

/// A task file that can be used.
#[derive(Debug, Clone)]
pub(crate) struct TaskFile {
    /// From the root of the repository, if it lies there.
    pub(crate) shown: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) task: Task,
    pub(crate) warnings: Vec<Warning>,
}

impl TaskFile {
    /// The digest of the text with plain line ends.
    pub(crate) fn sha(&self) -> Digest {
        sha_of(&self.text)
    }
}

/// A text with plain line ends.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The digest of a text with plain line ends.
pub(crate) fn sha_of(text: &str) -> Digest {
    Digest::of(plain(text).as_bytes())
}

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
                    if let Err(error) = self.check_task(&file) {
                        unready.push(error.message);
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
            return Err(Error::new(Kind::Usage, "the title is empty"));
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
        let text = task::with_status(&file.text, &file.shown, Status::Done)
            .map_err(|mistakes| unusable(&mistakes))?;
        replace(&file.path, text.as_bytes())?;
        let because = match anyway {
            Some(why) => format!("the task was completed: {why}"),
            None => "the task was completed".to_owned(),
        };
        let mut warnings = Vec::new();
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

    /// Refuses a task whose id another file has as well: nobody could say which one is meant.
    pub(crate) fn expect_one_file(&self, file: &TaskFile) -> Result<()> {
        let own = file.path.canonicalize().ok();
        for path in self.task_paths()? {
            if path.canonicalize().ok() == own {
                continue;
            }
            if let Ok(other) = self.read_task(&path)?
                && other.task.id == file.task.id
            {
                let (id, one, two) = (&file.task.id, &file.shown, &other.shown);
                let message = format!("{one} and {two} both have the id {id}");
                return Err(Error::new(Kind::Refused, message)
                    .hint("give one of them another id, or remove it"));
            }
        }
        Ok(())
    }

    /// The task file that `name` stands for: an id or a path.
    pub(crate) fn task_file(&self, name: &str) -> Result<TaskFile> {
        let path = self.task_path(name)?;
        self.read_task(&path)?.map_err(|mistakes| unusable(&mistakes))
    }

    fn task_path(&self, name: &str) -> Result<PathBuf> {
        let is_path = name.contains('/') || ENDINGS.iter().any(|ending| name.ends_with(ending));
        if is_path {
            return Ok(self.host.cwd.join(name));
        }
        let paths = self.task_paths()?;
        let stem = |path: &PathBuf| {
            let file = path.file_name()?.to_str()?.to_owned();
            ENDINGS.iter().find_map(|ending| file.strip_suffix(ending).map(str::to_owned))
        };
        let is_named = |path: &&PathBuf| stem(path).is_some_and(|stem| stem == name);
        if let Some(path) = paths.iter().find(is_named) {
            return Ok(path.clone());
        }
        // A file may be called otherwise than its task.
        for path in &paths {
            if let Ok(file) = self.read_task(path)?
                && file.task.id.as_str() == name
            {
                return Ok(path.clone());
            }
        }
        let folder = self.task_folder();
        Err(Error::new(
            Kind::NotFound,
            format!("there is no task '{name}' in {}", folder.display()),
        )
        .hint("`countersign task list` lists them; `countersign task new \"TITLE\"` makes one"))
    }

    fn task_folder(&self) -> PathBuf {
        self.repository.layout().worktree.join(&self.settings.config.context.tasks)
    }

    /// All task files, in order.
    fn task_paths(&self) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        let folder = self.task_folder();
        if folder.is_dir() {
            collect(&folder, 0, &mut paths)?;
        }
        paths.sort();
        Ok(paths)
    }

    fn read_task(&self, path: &Path) -> Result<std::result::Result<TaskFile, Vec<Mistake>>> {
        let shown = self.shown_path(path);
        let bytes = crate::context::read_file(path, MAX_BYTES, "task file")?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let before = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
                let last = before.rsplit('\n').next().unwrap_or_default();
                let place = task::Place {
                    line: 1 + before.matches('\n').count(),
                    column: 1 + last.chars().count(),
                };
                let what = format!("byte {at} is not UTF-8");
                let mistake = Mistake::new((&shown, place), "", what, "save the file as UTF-8");
                return Ok(Err(vec![mistake]));
            }
        };
        Ok(Task::parse(&text, &shown).map(|(task, warnings)| TaskFile {
            shown,
            path: path.to_owned(),
            text,
            task,
            warnings,
        }))
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

fn unusable(mistakes: &[Mistake]) -> Error {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    Error::new(Kind::Usage, format!("the task file can't be used:\n  {}", lines.join("\n  ")))
        .hint("`countersign task check` looks again")
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error: std::io::Error| Error::io("read", folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() && depth < MAX_DEPTH {
            collect(&path, depth + 1, paths)?;
        }
        let name = entry.file_name();
        let is_task = name.to_str().is_some_and(|n| ENDINGS.iter().any(|end| n.ends_with(end)));
        if is_task && path.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}

/// Puts `bytes` at `path`, whole or not at all, with the mode it had.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| Error::io("write", path, &error);
    // Through a link, as the file is the user's.
    let path = fs::canonicalize(path).map_err(failed)?;
    let mode = fs::metadata(&path).map_err(failed)?.permissions();
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().set_permissions(mode).map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}
