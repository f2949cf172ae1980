//! Draining the spool into the ledger, exactly once.
//!
//! A file is moved away, taken in, and removed only after the commit, by one process at a time.
//! A crash in between leaves the moved file, which the next drain takes up; entries that are
//! in the ledger already are known by their ids. The views follow in the same transaction: who is
//! killed in between leaves no list that is not what the events say.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::ledger::{Draft, Stream};
use countersign_domain::{Digest, canonical};
use rusqlite::Connection;
use uuid::Uuid;

use crate::error::Error;
use crate::recover::Opened;
use crate::spool::{Entry, SHARED, chain};
use crate::{Notice, Store, append, lock, plain, recover, view};

const PREFIX: &str = "draining-";
/// A file that is larger was not written by us: nobody is away for so long.
const MOST: u64 = 1 << 30;
/// How long a spool file may be in use before it is left for another time.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a spool file holds.
#[derive(Debug, Default)]
struct Contents {
    entries: Vec<Entry>,
    /// Lines that are not what was written, as they are.
    damaged: Vec<Vec<u8>>,
}

impl Store {
    /// Takes in what is in the spool. A spool that can't be drained now waits: that is no
    /// reason to refuse an opening.
    pub(crate) fn drain_spool(&mut self) {
        let dirs = self.spool().dirs;
        self.is_behind = false;
        if dirs.iter().all(|dir| waiting(dir).is_ok_and(|files| files.is_empty())) {
            return;
        }
        // One at a time, so that what was spooled in order gets in in order.
        let mut drained = 0;
        let locked = recover::lock_writers(&self.options);
        let followed = locked.and_then(|writer| self.follow(&writer).map(|()| writer));
        self.is_behind = followed.is_err();
        let result = followed.and_then(|writer| {
            // What is wrong with one place is no reason to leave the other.
            let each = dirs.iter().map(|dir| self.drain_dir(dir, &writer, &mut drained));
            each.collect::<Vec<_>>().into_iter().collect::<Result<(), Error>>()
        });
        if drained > 0 {
            self.notices.push(Notice::Drained(drained));
        }
        if let Err(error) = result {
            self.notices.push(Notice::NotDrained { why: error.to_string() });
        }
    }

    fn drain_dir(&mut self, dir: &Path, writer: &File, drained: &mut u64) -> Result<(), Error> {
        let files = waiting(dir).map_err(Error::io(dir))?;
        let each = files.into_iter().map(|path| self.drain_file(dir, path, (writer, drained)));
        each.collect::<Vec<_>>().into_iter().collect()
    }

    fn drain_file(
        &mut self,
        dir: &Path,
        path: PathBuf,
        (writer, drained): (&File, &mut u64),
    ) -> Result<(), Error> {
        let size = path.metadata().map_or(0, |found| found.len());
        if size > MOST {
            let why = format!("{size} bytes are too many for a spool");
            return Err(Error::io(&path)(std::io::Error::other(why)));
        }
        let Some(path) = claim(dir, path)? else { return Ok(()) };
        let bytes = plain::read(&path).map_err(Error::io(&path))?;
        let contents = parse(&bytes);
        let is_whole = contents.damaged.is_empty();
        let taken = self.take_in(&path, contents, writer);
        self.is_behind |= taken.is_err();
        *drained += taken?;
        let done = if is_whole {
            fs::remove_file(&path)
        } else {
            // The bytes stay as they are, under a name that no drain looks at.
            fs::rename(&path, path.with_extension("damaged"))
        };
        done.map_err(Error::io(&path))
    }

    fn take_in(&mut self, path: &Path, contents: Contents, writer: &File) -> Result<u64, Error> {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = Path::new(&file).with_extension("damaged").display().to_string();
        let bytes: u64 = contents.damaged.iter().map(|line| line.len() as u64).sum();
        let streams: BTreeSet<Stream> = contents.entries.iter().map(|e| e.stream.clone()).collect();
        let rows = self.options.rows;
        let has_rescued = contents.entries.iter().any(|entry| entry.expected.is_some());
        let drained = self.transact(writer, |Opened { connection, id: ledger, .. }| {
            let mut drained = 0;
            for entry in contents.entries {
                drained += u64::from(place(connection, *ledger, entry)?);
            }
            for line in &contents.damaged {
                place(connection, *ledger, damage(line))?;
            }
            for stream in &streams {
                match view::put_remade(connection, std::iter::once(stream), rows) {
                    // A stream that can't be understood is for the verification to tell of; the
                    // entries of all others must not wait for it.
                    Ok(_) | Err(Error::Unreadable(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(drained)
        })?;
        self.has_rescued |= has_rescued;
        if bytes > 0 {
            self.notices.push(Notice::SpoolDamaged { file, bytes });
        }
        Ok(drained)
    }
}

/// The spool's files, oldest first: those that a drain left behind before new ones.
pub(crate) fn waiting(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let all = match fs::read_dir(dir) {
        Ok(all) => all,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files: Vec<PathBuf> = all
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter(|path| path.metadata().is_ok_and(|meta| is_spool(path, &meta)))
        .collect();
    files.sort_by_key(|path| (!is_claimed(path), path.clone()));
    Ok(files)
}

/// Pipes, folders and devices hold no entries; to open some is to wait for ever.
fn is_spool(path: &Path, found: &fs::Metadata) -> bool {
    found.is_file() && (!is_shared(path) || found.len() > 0)
}

fn is_shared(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SHARED)
}

fn is_claimed(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
}

/// Moves a file away from its writers, who then start a new one; `None` if it is in use. Only
/// under the writers' lock.
fn claim(dir: &Path, path: PathBuf) -> Result<Option<PathBuf>, Error> {
    if is_claimed(&path) {
        return Ok(Some(path));
    }
    let file = match plain::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(&path)(error)),
    };
    // No writer may be in the middle of a line. One that stays there for long is left alone:
    // its file is drained another time.
    if lock::acquire(&file, PATIENCE).is_err() {
        return Ok(None);
    }
    let claimed = dir.join(format!("{PREFIX}{}.jsonl", Uuid::now_v7()));
    match fs::rename(&path, &claimed) {
        Ok(()) => Ok(Some(claimed)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(&path)(error)),
    }
}

fn parse(bytes: &[u8]) -> Contents {
    let mut contents = Contents::default();
    let mut previous = Previous::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        // The last line without a newline was never acknowledged.
        let Some(whole) = line.strip_suffix(b"\n") else {
            break;
        };
        if whole.is_empty() {
            continue;
        }
        match previous.entry_after(whole) {
            Some(entry) => contents.entries.push(entry),
            None => contents.damaged.push(whole.to_vec()),
        }
    }
    contents
}

/// What is known of the hash of the line before.
#[derive(Debug, Default)]
struct Previous {
    /// As it stands there; empty at the beginning.
    stated: String,
    /// As it must have been; differs if the line is damaged.
    computed: String,
}

impl Previous {
    /// The entry in `line`, if it is what was written. Damage ends with its line: the next one
    /// follows from the hash that the damaged line states, or from the one it should.
    fn entry_after(&mut self, line: &[u8]) -> Option<Entry> {
        let text = std::str::from_utf8(line).ok().and_then(|text| text.rsplit_once(' '));
        // A line that states no hash says nothing about the next one, which may be sound.
        let text = text.filter(|(_, hash)| hash.parse::<Digest>().is_ok());
        let Some((json, hash)) = text else {
            *self = Self { stated: "?".into(), computed: "?".into() };
            return None;
        };
        // Behind a line that can't be read at all, only the form of this one can be judged.
        let is_cut_off = self.stated == "?";
        let computed = [&self.stated, &self.computed, ""].map(|previous| chain(previous, json));
        let follows = is_cut_off || computed.iter().any(|computed| computed == hash);
        let [_, computed, _] = computed;
        *self = Self { stated: hash.to_owned(), computed };
        serde_json::from_str(json).ok().filter(|_| follows)
    }
}

pub(crate) fn is_known(connection: &Connection, id: Uuid) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM events WHERE id = ?1")?;
    Ok(statement.exists([id.as_bytes()])?)
}

/// Puts an entry in its stream; `false` if it is there already.
pub(crate) fn place(
    connection: &Connection,
    ledger: countersign_domain::ledger::LedgerId,
    entry: Entry,
) -> Result<bool, Error> {
    if is_known(connection, entry.draft.id)? {
        return Ok(false);
    }
    let head = append::head_of(connection, &entry.stream)?;
    let at = head.map_or(0, |head| head.sequence);
    if entry.expected.is_some_and(|expected| expected != at) {
        return place(connection, ledger, conflict(entry));
    }
    let previous = head.map_or_else(|| ledger.root_of(&entry.stream), |head| head.hash);
    let event = entry.draft.chain(&entry.stream, at + 1, previous);
    append::insert(connection, &event)?;
    Ok(true)
}

/// An entry that came too late for its place: kept, under the same id, where it is no harm.
pub(crate) fn conflict(entry: Entry) -> Entry {
    let body = canonical::to_string(&entry).unwrap_or_default();
    let draft = Draft { kind: "spool.conflict".into(), format: 1, body, ..entry.draft };
    Entry { stream: spool_stream(), expected: None, draft }
}

/// Bytes that are no entry: kept as they are. The id comes from the bytes, so that a drain
/// that is repeated doesn't keep them twice.
fn damage(line: &[u8]) -> Entry {
    let digest = Digest::of(line);
    let mut id = [0; 16];
    id.copy_from_slice(&digest.as_bytes()[..16]);
    let text = String::from_utf8_lossy(line);
    let body = serde_json::json!({ "text": text, "sha256": digest });
    let draft = Draft {
        id: Uuid::from_bytes(id),
        time: jiff::Timestamp::UNIX_EPOCH,
        actor: "store".into(),
        kind: "spool.damaged".into(),
        format: 1,
        body: canonical::to_string(&body).unwrap_or_default(),
    };
    Entry { stream: spool_stream(), expected: None, draft }
}

fn spool_stream() -> Stream {
    "spool".parse().unwrap_or_else(|_| Stream::of_ledger())
}
