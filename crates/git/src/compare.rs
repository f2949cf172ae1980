//! Compares a working tree with a recorded moment, file by file.
//!
//! With the stat cache, only files that do not look untouched are read, by our own rules and not
//! by git's settings. Without it everything is read. Unknown is never "the same".

use std::collections::BTreeMap;

use countersign_domain::id::Digest;
use countersign_domain::snapshot::{
    Beyond, Difference, FileChange, Found, How, PathText, Recorded, State,
};

use crate::error::Error;
use crate::marks::marks;
use crate::position::Stood;
use crate::record::{Record, Session, Trust};
use crate::repository::Repository;
use crate::tree::cache;

mod cached;
mod facts;
mod planted;
mod rename;
mod suspect;
mod trail;
mod whole;

/// How closely to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Files that look untouched, by times that programs can't set, are not read.
    Cached,
    /// Everything is read.
    Thorough,
}

/// What differs so far.
#[derive(Debug, Default)]
pub(crate) struct Differing {
    by_path: BTreeMap<Vec<u8>, Differs>,
    beyond: Vec<Beyond>,
}

/// How one path differs.
#[derive(Debug)]
struct Differs {
    before: Option<State>,
    after: Option<State>,
    /// `None` when nobody has compared the contents yet.
    difference: Option<Difference>,
    /// The larger of both sizes.
    size: u64,
}

impl Repository {
    /// What differs now from what was recorded. Explain it with
    /// [`countersign_domain::snapshot::explain`].
    pub fn compare(
        &self,
        recorded: &Recorded,
        record: &Record<'_>,
        look: Look,
    ) -> Result<Found, Error> {
        // Only a comparison without the cache records; then it believes nothing.
        let record = &Record { raw: None, ..*record };
        let session = Session::begin(self, record, Trust::Nothing)?;
        let (looked, position) = std::thread::scope(|scope| {
            // Git answers while we look.
            let position = scope.spawn(|| session.position());
            scope.spawn(|| session.config().is_ok());
            (session.look(recorded, record, look), position.join())
        });
        let (mut differing, how, marks) = looked?;
        let Stood { position, replaced, .. } = position.unwrap_or_else(|_| session.position())?;
        session.compare_texts(&mut differing)?;
        let mut found = Found {
            settings: session.settings(replaced, marks, &recorded.settings)?,
            rules: self.rules_by(session.config()?)?.digest(),
            beyond: std::mem::take(&mut differing.beyond),
            changes: differing.into_changes(),
            trail: session.trail(recorded, &position)?,
            position,
            how,
        };
        session.find_renames(&mut found.changes)?;
        session.add_facts(recorded, &mut found)?;
        Ok(found)
    }
}

impl Session<'_> {
    /// What differs, how that was found out, and the marks in git's index.
    fn look(
        &self,
        recorded: &Recorded,
        record: &Record<'_>,
        look: Look,
    ) -> Result<(Differing, How, Option<Digest>), Error> {
        let Some(known) = cache::read(record.cache, &recorded.cache) else {
            let (differing, how) = self.compare_whole(recorded, record)?;
            return Ok((differing, how, self.marks()?));
        };
        let own = known.first().map_or((None, None), |own| own.index);
        let marks = match self.index_stat() {
            Some(stat) if own.0 == Some(stat) => own.1,
            _ => self.marks()?,
        };
        Ok((self.compare_cached(recorded, known, look)?, look.into(), marks))
    }

    /// The marks in git's index.
    fn marks(&self) -> Result<Option<Digest>, Error> {
        Ok(marks(&self.index()?))
    }
}

impl From<Look> for How {
    fn from(look: Look) -> Self {
        match look {
            Look::Cached => Self::Cached,
            Look::Thorough => Self::Thorough,
        }
    }
}

impl Differing {
    /// Takes note of a path that differs; what is told twice about one path is put together.
    fn add(&mut self, path: Vec<u8>, differs: Differs) {
        let known = self.by_path.entry(path).or_insert(Differs {
            before: None,
            after: None,
            difference: differs.difference,
            size: 0,
        });
        known.before = known.before.take().or(differs.before);
        known.after = known.after.take().or(differs.after);
        known.size = known.size.max(differs.size);
    }

    fn into_changes(self) -> Vec<FileChange> {
        let change = |(path, differs): (Vec<u8>, Differs)| FileChange {
            path: PathText::new(path),
            before: differs.before,
            after: differs.after,
            difference: differs.difference.unwrap_or(Difference::Content),
            from: None,
            as_head: false,
            in_stash: false,
        };
        self.by_path.into_iter().map(change).collect()
    }
}

impl Differs {
    fn new(before: Option<State>, after: Option<State>) -> Self {
        Self { before, after, difference: None, size: 0 }
    }
}
