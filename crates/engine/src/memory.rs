//! Memories by name: what users and agents wrote, and what we work out from the ledger.
//!
//! A written memory is an event; the view only knows where the newest text is. Names that begin
//! with `_` are ours: they can be listed and read, and only retention takes them away.

mod client;
mod conversation;
mod derived;
mod publish;

use countersign_domain::canonical;
use countersign_domain::ledger::{Draft, Event, Stored as _, Stream};
use countersign_domain::memory::{MAX_TEXT, MemoryEvent, MemoryName};
use countersign_store::{Appended, Expected, ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

pub use derived::{CurrentSession, TodoNote};
pub use publish::Publication;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The kind of the view rows.
const VIEW: &str = "memory";
/// How often a writer that was overtaken tries again. Each loss means that another one won.
const TRIES: usize = 100;

/// A memory in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemorySummary {
    pub name: String,
    /// Unknown for what is worked out only when it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Who wrote it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Worked out from the ledger, and nobody's to change.
    pub is_derived: bool,
}

/// A memory with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Memory {
    #[serde(flatten)]
    pub summary: MemorySummary,
    pub text: String,
}

/// An acknowledged change of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    pub name: String,
    pub bytes: u64,
    /// Why the change waits in the spool, where it is as durable but can't be read yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spooled: Option<String>,
}

/// Where the newest text of a memory is.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    sequence: u64,
    bytes: u64,
    updated_at: String,
    actor: String,
}

impl Engine {
    /// The memories whose names begin with `prefix`, in order of their names.
    pub fn memories(&self, prefix: &str) -> Result<Vec<MemorySummary>> {
        let mut all = Vec::new();
        for row in self.store.views(VIEW, prefix, u32::MAX)? {
            all.push(summary(&row.key, serde_json::from_str(&row.body)?));
        }
        for name in self.derived(prefix)? {
            let is_derived = true;
            all.push(MemorySummary {
                name,
                bytes: None,
                updated_at: None,
                actor: None,
                is_derived,
            });
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// The memory with this name.
    pub fn read_memory(&self, name: &str) -> Result<Memory> {
        let name = parse(name)?;
        if name.is_derived() {
            let text = self.derived_text(name.as_str())?.ok_or_else(|| missing(&name))?;
            let bytes = Some(text.len() as u64);
            let (updated_at, actor, is_derived) = (None, None, true);
            let name = name.to_string();
            let summary = MemorySummary { name, bytes, updated_at, actor, is_derived };
            return Ok(Memory { summary, text });
        }
        let place = self.place(&name)?.ok_or_else(|| missing(&name))?;
        let events = self.store.read(&stream(&name)?, place.sequence.saturating_sub(1))?;
        let decoded = events.first().map(decode).transpose()?.flatten();
        let Some(MemoryEvent::Written { text }) = decoded else {
            let message = format!("the view of the memory '{name}' is wrong");
            return Err(Error::new(Kind::Tampered, message)
                .hint("`countersign ledger rebuild` remakes the views"));
        };
        Ok(Memory { summary: summary(name.as_str(), place), text })
    }

    /// Makes `text` the memory's text; what it was before stays on the record.
    pub fn write_memory(&mut self, name: &str, text: &str, actor: &str) -> Result<Changed> {
        let name = parse_writable(name)?;
        if text.len() > MAX_TEXT {
            let message = format!("the text has {} bytes; at most {MAX_TEXT} fit", text.len());
            return Err(Error::new(Kind::Usage, message)
                .hint("keep large data in a file and remember where it is"));
        }
        self.change(&name, &MemoryEvent::Written { text: text.to_owned() }, actor)
    }

    /// Deletes the memory; what it was stays on the record.
    pub fn delete_memory(&mut self, name: &str, actor: &str) -> Result<Changed> {
        self.change(&parse_writable(name)?, &MemoryEvent::Deleted {}, actor)
    }

    /// Appends one event to a memory's stream, with the change of the view that follows.
    fn change(&mut self, name: &MemoryName, event: &MemoryEvent, actor: &str) -> Result<Changed> {
        let stream = stream(name)?;
        let (kind, body) = event.encode()?;
        let mut draft = self.draft(&kind, MemoryEvent::FORMAT, body);
        draft.actor = actor.to_owned();
        let updated_at = format!("{:.6}", draft.time);
        let bytes = match event {
            MemoryEvent::Written { text } => text.len() as u64,
            _ => 0,
        };
        let spooled = self.append_with(&stream, &draft, |engine, sequence| match event {
            MemoryEvent::Written { .. } => {
                let (updated_at, actor) = (updated_at.clone(), actor.to_owned());
                put(name.as_str(), &Place { sequence, bytes, updated_at, actor })
            }
            // Whoever overtook us may have deleted it.
            _ if engine.place(name)?.is_none() => Err(missing(name)),
            _ => Ok(ViewChange::remove(VIEW, name.as_str())),
        })?;
        Ok(Changed { name: name.to_string(), bytes, spooled })
    }

    /// Appends `draft` to `stream`, with what follows in the view when it is its event
    /// `sequence`. Says why, if it had to go to the spool.
    fn append_with(
        &mut self,
        stream: &Stream,
        draft: &Draft,
        view: impl Fn(&Self, u64) -> Result<ViewChange>,
    ) -> Result<Option<String>> {
        for _ in 0..TRIES {
            let head = self.store.head(stream)?.map_or(0, |head| head.sequence);
            let views = [view(self, head + 1)?];
            let drafts = std::slice::from_ref(draft);
            return match self.store.append(stream, Expected::Sequence(head), drafts, &views) {
                Ok(Appended::Written(_)) => Ok(None),
                Ok(Appended::Spooled(why)) => Ok(Some(why.to_string())),
                Err(countersign_store::Error::Conflict { .. }) => continue,
                Err(error) => Err(error.into()),
            };
        }
        let message = format!("others keep writing to {stream}");
        Err(Error::new(Kind::Unavailable, message).hint("try again"))
    }

    fn place(&self, name: &MemoryName) -> Result<Option<Place>> {
        let row = self.store.view(VIEW, name.as_str())?;
        Ok(row.map(|row| serde_json::from_str(&row.body)).transpose()?)
    }
}

/// What follows in the view from all events of one stream below `memory/`.
pub(crate) fn rows_of(stream: &str, events: &[Event]) -> Result<Vec<ViewChange>> {
    if stream == MemoryEvent::BACKEND_STREAM {
        return publish::rows_of(events);
    }
    let name = stream.strip_prefix("memory/").unwrap_or_default();
    let Some(last) = events.last() else { return Ok(Vec::new()) };
    let change = match decode(last)? {
        Some(MemoryEvent::Written { text }) => {
            let place = Place {
                sequence: last.sequence,
                bytes: text.len() as u64,
                updated_at: last.time.clone(),
                actor: last.actor.clone(),
            };
            put(name, &place)?
        }
        // Deleted, or taken away by retention.
        _ => ViewChange::remove(VIEW, name),
    };
    Ok(vec![change])
}

/// What `event` says; `None` when retention removed it.
fn decode(event: &Event) -> Result<Option<MemoryEvent>> {
    let body = event.body.as_ref();
    Ok(body.map(|body| MemoryEvent::decode(&event.kind, body)).transpose()?)
}

fn put(name: &str, place: &Place) -> Result<ViewChange> {
    let body = canonical::to_string(place)?;
    Ok(ViewRow { kind: VIEW.into(), key: name.to_owned(), body }.into())
}

fn summary(name: &str, place: Place) -> MemorySummary {
    MemorySummary {
        name: name.to_owned(),
        bytes: Some(place.bytes),
        updated_at: Some(place.updated_at),
        actor: Some(place.actor),
        is_derived: false,
    }
}

fn parse(name: &str) -> Result<MemoryName> {
    name.parse().map_err(|error: countersign_domain::id::IdError| {
        Error::new(Kind::Usage, error.to_string()).hint("use a name such as design/api")
    })
}

fn parse_writable(name: &str) -> Result<MemoryName> {
    let name = parse(name)?;
    if name.is_derived() {
        let message = format!("'{name}' is worked out from the ledger and can't be changed");
        return Err(Error::new(Kind::Refused, message).hint(
            "choose a name that does not begin with '_'; what is on the record goes only by \
             retention (`countersign ledger retain`)",
        ));
    }
    Ok(name)
}

fn stream(name: &MemoryName) -> Result<Stream> {
    name.stream().map_err(|error| Error::new(Kind::Bug, format!("a memory's stream: {error}")))
}

fn missing(name: &MemoryName) -> Error {
    Error::new(Kind::NotFound, format!("there is no memory '{name}'"))
        .hint("`countersign memory list` (or the tool list_memories) names what there is")
}
