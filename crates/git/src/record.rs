//! Records a working tree so that it can be compared and restored later.

use std::path::Path;

use countersign_domain::id::{Digest, ObjectId};
use countersign_domain::snapshot::{
    Beyond, Ground, IgnoreRules, PathText, Recorded, Special, Watch, Watched,
};

use crate::error::Error;
use crate::position::Stood;
use crate::repository::Repository;
use crate::tree::cache::{self, Known};
use crate::tree::ignored::Frozen;
use crate::tree::row::{Row, What};
use crate::tree::table::join;

mod plan;
mod raw;
mod session;
mod take;
mod unchanged;

pub(crate) use session::Session;
pub(crate) use take::{Place, Taken};

/// What recording and comparing need.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The working tree: this repository's own, a linked one, or any other folder.
    pub worktree: &'a Path,
    /// For temporary files; outside of the working tree, or in its git folder.
    pub scratch: &'a Path,
    /// The stat cache: written by [`Repository::record`], read by [`Repository::compare`].
    pub cache: &'a Path,
    /// Frozen when the context began: [`Repository::freeze`].
    pub rules: &'a IgnoreRules,
    pub watch: &'a Watch,
    /// A store of objects for the bytes of files that git converts; without one they are not
    /// kept. It lies outside of git's own store: a filter may be there to keep them out of it.
    pub raw: Option<&'a Path>,
}

/// A first recording, and what was learnt on the way.
#[derive(Debug)]
pub struct First {
    pub recorded: Recorded,
    /// What the tree of the working tree holds, in git's order.
    pub paths: Vec<PathText>,
    /// The tree of the commit that the working tree stands on.
    pub commit: Option<ObjectId>,
}

/// What a recording may believe about files that it does not read.
#[derive(Debug, Clone, Copy)]
pub enum Trust<'a> {
    /// Git's index, as git itself does. Who can write to the index can deceive by it.
    Index,
    /// An earlier recording: files that look as they did then have the content that they had
    /// then. Everything else is read, and so is all of it if the cache is not the recorded one.
    Earlier { cache: &'a Path, recorded: &'a Recorded },
    /// Every file is read.
    Nothing,
}

impl Repository {
    /// Records the working tree: everything in it that git does not ignore, the content of
    /// repositories inside of it too, and digests of what else is obeyed there.
    ///
    /// Its content is kept by nothing: see [`Repository::keep_all`].
    pub fn record(&self, record: &Record<'_>) -> Result<Recorded, Error> {
        self.record_trusting(record, Trust::Index)
    }

    /// The same, believing no more than `trust` says.
    pub fn record_trusting(
        &self,
        record: &Record<'_>,
        trust: Trust<'_>,
    ) -> Result<Recorded, Error> {
        match Session::begin(self, record, trust)?.record(record) {
            // What was believed can't be had any more. It is on disk, so it is read.
            Err(Error::LostObject { .. }) => {
                Session::begin(self, record, Trust::Nothing)?.record(record)
            }
            other => other,
        }
    }

    /// Records a working tree for the first time, by the rules that were `frozen` for it just now.
    /// Every file is read: what comes later believes this recording, so it believes nobody.
    pub fn record_first(&self, record: &Record<'_>, frozen: &Frozen) -> Result<First, Error> {
        let record = Record { rules: &frozen.rules, ..*record };
        let session = Session::begin(self, &record, Trust::Nothing)?.knowing(&frozen.config);
        let Whole { recorded, known, commit } = session.record_whole(&record)?;
        let commit = match (&recorded.position.head, commit) {
            (Some(head), None) => self.peel(&format!("{head}^{{tree}}"))?,
            (_, commit) => commit,
        };
        let paths = known.first().map_or_else(Vec::new, recorded_paths);
        Ok(First { recorded, paths, commit })
    }

    /// Keeps everything that was recorded alive under `name`, and nothing else: a recording that
    /// was cut off may have left its own there.
    pub fn keep_only(&self, name: &str, recorded: &Recorded) -> Result<(), Error> {
        if self.keep_new(&kept_of(name, recorded))? {
            return Ok(());
        }
        for (left, _) in self.kept(name)? {
            self.release(&left)?;
        }
        self.keep_all(name, recorded)
    }

    /// Keeps everything that was recorded alive under `name`: `name/head`, `name/0`, `name/1`, ….
    /// Keeping it twice is fine.
    pub fn keep_all(&self, name: &str, recorded: &Recorded) -> Result<(), Error> {
        let kept = kept_of(name, recorded);
        let head = recorded.position.head.as_ref();
        if self.keep_new(&kept)? {
            return Ok(());
        }
        // Some are kept already; or the commit is that of a separate repository, and not ours.
        let is_ours = |object: &ObjectId| {
            let known = self.peel(&format!("{object}^{{object}}"));
            matches!(known, Ok(Some(_))) || Some(object) != head
        };
        let ours = kept.iter().filter(|(_, object)| is_ours(object));
        ours.into_iter().try_for_each(|(name, object)| self.keep(name, object))
    }
}

/// The paths that git records.
fn recorded_paths(known: &Known) -> Vec<PathText> {
    let is_recorded = |row: &&Row| matches!(row.what, What::File | What::Link | What::Gitlink);
    let rows = known.table.rows.iter().filter(is_recorded);
    let mut paths: Vec<&[u8]> = rows.map(|row| known.table.path(row)).collect();
    paths.sort_unstable();
    paths.into_iter().map(PathText::new).collect()
}

/// The names under which a recording is kept, and what each of them keeps.
fn kept_of<'r>(name: &str, recorded: &'r Recorded) -> Vec<(String, &'r ObjectId)> {
    let grounds = recorded.grounds.iter().enumerate();
    let trees = grounds.map(|(number, ground)| (format!("{name}/{number}"), &ground.tree));
    let head = recorded.position.head.as_ref();
    trees.chain(head.map(|head| (format!("{name}/head"), head))).collect()
}

impl Session<'_> {
    pub(crate) fn record(&self, record: &Record<'_>) -> Result<Recorded, Error> {
        Ok(self.record_whole(record)?.recorded)
    }

    fn record_whole(&self, record: &Record<'_>) -> Result<Whole, Error> {
        let (parts, position) = std::thread::scope(|scope| {
            // Git answers while we look.
            let position = scope.spawn(|| self.position());
            scope.spawn(|| self.config().is_ok());
            (self.take_all(), position.join())
        });
        let mut parts = parts?;
        let Stood { position, tree, replaced } = position.unwrap_or_else(|_| self.position())?;
        if let Some(own) = parts.grounds.first_mut() {
            own.head = position.head.clone();
        }
        let marks = parts.known.first().and_then(|own| own.index.1);
        let (cache, beside) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| parts.beside());
            (cache::write(record.cache, &parts.known), beside.join())
        });
        let recorded = Recorded {
            position,
            settings: self.settings(replaced, marks, &[])?,
            rules: record.rules.digest(),
            beside: beside.unwrap_or_else(|_| parts.beside()),
            cache: cache?,
            is_exact: self.raw.is_some(),
            grounds: parts.grounds,
            watched: parts.watched,
            special: parts.special,
            beyond: parts.beyond,
        };
        Ok(Whole { recorded, known: parts.known, commit: tree })
    }

    /// Records every repository, each after the one that it was found in.
    fn take_all(&self) -> Result<Parts, Error> {
        let mut parts = Parts::default();
        let mut waiting = vec![Vec::new()];
        while let Some(path) = waiting.pop() {
            let taken = self.take(&path)?;
            waiting.extend(taken.inside.iter().map(|inside| join(&path, inside)));
            parts.add(path, taken);
        }
        parts.sort();
        Ok(parts)
    }
}

/// A recording with what it was made from.
struct Whole {
    recorded: Recorded,
    known: Vec<Known>,
    /// The tree of the commit that the working tree stands on, if it was told.
    commit: Option<ObjectId>,
}

/// What was recorded of all repositories, put together.
#[derive(Default)]
struct Parts {
    known: Vec<Known>,
    grounds: Vec<Ground>,
    watched: Vec<Watched>,
    special: Vec<Special>,
    beyond: Vec<Beyond>,
}

impl Parts {
    fn add(&mut self, path: Vec<u8>, taken: Taken) {
        let whole = |inside: &[u8]| PathText::new(join(&path, inside));
        for row in taken.table.rows.iter().filter(|row| row.what == What::Watched) {
            self.watched.push(Watched {
                path: whole(taken.table.path(row)),
                mode: row.stat.mode,
                size: row.stat.size,
                digest: row.raw.as_deref().copied().unwrap_or_else(|| Digest::of(b"")),
            });
        }
        for (planted, stat, digest) in &taken.planted {
            let (mode, size, digest) = (stat.mode, stat.size, *digest);
            self.watched.push(Watched { path: whole(planted), mode, size, digest });
        }
        for (special, kind) in &taken.special {
            self.special.push(Special { path: whole(special), kind: *kind });
        }
        for beyond in &taken.beyond {
            let path = whole(beyond.path.as_bytes());
            self.beyond.push(Beyond { path, why: beyond.why });
        }
        let text = PathText::new(path.clone());
        self.grounds.push(Ground {
            path: text,
            head: taken.head.clone(),
            tree: taken.tree.clone(),
            raw: taken.raw.tree.clone(),
            lfs: taken.raw.lfs.clone(),
            is_submodule: taken.is_submodule,
        });
        let Taken { begun, index, table, .. } = taken;
        self.known.push(Known { path, begun, index, table });
    }

    fn sort(&mut self) {
        self.grounds.sort_by(|a, b| a.path.cmp(&b.path));
        self.known.sort_by(|a, b| a.path.cmp(&b.path));
        self.watched.sort_by(|a, b| a.path.cmp(&b.path));
        self.special.sort_by(|a, b| a.path.cmp(&b.path));
        self.beyond.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// The digest of what git does not record of the files that it records.
    fn beside(&self) -> Digest {
        let mut bytes = Vec::new();
        for known in &self.known {
            let files = known.table.rows.iter().filter(|row| row.what == What::File);
            let mut files: Vec<(&[u8], &Row)> = files
                .filter(|row| !row.is_hidden)
                .map(|row| (known.table.path(row), row))
                .collect();
            files.sort_by_key(|(path, _)| *path);
            for (path, row) in files {
                bytes.extend_from_slice(&known.path);
                bytes.push(0);
                bytes.extend_from_slice(path);
                bytes.push(0);
                bytes.extend(row.stat.permissions().to_le_bytes());
                row.raw.iter().for_each(|raw| bytes.extend_from_slice(raw.as_bytes()));
            }
        }
        Digest::of(&bytes)
    }
}
