//! Ids that are unique on this machine, and finding things by part of their name.

use std::time::Duration;

use countersign_domain::Stamp;
use countersign_store::StampLock;

use crate::error::{Error, Kind, Result};
use crate::{Engine, Host};

/// How long to wait for other processes that want an id.
const PATIENCE: Duration = Duration::from_secs(10);

/// A new id, unlike any other that a process of this machine was given.
pub(crate) fn new_stamp(host: &Host) -> Result<Stamp> {
    let path = host.home()?.stamps();
    loop {
        let mut lock = StampLock::acquire(&path, PATIENCE)?;
        let last = lock.read()?.parse().ok();
        if let Ok(stamp) = Stamp::after(last, host.now()) {
            lock.write(&stamp.to_string())?;
            return Ok(stamp);
        }
        // The second is full: let others see the same, and wait for the next one.
        drop(lock);
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Engine {
    /// The run that `text` names: its id, a beginning of it, or `latest`.
    pub fn find_run(&self, text: &str) -> Result<Stamp> {
        let prefix = if text == "latest" { "" } else { text };
        let rows = self.store.views("run", prefix, 2)?;
        let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        match (text, keys.as_slice()) {
            ("latest", [newest, ..]) | (_, [newest]) => {
                newest.parse().map_err(|error| Error::new(Kind::Bug, format!("a view: {error}")))
            }
            ("latest", []) => Err(Error::new(Kind::NotFound, "there is no run yet")
                .hint("start one: countersign run \"GOAL\" --check 'CMD' --worker 'command:CMD'")),
            (_, [one, other]) => {
                Err(Error::new(Kind::Refused, format!("'{text}' could be {other} or {one}"))
                    .hint("give more of the id"))
            }
            _ => Err(Error::new(Kind::NotFound, format!("there is no run '{text}'"))
                .hint("`countersign status` lists the runs")),
        }
    }
}
