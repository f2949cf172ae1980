//! What keeps hooks that are registered from being called.

use countersign_domain::worklog::Agent;
use countersign_exec::agents::claude::settings::SWITCH;
use countersign_exec::agents::codex::settings::toml;
use countersign_exec::agents::gemini;
use countersign_exec::agents::plan::command;
use serde_json::Value;

use super::places::{Form, Place};
use super::status::{Finding, all_places, text_of};
use crate::Host;

/// What silences hooks here, as far as files can be read.
pub(super) fn here(host: &Host, agent: Agent, program: &str) -> Vec<Finding> {
    let text = |place: Place| text_of(&place).ok().flatten().map(|text| (place, text));
    let files: Vec<_> = all_places(host, agent).into_iter().filter_map(text).collect();
    findings(agent, &files, program)
}

/// What silences hooks in `files`, which go from the farthest to the nearest.
pub(super) fn findings(agent: Agent, files: &[(Place, String)], program: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    match agent {
        Agent::Claude => switches(&mut found, files),
        Agent::Codex => codex_switch(&mut found, files),
        Agent::Gemini => gemini_switch(&mut found, files, program),
        Agent::Opencode => {}
    }
    found
}

fn wrong(found: &mut Vec<Finding>, text: String) {
    found.push(Finding { is_wrong: true, text });
}

fn note(found: &mut Vec<Finding>, text: String) {
    found.push(Finding { is_wrong: false, text });
}

/// Files of an administrator, which beat all others.
const MANAGED: &[&str] = &[
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// The nearest file that has the switch decides: local, project, user.
fn switches(found: &mut Vec<Finding>, files: &[(Place, String)]) {
    for path in MANAGED {
        let value =
            std::fs::read(path).ok().and_then(|it| serde_json::from_slice::<Value>(&it).ok());
        let value = value.unwrap_or_default();
        let keys = [SWITCH, "allowManagedHooksOnly"];
        if let Some(key) = keys.iter().find(|key| value[**key] == true) {
            wrong(found, format!("{path} silences all hooks of ours: {key}"));
        }
    }
    let mut is_decided = false;
    for (place, text) in files.iter().rev() {
        let Ok(value) = place.value(text) else { continue };
        let Some(switch) = value.get(SWITCH) else { continue };
        let path = place.path.display();
        match (switch == true, is_decided) {
            (true, false) => wrong(found, format!("{path} silences all hooks: {SWITCH}")),
            (true, true) => note(found, format!("{path} has {SWITCH}, but a nearer file beats it")),
            (false, _) => {}
        }
        is_decided = true;
    }
}

fn gemini_switch(found: &mut Vec<Finding>, files: &[(Place, String)], program: &str) {
    for (place, text) in files {
        let Ok(value) = place.value(text) else { continue };
        let ours = command(program, gemini::settings::NAME);
        if let Some(key) = gemini::settings::silenced_by(&value, &ours) {
            wrong(found, format!("{} silences the hooks: {key}", place.path.display()));
        }
    }
}

fn codex_switch(found: &mut Vec<Finding>, files: &[(Place, String)]) {
    for (place, text) in files.iter().filter(|(place, _)| place.form == Form::Config) {
        if toml::is_silenced(text) == Ok(true) {
            let path = place.path.display();
            wrong(found, format!("{path} silences all hooks: features.hooks = false"));
        }
    }
}
