//! Looking on: what all runs and relays are doing, for who watches. A lookout reads the ledger and
//! writes nothing, holds no lease, and reads again only what has moved since it looked last.

mod folded;
mod operations;
mod pages;
mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::{Checkpoint, CheckpointId, State};
use countersign_domain::ledger::{Stored as _, Stream};
use countersign_domain::relay::RelayEvent;
use countersign_domain::run::RunEvent;

use folded::{RelayFold, RunFold};
pub use operations::OperationSeen;
use operations::Outputs;
pub use pages::Page;
pub(crate) use seen::driven;
pub use seen::{RelaySeen, RunSeen, Sight, StorySeen};

use crate::error::{Error, Kind, Result};
use crate::relay::Undertaking;
use crate::{Engine, Host, checkpoint};

/// How long a look may wait for writers: who watches looks again soon.
const PATIENCE: Duration = Duration::from_millis(500);

impl Undertaking {
    pub fn id(self) -> Stamp {
        match self {
            Self::Run(id) | Self::Relay(id) => id,
        }
    }
}

/// One who looks on.
#[derive(Debug)]
pub struct Lookout {
    host: Host,
    /// How many runs are looked at that have ended; those that have not all are.
    most: usize,
    engine: Option<Engine>,
    /// Everything up to here is taken in.
    position: u64,
    runs: BTreeMap<Stamp, RunFold>,
    relays: BTreeMap<Stamp, RelayFold>,
    questions: BTreeMap<CheckpointId, Checkpoint>,
    /// Runs that are on the record and not looked at.
    left_out: usize,
    /// What was asked for by its name is looked at, however old it is.
    named: Option<Undertaking>,
    outputs: Outputs,
}

impl Lookout {
    pub fn new(host: Host, most: usize) -> Self {
        Self {
            host,
            most,
            engine: None,
            position: 0,
            runs: BTreeMap::new(),
            relays: BTreeMap::new(),
            questions: BTreeMap::new(),
            left_out: 0,
            named: None,
            outputs: Outputs::default(),
        }
    }

    /// Looks. What can't be read now may be readable the next time: a look that failed is no reason
    /// not to look again.
    pub fn look(&mut self) -> Result<Sight> {
        if self.engine.as_ref().is_none_or(|engine| !engine.store.is_current()) {
            self.begin_anew()?;
        }
        let Some(engine) = self.engine.take() else { return Ok(self.sight(None)) };
        // An engine that failed is not put back: the next look opens the ledger anew.
        self.catch_up(&engine)?;
        let sight = self.sight(Some(&engine));
        self.engine = Some(engine);
        Ok(sight)
    }

    fn begin_anew(&mut self) -> Result<()> {
        let (host, most, named) = (self.host.clone(), self.most, self.named);
        let engine = Engine::open_to_read(host.clone(), PATIENCE);
        *self = Self { named, ..Self::new(host, most) };
        self.engine = engine?;
        Ok(())
    }

    /// Takes in what has moved.
    fn catch_up(&mut self, engine: &Engine) -> Result<()> {
        let position = engine.store.position()?;
        if position == self.position {
            return Ok(());
        }
        let moved = engine.store.heads_after(self.position)?;
        let is_first = self.position == 0;
        let streams: Vec<&str> = moved.keys().map(Stream::as_str).collect();
        self.follow_relays(engine, ids(&streams, RelayEvent::PREFIX))?;
        let mut runs = ids(&streams, RunEvent::PREFIX);
        if is_first {
            runs = self.worth_a_look(engine, &runs)?;
        }
        for id in runs {
            if let Some(fold) = RunFold::follow(engine, self.runs.remove(&id), id)? {
                self.runs.insert(id, fold);
            }
        }
        for id in streams.iter().filter_map(|stream| stream.strip_prefix("checkpoint/")) {
            if let Ok(id) = id.parse() {
                self.follow_question(engine, id)?;
            }
        }
        self.position = position;
        Ok(())
    }

    fn follow_relays(&mut self, engine: &Engine, ids: BTreeSet<Stamp>) -> Result<()> {
        for id in ids {
            if let Some(fold) = RelayFold::follow(engine, self.relays.remove(&id), id)? {
                self.relays.insert(id, fold);
            }
        }
        Ok(())
    }

    /// Of all runs there are: the newest, those of relays that go on, and whatever has not ended.
    fn worth_a_look(&mut self, engine: &Engine, all: &BTreeSet<Stamp>) -> Result<BTreeSet<Stamp>> {
        let mut some: BTreeSet<Stamp> = all.iter().rev().take(self.most).copied().collect();
        if some.len() < all.len() {
            let open = engine.runs(u32::MAX)?.into_iter().filter(|run| run.outcome.is_none());
            some.extend(open.map(|run| run.run));
            let is_named = |id: Stamp| self.named == Some(Undertaking::Relay(id));
            let watched = self
                .relays
                .values()
                .filter(|fold| fold.relay.outcome.is_none() || is_named(fold.relay.id()));
            some.extend(watched.flat_map(|fold| fold.relay.runs.iter().map(|(_, run)| *run)));
            some.extend(all.iter().filter(|id| self.named == Some(Undertaking::Run(**id))));
        }
        self.left_out = all.len().saturating_sub(some.len());
        Ok(some)
    }

    /// A question that waits is kept; one that waits no more is forgotten.
    fn follow_question(&mut self, engine: &Engine, id: CheckpointId) -> Result<()> {
        let events = engine.store.read(&checkpoint::stream_of(id)?, 0)?;
        // One that does not fit together can't be answered, and says so when it is tried elsewhere.
        match checkpoint::fold(id, &events).ok().flatten() {
            Some(found) if found.state() == State::Open => self.questions.insert(id, found),
            _ => self.questions.remove(&id),
        };
        Ok(())
    }

    /// How far everything is taken in: it moves with every append.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// What `text` names: a run or a relay by its id or the beginning of it, or the newest of both.
    /// From now on it is looked at, however old it is.
    pub fn find(&mut self, text: &str) -> Result<Undertaking> {
        let Some(engine) = &self.engine else {
            let message = format!("there is no run or relay '{text}'");
            return Err(Error::new(Kind::NotFound, message).hint("nothing was run here yet"));
        };
        let found = engine.find_undertaking(text)?;
        self.named = Some(found);
        self.position = 0;
        Ok(found)
    }
}

impl Engine {
    /// Asks for the end of a run or a relay on behalf of one who only looks on: if nobody drives it,
    /// a process of its own ends it, so that who looks on need not take the lease.
    pub fn request_end(&mut self, it: Undertaking, by: &str) -> Result<()> {
        match it {
            Undertaking::Run(run) => self.cancel(run, by).map(|_| ())?,
            Undertaking::Relay(relay) => self.cancel_relay(relay, by).map(|_| ())?,
        }
        // If it can't be started, the next `resume` ends it; the request is on the record.
        self.start_aside(&["resume", &it.id().to_string()]);
        Ok(())
    }
}

/// The ids of the streams of one sort, `run.` or `relay.`.
fn ids(streams: &[&str], prefix: &str) -> BTreeSet<Stamp> {
    let sort = prefix.trim_end_matches('.');
    let id = |stream: &&str| stream.strip_prefix(sort)?.strip_prefix('/')?.parse().ok();
    streams.iter().filter_map(id).collect()
}
