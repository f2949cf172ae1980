//! Our entries in settings files of the shape that Claude Code, Codex and Gemini share:
//! `{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}`.
//!
//! Text in, text out; whatever isn't ours keeps every byte. Each step looks for the first thing
//! that isn't as it is to be, puts it right, and looks again.

mod text;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use serde::Serialize;
use serde_json::Value;

use self::text::{Text, json_of};
use super::claude::settings::SWITCH;
use super::plan::{Broken, Hook, Plan, Registered, program_in};

/// What an agent's reader of settings takes besides plain JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leniency {
    pub byte_order_mark: bool,
    pub comments: bool,
}

#[derive(Serialize)]
struct Entry<'a> {
    r#type: &'static str,
    command: &'a str,
    timeout: u32,
    #[serde(rename = "onFailure", skip_serializing_if = "Option::is_none")]
    on_failure: Option<&'static str>,
}

#[derive(Serialize)]
struct Group<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Entry<'a>; 1],
}

/// `text` with everything in `plan` registered and nothing else of ours.
pub fn register(text: &str, leniency: Leniency, plan: &Plan) -> Result<String, Broken> {
    let mut text = Text::new(text, leniency)?;
    while let Some(json) = next_step(&text, plan)? {
        text.json = json;
    }
    Ok(text.finish())
}

/// `text` without our entries, and without what only we put around them: `before` is the file as
/// it was when we came.
pub fn unregister(
    text: &str,
    leniency: Leniency,
    agent: &str,
    before: Option<&str>,
) -> Result<String, Broken> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let mut text = Text::new(text, leniency)?;
    let before = before.map(|before| read(before, leniency)).transpose()?;
    let is_ours = |_: &str| true;
    while let Some(json) = first_removed(&text, agent, before.as_ref(), is_ours)? {
        text.json = json;
    }
    let set_by_us = before.as_ref().is_some_and(|before| before.get(SWITCH).is_none());
    let top = text.top()?;
    if let Some((index, switch)) = last(&top, SWITCH).filter(|_| set_by_us)
        && switch.value.as_boolean_lit().is_some_and(|it| !it.value)
    {
        text.json = text.remove_property(&top, index);
    }
    // Nobody is left with a file that can't be read.
    text.top()?;
    Ok(text.finish())
}

/// Our entries in `text`.
pub fn registered(text: &str, leniency: Leniency, agent: &str) -> Result<Vec<Registered>, Broken> {
    Ok(registered_in(&read(text, leniency)?["hooks"], agent))
}

/// The settings as a value.
pub fn read(text: &str, leniency: Leniency) -> Result<Value, Broken> {
    let text = Text::new(text, leniency)?;
    let top = text.top()?;
    Ok(Node::Object(top).into())
}

/// Our entries in the value of `hooks`.
pub(super) fn registered_in(hooks: &Value, agent: &str) -> Vec<Registered> {
    let mut found = Vec::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
        for (group, content) in groups.as_array().into_iter().flatten().enumerate() {
            let entries = content["hooks"].as_array().into_iter().flatten();
            for (position, entry) in entries.enumerate() {
                let command = entry["command"].as_str().unwrap_or_default();
                if let Some(program) = program_in(command, agent) {
                    let matcher = content["matcher"].as_str();
                    found.push(Registered {
                        event: event.clone(),
                        program,
                        group,
                        position,
                        hears_all: matches!(matcher, None | Some("*" | "")),
                        fails_closed: entry["onFailure"] == "block",
                    });
                }
            }
        }
    }
    found
}

/// The property that counts where a name is there twice: readers of JSON take the last.
fn last<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<(usize, &'b ObjectProp<'a>)> {
    let properties = object.properties.iter().enumerate();
    properties.rev().find(|(_, property)| property.name.as_str() == name)
}

/// The text after the first step towards `plan`; nothing if there is none left to take.
fn next_step(text: &Text, plan: &Plan) -> Result<Option<String>, Broken> {
    let top = text.top()?;
    if plan.switched_on && last(&top, SWITCH).is_none() {
        return Ok(Some(text.insert(&top, SWITCH, &false)));
    }
    if plan.hooks.is_empty() {
        return Ok(None);
    }
    let Some((_, hooks)) = last(&top, "hooks") else {
        let none = serde_json::Map::new();
        return Ok(Some(text.insert(&top, "hooks", &none)));
    };
    let Node::Object(hooks) = &hooks.value else {
        return Err(text.broken(&hooks.value, "'hooks' must be an object"));
    };
    for hook in &plan.hooks {
        let Some((_, event)) = last(hooks, hook.event) else {
            return Ok(Some(text.insert(hooks, hook.event, &[group_of(hook, plan)])));
        };
        let Node::Array(groups) = &event.value else {
            let why = format!("'{}' must be a list", hook.event);
            return Err(text.broken(&event.value, &why));
        };
        if let Some(json) = settled(text, groups, hook, plan) {
            return Ok(Some(json));
        }
    }
    let is_unwanted = |event: &str| plan.hooks.iter().all(|hook| hook.event != event);
    first_removed(text, plan.agent, None, is_unwanted)
}

/// The text after a step towards exactly one entry of ours among `groups`.
fn settled(text: &Text, groups: &Array<'_>, hook: &Hook, plan: &Plan) -> Option<String> {
    let ours = places(groups, plan.agent);
    let Some(first) = ours.first() else {
        return Some(text.push(groups, &group_of(hook, plan)));
    };
    let matcher = first.group.get_string("matcher").map(|it| it.value.as_ref());
    let all = |matcher: Option<&str>| matches!(matcher, None | Some("*" | ""));
    if all(matcher) != all(hook.matcher) {
        return Some(without(text, groups, first));
    }
    if let Some(second) = ours.get(1) {
        return Some(without(text, groups, second));
    }
    let wanted = entry_of(hook, plan);
    let entry = first.entry;
    let command = entry.get_string("command").filter(|it| it.value != wanted.command);
    if let Some(command) = command {
        return Some(
            text.replace(command.range.start..command.range.end, &json_of(wanted.command)),
        );
    }
    match entry.get("timeout") {
        None => return Some(text.insert(entry, "timeout", &wanted.timeout)),
        Some(it) => {
            let range = it.value.range().start..it.value.range().end;
            let timeout = wanted.timeout.to_string();
            if text.json[range.clone()] != timeout {
                return Some(text.replace(range, &timeout));
            }
        }
    }
    match (last(entry, "onFailure"), wanted.on_failure) {
        (None, Some(word)) => Some(text.insert(entry, "onFailure", &word)),
        (Some((index, _)), None) => Some(text.remove_property(entry, index)),
        _ => None,
    }
}

/// Where an entry of ours is.
struct Place<'a, 'b> {
    group_index: usize,
    group: &'b Object<'a>,
    entry_index: usize,
    entry: &'b Object<'a>,
    /// How many entries its group has.
    company: usize,
}

fn places<'a, 'b>(groups: &'b Array<'a>, agent: &str) -> Vec<Place<'a, 'b>> {
    let mut found = Vec::new();
    for (group_index, group) in groups.elements.iter().enumerate() {
        let Some(group) = group.as_object() else { continue };
        let Some(entries) = group.get_array("hooks") else { continue };
        for (entry_index, entry) in entries.elements.iter().enumerate() {
            let Some(entry) = entry.as_object() else { continue };
            let command = entry.get_string("command");
            if command.is_some_and(|command| program_in(&command.value, agent).is_some()) {
                let company = entries.elements.len();
                found.push(Place { group_index, group, entry_index, entry, company });
            }
        }
    }
    found
}

/// The text without an entry, and without its group if it was alone in it.
fn without(text: &Text, groups: &Array<'_>, place: &Place<'_, '_>) -> String {
    match place.group.get_array("hooks") {
        Some(entries) if place.company > 1 => text.remove_element(entries, place.entry_index),
        _ => text.remove_element(groups, place.group_index),
    }
}

/// The text without the first entry of ours in an event that is `meant`; nothing if there is
/// none. What it was alone in goes too, unless it was there `before`.
fn first_removed(
    text: &Text,
    agent: &str,
    before: Option<&Value>,
    meant: impl Fn(&str) -> bool,
) -> Result<Option<String>, Broken> {
    let top = text.top()?;
    let Some((index, property)) = last(&top, "hooks") else { return Ok(None) };
    let Node::Object(hooks) = &property.value else { return Ok(None) };
    let earlier = before.and_then(|before| before.get("hooks"));
    for (event_index, event) in hooks.properties.iter().enumerate() {
        let name = event.name.as_str();
        let Node::Array(groups) = &event.value else { continue };
        let Some(place) = places(groups, agent).into_iter().next().filter(|_| meant(name)) else {
            continue;
        };
        let alone = place.company == 1 && groups.elements.len() == 1;
        if !alone || earlier.is_some_and(|earlier| earlier.get(name).is_some()) {
            return Ok(Some(without(text, groups, &place)));
        }
        if hooks.properties.len() > 1 || earlier.is_some() {
            return Ok(Some(text.remove_property(hooks, event_index)));
        }
        return Ok(Some(text.remove_property(&top, index)));
    }
    Ok(None)
}

fn entry_of<'a>(hook: &Hook, plan: &'a Plan) -> Entry<'a> {
    let on_failure = hook.fails_closed.then_some("block");
    Entry { r#type: "command", command: &plan.command, timeout: hook.timeout, on_failure }
}

fn group_of<'a>(hook: &Hook, plan: &'a Plan) -> Group<'a> {
    Group { matcher: hook.matcher, hooks: [entry_of(hook, plan)] }
}
