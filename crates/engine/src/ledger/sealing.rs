//! Sealing: a signed root over all stream heads, recorded in the ledger, anchored in git, and
//! witnessed outside the repository.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use countersign_domain::id::{Digest, ObjectId};
use countersign_domain::ledger::{LedgerId, Seal, Statement};
use countersign_git::NewAnchor;
use countersign_store::StampLock;

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::regular;

/// How long to wait for other processes that seal: fifty runs at once, on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(2);
/// The file that an anchor's commit holds.
const FILE: &str = "seal.json";

/// The seal that an anchor's commit holds.
pub(super) fn seal_of(anchor: &countersign_git::Anchor) -> Option<Seal> {
    let (_, bytes) = anchor.files.iter().find(|(name, _)| name == FILE)?;
    serde_json::from_slice(bytes).ok()
}

/// The name of the anchor of `ledger`, under `refs/countersign/`.
pub(super) fn anchor_name(ledger: LedgerId) -> String {
    format!("seals/{ledger}")
}

impl Engine {
    /// Seals everything up to now. `None` if nothing was added since the last seal.
    pub fn seal(&mut self) -> Result<Option<Seal>> {
        if self.kin.is_some() {
            // Who leads a run seals again and again, and keeps a git for it.
            self.repository.expect_updates();
        }
        let _turn = self.turn_to_seal()?;
        let last = self.store.last_seal()?;
        // A seal whose anchoring was cut off is anchored before there is a newer one: however often
        // we are killed, an anchor is never more than one seal behind.
        if let Some(last) = last.as_ref().filter(|last| !self.is_witnessed(last)) {
            self.anchor(last)?;
            self.witness(last)?;
        }
        let sealed_to = last.as_ref().map_or(0, |seal| seal.statement.position);
        let extent = self.store.extent(sealed_to)?;
        let seal = if extent.position > sealed_to {
            let key = self.key()?;
            let seal = key.seal(Statement {
                ledger: self.store.id(),
                number: last.as_ref().map_or(1, |seal| seal.statement.number + 1),
                time: self.host.now(),
                position: extent.position,
                events: extent.events,
                streams: extent.heads.len() as u64,
                order: extent.order,
                root: Statement::root_over(&extent.heads),
                moved: extent.moved,
                previous: last.as_ref().map(Seal::digest),
                key: key.public(),
            });
            self.store.add_seal(&seal)?;
            Some(seal)
        } else {
            None
        };
        // Also without a new seal: who removed an anchor is not to be right for long.
        if let Some(newest) = seal.as_ref().or(last.as_ref()) {
            self.anchor(newest)?;
            self.witness(newest)?;
        }
        Ok(seal)
    }

    /// Seals what was just put on the record. It is there whether that works or not, so a seal that
    /// has to wait is told and is no failure; the next one covers it. Who finds something forged
    /// on the way says so.
    pub(crate) fn seal_what_is_done(&mut self) -> Result<()> {
        match self.seal() {
            Err(error) if !matches!(error.kind, Kind::Tampered | Kind::Bug) => {
                self.notices.push(format!(
                    "what was done is on the record, but the ledger is not sealed yet \
                     ({}); the next command that seals covers it: countersign ledger seal",
                    error.message
                ));
                Ok(())
            }
            other => other.map(|_| ()),
        }
    }

    /// One at a time: seals are numbered and chained, and go to several places.
    pub(super) fn turn_to_seal(&self) -> Result<StampLock> {
        Ok(StampLock::acquire(&self.state.join("seal.lock"), PATIENCE)?)
    }

    fn anchor(&self, newest: &Seal) -> Result<()> {
        if self.anchor_next(newest) {
            return Ok(());
        }
        let name = anchor_name(newest.statement.ledger);
        let anchored = self.repository.newest_anchor(&name)?;
        let at = anchored.as_ref().and_then(seal_of).map_or(0, |seal| seal.statement.number);
        if at >= newest.statement.number {
            return Ok(());
        }
        let mut tip = anchored.map(|anchor| anchor.commit);
        for seal in self.store.seals()? {
            if seal.statement.number > at {
                tip = Some(self.add_anchor(&seal, tip.as_ref())?);
            }
        }
        Ok(())
    }

    /// Anchors a seal right after the one before it, if we remember where that is and git agrees:
    /// a chain need not be read to be made longer. Gives whether that was done.
    fn anchor_next(&self, newest: &Seal) -> bool {
        let follows = |(seal, _): &(Digest, ObjectId)| newest.statement.previous == Some(*seal);
        let tip = self.remembered_tip().filter(follows);
        tip.is_some_and(|(_, tip)| self.add_anchor(newest, Some(&tip)).is_ok())
    }

    fn add_anchor(&self, seal: &Seal, tip: Option<&ObjectId>) -> Result<ObjectId> {
        let json = serde_json::to_vec_pretty(seal)?;
        let message = format!("seal {} of ledger {}\n", seal.statement.number, self.store.id());
        let new = NewAnchor {
            previous: tip,
            files: &[(FILE, &json)],
            message: &message,
            time_seconds: u64::try_from(seal.statement.time.as_second()).unwrap_or(0),
        };
        let commit = self.repository.anchor(&anchor_name(seal.statement.ledger), &new)?;
        // Only a memory: without it the chain is read.
        self.remember_tip(&format!("{} {commit}\n", seal.digest())).ok();
        Ok(commit)
    }

    /// Put in place as a whole: a pipe that lies there would keep us waiting.
    fn remember_tip(&self, text: &str) -> std::io::Result<()> {
        let mut draft = tempfile::NamedTempFile::new_in(&self.state)?;
        draft.write_all(text.as_bytes())?;
        draft.persist(self.tip_path())?;
        Ok(())
    }

    /// The last seal that was anchored, and the commit that it is anchored by.
    fn remembered_tip(&self) -> Option<(Digest, ObjectId)> {
        let bytes = regular::read_all(&self.tip_path()).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (seal, commit) = text.trim_end().split_once(' ')?;
        Some((seal.parse().ok()?, commit.parse().ok()?))
    }

    fn tip_path(&self) -> PathBuf {
        self.state.join("anchor.tip")
    }

    /// Where the newest seal of `ledger` is kept outside the repository.
    pub(super) fn witness_path(&self, ledger: LedgerId) -> PathBuf {
        self.home.witness().join(format!("{ledger}.json"))
    }

    /// Whether a seal went to every place: the witness is the last of them.
    fn is_witnessed(&self, seal: &Seal) -> bool {
        let path = self.witness_path(seal.statement.ledger);
        let json = serde_json::to_vec_pretty(seal);
        json.is_ok_and(|json| regular::read_all(&path).is_ok_and(|known| known == json))
    }

    fn witness(&self, newest: &Seal) -> Result<()> {
        let path = self.witness_path(newest.statement.ledger);
        let dir = self.home.witness();
        let failed = |error: &std::io::Error| Error::io("write", &path, error);
        std::fs::create_dir_all(&dir).map_err(|error| failed(&error))?;
        let json = serde_json::to_vec_pretty(newest)?;
        if self.is_witnessed(newest) {
            return Ok(());
        }
        let mut draft = tempfile::NamedTempFile::new_in(&dir).map_err(|error| failed(&error))?;
        draft
            .write_all(&json)
            .and_then(|()| draft.as_file().sync_all())
            .map_err(|error| failed(&error))?;
        draft.persist(&path).map_err(|error| failed(&error.error))?;
        self.witness_place(newest.statement.ledger)
    }

    /// Remembers that `ledger` was sealed at this place, so that one that vanishes as a whole,
    /// anchors and all, is missed.
    fn witness_place(&self, ledger: LedgerId) -> Result<()> {
        if self.ledgers_sealed_here().contains(&ledger.to_string()) {
            return Ok(());
        }
        let path = self.home.witnessed_ledgers(&self.state);
        let mut options = std::fs::OpenOptions::new();
        let file = regular::open_with(&path, options.create(true).append(true));
        file.and_then(|mut file| writeln!(file, "{ledger}"))
            .map_err(|error| Error::io("write", &path, &error))
    }

    /// The ledgers that were ever sealed at this place.
    pub(super) fn ledgers_sealed_here(&self) -> Vec<String> {
        let bytes = regular::read_all(&self.home.witnessed_ledgers(&self.state));
        String::from_utf8_lossy(&bytes.unwrap_or_default()).lines().map(str::to_owned).collect()
    }
}
