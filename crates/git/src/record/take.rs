//! Records the files of one repository: our own look at them, then git for those that differ
//! from its index.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::{Digest, ObjectId};
use countersign_domain::snapshot::{Beyond, PathText, SpecialKind, Why};
use rustix::fs::fstat;

use super::Session;
use crate::command::Git;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::snapshot::denied;
use crate::start_index::{Start, store};
use crate::tree::disk;
use crate::tree::hash::{self, MOST_READS};
use crate::tree::sift::{self, Sieve, Sifted};
use crate::tree::stat::{Moment, Stat};
use crate::tree::table::{Row, Table, What, join};
use crate::tree::walk::{self, Walked};
use crate::tree::watched;

/// The files of one repository, recorded.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) tree: ObjectId,
    pub(crate) head: Option<ObjectId>,
    pub(crate) begun: Moment,
    pub(crate) table: Table,
    pub(crate) special: Vec<(Vec<u8>, SpecialKind)>,
    pub(crate) beyond: Vec<Beyond>,
    /// What is watched in output folders.
    pub(crate) planted: Vec<(Vec<u8>, Stat, Digest)>,
    /// Folders with a repository of their own.
    pub(crate) inside: Vec<Vec<u8>>,
}

/// One repository's files, open to be looked at.
pub(crate) struct Place {
    pub(crate) worktree: PathBuf,
    pub(crate) top: OwnedFd,
}

/// How an index must change to say what is on disk.
#[derive(Default)]
struct Plan {
    /// What the system says of each row; `None` when it is not there.
    stats: Vec<Option<Stat>>,
    suspects: Vec<usize>,
    gone: Vec<usize>,
    /// Files and links that are new.
    added: Vec<(Vec<u8>, Stat)>,
    /// Folders with a repository, and the commit that each stands on.
    repositories: Vec<(Vec<u8>, Option<ObjectId>)>,
}

/// A private index and what it is about.
struct Work {
    start: Start,
    place: Place,
    table: Table,
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
        let mut start = self.repository.start_index(&place.worktree, &index)?;
        let copy = start.copy.take();
        let table = self.table_of(copy.as_ref())?;
        let mut walked = walk::walk(&place.top, &table)?;
        let mut sifted = self.sieve(&place).sift(std::mem::take(&mut walked.unknown))?;
        let work = Work { start, place, table };
        let plan = self.plan(&work, &walked, &mut sifted)?;
        let last = self.update(&work, copy, &plan)?;
        let tree = self.git_on(&work).arg("write-tree").object()?;
        if let Some(changed) = work.changed_since(&plan)? {
            return Ok(Err(changed));
        }
        let mut table = final_table(last.as_ref(), &work.table, &plan, &mut sifted);
        self.read_converted(&work, &mut table)?;
        let planted = self.watch_ignored(&work.place, &mut table, &mut sifted)?;
        walked.folders.iter().for_each(|(path, stat)| table.set_folder(path, Some(*stat)));
        // That of the working tree itself is known with its position.
        let inside = Some(&work.place.worktree).filter(|_| !path.is_empty());
        let head = inside.and_then(|folder| self.repository.head_inside(folder));
        let (special, beyond) = (sifted.special, sifted.beyond);
        let inside = plan.repositories.into_iter().map(|(path, _)| path).collect();
        Ok(Ok(Taken { tree, head, begun, table, special, beyond, planted, inside }))
    }

    fn git_on(&self, work: &Work) -> Git {
        self.repository.git_on(&work.start, &work.place.worktree)
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
        Sieve { top, worktree, ignored: &self.ignored, watch: self.watch }
    }

    fn plan(&self, work: &Work, walked: &Walked, sifted: &mut Sifted) -> Result<Plan, Error> {
        let Work { place, table, .. } = work;
        let mut plan = Plan { stats: vec![None; table.rows.len()], ..Plan::default() };
        for (row, stat) in &walked.seen {
            plan.stats[*row] = Some(*stat);
        }
        let folders: HashSet<usize> = walked.gitlinks.iter().copied().collect();
        for (number, row) in table.rows.iter().enumerate() {
            match plan.stats[number] {
                None if folders.contains(&number) || row.is_hidden => {}
                None => plan.gone.push(number),
                Some(stat) => match sift::special(stat.kind()) {
                    Some(kind) => {
                        sifted.special.push((table.path(row).to_vec(), kind));
                        plan.gone.push(number);
                    }
                    None if row.what == What::Gitlink || !table.is_same(row, &stat) => {
                        plan.suspects.push(number);
                    }
                    None => {}
                },
            }
        }
        let known = walked.gitlinks.iter().map(|row| table.path_at(*row).to_vec());
        for path in known.chain(std::mem::take(&mut sifted.repositories)) {
            // An empty folder is a submodule that nobody asked for.
            let listing = disk::list(&place.top, &path)?.unwrap_or_default();
            if listing.has_dot_git || !listing.names.is_empty() {
                let head = self.repository.head_inside(&place.at(&path));
                plan.repositories.push((path, head));
            }
        }
        for folder in &walked.with_dot_git {
            sifted.special.push((join(folder, b".git"), SpecialKind::DotGit));
        }
        plan.added = std::mem::take(&mut sifted.content);
        Ok(plan)
    }

    /// Brings the private index up to what is on disk, and gives what is in it then.
    fn update(
        &self,
        work: &Work,
        copy: Option<IndexFile>,
        plan: &Plan,
    ) -> Result<Option<IndexFile>, Error> {
        let Work { start, place, table } = work;
        let paths = |rows: &[usize]| -> Vec<u8> {
            rows.iter().flat_map(|row| [table.path_at(*row), b"\0"].concat()).collect()
        };
        let mut added = paths(&plan.suspects);
        for (path, _) in &plan.added {
            added.extend([path, &b"\0"[..]].concat());
        }
        for (path, head) in &plan.repositories {
            // A name of another length is one that our repository can't hold.
            if head.as_ref().is_some_and(|head| head.as_str().len() == 2 * table.hash_len()) {
                added.extend([path, &b"\0"[..]].concat());
            }
        }
        if added.is_empty() && plan.gone.is_empty() {
            return Ok(copy);
        }
        if let Some(mut copy) = copy {
            plan.suspects.iter().for_each(|row| copy.distrust(table.rows[*row].entry_at));
            store(&start.index, &copy)?;
        }
        let update = |git: Git, how: &[&str], paths: Vec<u8>| {
            if paths.is_empty() {
                return Ok(());
            }
            let outcome = git.arg("update-index").args(how).args(["-z", "--stdin"]);
            let outcome = outcome.input(paths).outcome()?;
            match denied(&outcome.stderr, &place.worktree) {
                Some(path) => Err(Error::Unreadable { path }),
                None if outcome.status.success() => Ok(()),
                None => Err(outcome.into_error()),
            }
        };
        update(self.git_on(work), &["--force-remove"], paths(&plan.gone))?;
        update(self.git_on(work), &["--add", "--remove", "--replace"], added)?;
        read_index(&start.index, table.hash_len())
    }

    /// Takes the digests of files of which the object does not tell the bytes.
    fn read_converted(&self, work: &Work, table: &mut Table) -> Result<(), Error> {
        let (place, git) = (&work.place, || self.git_on(work));
        let found = self.repository.conversions(git, &place.worktree, table, &self.config)?;
        for (row, conversion) in found {
            table.rows[row].conversion = conversion;
            if !table.rows[row].is_hidden {
                table.rows[row].raw = hash::digest(&place.top, table.path_at(row))?;
            }
        }
        Ok(())
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
            let row = Row { raw: Some(digest), ..Row::new(What::Watched, stat) };
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

impl Work {
    /// A path that is no longer what it was when we looked at it.
    fn changed_since(&self, plan: &Plan) -> Result<Option<Vec<u8>>, Error> {
        let suspects = plan.suspects.iter().map(|row| (self.table.path_at(*row), plan.stats[*row]));
        let added = plan.added.iter().map(|(path, stat)| (path.as_slice(), Some(*stat)));
        for (path, stat) in suspects.chain(added) {
            if disk::stat(&self.place.top, path)? != stat {
                return Ok(Some(path.to_vec()));
            }
        }
        Ok(None)
    }
}

fn read_index(path: &Path, hash_len: usize) -> Result<Option<IndexFile>, Error> {
    let bytes = crate::discover::read(path)?;
    Ok(bytes.map(|bytes| IndexFile::new(bytes, std::time::SystemTime::UNIX_EPOCH, hash_len)))
}

/// What is known in the end: the objects as the index has them, the stats as we saw them.
fn final_table(index: Option<&IndexFile>, old: &Table, plan: &Plan, sifted: &mut Sifted) -> Table {
    let mut added: HashMap<&[u8], Stat> =
        plan.added.iter().map(|(path, stat)| (path.as_slice(), *stat)).collect();
    let mut table = Table::new(old.hash_len());
    let mut at = 0;
    let mut take = |entry: &crate::index_file::Entry<'_>| {
        while at < old.rows.len() && old.path_at(at) < entry.path {
            at += 1;
        }
        let is_known = at < old.rows.len() && old.path_at(at) == entry.path;
        let stat = if is_known { plan.stats[at] } else { added.remove(entry.path) };
        let what = match entry.mode {
            0o120_000 => What::Link,
            0o160_000 => What::Gitlink,
            _ => What::File,
        };
        let is_hidden = stat.is_none() && what != What::Gitlink;
        let row = Row { is_hidden, ..Row::new(what, stat.unwrap_or_default()) };
        table.push(entry.path, row, entry.object);
    };
    index.and_then(|index| index.walk(|entry| take(&entry)));
    // Git left out what it has no name for.
    let refused: Vec<(Vec<u8>, Stat)> =
        added.into_iter().map(|(path, stat)| (path.to_vec(), stat)).collect();
    for (path, stat) in refused {
        sifted.beyond.push(Beyond { path: PathText::new(path.clone()), why: Why::Unrecordable });
        sifted.watched.push((path, stat));
    }
    table.sort_out();
    table
}
