//! Whether a working tree is what git's index says of it, told without git.
//!
//! A first recording reads every file, and mostly finds what was committed a moment ago. Git reads
//! one file after the other and writes its index anew; we read two at a time and write nothing.

use std::thread;

use rustix::fs::FileType;

use super::Session;
use super::plan::{Plan, Work};
use super::session::Trusted;
use super::take::FEW;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::tree::hash;
use crate::tree::row::What;

const MODE_EXECUTABLE: u32 = 0o100_755;
const OWNER_EXECUTES: u32 = 0o100;

impl Session<'_> {
    /// Whether nothing is new or gone, and every file that would have to be read has the content
    /// that the index says. Where git changes bytes before it records them, only git can tell.
    pub(super) fn is_unchanged(
        &self,
        work: &Work,
        index: Option<&IndexFile>,
        plan: &Plan,
    ) -> Result<bool, Error> {
        let Some(index) = index.filter(|_| matches!(self.trust, Trusted::Nothing)) else {
            return Ok(false);
        };
        let Work { start, place, table } = work;
        let is_all = plan.added.is_empty() && plan.gone.is_empty() && plan.repositories.is_empty();
        if !is_all || start.is_foreign || !index.is_plain() {
            return Ok(false);
        }
        if self.repository.converts(&place.worktree, table, self.config()?) {
            return Ok(false);
        }
        let is_same = |row: &usize| {
            let (row, path) = (&table.rows[*row], table.path_at(*row));
            let executes = row.stat.mode & OWNER_EXECUTES != 0;
            let mode = index.mode(row.entry_at);
            let is_kind = match (row.what, row.stat.kind()) {
                (What::File, FileType::RegularFile) => (mode == Some(MODE_EXECUTABLE)) == executes,
                (What::Link, FileType::Symlink) => true,
                _ => false,
            };
            is_kind && hash::is_object(&place.top, path, (row, table.hash_len()))
        };
        let suspects = &plan.suspects;
        if suspects.len() < FEW {
            return Ok(suspects.iter().all(is_same));
        }
        let (one, other) = suspects.split_at(suspects.len() / 2);
        let both = thread::scope(|scope| {
            let one = scope.spawn(|| one.iter().all(is_same));
            (other.iter().all(is_same), one.join())
        });
        Ok(both.0 && both.1.unwrap_or(false))
    }
}
