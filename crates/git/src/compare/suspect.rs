//! Reads the files that do not look untouched, and says which of them differ.

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{Difference, State};
use rustix::fs::FileType;

use super::cached::Sighted;
use super::{Differing, Differs};
use crate::command::Git;
use crate::error::Error;
use crate::record::{Place, Session};
use crate::tree::disk;
use crate::tree::hash::{self, Filters};
use crate::tree::row::{Conversion, Row, What};
use crate::tree::sift;
use crate::tree::stat::Stat;

/// Files to be read by git, with whose help their content is also kept.
#[derive(Default)]
struct Reading<'p> {
    plain: Vec<Item<'p>>,
    filtered: Vec<Item<'p>>,
    links: Vec<(Item<'p>, Vec<u8>)>,
}

#[derive(Clone, Copy)]
struct Item<'p> {
    path: &'p [u8],
    stat: Stat,
    /// `None` for a file that was not known.
    row: Option<usize>,
}

impl Session<'_> {
    /// Reads suspects and new files; gives a path that changed meanwhile, if one did.
    pub(crate) fn examine(
        &self,
        sighted: &Sighted<'_>,
        part: &mut Differing,
    ) -> Result<Option<Vec<u8>>, Error> {
        let table = &sighted.known.table;
        let mut reading = Reading::default();
        let suspects = sighted.suspects.iter().map(|(row, stat)| Item {
            path: table.path_at(*row),
            stat: *stat,
            row: Some(*row),
        });
        let new = &sighted.sifted.content;
        let new = new.iter().map(|(path, stat)| Item { path, stat: *stat, row: None });
        for item in suspects.chain(new) {
            self.sort_in(sighted, item, &mut reading, part)?;
        }
        for (path, stat) in &sighted.sifted.watched {
            let after = self.ignored_state(&sighted.place, path, stat, part)?;
            part.add(path.clone(), Differs::new(None, Some(after)));
        }
        let read = self.read(&sighted.place, &reading);
        for item in reading.items() {
            if disk::stat(&sighted.place.top, item.path)? != Some(item.stat) {
                return Ok(Some(item.path.to_vec()));
            }
        }
        for (item, object) in reading.items().zip(read?) {
            part.judge(sighted, item, object);
        }
        Ok(None)
    }

    /// Says at once what can be said without git, and sorts the rest by how git must read it.
    fn sort_in<'p>(
        &self,
        sighted: &Sighted<'_>,
        item: Item<'p>,
        reading: &mut Reading<'p>,
        part: &mut Differing,
    ) -> Result<(), Error> {
        let Sighted { place, known, .. } = sighted;
        let row = item.row.map(|row| &known.table.rows[row]);
        let before = || item.row.and_then(|row| known.state(row));
        let mode = item.stat.permissions();
        if let Some(kind) = sift::special(item.stat.kind()) {
            let differs = Differs::new(before(), Some(State::Special { kind }));
            part.add(item.path.to_vec(), differs);
        } else if row.is_some_and(|row| row.what == What::Watched) {
            let after = self.ignored_state(place, item.path, &item.stat, part)?;
            if before().as_ref() != Some(&after) {
                part.add(item.path.to_vec(), Differs::new(before(), Some(after)));
            }
        } else if item.stat.kind() == FileType::Symlink {
            let target = hash::target(&place.top, item.path)?.unwrap_or_default();
            reading.links.push((item, target));
        } else if !hash::is_readable(&place.top, item.path) {
            let differs = Differs::new(before(), Some(State::Unreadable { mode }));
            part.add(item.path.to_vec(), differs);
        } else if let Some(row) = row.filter(|row| row.what == What::File) {
            if row.conversion == Conversion::None {
                reading.plain.push(item);
            } else if !is_same_raw(place, row, item)? {
                reading.filtered.push(item);
            } else if row.stat.permissions() != mode {
                part.add_chmod(sighted, item);
            }
        } else {
            reading.filtered.push(item);
        }
        Ok(())
    }

    /// The objects of everything that is to be read, in the order of [`Reading::items`].
    fn read(&self, place: &Place, reading: &Reading<'_>) -> Result<Vec<ObjectId>, Error> {
        let git = || self.git_in(place);
        let plain = reading.plain.iter().map(|item| item.path);
        let mut found = hash::store_files(git(), plain, Filters::Left)?;
        let filtered = reading.filtered.iter().map(|item| item.path);
        found.extend(hash::store_files(git(), filtered, Filters::Applied)?);
        let targets = reading.links.iter().map(|(_, target)| target.clone());
        found.extend(hash::store_texts(git(), targets, &self.scratch)?);
        Ok(found)
    }

    /// A git process that works on the files of `place`, with our own settings.
    fn git_in(&self, place: &Place) -> Git {
        let git = self.repository.git_at(&self.own_git_dir);
        git.env("GIT_WORK_TREE", &place.worktree).within(&place.worktree)
    }
}

/// Whether a file that git converts has the very bytes that it had.
fn is_same_raw(place: &Place, row: &Row, item: Item<'_>) -> Result<bool, Error> {
    let Some(raw) = row.raw.as_deref() else { return Ok(false) };
    Ok(hash::digest(&place.top, item.path)? == Some(*raw))
}

impl<'p> Reading<'p> {
    fn items(&self) -> impl Iterator<Item = Item<'p>> + '_ {
        let links = self.links.iter().map(|(item, _)| *item);
        self.plain.iter().chain(&self.filtered).copied().chain(links)
    }
}

impl Differing {
    /// Compares what was read with what was recorded.
    fn judge(&mut self, sighted: &Sighted<'_>, item: Item<'_>, object: ObjectId) {
        let mode = item.stat.permissions();
        let after = match item.stat.kind() {
            FileType::Symlink => State::Link { object: object.clone() },
            _ => State::File { object: object.clone(), mode },
        };
        let known = sighted.known;
        let Some(number) = item.row else {
            let differs = Differs { size: item.stat.size, ..Differs::new(None, Some(after)) };
            self.add(item.path.to_vec(), differs);
            return;
        };
        let row = &known.table.rows[number];
        let before = known.state(number);
        // Nobody saw the permission bits of a file that was not on disk.
        let is_same = match (&before, &after) {
            (Some(State::File { object: old, .. }), State::File { .. }) if row.is_hidden => {
                *old == object
            }
            _ => before.as_ref() == Some(&after),
        };
        // Of a file that git converts, only its own bytes tell whether they are the same.
        let same_object = known.table.object_id(row) == Some(object);
        let is_converted = row.what == What::File && row.raw.is_some() && same_object;
        if is_same && !is_converted {
            return;
        }
        let difference = match row.conversion {
            Conversion::Text if is_converted => Some(Difference::LineEndings),
            Conversion::Filter if is_converted => Some(Difference::Filtered),
            _ if same_object => Some(Difference::None),
            _ => None,
        };
        let size = item.stat.size.max(row.stat.size);
        let differs = Differs { before, after: Some(after), difference, size };
        self.add(item.path.to_vec(), differs);
    }

    fn add_chmod(&mut self, sighted: &Sighted<'_>, item: Item<'_>) {
        let before = item.row.and_then(|row| sighted.known.state(row));
        let mode = item.stat.permissions();
        let after = match &before {
            Some(State::File { object, .. }) => State::File { object: object.clone(), mode },
            _ => State::Unreadable { mode },
        };
        let difference = Some(Difference::None);
        let size = item.stat.size;
        let differs = Differs { before, after: Some(after), difference, size };
        self.add(item.path.to_vec(), differs);
    }
}
