//! What the doctor says about agents: which are here, in which version, and whether they can log
//! in. No model is asked.

use std::path::Path;

use countersign_domain::agent::Kind;
use countersign_exec::agents::version::Version;
use countersign_exec::agents::{self, KnownAgent, Readiness};
use countersign_exec::{Environment, Supervisor};

use super::{Finding, Health};
use crate::Host;

pub(super) fn examine(host: &Host) -> Vec<Finding> {
    let Some((program, words)) = host.supervisor.split_first() else { return Vec::new() };
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let supervisor = Supervisor::new(Path::new(program), &words);
    let found = agents::installed(host.path_variable());
    if found.is_empty() {
        let detail = "none of the known agents is on the PATH; any command can be a worker";
        return vec![Finding::new("agents", Health::Note, detail)];
    }
    found.into_iter().map(|(agent, path)| one(host, &supervisor, agent, &path)).collect()
}

fn one(host: &Host, supervisor: &Supervisor, agent: KnownAgent, path: &Path) -> Finding {
    let some = ["PATH".to_owned(), "HOME".to_owned(), "LANG".to_owned()];
    let environment = Environment::from_allow_list(host.variables(), &some);
    let place = format!("{} at {}", agent.title, path.display());
    let said = match agents::probe(supervisor, path, &environment) {
        Ok(agents::Probe { version: Some(said), .. }) => said,
        Ok(probe) => {
            let detail = format!("{place}: --version ended with {}", probe.ended);
            return Finding::new("agent", Health::Note, detail);
        }
        Err(error) => return Finding::new("agent", Health::Note, format!("{place}: {error}")),
    };
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == agent.name);
    let Some(kind) = kind else {
        return Finding::new("agent", Health::Good, format!("{place}: {said}"));
    };
    let everything = Environment::from_allow_list(host.variables(), &["*".to_owned()]);
    let (version, is_tried) = version(kind, &said);
    let (health, login, hint) = match agents::readiness(kind, &everything) {
        // What it prints may have been otherwise then.
        Readiness::Ready(how) if !is_tried => {
            let hint = format!("install a newer {}", agent.title);
            (Health::Note, format!("can log in ({how})"), Some(hint))
        }
        Readiness::Ready(how) => (Health::Good, format!("can log in ({how})"), None),
        Readiness::Unknown(why) => (Health::Note, format!("may be logged in: {why}"), None),
        Readiness::NotLoggedIn(hint) => {
            (Health::Note, "can't run by itself: not logged in".to_owned(), Some(hint))
        }
    };
    let mut finding = Finding::new("agent", health, format!("{place}: {said}{version}; {login}"));
    finding.hint = hint;
    finding
}

/// How this version stands to the one that was tried, and whether it is at least that.
fn version(kind: Kind, said: &str) -> (String, bool) {
    match (agents::tested(kind), Version::find_in(said)) {
        (Some(tested), Some(found)) if found < tested => {
            (format!(" (older than {tested}, which is tested)"), false)
        }
        (Some(tested), Some(found)) if found > tested => {
            (format!(" (newer than {tested}, which is tested)"), true)
        }
        (Some(_), Some(_)) => (" (tested)".to_owned(), true),
        (_, None) => (" (an unknown version)".to_owned(), false),
        (None, _) => (String::new(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_with_the_tested_one() {
        let check = |said: &str, expected: &str| assert_eq!(version(Kind::Codex, said).0, expected);
        check("codex-cli 0.166.0", " (tested)");
        check("codex-cli 0.9.0", " (older than 0.166.0, which is tested)");
        check("codex-cli 1.0.0", " (newer than 0.166.0, which is tested)");
        check("codex", " (an unknown version)");
    }
}
