//! Records the files of one repository: our own look at them, then git for those that differ
//! from its index.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use countersign_domain::id::{Digest, ObjectId};
use countersign_domain::snapshot::{Beyond, SpecialKind};
use rustix::fs::fstat;

use super::Session;
use super::plan::{Work, settle};
use super::raw::KeptRaw;
use super::session::Trusted;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::start_index::{Foreign, Start};
use crate::tree::disk;
use crate::tree::hash::{self, MOST_READS};
use crate::tree::row::{Conversion, Row, What};
use crate::tree::sift::{Sieve, Sifted};
use crate::tree::stat::{Moment, Stat};
use crate::tree::table::{Table, join};
use crate::tree::walk::{self, Tell};
use crate::tree::watched;

/// Fewer files than this are not worth a second thread.
pub(super) const FEW: usize = 100;

/// The files of one repository, recorded.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) tree: ObjectId,
    pub(crate) head: Option<ObjectId>,
    pub(crate) is_submodule: bool,
    pub(crate) begun: Moment,
    /// What the system said about git's own index, and the marks that were in it.
    pub(crate) index: (Option<Stat>, Option<Digest>),
    pub(crate) table: Table,
    pub(crate) special: Vec<(Vec<u8>, SpecialKind)>,
    pub(crate) beyond: Vec<Beyond>,
    /// What is watched in output folders.
    pub(crate) planted: Vec<(Vec<u8>, Stat, Digest)>,
    /// Folders with a repository of their own.
    pub(crate) inside: Vec<Vec<u8>>,
    /// The files of which git records other bytes than they have.
    pub(crate) raw: KeptRaw,
}

/// One repository's files, open to be looked at.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) worktree: PathBuf,
    pub(crate) top: OwnedFd,
}

impl Place {
    pub(crate) fn open(session: &Session<'_>, path: &[u8]) -> Result<Self, Error> {
        let worktree = session.layout.worktree.join(OsStr::from_bytes(path));
        Ok(Self { top: disk::open_top(&worktree)?, worktree })
    }

    pub(crate) fn at(&self, path: &[u8]) -> PathBuf {
        self.worktree.join(OsStr::from_bytes(path))
    }
}

impl Session<'_> {
    /// Records the repository at `path`; starts over when files change meanwhile.
    pub(crate) fn take(&self, path: &[u8]) -> Result<Taken, Error> {
        let mut restless = Vec::new();
        for _ in 0..MOST_READS {
            match self.try_take(path)? {
                Ok(taken) => return Ok(taken),
                Err(changed) => restless = join(path, &changed),
            }
        }
        Err(Error::Restless { path: PathBuf::from(OsStr::from_bytes(&restless)) })
    }

    /// The same once; the inner error is a path that changed meanwhile.
    fn try_take(&self, path: &[u8]) -> Result<Result<Taken, Vec<u8>>, Error> {
        let place = Place::open(self, path)?;
        let begun = self.clock()?;
        let index = self.scratch.join("index");
        fs::remove_file(&index).ok();
        let own = if path.is_empty() { self.index_stat() } else { None };
        let mut start = self.repository.begin_index(&place.worktree, &index, Foreign::Asked)?;
        let index = (own, start.marks);
        let copy = start.copy.take();
        let mut table = self.table_of(copy.as_ref())?;
        self.limit_trust(path, &start, &mut table)?;
        let mut walked = walk::walk(&place.top, &table, Tell::All)?;
        walked.refuse_blocking(&table)?;
        let mut sifted = self.sieve(&place).sift(std::mem::take(&mut walked.unknown))?;
        let mut work = Work { start, place, table };
        let mut plan = self.plan(&mut work, &walked, &mut sifted)?;
        let is_unchanged = !self.is_lossy() && self.is_unchanged(&work, copy.as_ref(), &plan)?;
        let mut copy = copy;
        if is_unchanged {
            plan.suspects.clear();
            // Without them, git looks whether it has every object.
            copy = copy.map(IndexFile::without_trees);
        }
        let last = self.update(&work, copy, &plan)?;
        let tree = match self.git_on(&work).arg("write-tree").object() {
            // What is on disk can still be had.
            Err(Error::LostObject { .. }) if is_unchanged => {
                self.set_lossy();
                return Ok(Err(Vec::new()));
            }
            tree => tree?,
        };
        if let Some(changed) = work.changed_since(&plan)? {
            return Ok(Err(changed));
        }
        let empty = Table::new(work.table.hash_len());
        let mut table = std::mem::replace(&mut work.table, empty);
        settle(&mut table, last.as_ref(), &plan, &mut sifted);
        self.read_converted(&work, &mut table)?;
        let raw = self.keep_raw(path, &work, &table)?;
        if let Some(changed) = work.restless_raw(&table)? {
            return Ok(Err(changed));
        }
        let planted = self.watch_ignored(&work.place, &mut table, &mut sifted)?;
        for (folder, stat) in walked.folders {
            table.folders[folder].stat = Some(stat);
        }
        // That of the working tree itself is known with its position.
        let inside = Some(&work.place.worktree).filter(|_| !path.is_empty());
        let head = inside.and_then(|folder| self.repository.head_inside(folder));
        let is_submodule = inside.is_some_and(|folder| self.is_submodule(folder));
        let (special, beyond) = (sifted.special, sifted.beyond);
        let inside = plan.repositories.into_iter().map(|(path, _)| path).collect();
        Ok(Ok(Taken {
            tree,
            head,
            is_submodule,
            begun,
            index,
            table,
            special,
            beyond,
            planted,
            inside,
            raw,
        }))
    }

    /// Leaves only those rows trusted that may be; see [`super::Trust`].
    fn limit_trust(&self, path: &[u8], start: &Start, table: &mut Table) -> Result<(), Error> {
        match &self.trust {
            Trusted::Index => {}
            Trusted::Nothing => table.trust_nothing(),
            Trusted::Earlier(_) => match self.earlier(path) {
                Some(earlier) => table.trust_only(&earlier.known.table),
                None => table.trust_nothing(),
            },
        }
        if !start.is_foreign {
            return Ok(());
        }
        // What only the other repository has would go away with it.
        let trusted: Vec<usize> =
            (0..table.rows.len()).filter(|row| table.rows[*row].is_trusted).collect();
        let objects = trusted.iter().filter_map(|row| table.object_id(&table.rows[*row]));
        let objects: Vec<ObjectId> = objects.collect();
        let sizes = self.repository.sizes(&objects.iter().collect::<Vec<_>>())?;
        for (number, row) in trusted.into_iter().enumerate() {
            table.rows[row].is_trusted = sizes.get(number).is_some_and(Option::is_some);
        }
        Ok(())
    }

    fn table_of(&self, index: Option<&IndexFile>) -> Result<Table, Error> {
        let hash_len = self.repository.hash_len()?;
        let table = index.map(|index| Table::from_index(index, hash_len));
        Ok(table.unwrap_or_else(|| Table::new(hash_len)))
    }

    /// Now, by the clock that the times of files come from.
    fn clock(&self) -> Result<Moment, Error> {
        let path = self.scratch.join("clock");
        let file = fs::File::create(&path).map_err(Error::io("write", &path))?;
        let found = fstat(&file).map_err(|errno| Error::io("look at", &path)(errno.into()))?;
        Ok(Stat::of(&found).changed)
    }

    pub(crate) fn sieve<'s>(&'s self, place: &'s Place) -> Sieve<'s> {
        let (top, worktree) = (&place.top, place.worktree.as_path());
        let common_dir = self.repository.layout().common_dir.as_path();
        Sieve { top, worktree, common_dir, ignored: &self.ignored, watch: self.watch }
    }

    /// Takes the digests of files of which the object does not tell the bytes.
    fn read_converted(&self, work: &Work, table: &mut Table) -> Result<(), Error> {
        let (place, git) = (&work.place, || self.git_on(work));
        let found = self.repository.conversions(git, &place.worktree, table, self.config()?)?;
        let found = self.without_unchanged(table, found)?;
        let threads = if found.len() < FEW { 1 } else { 2 };
        let share = found.len().div_ceil(threads).max(1);
        let known: &Table = table;
        let read = |rows: &[(usize, Conversion)]| -> Result<Vec<Option<Digest>>, Error> {
            let rows = rows.iter().map(|(row, _)| &known.rows[*row]);
            let is_there = rows.map(|row| (!row.is_hidden).then(|| known.path(row)));
            is_there
                .map(|path| path.map_or(Ok(None), |path| hash::digest(&place.top, path)))
                .collect()
        };
        let digests: Result<Vec<_>, Error> = std::thread::scope(|scope| {
            let parts: Vec<_> =
                found.chunks(share).map(|part| scope.spawn(|| read(part))).collect();
            let ended = parts.into_iter().zip(found.chunks(share));
            ended.map(|(part, rows)| part.join().unwrap_or_else(|_| read(rows))).collect()
        });
        for ((row, conversion), raw) in found.iter().zip(digests?.into_iter().flatten()) {
            table.rows[*row].conversion = *conversion;
            table.rows[*row].raw = raw.map(Box::new);
        }
        Ok(())
    }

    /// Leaves out the texts that have the size of their object: making line endings the same only
    /// ever takes bytes away, so those have the bytes of their object.
    fn without_unchanged(
        &self,
        table: &Table,
        found: HashMap<usize, Conversion>,
    ) -> Result<Vec<(usize, Conversion)>, Error> {
        let (texts, mut left): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|(row, how)| *how == Conversion::Text && !table.rows[*row].is_hidden);
        let objects: Vec<Option<ObjectId>> =
            texts.iter().map(|(row, _)| table.object_id(&table.rows[*row])).collect();
        let objects: Vec<&ObjectId> = objects.iter().flatten().collect();
        let sizes = self.repository.sizes(&objects)?;
        let is_known = sizes.len() == texts.len();
        for (number, (row, conversion)) in texts.into_iter().enumerate() {
            let size = if is_known { sizes[number] } else { None };
            if size != Some(table.rows[row].stat.size) {
                left.push((row, conversion));
            }
        }
        Ok(left)
    }

    /// Takes the digests of ignored files that programs read; gives those in output folders.
    fn watch_ignored(
        &self,
        place: &Place,
        table: &mut Table,
        sifted: &mut Sifted,
    ) -> Result<Vec<(Vec<u8>, Stat, Digest)>, Error> {
        for (path, stat) in std::mem::take(&mut sifted.watched) {
            let (digest, beyond) = watched::digest(&place.top, &path, &stat, self.watch)?;
            sifted.beyond.extend(beyond);
            let row = Row { raw: Some(Box::new(digest)), ..Row::new(What::Watched, stat) };
            table.push(&path, row, &[]);
        }
        let mut planted = Vec::new();
        for folder in &sifted.passed {
            for (path, stat) in watched::planted(&place.top, &place.worktree, folder, self.watch)? {
                let (digest, beyond) = watched::digest(&place.top, &path, &stat, self.watch)?;
                sifted.beyond.extend(beyond);
                planted.push((path, stat, digest));
            }
        }
        table.passed.extend(std::mem::take(&mut sifted.passed));
        table.sort_out();
        Ok(planted)
    }
}
