//! Our entries in `config.toml`, for who keeps their hooks there.
//!
//! Only spans of the text are replaced, and new tables go to its end: writing the file anew from
//! its parts would change line ends and marks that aren't ours.

use serde_json::{Map, Value, json};
use toml_edit::{ArrayOfTables, Document, Item, Table};

use super::NAME;
use crate::agents::hook_entries::registered_in;
use crate::agents::plan::{Broken, Hook, Plan, Registered, program_in};

/// `text` as a document with places.
pub(super) fn parse(text: &str) -> Result<Document<&str>, Broken> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Broken::at(text, at, error.message().trim())
    })
}

/// Replacements in a text, each for a span of it.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(std::ops::Range<usize>, String)>);

impl Edits {
    pub(super) fn replace(&mut self, span: std::ops::Range<usize>, with: String) {
        self.0.push((span, with));
    }

    pub(super) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(span, _)| span.start);
        let mut result = String::with_capacity(text.len());
        let mut at = 0;
        for (span, with) in self.0 {
            // A table that is in another one that goes as a whole is gone already.
            if span.start >= at {
                result.push_str(&text[at..span.start]);
                result.push_str(&with);
                at = span.end;
            }
        }
        result.push_str(&text[at..]);
        result
    }
}

/// What lines end with in `text`.
pub(super) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// `text` with `lines` at its end, after an empty line.
pub(super) fn appended(text: &str, lines: &[String]) -> String {
    let end = line_end(text);
    let mut result = text.to_owned();
    if !(text.is_empty() || text.ends_with('\n')) {
        result.push_str(end);
    }
    for (index, line) in lines.iter().enumerate() {
        if index > 0 || !text.trim().is_empty() || !line.is_empty() {
            result.push_str(line);
            result.push_str(end);
        }
    }
    result
}

/// From the line of `start`, and an empty line before it, to the end of the line of `end`.
pub(super) fn lines_of(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let mut from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    for empty in ["\r\n", "\n"] {
        if let Some(rest) = text[..from].strip_suffix(empty)
            && (rest.is_empty() || rest.ends_with('\n'))
        {
            from = rest.len();
            break;
        }
    }
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    from..to
}

/// A basic string with everything in it escaped that has to be.
pub(super) fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

/// Whether hooks are kept in this file. What is known of their trust is always here.
pub fn has_hooks(text: &str) -> Result<bool, Broken> {
    let document = parse(text)?;
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    Ok(hooks.is_some_and(|hooks| hooks.iter().any(|(event, _)| event != "state")))
}

/// Our entries in `text`.
pub fn registered(text: &str) -> Result<Vec<Registered>, Broken> {
    Ok(registered_in(&hooks_of(text)?, NAME))
}

/// Whether hooks are switched off altogether.
pub fn is_silenced(text: &str) -> Result<bool, Broken> {
    let document = parse(text)?;
    let switch = document.get("features").and_then(|features| features.get("hooks"));
    Ok(switch.and_then(Item::as_bool) == Some(false))
}

fn hooks_of(text: &str) -> Result<Value, Broken> {
    let document = parse(text)?;
    let mut events = Map::new();
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    for (event, groups) in hooks.into_iter().flat_map(|hooks| hooks.iter()) {
        let groups = tables(groups);
        let groups = groups.iter().map(|group| {
            let entries = group.get("hooks").map(tables).unwrap_or_default();
            let word =
                |table: &Table, name| table.get(name).and_then(Item::as_str).map(str::to_owned);
            let entries: Vec<Value> =
                entries.iter().map(|entry| json!({ "command": word(entry, "command") })).collect();
            match word(group, "matcher") {
                Some(matcher) => json!({ "matcher": matcher, "hooks": entries }),
                None => json!({ "hooks": entries }),
            }
        });
        events.insert(event.to_owned(), groups.collect());
    }
    Ok(Value::Object(events))
}

/// The tables of a list, however it is written.
fn tables(item: &Item) -> Vec<Table> {
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().cloned().collect();
    }
    let inline = item.as_array().into_iter().flatten();
    inline
        .filter_map(|value| {
            value.as_inline_table().cloned().map(toml_edit::InlineTable::into_table)
        })
        .collect()
}

/// `text` with everything in `plan` registered.
pub fn register(text: &str, plan: &Plan) -> Result<String, Broken> {
    let document = parse(text)?;
    let mut edits = Edits::default();
    let mut lines = Vec::new();
    for hook in &plan.hooks {
        match document.get("hooks").and_then(|hooks| hooks.get(hook.event)) {
            None => lines.extend(group_of(hook, plan)),
            Some(Item::ArrayOfTables(groups)) => {
                let mut entries = entries_of(groups).filter(|entry| is_ours(entry)).peekable();
                if entries.peek().is_none() {
                    lines.extend(group_of(hook, plan));
                }
                for entry in entries {
                    bring_up_to_date(entry, plan, &mut edits);
                }
            }
            Some(other) => {
                let at = other.span().map_or(0, |span| span.start);
                let why = format!("'hooks.{0}' must be written as [[hooks.{0}]]", hook.event);
                return Err(Broken::at(text, at, why));
            }
        }
    }
    let result = appended(&edits.apply(text), &lines);
    parse(&result)
        .map_err(|broken| Broken { why: format!("'hooks': {}", broken.why), ..broken })?;
    Ok(result)
}

/// `text` without our entries.
pub fn unregister(text: &str) -> Result<String, Broken> {
    let document = parse(text)?;
    let mut edits = Edits::default();
    let hooks = document.get("hooks").and_then(Item::as_table_like);
    for (_, groups) in hooks.into_iter().flat_map(|hooks| hooks.iter()) {
        for group in groups.as_array_of_tables().into_iter().flatten() {
            let entries = group.get("hooks").and_then(Item::as_array_of_tables);
            let entries: Vec<&Table> = entries.into_iter().flatten().collect();
            let ours: Vec<&&Table> = entries.iter().filter(|entry| is_ours(entry)).collect();
            if ours.is_empty() {
                continue;
            }
            if ours.len() == entries.len()
                && let Some(header) = group.span()
            {
                // The last entry ends after everything else in the group.
                let end = entries.iter().map(|entry| end_of(entry)).max().unwrap_or(header.end);
                edits.replace(lines_of(text, header.start, end.max(end_of(group))), String::new());
                continue;
            }
            for entry in ours {
                if let Some(header) = entry.span() {
                    edits.replace(lines_of(text, header.start, end_of(entry)), String::new());
                }
            }
        }
    }
    Ok(edits.apply(text))
}

fn entries_of(groups: &ArrayOfTables) -> impl Iterator<Item = &Table> {
    let entries = groups.iter().filter_map(|group| group.get("hooks")?.as_array_of_tables());
    entries.flatten()
}

fn is_ours(entry: &Table) -> bool {
    let command = entry.get("command").and_then(Item::as_str);
    command.is_some_and(|command| program_in(command, NAME).is_some())
}

/// Where the last value of a table ends.
pub(super) fn end_of(table: &Table) -> usize {
    let header = table.span().map_or(0, |span| span.end);
    let values = table.iter().filter(|(_, item)| item.is_value());
    values.filter_map(|(_, item)| item.span()).map(|span| span.end).fold(header, usize::max)
}

fn bring_up_to_date(entry: &Table, plan: &Plan, edits: &mut Edits) {
    if let Some(command) = entry.get("command")
        && command.as_str() != Some(&plan.command)
        && let Some(span) = command.span()
    {
        edits.replace(span, quoted(&plan.command));
    }
}

fn group_of(hook: &Hook, plan: &Plan) -> Vec<String> {
    let mut lines = vec![String::new(), format!("[[hooks.{}]]", hook.event)];
    lines.extend(hook.matcher.map(|matcher| format!("matcher = {}", quoted(matcher))));
    lines.extend([
        format!("[[hooks.{}.hooks]]", hook.event),
        "type = \"command\"".to_owned(),
        format!("command = {}", quoted(&plan.command)),
        format!("timeout = {}", hook.timeout),
    ]);
    lines
}
