//! Codex skips hooks that nobody trusted, without a word. Trust is an entry in `config.toml` with
//! the digest that Codex itself gives each hook; it is asked for that over its own protocol.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use toml_edit::Item;

use super::toml::{Edits, appended, end_of, lines_of, parse, quoted};
use crate::agents::plan::{Broken, Registered};

/// One hook as Codex sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What its trust is kept under.
    pub key: String,
    pub command: String,
    /// The settings file it comes from.
    pub source: String,
    /// The digest that is to be trusted.
    pub digest: String,
    pub is_trusted: bool,
}

/// What to write to `codex app-server` to hear of the hooks that count in `folder`.
pub fn question(folder: &str) -> String {
    let client = json!({ "name": "countersign", "title": "Countersign", "version": "0" });
    let messages = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": client } }),
        json!({ "method": "initialized", "params": {} }),
        json!({ "id": ANSWER, "method": "hooks/list", "params": { "cwds": [folder] } }),
    ];
    messages.iter().map(|message| format!("{message}\n")).collect()
}

const ANSWER: u64 = 2;

/// The answer, if `line` is it.
pub fn answer(line: &str) -> Option<Result<Vec<Listed>, String>> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["id"] != ANSWER {
        return None;
    }
    let Some(folders) = message["result"]["data"].as_array() else {
        let why = message["error"]["message"].as_str().unwrap_or("an answer of another shape");
        return Some(Err(why.to_owned()));
    };
    let hooks = folders.iter().filter_map(|folder| folder["hooks"].as_array()).flatten();
    let word = |hook: &Value, name: &str| hook[name].as_str().unwrap_or_default().to_owned();
    let listed = hooks.map(|hook| Listed {
        key: word(hook, "key"),
        command: word(hook, "command"),
        source: word(hook, "sourcePath"),
        digest: word(hook, "currentHash"),
        is_trusted: matches!(hook["trustStatus"].as_str(), Some("trusted" | "managed")),
    });
    Some(Ok(listed.collect()))
}

/// What the trust of an entry in `file` is kept under.
pub fn key_of(file: &Path, entry: &Registered) -> String {
    let mut event = String::new();
    for letter in entry.event.chars() {
        if letter.is_uppercase() && !event.is_empty() {
            event.push('_');
        }
        event.extend(letter.to_lowercase());
    }
    format!("{}:{event}:{}:{}", file.display(), entry.group, entry.position)
}

/// The digests that `text` trusts, by key.
pub fn trusted(text: &str) -> Result<BTreeMap<String, String>, Broken> {
    let document = parse(text)?;
    let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let entries = state.and_then(Item::as_table_like).into_iter().flat_map(|state| state.iter());
    let digest = |item: &Item| Some(item.get("trusted_hash")?.as_str()?.to_owned());
    Ok(entries.filter_map(|(key, item)| Some((key.to_owned(), digest(item)?))).collect())
}

/// `text` with `digests` trusted.
pub fn trust(text: &str, digests: &BTreeMap<String, String>) -> Result<String, Broken> {
    let document = parse(text)?;
    let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let mut edits = Edits::default();
    let mut lines = Vec::new();
    for (key, digest) in digests {
        let entry = state.and_then(|state| state.get(key));
        match entry.map(|entry| entry.get("trusted_hash")) {
            None => lines.extend([
                String::new(),
                format!("[hooks.state.{}]", quoted(key)),
                format!("trusted_hash = {}", quoted(digest)),
            ]),
            Some(Some(known)) if known.as_str() == Some(digest) => {}
            Some(Some(known)) => {
                let span = known.span().unwrap_or_default();
                edits.replace(span, quoted(digest));
            }
            // The entry has another setting but no digest: ours goes right below its header.
            Some(None) => {
                let table = entry.and_then(Item::as_table);
                let span = table.and_then(toml_edit::Table::span).unwrap_or_default();
                let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at + 1);
                edits.replace(end..end, format!("trusted_hash = {}\n", quoted(digest)));
            }
        }
    }
    let result = appended(&edits.apply(text), &lines);
    let now = trusted(&result)?;
    if digests.iter().all(|(key, digest)| now.get(key) == Some(digest)) {
        return Ok(result);
    }
    Err(Broken::at(text, 0, "'hooks.state' is written in a way we can't add to"))
}

/// `text` without those of `digests` that it still trusts as they are here.
pub fn distrust(text: &str, digests: &BTreeMap<String, String>) -> Result<String, Broken> {
    let document = parse(text)?;
    let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let mut edits = Edits::default();
    for (key, digest) in digests {
        let Some(table) = state.and_then(|state| state.get(key)).and_then(Item::as_table) else {
            continue;
        };
        let Some(known) = table.get("trusted_hash").filter(|known| known.as_str() == Some(digest))
        else {
            continue;
        };
        let (Some(header), Some(value)) = (table.span(), known.span()) else { continue };
        if table.len() == 1 {
            edits.replace(lines_of(text, header.start, end_of(table)), String::new());
        } else {
            let start = text[..value.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[value.end..].find('\n').map_or(text.len(), |at| value.end + at + 1);
            edits.replace(start..end, String::new());
        }
    }
    Ok(edits.apply(text))
}
