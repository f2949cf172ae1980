//! What a recorded tree holds: paths, modes, objects, sizes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{PathText, Recorded};
use data_encoding::HEXLOWER;

use crate::batch::Batch;
use crate::command::Git;
use crate::diff::Side;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::repository::Repository;
use crate::tree::name::name_of;
use crate::tree::table::join;

const MODE_GITLINK: u32 = 0o160_000;

/// One file, link or submodule of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub path: PathBuf,
    pub side: Side,
}

impl Repository {
    /// Everything in `tree` that is no folder, in git's order.
    pub fn list(&self, tree: &ObjectId) -> Result<Arc<Vec<Listed>>, Error> {
        if let Some(known) = self.memory.list(tree) {
            return Ok(known);
        }
        let listed = Arc::new(list(self.git(), tree)?);
        if is_named(tree, &listed) {
            self.memory.keep_list(tree, &listed);
        }
        Ok(listed)
    }

    /// The commits of other repositories that `tree` has at its paths.
    pub fn links(&self, tree: &ObjectId) -> Result<Vec<Listed>, Error> {
        let (known, hash_len) = (self.memory.index(tree), self.hash_len()?);
        let known = known.and_then(|index| links_in(index.as_ref().clone(), hash_len));
        if let Some(links) = known {
            return Ok(links);
        }
        let listed = self.list(tree)?;
        Ok(listed.iter().filter(|one| one.side.mode == MODE_GITLINK).cloned().collect())
    }

    /// The same for a tree in a store of its own.
    pub(crate) fn list_in(&self, store: &Path, tree: &ObjectId) -> Result<Vec<Listed>, Error> {
        list(self.git().env("GIT_OBJECT_DIRECTORY", store), tree)
    }

    /// The files of which git recorded other bytes than they had, from the top of the working
    /// tree. `store` has those bytes.
    pub fn raw_paths(&self, store: &Path, recorded: &Recorded) -> Result<Vec<PathText>, Error> {
        let mut paths = Vec::new();
        for ground in &recorded.grounds {
            let above = ground.path.as_bytes();
            paths.extend(ground.lfs.iter().map(|path| PathText::new(join(above, path.as_bytes()))));
            let Some(tree) = &ground.raw else { continue };
            let whole =
                |file: &Listed| PathText::new(join(above, file.path.as_os_str().as_bytes()));
            paths.extend(self.list_in(store, tree)?.iter().map(whole));
        }
        Ok(paths)
    }

    /// How many bytes each of `objects` has; `None` for what is not there.
    pub fn sizes(&self, objects: &[&ObjectId]) -> Result<Vec<Option<u64>>, Error> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let asked: String = objects.iter().map(|object| format!("{object}\n")).collect();
        let git = self.git().args(["cat-file", "--batch-check=%(objectsize)"]);
        let said = git.input(asked.into_bytes()).output()?;
        let said = String::from_utf8_lossy(&said);
        Ok(said.lines().map(|line| line.trim().parse().ok()).collect())
    }

    /// Whether an object is no longer there.
    pub(crate) fn is_lost(&self, object: &ObjectId) -> Result<bool, Error> {
        Ok(self.sizes(&[object])?.contains(&None))
    }

    /// The contents of files, by one process; `None` for what is not there.
    pub fn contents(&self, objects: &[&ObjectId]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let mut batch = Batch::start(self)?;
        let ask = |object: &&ObjectId| Ok(batch.object(object.as_str())?.map(|one| one.content));
        objects.iter().map(ask).collect()
    }

    /// The content of a file or link.
    pub fn content(&self, object: &ObjectId) -> Result<Vec<u8>, Error> {
        self.git().args(["cat-file", "blob", object.as_str()]).output()
    }
}

/// Whether this is what the name of `tree` stands for.
fn is_named(tree: &ObjectId, listed: &[Listed]) -> bool {
    let object = |one: &Listed| HEXLOWER.decode(one.side.object.as_str().as_bytes()).ok();
    let Some(objects) = listed.iter().map(object).collect::<Option<Vec<_>>>() else { return false };
    let both = listed.iter().zip(&objects);
    let leaves: Vec<_> = both
        .map(|(one, object)| (one.side.mode, one.path.as_os_str().as_bytes(), &object[..]))
        .collect();
    name_of(&leaves, tree.as_str().len() / 2) == tree.as_str()
}

/// The commits of other repositories in an index; `None` if it is not understood.
fn links_in(index: Vec<u8>, hash_len: usize) -> Option<Vec<Listed>> {
    let mut links = Vec::new();
    IndexFile::new(index, SystemTime::now(), hash_len).walk(|entry| {
        if !entry.is_gitlink() {
            return;
        }
        if let Ok(object) = HEXLOWER.encode(entry.object).parse() {
            let path = PathBuf::from(OsStr::from_bytes(entry.path));
            links.push(Listed { path, side: Side { mode: entry.mode, object } });
        }
    })?;
    Some(links)
}

fn list(git: Git, tree: &ObjectId) -> Result<Vec<Listed>, Error> {
    let said = git.args(["ls-tree", "-r", "-z", "--full-tree", tree.as_str()]).output()?;
    let lines = said.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines.map(|line| listed(line).ok_or_else(|| not_understood(line))).collect()
}

/// Reads `<mode> <kind> <object>\t<path>`.
fn listed(line: &[u8]) -> Option<Listed> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let head = str::from_utf8(&line[..tab]).ok()?;
    let mut columns = head.split_ascii_whitespace();
    let mode = u32::from_str_radix(columns.next()?, 8).ok()?;
    let (_kind, object) = (columns.next()?, columns.next()?);
    Some(Listed {
        path: PathBuf::from(OsStr::from_bytes(&line[tab + 1..])),
        side: Side { mode, object: object.parse().ok()? },
    })
}

fn not_understood(line: &[u8]) -> Error {
    Error::Failed {
        command: "git ls-tree".to_owned(),
        code: Some(0),
        stderr: format!("its answer is not understood: {}", String::from_utf8_lossy(line)),
    }
}
