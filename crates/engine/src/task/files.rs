//! Task files: where they lie, how they are read and written.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::secret::Scanner;
use countersign_domain::task::{self, Mistake, Task, Warning};

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::regular;

/// How the names of task files end.
pub(super) const ENDINGS: [&str; 2] = [".task.yaml", ".task.yml"];
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

impl Engine {
    /// Refuses a task whose id another file has as well: nobody could say which one is meant.
    pub(crate) fn expect_one_file(&self, file: &TaskFile) -> Result<()> {
        let own = file.path.canonicalize().ok();
        for path in self.task_paths()? {
            if path.canonicalize().ok() == own {
                continue;
            }
            // Most files need not be understood to be seen not to have it.
            if !may_have(&path, file.task.id.as_str()) {
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

    pub(super) fn task_path(&self, name: &str) -> Result<PathBuf> {
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

    pub(super) fn task_folder(&self) -> PathBuf {
        self.repository.layout().worktree.join(&self.settings.config.context.tasks)
    }

    /// All task files, in order.
    pub(super) fn task_paths(&self) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        let folder = self.task_folder();
        if folder.is_dir() {
            collect(&folder, 0, &mut paths)?;
        }
        paths.sort();
        Ok(paths)
    }

    pub(super) fn read_task(
        &self,
        path: &Path,
    ) -> Result<std::result::Result<TaskFile, Vec<Mistake>>> {
        let shown = self.shown_path(path);
        if regular::leads_out(&self.repository.layout().worktree, path) {
            let (what, fix) = (regular::LEADS_OUT, regular::LEADS_OUT_FIX);
            return Ok(Err(vec![Mistake::new((&shown, task::Place::START), "", what, fix)]));
        }
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
}

/// Whether a task file may have this id: it names it, or could in another way of writing.
fn may_have(path: &Path, id: &str) -> bool {
    let Ok(bytes) = crate::context::read_file(path, MAX_BYTES, "task file") else { return true };
    let text = String::from_utf8_lossy(&bytes);
    text.contains(id) || text.contains('\\')
}

pub(super) fn unusable(mistakes: &[Mistake]) -> Error {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let lines = lines.join("\n  ");
    // What is wrong is quoted, and may be a secret at the wrong place.
    let lines = Scanner::builtin().redact(&lines);
    Error::new(Kind::Usage, format!("the task file can't be used:\n  {lines}"))
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
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
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
