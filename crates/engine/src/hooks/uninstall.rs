//! Leaving agents again.

use std::collections::BTreeMap;

use countersign_domain::worklog::Agent;

use super::places::{Place, places};
use super::shelf::{Before, Shelf};
use super::{Change, Fate, Report, Request, Scope, trust};
use crate::error::Result;
use crate::{Host, worklog};

/// Takes out what is ours. What was changed since `install` stays.
pub fn uninstall(host: &Host, request: &Request) -> Result<Vec<Report>> {
    let shelf = Shelf::open(&host.home()?)?;
    let all = request.agents.is_empty();
    let agents = if all { Agent::ALL.to_vec() } else { request.agents.clone() };
    let mut reports = Vec::new();
    for agent in agents {
        let mut report = Report {
            agent,
            scope: request.scope,
            version: None,
            events: Vec::new(),
            changes: Vec::new(),
            notes: Vec::new(),
        };
        let trusted = match agent {
            Agent::Codex => trust::given(host, &shelf, request.scope)?,
            _ => BTreeMap::new(),
        };
        let mut places = places(host, agent, request.scope)?;
        if agent == Agent::Codex && request.scope == Scope::Project {
            // Without HOME there is no trust to take back.
            places.extend(trust::place(host).ok());
        }
        // The last first: the first may have come with the folder of them all.
        for place in places.into_iter().rev() {
            report.changes.extend(take_out(&shelf, &place, &trusted)?);
        }
        for change in &report.changes {
            worklog::note_uninstalled(host, agent, &change.path);
        }
        if report.changes.is_empty() {
            report.notes.push(nothing(host, agent, request.scope));
        }
        reports.push(report);
    }
    Ok(reports)
}

/// Why nothing was done, and what to do where the hooks are the other scope's.
fn nothing(host: &Host, agent: Agent, scope: Scope) -> String {
    let (other, option) = match scope {
        Scope::User => (Scope::Project, "--project"),
        Scope::Project => (Scope::User, "--user"),
    };
    let has_ours = |place: Place| host.home().is_ok_and(|home| super::has_ours(&home, &place.path));
    if places(host, agent, other).is_ok_and(|places| places.into_iter().any(has_ours)) {
        return format!("there was nothing of ours here; what there is goes with {option}");
    }
    "there was nothing of ours".to_owned()
}

fn take_out(
    shelf: &Shelf,
    place: &Place,
    trusted: &BTreeMap<String, String>,
) -> Result<Option<Change>> {
    let mut found = shelf.look(&place.path)?;
    let Some(current) = found.current.clone() else {
        shelf.forget(&found);
        return Ok(None);
    };
    let text = place.text(&current)?;
    let earlier = found.before.clone();
    let earlier_text = earlier.bytes().map(|bytes| place.text(bytes)).transpose()?;
    let clean = place.without(text, earlier_text, trusted)?;
    let change = |fate| Some(Change { path: place.path.clone(), fate });
    found.trusted.retain(|key, _| !trusted.contains_key(key));
    if !found.trusted.is_empty() {
        // Trust of the other scope's hooks is still in it.
        let Some(clean) = clean.filter(|clean| clean != text) else { return Ok(None) };
        shelf.write(&found, clean.as_bytes(), earlier.bytes())?;
        return Ok(change(Fate::Cleaned));
    }
    if found.is_untouched {
        shelf.restore(&found, earlier.bytes())?;
        let was_there = earlier.bytes().is_some();
        return Ok(change(if was_there { Fate::Restored } else { Fate::Removed }));
    }
    let made_by_us = earlier == Before::Absent;
    let clean = clean.filter(|clean| !(made_by_us && is_bare(clean)));
    if clean.as_deref() == Some(text) {
        shelf.forget(&found);
        return Ok(None);
    }
    shelf.restore(&found, clean.as_deref().map(str::as_bytes))?;
    Ok(change(if clean.is_some() { Fate::Cleaned } else { Fate::Removed }))
}

/// Whether a file says nothing.
fn is_bare(text: &str) -> bool {
    matches!(text.split_whitespace().collect::<String>().as_str(), "" | "{}")
}
