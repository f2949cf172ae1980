//! How the hooks stand: where they are, what is missing, and what keeps them from being called.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign_domain::worklog::Agent;
use countersign_exec::agents::plan::Registered;
use countersign_exec::agents::{opencode, plan};
use serde::Serialize;

use super::detect::{Detected, detect, own_program, plan as plan_for};
use super::places::{Form, Place, places};
use super::{Scope, real, shelf, silence, trust};
use crate::error::Result;
use crate::{Engine, Host, path_text};

/// Whether an agent that wants trust has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    Given,
    Missing,
    /// The agent could not be asked.
    Unknown,
}

/// Hooks of ours in one file.
#[derive(Debug, Clone, Serialize)]
pub struct PlaceStatus {
    pub scope: Scope,
    #[serde(serialize_with = "path_text::one")]
    pub path: PathBuf,
    pub events: Vec<String>,
    /// Events that this version knows and that are not registered.
    pub missing: Vec<String>,
    /// Events that are registered twice, or that this version doesn't know.
    pub superfluous: Vec<String>,
    /// The program that is started.
    #[serde(serialize_with = "path_text::one")]
    pub program: PathBuf,
    /// Whether the agent has to ask before every call.
    pub is_guard: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
}

/// Something to know.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Whether something is wrong.
    pub is_wrong: bool,
    pub text: String,
}

/// How it stands with one agent.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    pub agent: Agent,
    /// Where the agent's program is.
    pub program: Option<String>,
    pub version: Option<String>,
    pub places: Vec<PlaceStatus>,
    pub findings: Vec<Finding>,
}

impl Status {
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|finding| finding.is_wrong)
    }

    fn wrong(&mut self, text: impl Into<String>) {
        self.findings.push(Finding { is_wrong: true, text: text.into() });
    }

    fn note(&mut self, text: impl Into<String>) {
        self.findings.push(Finding { is_wrong: false, text: text.into() });
    }
}

/// Looks at agents; at all that we know if none is named.
pub fn status(host: &Host, agents: &[Agent]) -> Result<Vec<Status>> {
    let program = own_program(host)?;
    let all = if agents.is_empty() { &Agent::ALL[..] } else { agents };
    let look = |agent: &Agent| {
        let mut status = look_at(host, *agent, &program);
        if status.places.is_empty() && !agents.is_empty() && !status.is_wrong() {
            status.wrong(format!("no hooks; install them: countersign hooks install {agent}"));
        }
        status
    };
    Ok(all.iter().map(look).collect())
}

fn look_at(host: &Host, agent: Agent, program: &str) -> Status {
    let detected = detect(host, agent);
    let version = detected.as_ref().and_then(|it| it.version);
    let mut status = Status {
        agent,
        program: detected.as_ref().map(|it| it.program.display().to_string()),
        version: version.map(|version| version.to_string()),
        places: Vec::new(),
        findings: Vec::new(),
    };
    let mut files = Vec::new();
    for place in all_places(host, agent) {
        match text_of(&place) {
            Ok(Some(text)) => files.push((place, text)),
            Ok(None) => {}
            Err(error) => status.wrong(error.message),
        }
    }
    for (place, text) in &files {
        match place.registered(text) {
            Ok(entries) if !entries.is_empty() => {
                weigh(&mut status, place, &entries, detected.as_ref(), program);
                if place.form == Form::Plugin && !is_current(text, program) {
                    status.wrong("the plugin is of another version; install it again");
                }
            }
            Ok(_) => {}
            Err(error) => status.wrong(format!("{}; the agent ignores it", error.message)),
        }
    }
    if status.places.is_empty() {
        return status;
    }
    status.findings.extend(silence::findings(agent, &files, program));
    if agent == Agent::Codex {
        codex_trust(host, &mut status, detected.as_ref());
    }
    let scopes = status.places.iter().map(|it| it.scope == Scope::User).collect::<BTreeSet<_>>();
    if scopes.len() > 1 {
        let text = "hooks are installed for the user and for the project";
        match agent {
            Agent::Claude => status.note(format!("{text}; Claude Code calls the same hook once")),
            _ => status.wrong(format!("{text}: every event comes twice; uninstall one of them")),
        }
    }
    status
}

/// Files of both scopes, the user's first; a scope that there isn't has none.
pub(super) fn all_places(host: &Host, agent: Agent) -> Vec<Place> {
    let of = |scope| places(host, agent, scope).unwrap_or_default();
    let mut all = of(Scope::User);
    if Engine::root(host).is_some() {
        all.extend(of(Scope::Project));
    }
    // Somebody whose home is a repository has both in one.
    let mut seen = BTreeSet::new();
    all.retain(|place| seen.insert(real(&place.path)));
    all
}

pub(super) fn text_of(place: &Place) -> Result<Option<String>> {
    let Some(bytes) = shelf::read(&place.path)? else { return Ok(None) };
    Ok(Some(place.text(&bytes)?.to_owned()))
}

fn is_current(text: &str, program: &str) -> bool {
    let guard = opencode::settings::is_guard(text);
    text == opencode::settings::plugin(program, guard)
}

fn weigh(
    status: &mut Status,
    place: &Place,
    entries: &[Registered],
    detected: Option<&Detected>,
    program: &str,
) {
    let version = detected.and_then(|it| it.version);
    let found: Vec<&str> = entries.iter().map(|entry| entry.event.as_str()).collect();
    let is_guard = match place.agent {
        Agent::Claude => found.contains(&"PreToolUse"),
        _ => entries.iter().any(|entry| entry.fails_closed),
    };
    let expected: Vec<&str> = match place.agent {
        Agent::Opencode => opencode::settings::EVENTS.to_vec(),
        agent => {
            let hooks = plan_for(agent, program, version, is_guard).hooks;
            hooks.iter().map(|hook| hook.event).collect()
        }
    };
    let missing: Vec<String> =
        expected.iter().filter(|it| !found.contains(it)).map(ToString::to_string).collect();
    let mut superfluous = Vec::new();
    for (index, event) in found.iter().enumerate() {
        // Of a version that we don't know, we don't know either what it doesn't know.
        let is_known =
            expected.contains(event) || (place.agent == Agent::Claude && version.is_none());
        if !is_known || found[..index].contains(event) {
            superfluous.push((*event).to_owned());
        }
    }
    let path = place.path.display();
    if !missing.is_empty() {
        status.wrong(format!("{path}: not registered: {}", missing.join(", ")));
    }
    if !superfluous.is_empty() {
        status.wrong(format!("{path}: too much: {}", superfluous.join(", ")));
    }
    if let Some(entry) = entries.iter().find(|entry| !entry.hears_all) {
        status.wrong(format!("{path}: {} hears of some tools only", entry.event));
    }
    let started: BTreeSet<&Path> = entries.iter().map(|entry| entry.program.as_path()).collect();
    for other in &started {
        if !other.is_file() {
            status.wrong(format!("{path} starts {}, which is not there", other.display()));
        } else if real(other) != real(Path::new(program)) {
            status.wrong(format!("{path} starts {}, not {program}", other.display()));
        }
    }
    status.places.push(PlaceStatus {
        scope: place.scope,
        path: place.path.clone(),
        events: found.iter().map(ToString::to_string).collect(),
        missing,
        superfluous,
        program: started.first().map(|path| path.to_path_buf()).unwrap_or_default(),
        is_guard,
        trust: None,
    });
}

fn codex_trust(host: &Host, status: &mut Status, detected: Option<&Detected>) {
    let listed = match detected.map(|detected| trust::listed(host, detected)) {
        Some(Ok(listed)) => listed,
        Some(Err(why)) => {
            status.note(format!("Codex could not be asked whether it trusts them: {why}"));
            status.places.iter_mut().for_each(|place| place.trust = Some(Trust::Unknown));
            return;
        }
        None => {
            status.note("Codex is not on the PATH, so it can't be asked whether it trusts them");
            status.places.iter_mut().for_each(|place| place.trust = Some(Trust::Unknown));
            return;
        }
    };
    let mut wrong = Vec::new();
    for place in &mut status.places {
        let ours = listed.iter().filter(|hook| {
            plan::program_in(&hook.command, "codex").is_some()
                && real(Path::new(&hook.source)) == real(&place.path)
        });
        let trusted = ours.filter(|hook| hook.is_trusted).count();
        place.trust = Some(Trust::Given);
        if trusted < place.events.len() {
            place.trust = Some(Trust::Missing);
            wrong.push(format!(
                "{}: Codex trusts {trusted} of {} hooks and skips the others; install them again",
                place.path.display(),
                place.events.len()
            ));
        }
    }
    for text in wrong {
        status.wrong(text);
    }
}
