//! Verifying the ledger against its seals, its anchors and its blobs.

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::Digest;
use countersign_domain::ledger::{
    Anchor, Finding, FindingKind, LedgerId, PublicKey, REPLACED, Report, Verifier,
};
use countersign_store::{Placed, ViewChange};
use serde::Serialize;

use super::sealing::{anchor_name, seal_of};
use super::{blobs_of, rows_of_stream};
use crate::error::{Error, Result};
use crate::{Engine, budget, checkpoint, worklog};

/// What verification found. Integrity and completeness are told apart.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    pub ledger: LedgerId,
    /// The key that the seals were checked against.
    pub key: PublicKey,
    pub intact: bool,
    #[serde(flatten)]
    pub report: Report,
    /// Acknowledged events that were lost when a damaged database was replaced: the chain may
    /// be valid without them.
    pub lost_events: u64,
    /// Blobs that events refer to, all checked.
    pub blobs: u64,
}

/// What a pass over the events gathers besides the chain.
#[derive(Default)]
struct Gathered {
    blobs: BTreeSet<Digest>,
    /// Ledgers that this one says it took the place of.
    replaced: BTreeSet<String>,
}

impl Engine {
    /// Checks every event, seal, anchor, blob and view.
    pub fn verify(&self, trusted: Option<PublicKey>) -> Result<Verification> {
        let ledger = self.store.id();
        let key = match trusted {
            Some(key) => key,
            None => self.key()?.public(),
        };
        let mut unreadable = Vec::new();
        let (recorded, anchors) = {
            // Whoever seals meanwhile would make the places differ. Who can't have the turn, in a
            // folder that is read-only, looks all the same.
            let _turn = self.turn_to_seal().ok();
            let git = self.git_anchor(ledger, &mut unreadable);
            (self.store.seals()?, [git, self.witness_anchor(ledger)?])
        };
        let mut verifier = Verifier::new(ledger, key, recorded, &anchors);
        let mut gathered = Gathered::default();
        self.store.scan(0, |placed| {
            verifier.event(placed.position, &placed.event);
            gathered.take(placed);
            Ok(())
        })?;
        let mut report = verifier.finish();
        for finding in unreadable {
            report.add(finding);
        }
        self.check_other_ledgers(&gathered, &mut report)?;
        self.check_blobs(&gathered, &mut report)?;
        // What follows from damaged events is nothing to compare with.
        if report.is_intact() {
            self.store.at_one_moment(|_| self.check_views(&mut report))?;
        }
        Ok(Verification {
            ledger,
            key,
            intact: report.is_intact(),
            report,
            lost_events: self.store.set_asides().iter().map(|aside| aside.lost).sum(),
            blobs: gathered.blobs.len() as u64,
        })
    }

    fn git_anchor(&self, ledger: LedgerId, unreadable: &mut Vec<Finding>) -> Anchor {
        let name = anchor_name(ledger);
        let place = format!("refs/countersign/{name}");
        let mut seals = Vec::new();
        let chain = self.repository.anchored(&name).unwrap_or_else(|error| {
            let message = format!("{place} can't be read: {error}");
            unreadable.push(Finding::new(FindingKind::AnchorRemoved, message));
            Vec::new()
        });
        for anchored in chain {
            match seal_of(&anchored) {
                Some(seal) => seals.push(seal),
                None => unreadable.push(Finding::new(
                    FindingKind::SealForged,
                    format!("commit {} in {place} holds no seal", anchored.commit),
                )),
            }
        }
        Anchor { place, seals, is_whole: true }
    }

    fn witness_anchor(&self, ledger: LedgerId) -> Result<Anchor> {
        let path = self.witness_path(ledger);
        let seals = match crate::regular::read_all(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).ok().into_iter().collect(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("read", &path, &error)),
        };
        Ok(Anchor { place: format!("the witness {}", path.display()), seals, is_whole: false })
    }

    /// Anchors of a ledger that is not here any more: someone put another one in its place.
    fn check_other_ledgers(&self, gathered: &Gathered, report: &mut Report) -> Result<()> {
        for other in self.other_anchors()? {
            if !gathered.replaced.contains(&other) {
                report.add(Finding::new(
                    FindingKind::LedgerReplaced,
                    format!("refs/countersign/seals/{other} seals a ledger that is not here"),
                ));
            }
        }
        // No finding: whoever removes a repository and clones it again does nothing wrong.
        let here = self.store.id().to_string();
        for gone in self.ledgers_sealed_here() {
            if gone != here && !gathered.replaced.contains(&gone) {
                report.notices.push(format!(
                    "ledger {gone} was kept at this place before and is gone; its newest seal is \
                     in {}",
                    self.home.witness().display()
                ));
            }
        }
        Ok(())
    }

    /// The ledgers other than this one that are anchored in git.
    fn other_anchors(&self) -> Result<Vec<String>> {
        let here = self.store.id().to_string();
        let anchors = self.repository.anchor_refs("seals")?.into_iter();
        let ids = anchors.filter_map(|(name, _)| name.rsplit('/').next().map(str::to_owned));
        Ok(ids.filter(|other| *other != here).collect())
    }

    /// Reads the whole ledger; the ledgers that were sealed here and that it does not say it took the
    /// place of.
    pub(crate) fn ledgers_gone(&self) -> Result<Vec<String>> {
        let mut gathered = Gathered::default();
        self.store.scan(0, |placed| {
            gathered.take(placed);
            Ok(())
        })?;
        let mut gone = self.other_anchors()?;
        gone.retain(|other| !gathered.replaced.contains(other));
        Ok(gone)
    }

    /// Compares the views, which lists are read from, with what follows from the events.
    fn check_views(&self, report: &mut Report) -> Result<()> {
        let remake = "`countersign ledger rebuild` remakes it";
        for stream in self.store.wrong_heads()? {
            let message = format!("the head of {stream} is not its last event; {remake}");
            report.add(Finding::new(FindingKind::ViewWrong, message));
        }
        let mut found = BTreeMap::new();
        let ours = [
            "run",
            "receipt",
            "reusable",
            "review",
            "relay",
            "memory",
            "backend",
            "context",
            "contract",
            "contract_content",
            checkpoint::VIEW,
        ];
        for kind in ours.into_iter().chain(worklog::VIEWS).chain(budget::VIEWS) {
            let rows = self.store.views(kind, "", u32::MAX)?;
            found.extend(rows.into_iter().map(|row| ((row.kind, row.key), row.body)));
        }
        let mut expected = BTreeMap::new();
        for stream in self.store.heads_after(0)?.keys() {
            for change in rows_of_stream(stream, &|| self.store.read(stream, 0))? {
                match change {
                    ViewChange::Put(row) => expected.insert((row.kind, row.key), row.body),
                    ViewChange::Remove { kind, key } => expected.remove(&(kind, key)),
                };
            }
        }
        let names: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
        let wrong = names.into_iter().filter(|name| expected.get(*name) != found.get(*name));
        for (kind, key) in wrong {
            let message = format!("the view of {kind} {key} is not what the events say; {remake}");
            report.add(Finding::new(FindingKind::ViewWrong, message));
        }
        Ok(())
    }

    fn check_blobs(&self, gathered: &Gathered, report: &mut Report) -> Result<()> {
        let blobs = self.store.blobs();
        for digest in &gathered.blobs {
            let finding = match blobs.check(digest) {
                Ok(true) => continue,
                Ok(false) => Finding::new(
                    FindingKind::BlobChanged,
                    format!("the bytes of blob {digest} are not the ones that were written"),
                ),
                Err(countersign_store::Error::NoBlob(_)) => {
                    Finding::new(FindingKind::BlobRemoved, format!("blob {digest} is gone"))
                }
                Err(error) => return Err(error.into()),
            };
            report.add(finding);
        }
        Ok(())
    }
}

impl Gathered {
    fn take(&mut self, placed: &Placed) {
        let Some(body) = &placed.event.body else { return };
        self.blobs.extend(blobs_of(&placed.event.kind, body));
        if placed.event.kind == REPLACED {
            let previous = serde_json::from_str::<serde_json::Value>(body)
                .ok()
                .and_then(|body| Some(body["statement"]["previous"].as_str()?.to_owned()));
            self.replaced.extend(previous);
        }
    }
}
