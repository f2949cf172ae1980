//! The ledger on disk: the only code that knows a database.
//!
//! Promises: an append that was acknowledged survives the death of the process, and with
//! [`Durability::PowerLoss`] the loss of power; many processes append at once and none of them
//! is told that the database is locked; when the database can't be written at all, the entry
//! goes to a spool file that the next opening drains exactly once.
//!
//! Never here: git, other programs, the clock, what events mean.

mod append;
mod aside;
mod blob;
mod drain;
mod durable;
mod error;
mod follow;
mod lease;
mod lock;
mod read;
mod recover;
mod salvage;
mod schema;
mod spool;
mod view;
mod witness;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use countersign_domain::ledger::{LedgerId, Stream};

use recover::Opened;

pub use append::{Appended, Expected, Retention};
pub use aside::SetAside;
pub use blob::{BlobWriter, Blobs};
pub use error::{Error, Unavailable};
pub use lease::Lease;
pub use lock::StampLock;
pub use read::{Extent, Placed};
pub use spool::{Entry, Spool};
pub use view::{EventsOf, RowsOf, ViewRow};

/// What an acknowledgement is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Acknowledged means on the disk: survives the loss of power.
    PowerLoss,
    /// Acknowledged means handed to the operating system: survives the death of the process,
    /// while the last moments before a loss of power may be gone (the next opening tells, as
    /// far as it can know).
    ProcessDeath,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of the ledger, its blobs and its locks.
    pub dir: PathBuf,
    /// A second place for the spool, for when `dir` is full or can't be written. It must be
    /// this ledger's alone: what is found there is taken into it.
    pub fallback: PathBuf,
    pub durability: Durability,
    /// How long to wait for other writers before spooling.
    pub busy: Duration,
    /// The id that a ledger gets if there is none yet.
    pub new_id: LedgerId,
}

/// Something that happened while opening which the user must be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The database was damaged and has been replaced.
    SetAside(SetAside),
    /// This many spooled entries are in the ledger now.
    Drained(u64),
    /// Spooled bytes could not be read; they are kept as an event.
    SpoolDamaged { file: String, bytes: u64 },
    /// The spool could not be drained; its entries wait for the next opening.
    NotDrained { why: String },
}

/// An open ledger.
#[derive(Debug)]
pub struct Store {
    opened: Opened,
    options: Options,
    notices: Vec<Notice>,
    /// Streams that got events from the spool which belong at their place.
    rescued: BTreeSet<Stream>,
    /// The damage that was met last: the next writing sets the database aside.
    damage: RefCell<Option<String>>,
}

impl Store {
    /// Opens the ledger, creating it on first use. A damaged one is set aside (its bytes are
    /// kept) and replaced; spooled entries are taken in. Both are told by [`Store::take_notices`].
    pub fn open(options: Options) -> Result<Self, Error> {
        let (opened, set_aside) = recover::open_or_replace(&options)?;
        let mut store = Self {
            opened,
            options,
            notices: Vec::new(),
            rescued: BTreeSet::new(),
            damage: RefCell::default(),
        };
        store.notices.extend(set_aside.map(Notice::SetAside));
        store.drain_spool();
        Ok(store)
    }

    /// Opens a ledger that is there, only to look at it: nothing is made, replaced or drained.
    pub fn open_to_read(options: Options) -> Result<Self, Error> {
        let opened = recover::open(&options)?;
        Ok(Self {
            opened,
            options,
            notices: Vec::new(),
            rescued: BTreeSet::new(),
            damage: RefCell::default(),
        })
    }

    pub fn id(&self) -> LedgerId {
        self.opened.id
    }

    /// Catches up with what other processes did: follows them to the database that took the
    /// place of this one, if one did, and takes in what is in the spool.
    pub fn refresh(&mut self) -> Result<(), Error> {
        if !self.opened.is_current(&self.options.dir) {
            self.in_transaction(|_| Ok(()))?;
        }
        self.drain_spool();
        Ok(())
    }

    /// Takes what there is to tell.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Takes the streams that got events from the spool which had been meant for the database:
    /// the views that follow from them are to be written.
    pub fn take_rescued(&mut self) -> BTreeSet<Stream> {
        std::mem::take(&mut self.rescued)
    }

    pub fn blobs(&self) -> Blobs {
        Blobs::new(&self.options.dir, self.options.durability)
    }

    pub fn spool(&self) -> Spool {
        Spool::new(&self.options)
    }

    /// Takes the lease on `name`, or says who holds it.
    pub fn lease(&self, name: &str) -> Result<Lease, Error> {
        Lease::take(&self.options.dir, name)
    }
}
