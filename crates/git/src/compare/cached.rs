//! Compares through the stat cache.

use std::io;

use countersign_domain::id::Digest;
use countersign_domain::snapshot::{Beyond, PathText, Recorded, SpecialKind, State};

use super::{Differing, Differs, Look};
use crate::error::Error;
use crate::record::{Place, Session};
use crate::tree::cache::Known;
use crate::tree::disk;
use crate::tree::hash::MOST_READS;
use crate::tree::row::What;
use crate::tree::sift::Sifted;
use crate::tree::stat::Stat;
use crate::tree::table::{folder_of, join};
use crate::tree::walk::{self, Tell, Walked};
use crate::tree::watched;

/// What is on disk of one repository, before files were read.
pub(crate) struct Sighted<'k> {
    pub(crate) place: Place,
    pub(crate) known: &'k Known,
    /// Known files that do not look untouched.
    pub(crate) suspects: Vec<(usize, Stat)>,
    pub(crate) sifted: Sifted,
}

impl Session<'_> {
    pub(crate) fn compare_cached(
        &self,
        recorded: &Recorded,
        mut known: Vec<Known>,
        look: Look,
    ) -> Result<Differing, Error> {
        let mut differing = Differing::default();
        let paths: Vec<Vec<u8>> = known.iter().map(|known| known.path.clone()).collect();
        for known in &mut known {
            // Repositories inside are compared by themselves.
            let inside = paths.iter().filter_map(|path| below(path, &known.path));
            known.table.passed.extend(inside.map(<[u8]>::to_vec));
            if look == Look::Thorough {
                known.table.trust_nothing();
            }
        }
        for known in &known {
            self.compare_ground(recorded, known, &mut differing)?;
        }
        self.compare_heads(recorded, &mut differing);
        differing.compare_special(recorded);
        Ok(differing)
    }

    /// Compares one repository; starts over when files change meanwhile.
    fn compare_ground(
        &self,
        recorded: &Recorded,
        known: &Known,
        differing: &mut Differing,
    ) -> Result<(), Error> {
        let mut restless = None;
        for _ in 0..MOST_READS {
            let place = match Place::open(self, &known.path) {
                Ok(place) => place,
                // Told with the heads.
                Err(Error::Io { source, .. }) if !known.path.is_empty() && is_gone(&source) => {
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let mut walked = walk::walk(&place.top, &known.table, Tell::Differing)?;
            walked.refuse_blocking(&known.table)?;
            let unknown = std::mem::take(&mut walked.unknown);
            let sifted = self.sieve(&place).sift(unknown)?;
            let mut part = Differing::default();
            let suspects = part.look_at(known, &walked);
            let sighted = Sighted { place, known, suspects, sifted };
            restless = self.examine(&sighted, &mut part)?;
            if restless.is_none() {
                self.compare_planted(recorded, &sighted, &mut part)?;
                self.add_repositories(&sighted, &walked, &mut part)?;
                part.take_in(sighted);
                part.add_unmoved(recorded, known, &walked);
                differing.merge(part, &known.path);
                return Ok(());
            }
        }
        let path = join(&known.path, &restless.unwrap_or_default());
        Err(Error::Restless { path: crate::discover::as_path(&path) })
    }

    pub(crate) fn ignored_state(
        &self,
        place: &Place,
        path: &[u8],
        stat: &Stat,
        part: &mut Differing,
    ) -> Result<State, Error> {
        let (digest, beyond) = watched::digest(&place.top, path, stat, self.watch)?;
        part.beyond.extend(beyond);
        Ok(State::Ignored { digest, size: stat.size, mode: stat.permissions() })
    }

    /// Takes note of repositories that were not there, or of which only the name was.
    fn add_repositories(
        &self,
        sighted: &Sighted<'_>,
        walked: &Walked,
        part: &mut Differing,
    ) -> Result<(), Error> {
        let Sighted { place, known, sifted, .. } = sighted;
        for path in &sifted.repositories {
            let head = self.repository.head_inside(&place.at(path));
            let is_submodule = self.is_submodule(&place.at(path));
            let state = State::Repository { head, is_submodule };
            part.add(path.clone(), Differs::new(None, Some(state)));
        }
        for row in &walked.gitlinks {
            let path = known.table.path_at(*row);
            let listing = disk::list(&place.top, path)?.unwrap_or_default();
            let is_filled = listing.has_dot_git || !listing.names.is_empty();
            if is_filled && !known.table.passed.contains(path) {
                let head = self.repository.head_inside(&place.at(path));
                // Its folder belongs to the tree.
                let state = State::Repository { head, is_submodule: true };
                part.add(path.to_vec(), Differs::new(None, Some(state)));
            }
        }
        for folder in &walked.with_dot_git {
            let state = State::Special { kind: SpecialKind::DotGit };
            part.add(join(folder, b".git"), Differs::new(None, Some(state)));
        }
        Ok(())
    }

    /// Compares where the repositories inside stand.
    fn compare_heads(&self, recorded: &Recorded, differing: &mut Differing) {
        for ground in recorded.grounds.iter().filter(|ground| !ground.path.is_empty()) {
            let folder = self.layout.worktree.join(ground.path.as_path());
            let is_there = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
            let head = self.repository.head_inside(&folder);
            if !is_there || head != ground.head {
                let is_submodule = ground.is_submodule;
                let before = State::Repository { head: ground.head.clone(), is_submodule };
                let after = is_there.then_some(State::Repository { head, is_submodule });
                let differs = Differs::new(Some(before), after);
                differing.add(ground.path.as_bytes().to_vec(), differs);
            }
        }
    }
}

impl Differing {
    /// Finds the known files that are gone, became something else, or don't look untouched.
    fn look_at(&mut self, known: &Known, walked: &Walked) -> Vec<(usize, Stat)> {
        let table = &known.table;
        let mut is_there = vec![false; table.rows.len()];
        walked.gitlinks.iter().chain(&walked.same).for_each(|row| is_there[*row] = true);
        let mut suspects = Vec::new();
        for (number, stat) in walked.seen.iter().flatten() {
            is_there[*number] = true;
            suspects.push((*number, *stat));
        }
        for (number, row) in table.rows.iter().enumerate() {
            if !is_there[number] && !row.is_hidden {
                let path = table.path(row).to_vec();
                self.add(path, Differs::new(known.state(number), None));
            }
        }
        suspects.sort_by_key(|(row, _)| *row);
        suspects
    }

    /// Takes in what was not known before.
    fn take_in(&mut self, sighted: Sighted<'_>) {
        self.beyond.extend(sighted.sifted.beyond);
        for (path, kind) in sighted.sifted.special {
            self.add(path, Differs::new(None, Some(State::Special { kind })));
        }
    }

    /// Takes note of pipes and the like in folders of which the names were not read.
    fn add_unmoved(&mut self, recorded: &Recorded, known: &Known, walked: &Walked) {
        for special in &recorded.special {
            let path = below(special.path.as_bytes(), &known.path);
            let Some(path) = path.filter(|path| {
                let folder = known.table.folder(folder_of(path));
                folder.is_some_and(|folder| walked.untouched.contains(&folder))
            }) else {
                continue;
            };
            let state = State::Special { kind: special.kind };
            self.add(path.to_vec(), Differs::new(None, Some(state)));
        }
    }

    /// Pipes and the like that were recorded are no news; those that are gone are.
    fn compare_special(&mut self, recorded: &Recorded) {
        for special in &recorded.special {
            let path = special.path.as_bytes();
            let before = State::Special { kind: special.kind };
            match self.by_path.get(path) {
                Some(found) if found.before.is_none() && found.after.as_ref() == Some(&before) => {
                    self.by_path.remove(path);
                }
                _ => self.add(path.to_vec(), Differs::new(Some(before), None)),
            }
        }
    }

    fn merge(&mut self, part: Self, path: &[u8]) {
        for beyond in part.beyond {
            let path = join(path, beyond.path.as_bytes());
            self.beyond.push(Beyond { path: PathText::new(path), ..beyond });
        }
        for (inside, differs) in part.by_path {
            self.add(join(path, &inside), differs);
        }
    }
}

impl Known {
    /// What was recorded of a row.
    pub(crate) fn state(&self, number: usize) -> Option<State> {
        let row = &self.table.rows[number];
        let object = || self.table.object_id(row);
        let (mode, size) = (row.stat.permissions(), row.stat.size);
        Some(match row.what {
            What::File => State::File { object: object()?, mode },
            What::Link => State::Link { object: object()? },
            What::Gone => return None,
            What::Gitlink => State::Repository { head: object(), is_submodule: false },
            What::Watched => {
                let raw = row.raw.as_deref().copied();
                let digest = raw.unwrap_or_else(|| Digest::of(b""));
                State::Ignored { digest, size, mode }
            }
        })
    }
}

/// What is left of `path` below `folder`; `None` when it does not lie below it.
pub(crate) fn below<'p>(path: &'p [u8], folder: &[u8]) -> Option<&'p [u8]> {
    if folder.is_empty() {
        return Some(path).filter(|path| !path.is_empty());
    }
    path.strip_prefix(folder)?.strip_prefix(b"/")
}

fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
