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
mod observer;
mod plain;
mod read;
mod recover;
mod salvage;
mod schema;
mod spool;
mod view;
mod witness;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::ledger::LedgerId;

use recover::Opened;

pub use append::{Appended, Expected, Retention};
pub use aside::SetAside;
pub use blob::{BlobWriter, Blobs};
pub use error::{Error, Unavailable};
pub use lease::Lease;
pub use lock::StampLock;
pub use observer::Observer;
pub use read::{Extent, Placed};
pub use spool::{Entry, Spool};
pub use view::{EventsOf, Rows, RowsOf, ViewChange, ViewRow, no_rows};

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
    /// What follows from a stream for the views, for streams that get events from the spool.
    pub rows: Rows,
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
    /// Whether something came in from the spool that had been meant for the database.
    has_rescued: bool,
    /// Whether entries that are acknowledged are not in the database, and can't get there now.
    is_behind: bool,
    /// The damage that was met last: the next writing sets the database aside.
    damage: RefCell<Option<String>>,
    observer: Option<Observer>,
}

impl Store {
    /// Opens the ledger, creating it on first use. A damaged one is set aside (its bytes are
    /// kept) and replaced; spooled entries are taken in. Both are told by [`Store::take_notices`].
    pub fn open(options: Options) -> Result<Self, Error> {
        let opened = recover::open_or_replace(&options);
        let (opened, set_aside) = opened.map_err(|error| error.in_words(&options.dir))?;
        let mut store = Self {
            opened,
            options,
            notices: Vec::new(),
            has_rescued: false,
            is_behind: false,
            damage: RefCell::default(),
            observer: None,
        };
        store.notices.extend(set_aside.map(Notice::SetAside));
        store.drain_spool();
        Ok(store)
    }

    /// Opens a ledger that is there, only to look at it: nothing is made, replaced or drained.
    pub fn open_to_read(options: Options) -> Result<Self, Error> {
        let opened = recover::open(&options).map_err(|error| error.in_words(&options.dir))?;
        Ok(Self {
            opened,
            options,
            notices: Vec::new(),
            has_rescued: false,
            is_behind: false,
            damage: RefCell::default(),
            observer: None,
        })
    }

    /// Whether a ledger was ever made in `dir`.
    pub fn is_made(dir: &Path) -> bool {
        recover::marker(dir).exists()
    }

    /// Whether what is open is still what the ledger's name means: another process may have replaced
    /// the database.
    pub fn is_current(&self) -> bool {
        self.opened.is_current(&self.options.dir)
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

    /// Whether something came in from the spool, since this was asked last, that had been
    /// meant for the database.
    pub fn take_has_rescued(&mut self) -> bool {
        std::mem::take(&mut self.has_rescued)
    }

    /// Whether entries that are acknowledged were in the spool when it was looked at last, and could
    /// not be taken in: what is read now is not all there is.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// From now on, waits no longer than this for other writers: who was kept waiting once and
    /// is waited for himself has no time to wait again.
    pub fn wait_at_most(&mut self, patience: Duration) {
        self.options.busy = self.options.busy.min(patience);
        // A database that can't be told so waits as long as it did: that is no failure.
        let _ = self.opened.connection.busy_timeout(patience.max(Duration::from_millis(1)));
    }

    pub fn blobs(&self) -> Blobs {
        Blobs::new(&self.options)
    }

    pub fn spool(&self) -> Spool {
        Spool::new(&self.options)
    }

    /// Takes the lease on `name`, or says who holds it.
    pub fn lease(&self, name: &str) -> Result<Lease, Error> {
        Lease::take(&self.options.dir, name)
    }

    /// The process that took the lease on `name` last, by its own note, without touching the lease. It
    /// may be gone by now.
    pub fn last_holder(&self, name: &str) -> Option<i32> {
        lease::last_holder(&self.options.dir, name)
    }
}
