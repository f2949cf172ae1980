//! The fast path: one entry from a program outside, acknowledged as soon as it is durable.
//!
//! No database, no git, no migration: the entry goes to the spool, and the next command takes
//! it into the ledger. It may only go to streams of notes, so that nobody can write a receipt
//! or a ruling this way.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::canonical;
use countersign_domain::ledger::{Draft, Stream};
use countersign_store::{Entry, Spool};
use serde_json::Value;

use crate::error::{Error, Kind, Result};
use crate::{Host, config, state_folder, store_options};

/// Streams that entries from outside may go to begin with this.
pub const PREFIX: &str = "note/";
/// The longest entry, in bytes of JSON.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What is to be recorded.
#[derive(Debug, Clone)]
pub struct Note<'a> {
    /// Below `note/`.
    pub stream: &'a str,
    pub kind: &'a str,
    pub actor: &'a str,
    /// JSON.
    pub body: &'a [u8],
}

/// Records `note`; returns the id it was acknowledged under.
pub fn record(host: &Host, note: &Note<'_>) -> Result<String> {
    let entry = check(host, note)?;
    let id = entry.draft.id.to_string();
    spool(host)?.write(&[entry])?;
    Ok(id)
}

/// The spool of the repository that `host` stands in.
fn spool(host: &Host) -> Result<Spool> {
    let layout = countersign_git::discover(&host.cwd)?;
    let home = host.home()?;
    let settings = settings(host, &layout.worktree)?;
    let state = state_folder(&layout);
    Ok(Spool::new(&store_options(&home, &state, &settings)))
}

/// The settings of the ledger alone, for the fast path: where nobody has set anything, nothing
/// is parsed.
fn settings(host: &Host, root: &Path) -> Result<config::LedgerConfig> {
    let user = host.home().ok().map(|home| home.config);
    let is_there = |path: PathBuf| std::fs::symlink_metadata(path).is_ok();
    let has_file = user.is_some_and(is_there) || is_there(root.join(config::PROJECT_FILE));
    let has_variable = || {
        let sets = |name: &OsString| name.as_bytes().starts_with(b"COUNTERSIGN_LEDGER_");
        host.environment.keys().any(sets)
    };
    if has_file || has_variable() {
        return config::resolve(host, Some(root)).map(|resolved| resolved.config.ledger);
    }
    Ok(config::LedgerConfig::default())
}

/// Whether canonical JSON, which knows only 64-bit floating point numbers, keeps `value` as it
/// is.
fn is_exact(value: &Value) -> bool {
    const MOST: u64 = (1 << 53) - 1;
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(whole), _, _) => whole.unsigned_abs() <= MOST,
            (None, Some(_), _) | (None, None, None) => false,
            // What is written with a point or an exponent says that it is not exact.
            (None, None, Some(_)) => true,
        },
        Value::Array(all) => all.iter().all(is_exact),
        Value::Object(fields) => fields.values().all(is_exact),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// The entry behind a note, if it is a fit one.
pub(crate) fn check(host: &Host, note: &Note<'_>) -> Result<Entry> {
    let usage = |message: String| Error::new(Kind::Usage, message);
    if note.body.len() > MAX_BYTES {
        let message = format!("the entry has {} bytes; at most {MAX_BYTES} fit", note.body.len());
        return Err(usage(message).hint("keep large data in a file and record its name and hash"));
    }
    let body: Value = serde_json::from_slice(note.body).map_err(|error| {
        usage(format!("the entry is not JSON: {error}")).hint("give one JSON value on stdin")
    })?;
    if !is_exact(&body) {
        return Err(usage("a number in the entry is too large to be kept exactly".into())
            .hint("write numbers beyond 9007199254740991 as text"));
    }
    let plain = |text: &str| {
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        !text.is_empty() && text.len() <= 100 && text.chars().all(good)
    };
    for (what, text) in [("kind", note.kind), ("actor", note.actor)] {
        if !plain(text) {
            let message = format!("'{text}' is not a {what}");
            return Err(usage(message).hint("letters, digits, '_', '-', '.' and ':', at most 100"));
        }
    }
    if note.stream.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
        let message = format!("the stream '{}' has a part that is no name", note.stream);
        return Err(usage(message).hint("use a name such as agent/session-1"));
    }
    let stream: Stream = format!("{PREFIX}{}", note.stream)
        .parse()
        .map_err(|error| usage(format!("the stream: {error}")))?;
    let draft = Draft {
        id: host.event_id(),
        time: host.now(),
        actor: note.actor.to_owned(),
        kind: format!("note.{}", note.kind),
        format: 1,
        body: canonical::to_string(&body)?,
    };
    Ok(Entry { stream, expected: None, draft })
}

impl crate::Engine {
    /// Records `note` straight in the database.
    pub fn append_note(&mut self, note: &Note<'_>) -> Result<String> {
        let Entry { stream, draft, .. } = check(&self.host, note)?;
        let id = draft.id.to_string();
        self.store.append(&stream, countersign_store::Expected::Any, &[draft], &[])?;
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(variables: &[(&str, &str)]) -> Host {
        Host {
            clock: crate::Clock::System,
            environment: variables.iter().map(|(n, v)| (n.into(), v.into())).collect(),
            cwd: PathBuf::from("/"),
            supervisor: Vec::new(),
        }
    }

    #[test]
    fn the_fast_path_knows_the_same_settings() {
        for variables in [&[][..], &[("COUNTERSIGN_LEDGER_DURABILITY", "process-death")]] {
            let host = host(variables);
            let all = config::resolve(&host, None).unwrap().config.ledger;
            assert_eq!(settings(&host, Path::new("/nowhere")).unwrap(), all);
        }
        assert!(
            settings(&host(&[("COUNTERSIGN_LEDGER_DURABILITY", "x")]), Path::new("/")).is_err()
        );
    }
}
