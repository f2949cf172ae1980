//! A database that is not the one it was when it was opened: replaced by another process,
//! removed by someone, or found damaged.

use std::fs::File;

use crate::error::{Error, Unavailable};
use crate::{Notice, Store, aside, recover, salvage};

impl Store {
    /// Makes sure that what is open is what the ledger's name means: another process may have
    /// replaced the database, or someone removed its files. What was written to files that
    /// are gone by now is taken along. A database that was found damaged is set aside.
    pub(crate) fn follow(&mut self, writer: &File) -> Result<(), Error> {
        let options = &self.options;
        if !self.opened.is_current(&options.dir) {
            let (opened, aside) =
                recover::open_locked(options, writer, Some(&self.opened.connection))?;
            let old = std::mem::replace(&mut self.opened, opened);
            self.damage.take();
            if let Some(aside) = aside {
                self.notices.push(Notice::SetAside(aside));
            } else if !aside::holds(&self.options.dir, &old.files) {
                let now = &self.opened;
                now.connection.execute_batch("BEGIN IMMEDIATE")?;
                salvage::adopt(&now.connection, now.id, &old.connection)?;
                now.connection.execute_batch("COMMIT")?;
            }
        }
        match self.damage.take() {
            Some(why) => self.replace(&why, writer),
            None => Ok(()),
        }
    }

    fn replace(&mut self, why: &str, writer: &File) -> Result<(), Error> {
        let replaced = recover::replace(&self.options, why.to_owned(), writer, None);
        let (opened, aside) = replaced.map_err(|error| match error.unavailable() {
            Some(_) => error,
            None => Error::Unavailable {
                dir: self.options.dir.clone(),
                why: Unavailable::Corrupt,
                detail: format!("{why}, and it can't be replaced: {error}"),
            },
        })?;
        self.opened = opened;
        self.notices.push(Notice::SetAside(aside));
        Ok(())
    }

    /// Sets the database aside at once, after a reading that found it damaged; the notice
    /// says what could be saved. Without this, the next append does it.
    pub fn set_aside(&mut self, why: &Error) -> Result<(), Error> {
        let writer = recover::lock_writers(&self.options)?;
        self.damage.replace(Some(why.reason()));
        self.follow(&writer)
    }

    /// Remembers the damage that `result` may tell of, and says so in our own words.
    pub(crate) fn noting<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| {
            if !error.is_damage() {
                return error;
            }
            let detail = error.reason();
            self.damage.replace(Some(detail.clone()));
            let dir = self.options.dir.clone();
            match error {
                Error::Unavailable { .. } => error,
                _ => Error::Unavailable { dir, why: Unavailable::Corrupt, detail },
            }
        })
    }
}
