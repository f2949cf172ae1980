//! How a private index must change to say what is on disk, and having git change it so.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::SystemTime;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{Beyond, PathText, SpecialKind, Why};
use data_encoding::HEXLOWER;
use rustix::fs::FileType;

use super::Session;
use super::take::Place;
use crate::command::Git;
use crate::error::Error;
use crate::index_file::{Entry, IndexFile};
use crate::snapshot::denied;
use crate::start_index::{Start, store};
use crate::tree::disk;
use crate::tree::row::{Row, What};
use crate::tree::sift::{self, Sifted};
use crate::tree::stat::Stat;
use crate::tree::table::{Seen, Table, join};
use crate::tree::walk::Walked;

/// How an index must change to say what is on disk.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) suspects: Vec<usize>,
    pub(super) gone: Vec<usize>,
    /// Files and links that are new.
    pub(super) added: Vec<(Vec<u8>, Stat)>,
    /// Folders with a repository, and the commit that each stands on.
    pub(super) repositories: Vec<(Vec<u8>, Option<ObjectId>)>,
}

/// A private index and what it is about.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) start: Start,
    pub(super) place: Place,
    pub(super) table: Table,
}

impl Session<'_> {
    /// What must change; the table then has the stats as we saw them.
    pub(super) fn plan(
        &self,
        work: &mut Work,
        walked: &Walked,
        sifted: &mut Sifted,
    ) -> Result<Plan, Error> {
        let Work { place, table, .. } = work;
        let mut plan = Plan::default();
        let folders: HashSet<usize> = walked.gitlinks.iter().copied().collect();
        for (number, seen) in table.see(walked.seen.iter().flatten()).into_iter().enumerate() {
            let row = &table.rows[number];
            match (seen, sift::special(row.stat.kind())) {
                (Seen::Not, _) if folders.contains(&number) || row.is_hidden => {}
                (Seen::Not, _) => plan.gone.push(number),
                (_, Some(kind)) => {
                    sifted.special.push((table.path(row).to_vec(), kind));
                    plan.gone.push(number);
                }
                (Seen::Differing, None) => plan.suspects.push(number),
                (Seen::Same, None) if row.what == What::Gitlink => plan.suspects.push(number),
                (Seen::Same, None) => {}
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
    pub(super) fn update(
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
        let mut copy = copy;
        if let Some(copy) = &mut copy {
            plan.suspects.iter().for_each(|row| copy.distrust(table.rows[*row].entry_at));
            store(&start.index, copy)?;
        }
        if added.is_empty() && plan.gone.is_empty() {
            return Ok(copy);
        }
        drop(copy);
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
        let gone = paths(&plan.gone);
        if plan.is_plain(table) {
            // First: what is added may lie where something is gone.
            added.splice(0..0, gone);
        } else {
            update(self.git_on(work), &["--force-remove"], gone)?;
        }
        update(self.git_on(work), &["--add", "--remove", "--replace"], added)?;
        read_index(&start.index, table.hash_len())
    }

    pub(super) fn git_on(&self, work: &Work) -> Git {
        self.repository.git_on(&work.start, &work.place.worktree)
    }
}

impl Plan {
    /// Whether git finds nothing at the paths that are gone, and so takes them out by itself: no
    /// pipe is there, and no link in the place of a folder above.
    fn is_plain(&self, table: &Table) -> bool {
        let is_link = |stat: &Stat| stat.kind() == FileType::Symlink;
        let mut links = self.added.iter().filter(|(_, stat)| is_link(stat));
        self.gone.iter().all(|row| table.rows[*row].stat == Stat::default())
            && !links.any(|(path, _)| table.folder(path).is_some())
    }
}

impl Work {
    /// A path that is no longer what it was when we looked at it.
    pub(super) fn changed_since(&self, plan: &Plan) -> Result<Option<Vec<u8>>, Error> {
        let now = |path: &[u8]| disk::stat(&self.place.top, path);
        let row = |row: &usize| (self.table.path_at(*row), self.table.rows[*row].stat);
        let added = plan.added.iter().map(|(path, stat)| (path.as_slice(), *stat));
        for (path, stat) in plan.suspects.iter().map(row).chain(added) {
            if now(path)? != Some(stat) {
                return Ok(Some(path.to_vec()));
            }
        }
        if !plan.is_plain(&self.table) {
            // Git was not asked whether they are there.
            return Ok(None);
        }
        for (path, _) in plan.gone.iter().map(row) {
            // A folder may have taken its place.
            if now(path)?.is_some_and(|now| now.kind() != FileType::Directory) {
                return Ok(Some(path.to_vec()));
            }
        }
        Ok(None)
    }
}

fn read_index(path: &Path, hash_len: usize) -> Result<Option<IndexFile>, Error> {
    let bytes = crate::discover::read(path)?;
    Ok(bytes.map(|bytes| IndexFile::new(bytes, SystemTime::UNIX_EPOCH, hash_len)))
}

/// What is known in the end: the objects as the index has them, the stats as we saw them.
pub(super) fn settle(
    table: &mut Table,
    index: Option<&IndexFile>,
    plan: &Plan,
    sifted: &mut Sifted,
) {
    let suspects = plan.suspects.iter().map(|row| table.path_at(*row).to_vec());
    let added = plan.added.iter().map(|(path, _)| path.clone());
    let mut wanted: Vec<Vec<u8>> = suspects.chain(added).collect();
    wanted.sort();
    let mut found: HashMap<Vec<u8>, (What, Vec<u8>)> = HashMap::new();
    let mut next = wanted.iter().peekable();
    let mut take = |entry: &Entry<'_>| {
        while next.next_if(|path| path.as_slice() < entry.path).is_some() {}
        if next.next_if(|path| path.as_slice() == entry.path).is_some() {
            found.insert(entry.path.to_vec(), (What::of(entry.mode), entry.object.to_vec()));
        }
    };
    index.and_then(|index| index.walk(|entry| take(&entry)));
    plan.gone.iter().for_each(|row| table.remove(*row));
    for row in &plan.suspects {
        if let Some((what, object)) = found.get(table.path_at(*row)) {
            table.rows[*row].set(*what, object);
        }
    }
    for (path, stat) in &plan.added {
        if let Some((what, object)) = found.get(path) {
            table.push(path, Row::new(*what, *stat), object);
        } else {
            // Git left out what it has no name for.
            let why = Why::Unrecordable;
            sifted.beyond.push(Beyond { path: PathText::new(path.clone()), why });
            sifted.watched.push((path.clone(), *stat));
        }
    }
    table.sort_out();
    for (path, head) in &plan.repositories {
        let object = head.as_ref().and_then(|head| HEXLOWER.decode(head.as_str().as_bytes()).ok());
        let Some(object) = object.filter(|object| object.len() == table.hash_len()) else {
            continue;
        };
        match table.find_path(path) {
            Some(row) => table.rows[row].set(What::Gitlink, &object),
            None => table.push(path, Row::new(What::Gitlink, Stat::default()), &object),
        }
    }
    table.sort_out();
}
