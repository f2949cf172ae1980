//! Where a call of a hook belongs: the repository that the agent's session was begun in, however the
//! agent moves about.

use std::path::{Path, PathBuf};

use countersign_domain::worklog::{Agent, Report};
use countersign_git::Layout;

use super::hook::Call;
use super::pointer::{self, Pointer};
use crate::error::Result;
use crate::{Host, state_folder};

/// Finds the repository that a call belongs to; `None` if it is in none.
///
/// The folder that an agent says it is in is the agent's to choose: a repository that it makes and
/// goes into must not be where its session goes on, with nothing on the record.
pub(super) fn find<'a>(
    host: &Host,
    agent: Agent,
    report: &'a Report,
    (payload, trouble): (&'a [u8], Option<String>),
) -> Result<Option<Call<'a>>> {
    let mut host = host.clone();
    let started = host.cwd.clone();
    if let Some(cwd) = told(&host, report) {
        host.cwd = cwd;
    }
    let mut here = discover(&host.cwd)?;
    let project = host.variable("CLAUDE_PROJECT_DIR").map(|place| Path::new(place).to_owned());
    for place in project.into_iter().chain([started]) {
        let is_elsewhere = place.is_absolute() && place != host.cwd;
        // What can't be looked at is not where it began.
        let Some(there) = is_elsewhere.then(|| discover(&place).ok().flatten()).flatten() else {
            continue;
        };
        let is_same = here.as_ref().is_some_and(|here| state_folder(here) == state_folder(&there));
        if !is_same && has_begun(&host, agent, (report, &there)) {
            (host.cwd, here) = (place, Some(there));
            break;
        }
    }
    let Some(layout) = here else { return Ok(None) };
    let state = state_folder(&layout);
    keep_with(&mut host, &state);
    let worktree = layout.worktree;
    Ok(Some(Call { host, agent, report, payload, trouble, state, worktree }))
}

/// Without a home of its user, the record stays with the repository alone.
fn keep_with(host: &mut Host, state: &Path) {
    if host.home().is_err() {
        host.environment.insert("COUNTERSIGN_HOME".into(), state.join("home").into());
    }
}

/// The folder that the agent says it is in. One that it has removed says nothing; the hook was
/// started somewhere, too. If that is gone as well, what is left above it is nearest.
fn told(host: &Host, report: &Report) -> Option<PathBuf> {
    let told = report.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute());
    let nearest = || told.into_iter().flat_map(Path::ancestors).find(|above| above.is_dir());
    let usable = told.filter(|cwd| cwd.is_dir());
    let found = usable.or_else(|| if host.cwd.is_dir() { None } else { nearest() });
    found.map(Path::to_owned)
}

fn discover(folder: &Path) -> Result<Option<Layout>> {
    match countersign_git::discover(folder) {
        Ok(layout) => Ok(Some(layout)),
        Err(countersign_git::Error::NotARepository { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the session of the agent was begun in that repository.
fn has_begun(host: &Host, agent: Agent, (report, there): (&Report, &Layout)) -> bool {
    let state = state_folder(there);
    let mut host = host.clone();
    keep_with(&mut host, &state);
    let folders = host.home().map(|home| pointer::folders(&home, &state));
    folders.is_ok_and(|all| Pointer::read(&all, agent, &report.agent_session).is_some())
}
