//! Publishing a memory to the second backend. It starts a program and waits for it, so it is
//! never done on an agent's way: a process of its own does it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use countersign_domain::canonical;
use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::memory::{Backend, Cause, MemoryEvent};
use countersign_exec::{Environment, Supervisor};
use countersign_store::{ViewChange, ViewRow};
use serde::Serialize;

use super::client;
use super::conversation::Partner;
use crate::Engine;
use crate::config::MemoryBackend;
use crate::error::{Error, Kind, Result};

/// The kind of the view rows: what is known of the backend, by memory.
const VIEW: &str = "backend";

/// How a publication ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Publication {
    Published {
        name: String,
        duration_ms: u64,
    },
    /// It was tried, and the failure is on the record.
    Unavailable {
        name: String,
        cause: Cause,
        detail: String,
    },
    /// The last attempt failed, and nobody asked for another.
    Skipped {
        name: String,
        cause: Cause,
    },
}

impl Engine {
    /// Whether there is a second backend to publish to.
    pub fn has_memory_backend(&self) -> bool {
        self.settings.config.memory.backend == MemoryBackend::Serena
    }

    /// What is known of the second backend as far as the memory `name` goes.
    pub fn memory_backend(&self, name: &str) -> Result<Backend> {
        let row = self.store.view(VIEW, name)?;
        Ok(row.map(|row| serde_json::from_str(&row.body)).transpose()?.unwrap_or_default())
    }

    /// Puts on the record that the user was told that the backend doesn't answer.
    pub fn record_memory_notice(&mut self, name: &str) -> Result<()> {
        self.record_backend(&MemoryEvent::Noticed { name: name.to_owned() })
    }

    /// Publishes `text` as the memory `name` of the second backend and records how it went.
    pub fn publish_memory(
        &mut self,
        name: &str,
        text: &str,
        wants_retry: bool,
    ) -> Result<Publication> {
        if !self.has_memory_backend() {
            return Err(Error::new(Kind::Refused, "there is no second backend for memories")
                .hint("set memory.backend = \"serena\" in countersign.toml"));
        }
        let name = super::parse(name)?.to_string();
        let backend = self.memory_backend(&name)?;
        if let Some(cause) = backend.unavailable.filter(|_| !backend.should_try(wants_retry)) {
            return Ok(Publication::Skipped { name, cause });
        }
        let begun = Instant::now();
        let patience = Duration::from_secs(self.settings.config.memory.timeout_seconds);
        let written = client::write_memory(self.partner(patience)?, patience, (&name, text));
        let (event, publication) = match written {
            Ok(()) => {
                let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                let event = MemoryEvent::Published { name: name.clone(), duration_ms };
                (event, Publication::Published { name, duration_ms })
            }
            Err(failure) => {
                let (cause, detail) = (failure.cause, failure.detail);
                let (noted, said) = (name.clone(), detail.clone());
                let event = MemoryEvent::Unavailable { name: noted, cause, detail: said };
                (event, Publication::Unavailable { name, cause, detail })
            }
        };
        self.record_backend(&event)?;
        Ok(publication)
    }

    /// The server's program, in the root of the repository, with what other programs get of the
    /// environment.
    fn partner(&self, patience: Duration) -> Result<Partner> {
        let Some((program, words)) = self.host.supervisor.split_first() else {
            return Err(Error::new(Kind::Bug, "there is no supervisor"));
        };
        let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        let config = &self.settings.config;
        Ok(Partner {
            supervisor: Supervisor::new(program, &words),
            argv: config.memory.serena_command.clone(),
            cwd: self.repository.layout().worktree.clone(),
            environment: Environment::from_allow_list(self.host.variables(), &config.exec.env),
            life: patience.saturating_mul(2 * client::START + 2),
        })
    }

    fn record_backend(&mut self, event: &MemoryEvent) -> Result<()> {
        let (kind, body) = event.encode()?;
        let draft = self.draft(&kind, MemoryEvent::FORMAT, body);
        let name = event.published_name().unwrap_or_default();
        self.append_with(&stream()?, &draft, |engine, _| {
            put(name, &engine.memory_backend(name)?.after(event, name))
        })?;
        Ok(())
    }
}

/// What follows in the view from all events of the backend's stream.
pub(super) fn rows_of(events: &[Event]) -> Result<Vec<ViewChange>> {
    let mut known = BTreeMap::<String, Backend>::new();
    for event in events {
        let Some(event) = super::decode(event)? else { continue };
        let Some(name) = event.published_name() else { continue };
        let backend = known.remove(name).unwrap_or_default().after(&event, name);
        known.insert(name.to_owned(), backend);
    }
    known.iter().map(|(name, backend)| put(name, backend)).collect()
}

fn put(name: &str, backend: &Backend) -> Result<ViewChange> {
    let body = canonical::to_string(backend)?;
    Ok(ViewRow { kind: VIEW.into(), key: name.to_owned(), body }.into())
}

fn stream() -> Result<Stream> {
    MemoryEvent::BACKEND_STREAM
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("the backend's stream: {error}")))
}
