//! The doctor: looks at everything the program needs and says what is wrong.

mod agents;
mod ledger;

use std::collections::BTreeSet;
use std::path::Path;

use countersign_domain::ledger::PublicKey;
use countersign_exec as exec;
use countersign_git::Repository;
use serde::Serialize;

use crate::error::{Error, Kind, Result};
use crate::{Engine, Host, Key, config, contract};

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
            findings.push(settings(host, Some(&repository.layout().worktree)));
            let looked = ledger::examine(host, &repository);
            findings.push(looked.finding);
            findings.push(key(host, looked.sealed_with));
        }
        Err(error) => {
            findings.push(Finding::of("repository", error.into()));
            findings.push(settings(host, None));
            findings.push(key(host, None));
        }
    }
    findings.extend(home(host));
    findings.extend(disks(host));
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

fn settings(host: &Host, root: Option<&Path>) -> Finding {
    let found = config::resolve(host, root).and_then(|settings| {
        root.map(|root| contract::activity_rules(&settings, root)).transpose()
    });
    match found {
        Ok(_) => Finding::new("settings", Health::Good, "every file and variable can be read"),
        Err(error) => Finding { health: Health::Bad, ..Finding::of("settings", error) },
    }
}

/// The key; `sealed_with` is the one that the newest seal of the ledger was made with.
fn key(host: &Host, sealed_with: Option<PublicKey>) -> Finding {
    let home = match host.home() {
        Ok(home) => home,
        Err(error) => return Finding::of("key", error),
    };
    let path = home.key();
    let other = |message: String| {
        Finding::of(
            "key",
            Error::new(Kind::Refused, message)
                .hint("restore it from a backup; with a new key, old seals show as another's"),
        )
    };
    match (Key::load(&path), sealed_with) {
        (Ok(None), Some(sealed)) => {
            other(format!("{} is gone, and the ledger is sealed with {sealed}", path.display()))
        }
        (Ok(Some(key)), Some(sealed)) if key.public() != sealed => other(format!(
            "{} ({}) is not the key that the ledger is sealed with ({sealed})",
            path.display(),
            key.public()
        )),
        (loaded, _) => key_alone(host, &path, loaded),
    }
}

fn key_alone(host: &Host, path: &Path, loaded: Result<Option<Key>>) -> Finding {
    match loaded {
        Ok(None) => Finding::new("key", Health::Note, "none yet; it is made when first needed"),
        Ok(Some(_)) if Key::is_exposed(path) => {
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

/// The user's own folders, where they can't be written: the key, the witness and all work are there.
fn home(host: &Host) -> Option<Finding> {
    let folders = host.home().ok()?.folders();
    let there = folders.iter().filter_map(|one| one.ancestors().find(|one| one.exists()));
    let error = there.into_iter().find_map(|folder| ledger::expect_writable(folder).err())?;
    Some(Finding::of("home", error))
}

/// The disks that the repository, the key and the work folders are on.
fn disks(host: &Host) -> Vec<Finding> {
    let mut folders = vec![host.cwd.clone()];
    folders.extend(host.home().map(|home| home.folders()).unwrap_or_default());
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for folder in &folders {
        // What is not made yet will be on the disk of what it is made in.
        let Some(there) = folder.ancestors().find(|one| one.exists()) else { continue };
        let Ok(disk) = rustix::fs::stat(there).map(|stat| stat.st_dev) else { continue };
        if seen.insert(disk) {
            findings.extend(free(there));
        }
    }
    findings
}

fn free(folder: &Path) -> Option<Finding> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let detail = format!("{} MiB free at {}", free / (1024 * 1024), folder.display());
    if free >= LOW_SPACE {
        return Some(Finding::new("disk", Health::Good, detail));
    }
    let mut finding = Finding::new("disk", Health::Bad, detail);
    finding.hint = Some("make room; `countersign run clean` removes what ended runs left".into());
    Some(finding)
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
