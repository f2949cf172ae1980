//! Removing the working folders of runs that have ended. The record, its blobs, what was handed over
//! and every report stay.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use countersign_domain::Stamp;
use countersign_domain::relay::RelayEvent;
use countersign_domain::run::RunEvent;
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::relay::{Told, Undertaking};
use crate::run::clear_run_folder;

/// How long to wait for who drives a run that is to end.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often to look whether it has.
const EVERY: Duration = Duration::from_millis(100);

/// A folder that was left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    pub run: Stamp,
    pub why: String,
}

/// What a cleaning did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Runs that were cancelled first.
    pub cancelled: Vec<Stamp>,
    /// Runs whose folders were removed.
    pub removed: Vec<Stamp>,
    pub left: Vec<Left>,
}

impl Engine {
    /// Removes the working folders of `it`, or of all that have ended. One that has not ended is left
    /// alone, unless it is to be killed.
    pub fn clean(&mut self, it: Option<Undertaking>, is_killed: bool) -> Result<Cleaned> {
        self.expect_no_worker()?;
        let mut cleaned = Cleaned::default();
        self.sweep_verifications();
        let runs = match it {
            None => self.folders()?,
            Some(it) => {
                if is_killed {
                    self.end(it, &mut cleaned)?;
                }
                self.runs_of(it)?
            }
        };
        for run in runs {
            match self.clean_run(run)? {
                None => {}
                Some(Ok(())) => cleaned.removed.push(run),
                Some(Err(why)) => cleaned.left.push(Left { run, why }),
            }
        }
        if let (Some(_), [left, ..]) = (it, cleaned.left.as_slice()) {
            let message = format!("run {} is left alone: {}", left.run, left.why);
            return Err(Error::new(Kind::Refused, message)
                .hint("--kill cancels it first; `countersign resume` goes on with it"));
        }
        Ok(cleaned)
    }

    /// Whether a process drives it right now.
    pub fn is_at_work(&self, it: Undertaking) -> bool {
        let stream = match it {
            Undertaking::Run(run) => RunEvent::stream(run),
            Undertaking::Relay(relay) => RelayEvent::stream(relay),
        };
        matches!(self.store.lease(&stream), Err(countersign_store::Error::Leased { .. }))
    }

    fn runs_of(&self, it: Undertaking) -> Result<BTreeSet<Stamp>> {
        Ok(match it {
            Undertaking::Run(run) => BTreeSet::from([run]),
            Undertaking::Relay(relay) => {
                self.load_relay(relay)?.runs.iter().map(|(_, run)| *run).collect()
            }
        })
    }

    /// The runs that have a working folder.
    fn folders(&self) -> Result<BTreeSet<Stamp>> {
        let work = self.home.work(&self.state);
        let entries = match std::fs::read_dir(&work) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(BTreeSet::new());
            }
            entries => entries.map_err(|error| Error::io("list", &work, &error))?,
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        Ok(names.filter_map(|name| name.to_str()?.parse().ok()).collect())
    }

    /// Nothing if there is no folder; else whether it could be removed, and why not.
    fn clean_run(&self, run: Stamp) -> Result<Option<std::result::Result<(), String>>> {
        if !self.run_folder(run).exists() {
            return Ok(None);
        }
        // Whoever drives it holds the lease; while we hold it, nobody can begin to.
        let _lease = match self.store.lease(&RunEvent::stream(run)) {
            Err(countersign_store::Error::Leased { holder, .. }) => {
                return Ok(Some(Err(format!("it is at work ({holder})"))));
            }
            lease => lease?,
        };
        match self.load(run) {
            Ok(found) if found.outcome().is_none() => Ok(Some(Err("it has not ended".to_owned()))),
            Ok(_) => clear_run_folder(self, run).map(|()| Some(Ok(()))),
            Err(error) if error.kind == Kind::NotFound => {
                Ok(Some(Err("it is not on the record".to_owned())))
            }
            Err(error) => Err(error),
        }
    }

    /// Cancels what has not ended, and sees it end.
    fn end(&mut self, it: Undertaking, cleaned: &mut Cleaned) -> Result<()> {
        let (id, is_open) = match it {
            Undertaking::Run(run) => (run, self.load(run)?.outcome().is_none()),
            Undertaking::Relay(relay) => (relay, self.load_relay(relay)?.outcome.is_none()),
        };
        if !is_open {
            return Ok(());
        }
        match it {
            Undertaking::Run(run) => drop(self.cancel(run, "user")?),
            Undertaking::Relay(relay) => drop(self.cancel_relay(relay, "user")?),
        }
        cleaned.cancelled.push(id);
        let (begun, tell) = (Instant::now(), self.person.on_wait);
        let mut note = |told: &Told<'_>| {
            if let (Told::Note(words), Some(tell)) = (told, tell) {
                tell(words);
            }
        };
        loop {
            let ended = match it {
                Undertaking::Run(run) => self.drive(run, &mut |_| {}).map(drop),
                Undertaking::Relay(relay) => self.drive_relay(relay, &mut note).map(drop),
            };
            match ended {
                // Its own process holds the lease and is about to end it.
                Err(error) if error.kind == Kind::Refused && begun.elapsed() < PATIENCE => {
                    std::thread::sleep(EVERY);
                }
                ended => return ended,
            }
        }
    }
}
