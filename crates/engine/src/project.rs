//! What the repository is and how it is checked: what is found, with what the settings say over
//! it, and which programs are not installed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use countersign_domain::mistake::{Place, Warning};
use countersign_domain::project::{Activity, Project, Settings, Tool, detect};
use countersign_exec::find_program;
use countersign_git::Repository;
use serde::Serialize;

use crate::config::{self, PROJECT_FILE, ProjectConfig, Resolved};
use crate::error::{Error, Kind, Result};
use crate::{Host, regular};

/// The largest file that is read to find out what a project is.
const MAX_BYTES: u64 = 4 << 20;
/// How many links that lead out are told.
const MAX_LINKS: usize = 20;

/// A program that commands need and that is not installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub program: String,
    /// The commands that need it.
    pub commands: BTreeSet<String>,
}

/// The project as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectView {
    #[serde(flatten)]
    pub project: Project,
    /// Activities that the settings say there are none of.
    pub without: Vec<String>,
    /// Programs of preferred commands that are not installed.
    pub missing: Vec<Missing>,
}

/// What the repository that `host` stands in is. Needs no ledger.
pub fn show(host: &Host) -> Result<ProjectView> {
    let repository = Repository::open_with(&host.cwd, host.environment.clone())?;
    let root = repository.layout().worktree.clone();
    let settings = config::resolve(host, Some(&root))?;
    let said = settings_of(&settings.config.project)?;
    let paths = repository.paths()?;
    expect_folders(&said, paths.iter().map(String::as_str), &settings)?;
    let mut project = found(&root, &paths, &said);
    project.findings.extend(left_out(&repository.unreadable_paths()?));
    let missing = missing(host, &root, &project);
    Ok(ProjectView { project, without: said.without().names().collect(), missing })
}

/// What is told of files whose names nobody can write down.
fn left_out(paths: &[String]) -> Option<Warning> {
    let what = match paths.len() - usize::from(!paths.is_empty()) {
        0 => "its path is no UTF-8, so it is not looked at".to_owned(),
        more => format!("its path and {more} more are no UTF-8, so they are not looked at"),
    };
    let place = (paths.first()?.as_str(), Place::START);
    Some(Warning::new(place, "", what, "rename it, if it belongs to a part of the project"))
}

/// The settings of a project, or what is wrong with them.
pub(crate) fn settings_of(config: &ProjectConfig) -> Result<Settings> {
    check(config).map_err(|why| Error::new(Kind::Usage, format!("project: {why}")))
}

/// The same with the bare words, for who knows the place.
pub(crate) fn check(config: &ProjectConfig) -> std::result::Result<Settings, String> {
    Settings::read(&config.commands, &config.without, &config.ignore)
}

/// Refuses settings that name a folder which none of `paths` lies in.
pub(crate) fn expect_folders<'p>(
    said: &Settings,
    paths: impl IntoIterator<Item = &'p str>,
    settings: &Resolved,
) -> Result<()> {
    match said.unknown_folder(paths) {
        Some((key, what)) => {
            let message = format!("{}: {what}", settings.place_of(&key));
            Err(Error::new(Kind::Usage, message)
                .hint("name a folder of the repository from its root, as in \"web:unit\""))
        }
        None => Ok(()),
    }
}

/// What the files at `root` make up, as the settings have it.
pub(crate) fn found(root: &Path, paths: &[String], said: &Settings) -> Project {
    let outside: RefCell<BTreeSet<String>> = RefCell::default();
    let read = |path: &str| {
        let place = root.join(path);
        if regular::leads_out(root, &place) {
            outside.borrow_mut().insert(path.to_owned());
            return None;
        }
        regular::read(&place, MAX_BYTES)
    };
    let mut project = detect(paths.iter().map(String::as_str), &read);
    project.findings.extend(outside.borrow().iter().take(MAX_LINKS).map(|path| {
        let place = (path.as_str(), Place::START);
        Warning::new(place, "", regular::LEADS_OUT, regular::LEADS_OUT_FIX)
    }));
    project.findings.sort();
    let mut project = said.apply(project, PROJECT_FILE);
    for finding in project.findings.iter_mut().filter(|one| one.file == PROJECT_FILE) {
        finding.place.line = config::line_in(&root.join(PROJECT_FILE), &finding.key);
    }
    project
}

/// The programs of preferred commands that can't be found.
fn missing(host: &Host, root: &Path, project: &Project) -> Vec<Missing> {
    let mut missing: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for part in &project.parts {
        for activity in Activity::ALL {
            let Some(tool) = part.tool(*activity) else { continue };
            if !is_installed(host, root, tool) {
                let commands = missing.entry(tool.command.program().to_owned()).or_default();
                commands.insert(tool.command.shell.clone());
            }
        }
    }
    missing.into_iter().map(|(program, commands)| Missing { program, commands }).collect()
}

/// Whether the program of a command is there: a path in the project, a word of the shell, or a
/// program on the search path.
pub(crate) fn is_installed(host: &Host, root: &Path, tool: &Tool) -> bool {
    let program = tool.command.program();
    if program.contains('/') {
        return root.join(&tool.folder).join(program).exists();
    }
    let words = ["test", "[", "cd", "true", "exit", "echo", ".", "set", "eval", "if", "for", "("];
    words.contains(&program) || find_program(program, host.path_variable()).is_some()
}
