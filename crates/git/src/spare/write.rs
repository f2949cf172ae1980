//! Writes what a checkout lacks: a few plain files by ourselves, anything else by git.
//!
//! The trees that a checkout is made into one after the other differ in a few files, and git takes longer
//! to start, and to read and write an index of ten thousand files, than it takes to write those.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use countersign_domain::id::ObjectId;
use rustix::fs::fstat;

use crate::batch::Batch;
use crate::command::Git;
use crate::error::Error;
use crate::memory::LARGEST;
use crate::repository::Repository;
use crate::spare::look::{EXECUTABLE, FILE};
use crate::spare::sift::Sieve;
use crate::start_index::store;

/// More than these are left to git.
const MOST: usize = 32;

impl Repository {
    /// Writes what was found missing, and an index with its sum, which other programs check. What we wrote
    /// ourselves is among the `known`: its content is what the name of its object says.
    pub(crate) fn write_missing(
        &self,
        (mut sieve, known): (Sieve<'_>, &mut [bool]),
        (file, git): (&Path, &impl Fn() -> Git),
    ) -> Result<(), Error> {
        if self.write_few(&mut sieve, known).is_some() {
            return store(file, &sieve.index.sealed(SystemTime::now()));
        }
        store(file, &sieve.index)?;
        let asked = ["checkout-index", "-f", "-u", "-q", "-z", "--stdin"];
        git().args(asked).input(sieve.missing_paths()).output()?;
        Ok(())
    }

    /// The same for a few plain files; `None` if there is anything else, or one of them could not be written:
    /// git writes over it, or says why not.
    fn write_few(&self, sieve: &mut Sieve<'_>, known: &mut [bool]) -> Option<()> {
        let is_plain = |number: &usize| {
            matches!(sieve.dues.get(*number).mode, FILE | EXECUTABLE)
                && !sieve.is_converted(*number)
        };
        if sieve.missing.len() > MOST || !sieve.missing.iter().all(is_plain) {
            return None;
        }
        let objects: Vec<ObjectId> = sieve
            .missing
            .iter()
            .map(|number| sieve.dues.object(sieve.dues.get(*number)).parse().ok())
            .collect::<Option<_>>()?;
        let contents = self.genuine_contents(&objects)?;
        for (number, content) in sieve.missing.clone().into_iter().zip(contents) {
            let due = sieve.dues.get(number);
            let path = sieve.path.join(OsStr::from_bytes(sieve.dues.path(due)));
            let written = written(&path, (&content, due.mode == EXECUTABLE)).ok()?;
            sieve.index.note(due.at, &fstat(&written).ok()?);
            known[number] = true;
        }
        Some(())
    }

    /// What the objects hold; `None` if one of them is not what its name says, or is too large.
    fn genuine_contents(&self, objects: &[ObjectId]) -> Option<Vec<Arc<Vec<u8>>>> {
        let mut batch: Option<Batch> = None;
        let mut content = |object: &ObjectId| {
            if let Some(content) = self.memory.content(object) {
                return Some(content);
            }
            let batch = match &mut batch {
                Some(batch) => batch,
                none => none.insert(Batch::start(self).ok()?),
            };
            let found = batch.small(object.as_str(), LARGEST).ok()??;
            let is_it = found.id == *object && found.kind == "blob" && found.is_genuine();
            let content = Arc::new(found.content);
            is_it.then(|| self.memory.keep_content(object, &content))?;
            Some(content)
        };
        objects.iter().map(&mut content).collect()
    }
}

/// A new file, as git would make it. All around it was looked at: no link is on the way.
fn written(path: &Path, (content, is_executable): (&[u8], bool)) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mode = if is_executable { 0o777 } else { 0o666 };
    let mut file = File::options().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(content)?;
    Ok(file)
}
