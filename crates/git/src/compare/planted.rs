//! Compares what is watched in folders that tools fill: files that programs obey unasked.

use std::collections::BTreeMap;

use countersign_domain::snapshot::{Recorded, State};

use super::cached::{Sighted, below};
use super::{Differing, Differs};
use crate::error::Error;
use crate::record::Session;
use crate::tree::disk;
use crate::tree::table::name_of;
use crate::tree::watched;

impl Session<'_> {
    /// Compares what is watched in output folders.
    pub(crate) fn compare_planted(
        &self,
        recorded: &Recorded,
        sighted: &Sighted<'_>,
        part: &mut Differing,
    ) -> Result<(), Error> {
        let Sighted { place, known, sifted, .. } = sighted;
        let mut before: BTreeMap<&[u8], State> = BTreeMap::new();
        for watched in &recorded.watched {
            let Some(path) = below(watched.path.as_bytes(), &known.path) else { continue };
            if known.table.find_path(path).is_none() {
                let (digest, size) = (watched.digest, watched.size);
                let mode = watched.mode & 0o7777;
                before.insert(path, State::Ignored { digest, size, mode });
            }
        }
        let folders = known.table.passed.iter().map(|folder| (folder, true));
        let new = sifted.passed.iter().map(|folder| (folder, false));
        for (folder, was_there) in folders.chain(new) {
            let found = watched::planted(&place.top, &place.worktree, folder, self.watch)?;
            for (path, stat) in found {
                // In a folder that a tool has just made, only what tools never put there counts.
                if !was_there && self.is_usual(folder, &path) {
                    continue;
                }
                let after = self.ignored_state(place, &path, &stat, part)?;
                let before = before.remove(&path[..]);
                if before.as_ref() != Some(&after) {
                    part.add(path, Differs::new(before, Some(after)));
                }
            }
        }
        for (path, state) in before {
            // A folder that was removed as a whole was cleaned up.
            let folder = known.table.passed.iter().find(|folder| below(path, folder).is_some());
            let is_there = folder.map(|folder| disk::stat(&place.top, folder)).transpose()?;
            if is_there.flatten().is_some() {
                part.add(path.to_vec(), Differs::new(Some(state), None));
            }
        }
        Ok(())
    }

    /// Whether tools themselves put such a file into an output folder: a pattern that leaves its
    /// name open tells of those.
    fn is_usual(&self, folder: &[u8], path: &[u8]) -> bool {
        let name = name_of(path);
        let mut patterns = self.watch.planted_in(name_of(folder));
        !patterns.any(|pattern| name_of(pattern.as_bytes()) == name)
    }
}
