//! The doctor: looks at everything the program needs and says what is wrong.

mod agents;

use countersign_exec as exec;
use countersign_git::Repository;
use serde::Serialize;

use crate::error::{Error, Kind};
use crate::{Engine, Host, Key};

/// How a finding is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    Good,
    /// Works, but the user should know.
    Note,
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    pub what: String,
    pub health: Health,
    pub detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    fn new(what: &str, health: Health, detail: impl Into<String>) -> Self {
        Self { what: what.into(), health, detail: detail.into(), hint: None }
    }

    fn of(what: &str, error: Error) -> Self {
        let health = if error.kind == Kind::NotFound { Health::Note } else { Health::Bad };
        Self { what: what.into(), health, detail: error.message, hint: error.hint }
    }
}

/// Free space below which the doctor speaks up.
const LOW_SPACE: u64 = 256 * 1024 * 1024;

/// Looks at everything; never fails.
pub fn examine(host: &Host) -> Vec<Finding> {
    let mut findings = Vec::new();
    let repository = Repository::open_with(&host.cwd, host.environment.clone());
    findings.push(match &repository {
        Ok(repository) => match repository.git_version() {
            Ok(version) => git_of(repository, &version.to_string()),
            Err(error) => Finding::of("git", error.into()),
        },
        Err(_) => git_alone(host),
    });
    match repository {
        Ok(repository) => {
            let worktree = repository.layout().worktree.display().to_string();
            findings.push(Finding::new("repository", Health::Good, worktree));
            findings.extend(locks(&repository));
            findings.push(ledger(host));
        }
        Err(error) => findings.push(Finding::of("repository", error.into())),
    }
    findings.push(key(host));
    findings.extend(disk(host));
    findings.extend(agents::examine(host));
    findings.push(sandbox(host));
    findings
}

/// Locks that a killed git leaves stop everything that is kept or sealed.
fn locks(repository: &Repository) -> Vec<Finding> {
    let told = |path: std::path::PathBuf| {
        let detail = format!("{} is there", path.display());
        let mut finding = Finding::new("lock", Health::Note, detail);
        finding.hint = Some(format!(
            "a git process is at work, or one was killed; if none is running: rm '{}'",
            path.display()
        ));
        finding
    };
    repository.locks().into_iter().map(told).collect()
}

/// A git that does what most verbs need, and perhaps no merges.
fn git_of(repository: &Repository, version: &str) -> Finding {
    match repository.expect_merging() {
        Ok(()) => Finding::new("git", Health::Good, version),
        Err(error) => {
            let detail = format!(
                "{version}; plans with several stories can't be carried out, and work can't be merged: {error}"
            );
            let mut finding = Finding::new("git", Health::Note, detail);
            finding.hint = Some("install a newer git".to_owned());
            finding
        }
    }
}

fn git_alone(host: &Host) -> Finding {
    match exec::find_program("git", host.path_variable()) {
        Some(path) => Finding::new("git", Health::Good, path.display().to_string()),
        None => Finding::of(
            "git",
            Error::new(Kind::MissingTool, "git is not on the PATH").hint("install git"),
        ),
    }
}

fn ledger(host: &Host) -> Finding {
    match Engine::open(host.clone()) {
        Ok(mut engine) => {
            let notices = engine.take_notices();
            let place = engine.state().display().to_string();
            if notices.is_empty() {
                Finding::new("ledger", Health::Good, place)
            } else {
                Finding::new("ledger", Health::Note, format!("{place}: {}", notices.join("; ")))
            }
        }
        Err(error) => Finding::of("ledger", error),
    }
}

fn key(host: &Host) -> Finding {
    let home = match host.home() {
        Ok(home) => home,
        Err(error) => return Finding::of("key", error),
    };
    let path = home.key();
    match Key::load(&path) {
        Ok(None) => Finding::new("key", Health::Note, "none yet; it is made when first needed"),
        Ok(Some(_)) if Key::is_exposed(&path) => {
            let detail = format!("{} can be read by others", path.display());
            let mut finding = Finding::new("key", Health::Bad, detail);
            finding.hint = Some(format!("chmod 600 {}", path.display()));
            finding
        }
        Ok(Some(_)) if Engine::root(host).is_some_and(|root| path.starts_with(root)) => {
            let detail = format!("{} lies inside the repository", path.display());
            let mut finding = Finding::new("key", Health::Bad, detail);
            finding.hint = Some("set COUNTERSIGN_HOME to a folder outside of it".into());
            finding
        }
        Ok(Some(key)) => {
            Finding::new("key", Health::Good, format!("{} ({})", path.display(), key.public()))
        }
        Err(error) => Finding::of("key", error),
    }
}

fn disk(host: &Host) -> Option<Finding> {
    let stat = rustix::fs::statvfs(&host.cwd).ok()?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let detail = format!("{} MiB free", free / (1024 * 1024));
    let health = if free < LOW_SPACE { Health::Bad } else { Health::Good };
    Some(Finding::new("disk", health, detail))
}

/// What there is to confine programs with. Nothing is confined yet, and that is said.
fn sandbox(host: &Host) -> Finding {
    let facts = exec::probe_sandbox(host.path_variable());
    let bwrap = facts.bwrap.map_or("bubblewrap: not found".to_owned(), |path| {
        format!("bubblewrap: {}", path.display())
    });
    let word = |available: &exec::Available| match available {
        exec::Available::Yes => "yes".to_owned(),
        exec::Available::No { reason } => format!("no ({reason})"),
        exec::Available::Unknown { reason } => format!("unknown ({reason})"),
    };
    let detail = format!(
        "{bwrap}; Landlock: {}; user namespaces: {}. Checks are confined with bubblewrap where it \
         may do its work, workers are not; every receipt says so",
        word(&facts.landlock),
        word(&facts.user_namespaces)
    );
    Finding::new("sandbox", Health::Note, detail)
}
