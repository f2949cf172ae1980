//! Which agents are here, in which versions, and how they are to start us.

use std::path::{Path, PathBuf};

use countersign_domain::worklog::Agent;
use countersign_exec::agents::plan::{Plan, command};
use countersign_exec::agents::version::Version;
use countersign_exec::agents::{self, claude, codex, gemini};
use countersign_exec::{self as exec, Environment, Supervisor};

use crate::Host;
use crate::error::{Error, Kind, Result};

/// An agent on this machine.
#[derive(Debug, Clone)]
pub(super) struct Detected {
    pub program: PathBuf,
    pub version: Option<Version>,
}

/// Finds an agent's program and asks it for its version.
pub(super) fn detect(host: &Host, agent: Agent) -> Option<Detected> {
    let program = exec::find_program(agent.name(), host.path_variable())?;
    let version = supervisor(host).and_then(|supervisor| {
        let probe = agents::probe(&supervisor, &program, &environment(host)).ok()?;
        Version::find_in(&probe.version?)
    });
    Some(Detected { program, version })
}

pub(super) fn supervisor(host: &Host) -> Option<Supervisor> {
    let (program, words) = host.supervisor.split_first()?;
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    Some(Supervisor::new(Path::new(program), &words))
}

/// What agents are given when they are asked something.
pub(super) fn environment(host: &Host) -> Environment {
    let names = ["PATH", "HOME", "LANG", "TMPDIR", "CODEX_HOME", "CLAUDE_CONFIG_DIR"];
    Environment::from_allow_list(host.variables(), &names.map(str::to_owned))
}

/// The path by which agents are to start us. A name on the search path that leads here is
/// preferred: it stays the same when the program is replaced by a newer one.
pub(super) fn own_program(host: &Host) -> Result<String> {
    let program = host.supervisor.first().map(PathBuf::from).unwrap_or_default();
    let named = exec::find_program("countersign", host.path_variable());
    let real = |path: &Path| path.canonicalize().ok();
    let program = match named {
        Some(named) if real(&named) == real(&program) => named,
        _ => program,
    };
    program.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("{} can't be written into settings", program.display());
        Error::new(Kind::Refused, message).hint("move the program to a path that is UTF-8 text")
    })
}

/// What to register with an agent that is configured by entries.
pub(super) fn plan(agent: Agent, program: &str, version: Option<Version>, guard: bool) -> Plan {
    let hooks = match agent {
        Agent::Claude => claude::settings::hooks(version, guard),
        Agent::Codex => codex::settings::hooks(),
        Agent::Gemini => gemini::settings::hooks(),
        Agent::Opencode => Vec::new(),
    };
    Plan { agent: agent.name(), command: command(program, agent.name()), hooks, switched_on: false }
}
