//! Registering with agents.

use countersign_domain::worklog::Agent;
use countersign_exec::agents::plan::Plan;
use countersign_exec::agents::version::Version;
use countersign_exec::agents::{claude, codex, opencode};

use super::detect::{Detected, detect, own_program, plan};
use super::places::{Place, Wanted, places};
use super::shelf::{Before, Found, Shelf};
use super::{Change, Fate, Report, Request, Scope, silence, trust};
use crate::Host;
use crate::error::{Error, Kind, Result};

/// Registers us with agents. Doing it again changes nothing.
pub fn install(host: &Host, request: &Request) -> Result<Vec<Report>> {
    let shelf = Shelf::open(&host.home()?)?;
    let program = own_program(host)?;
    let chosen = chosen(host, request)?;
    let mut prepared = Vec::new();
    // Everything is worked out before anything is written: one broken file, and nothing is.
    for (agent, detected, version) in chosen {
        let report = Report {
            agent,
            scope: request.scope,
            version: version.map(|version| version.to_string()),
            events: Vec::new(),
            changes: Vec::new(),
            notes: notes(agent, version, request),
        };
        let wanted = wanted(host, &shelf, &program, &report, (version, request.guard))?;
        let edits: Vec<_> =
            wanted.into_iter().map(|it| prepare(&shelf, it.0, &it.1)).collect::<Result<_>>()?;
        prepared.push((report, detected, edits));
    }
    let mut reports = Vec::new();
    for (mut report, detected, edits) in prepared {
        for edit in edits {
            let events = edit.place.registered(&edit.new)?;
            report.events.extend(events.into_iter().map(|entry| entry.event));
            report.changes.push(edit.commit(&shelf)?);
        }
        if report.agent == Agent::Codex {
            trust::give(host, &shelf, detected.as_ref(), &program, &mut report)?;
        }
        let silenced = silence::here(host, report.agent, &program);
        let wrong = silenced.into_iter().filter(|finding| finding.is_wrong);
        report.notes.extend(wrong.map(|finding| finding.text));
        reports.push(report);
    }
    Ok(reports)
}

type Choice = (Agent, Option<Detected>, Option<Version>);

fn chosen(host: &Host, request: &Request) -> Result<Vec<Choice>> {
    let given = match &request.version {
        None => None,
        Some(text) => Some(Version::find_in(text).ok_or_else(|| {
            let message = format!("'{text}' is no version");
            Error::new(Kind::Usage, message).hint("three numbers, such as 2.1.325")
        })?),
    };
    let all = request.agents.is_empty();
    let agents = if all { Agent::ALL.to_vec() } else { request.agents.clone() };
    let mut chosen = Vec::new();
    for agent in agents {
        let detected = detect(host, agent);
        if all && detected.is_none() {
            continue;
        }
        let version = given.or(detected.as_ref().and_then(|it| it.version));
        chosen.push((agent, detected, version));
    }
    if chosen.is_empty() {
        let message = "none of the agents claude, codex, gemini and opencode is on the PATH";
        return Err(Error::new(Kind::NotFound, message)
            .hint("name one to install hooks all the same: countersign hooks install claude"));
    }
    Ok(chosen)
}

fn notes(agent: Agent, version: Option<Version>, request: &Request) -> Vec<String> {
    let mut notes = Vec::new();
    if agent == Agent::Claude {
        match version {
            None => notes.push(format!(
                "the version of Claude Code is not known, so only events that every version since \
                 {} knows are registered; failed calls are not among them. Give --agent-version \
                 for all events",
                claude::settings::OLDEST
            )),
            Some(version) if version < claude::settings::OLDEST => notes.push(format!(
                "Claude Code {version} is older than {}, and may know fewer events",
                claude::settings::OLDEST
            )),
            Some(version) if request.guard && version < claude::settings::FAILS_CLOSED_SINCE => {
                notes.push(format!(
                    "Claude Code {version} goes on when a guard fails; since {} it stops",
                    claude::settings::FAILS_CLOSED_SINCE
                ));
            }
            Some(_) => {}
        }
    }
    if request.guard && matches!(agent, Agent::Codex | Agent::Gemini) {
        notes.push(format!("{agent} asks before every call, but goes on when a guard fails"));
    }
    if agent == Agent::Gemini {
        notes.push("Gemini CLI runs no hooks in folders that its user does not trust".to_owned());
    }
    if request.scope == Scope::Project {
        notes.push("the path of this program is in the project's settings now".to_owned());
    }
    notes
}

/// What is to be in which file.
fn wanted(
    host: &Host,
    shelf: &Shelf,
    program: &str,
    report: &Report,
    (version, guard): (Option<Version>, bool),
) -> Result<Vec<(Place, Wanted)>> {
    let places = places(host, report.agent, report.scope)?;
    let plan = plan(report.agent, program, version, guard);
    Ok(match report.agent {
        Agent::Claude => {
            // Nearer files win, so a switch that is set here beats the user's, and one that is
            // set in the local file beats both.
            let switched_on = report.scope == Scope::Project;
            let mut hooks = plan.hooks;
            let mut wanted = Vec::new();
            for place in places {
                let hooks = std::mem::take(&mut hooks);
                let plan = Plan { hooks, switched_on, command: plan.command.clone(), ..plan };
                wanted.push((place, Wanted::Hooks(plan)));
            }
            wanted
        }
        Agent::Codex => vec![(codex_place(shelf, places)?, Wanted::Hooks(plan))],
        Agent::Gemini => places.into_iter().map(|it| (it, Wanted::Hooks(plan.clone()))).collect(),
        Agent::Opencode => {
            let plugin = opencode::settings::plugin(program, guard);
            places.into_iter().map(|it| (it, Wanted::Plugin(plugin.clone()))).collect()
        }
    })
}

/// The file that this user keeps hooks in: Codex warns where there are some in both.
fn codex_place(shelf: &Shelf, places: Vec<Place>) -> Result<Place> {
    let [json, config] = <[Place; 2]>::try_from(places)
        .map_err(|_| Error::new(Kind::Bug, "Codex keeps its hooks in two places"))?;
    if shelf.look(&json.path)?.current.is_some() {
        return Ok(json);
    }
    let Some(bytes) = shelf.look(&config.path)?.current else { return Ok(json) };
    let has_hooks = codex::settings::toml::has_hooks(config.text(&bytes)?)
        .map_err(|broken| config.broken(&broken))?;
    Ok(if has_hooks { config } else { json })
}

/// A change that was worked out and not made yet.
pub(super) struct Edit {
    place: Place,
    found: Found,
    new: String,
    /// The file as it was before us.
    before: Option<Vec<u8>>,
}

pub(super) fn prepare(shelf: &Shelf, place: Place, wanted: &Wanted) -> Result<Edit> {
    let mut found = shelf.look(&place.path)?;
    let current = found.current.as_deref().map(|bytes| place.text(bytes)).transpose()?;
    let earlier = found.before.bytes();
    let before = match current {
        _ if found.is_untouched => earlier.map(<[u8]>::to_vec),
        None => None,
        // It was changed since, or we don't know it: what it is without us is what was before.
        Some(text) => {
            let earlier = earlier.map(|bytes| place.text(bytes)).transpose()?;
            place.without(text, earlier, &found.trusted)?.map(String::into_bytes)
        }
    };
    let new = place.with(current.unwrap_or_default(), wanted)?;
    if let Wanted::Trust(digests) = wanted {
        found.trusted.extend(digests.clone());
    }
    Ok(Edit { place, found, new, before })
}

impl Edit {
    pub(super) fn commit(self, kept: &Shelf) -> Result<Change> {
        let is_same = self.found.current.as_deref() == Some(self.new.as_bytes());
        let fate = if is_same && self.found.before != Before::Unknown {
            Fate::Kept
        } else {
            kept.write(&self.found, self.new.as_bytes(), self.before.as_deref())?;
            if is_same { Fate::Kept } else { Fate::Wrote }
        };
        Ok(Change { path: self.place.path, fate })
    }
}
