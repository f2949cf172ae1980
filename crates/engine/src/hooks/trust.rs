//! Trust in hooks: Codex skips those that nobody trusted, and says nothing.

use std::collections::BTreeMap;
use std::path::Path;

use countersign_domain::worklog::Agent;
use countersign_exec::agents::codex::app_server;
use countersign_exec::agents::codex::settings::trust::{Listed, key_of, trusted};
use countersign_exec::agents::plan::program_in;

use super::detect::{Detected, environment, supervisor};
use super::install::prepare;
use super::places::{Form, Place, Wanted, folder, places};
use super::shelf::Shelf;
use super::{Report, Scope, real};
use crate::error::Result;
use crate::{Engine, Host};

/// The file that trust is kept in: always the user's.
pub(super) fn place(host: &Host) -> Result<Place> {
    let path = folder(host, Agent::Codex, Scope::User)?.join("config.toml");
    Ok(Place { agent: Agent::Codex, scope: Scope::User, path, form: Form::Config })
}

const BY_HAND: &str = "give it with /hooks in codex, or run this again where codex is on the PATH";

/// Lets Codex trust the hooks that were just registered, and no others.
pub(super) fn give(
    host: &Host,
    shelf: &Shelf,
    detected: Option<&Detected>,
    program: &str,
    report: &mut Report,
) -> Result<()> {
    let Some(detected) = detected else {
        report.notes.push(format!("Codex skips hooks without trust, and is not here: {BY_HAND}"));
        return Ok(());
    };
    let listed = match listed(host, detected) {
        Ok(listed) => listed,
        Err(why) => {
            let note = format!("Codex skips hooks without trust, and could not be asked ({why})");
            report.notes.push(format!("{note}: {BY_HAND}"));
            return Ok(());
        }
    };
    let Some(file) = report.changes.last().map(|change| real(&change.path)) else { return Ok(()) };
    let is_ours = |hook: &Listed| {
        program_in(&hook.command, "codex").as_deref() == Some(Path::new(program))
            && real(Path::new(&hook.source)) == file
    };
    let ours: Vec<Listed> = listed.into_iter().filter(is_ours).collect();
    if ours.len() < report.events.len() {
        let note = match report.scope {
            Scope::Project => {
                "Codex does not see all of the hooks: it reads a project's only where its user \
                 trusts the project. Start codex here once and say so, then run this again"
            }
            Scope::User => "Codex does not see all of the hooks; it may be too old for them",
        };
        report.notes.push(note.to_owned());
    }
    let digests: BTreeMap<_, _> =
        ours.into_iter().filter(|it| !it.is_trusted).map(|it| (it.key, it.digest)).collect();
    if digests.is_empty() {
        return Ok(());
    }
    report.changes.push(prepare(shelf, place(host)?, &Wanted::Trust(digests))?.commit(shelf)?);
    Ok(())
}

/// The hooks that count here, as Codex sees them.
pub(super) fn listed(host: &Host, detected: &Detected) -> std::result::Result<Vec<Listed>, String> {
    let supervisor = supervisor(host).ok_or("no supervisor")?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let here = Engine::root(host).unwrap_or_else(|| host.cwd.clone());
    app_server::hooks(&supervisor, &detected.program, &environment(host), &here, scratch.path())
}

/// The trust that we gave to hooks of `scope`.
pub(super) fn given(host: &Host, shelf: &Shelf, scope: Scope) -> Result<BTreeMap<String, String>> {
    let Ok(place) = place(host) else { return Ok(BTreeMap::new()) };
    let found = shelf.look(&place.path)?;
    let Some(bytes) = &found.current else { return Ok(BTreeMap::new()) };
    let text = place.text(bytes)?;
    let mut all = trusted(text).map_err(|broken| place.broken(&broken))?;
    let home = real(&folder(host, Agent::Codex, scope)?);
    let mut ours = Vec::new();
    for place in places(host, Agent::Codex, scope)? {
        if let Some(bytes) = shelf.look(&place.path)?.current {
            let entries = place.registered(place.text(&bytes)?)?;
            ours.extend(entries.iter().map(|entry| key_of(&place.path, entry)));
        }
    }
    let is_of_scope = |key: &str| {
        let file = key.rsplitn(4, ':').last().unwrap_or(key);
        Path::new(file).parent().is_some_and(|folder| real(folder) == home)
    };
    all.retain(|key, digest| {
        // A key is a position: by now another's hook may be there, with a digest of its own.
        let is_recorded = found.trusted.get(key) == Some(digest) && is_of_scope(key);
        is_recorded || ours.contains(key)
    });
    Ok(all)
}
