//! What verification can find, one name for each kind of damage.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Stream;

/// A kind of damage. The names are part of the JSON output and only ever added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The body is not the one that the event's hash covers.
    BodyEdited,
    /// A field other than the body is not what the event's hash covers.
    EventEdited,
    /// An event does not follow from the one before it.
    ChainBroken,
    /// Events stand in another order than they were written in.
    Reordered,
    /// Events in the middle of a stream are gone.
    EventsRemoved,
    /// Events at the end of a stream are gone.
    TailCut,
    /// A whole stream is gone.
    StreamDropped,
    /// There are more events than there were when they were sealed, or one twice.
    EventsInserted,
    /// The chain is valid in itself, but it is not the one that was sealed.
    Rewritten,
    /// A body is gone and no signed retention accounts for it.
    BodyRemoved,
    /// A retention or replacement record is not signed with the trusted key.
    RecordForged,
    /// A seal that an anchor holds is gone from the ledger, or one in between is missing.
    SealRemoved,
    /// A seal's signature or contents do not hold.
    SealForged,
    /// Two different valid seals carry the same number.
    SealForked,
    /// A seal belongs to another ledger.
    SealForeign,
    /// A seal was signed with another key than the trusted one.
    KeyReplaced,
    /// An anchor outside the ledger is gone.
    AnchorRemoved,
    /// Anchors name a ledger that is not the one found here.
    LedgerReplaced,
    /// A blob's bytes are not the ones its name promises.
    BlobChanged,
    /// A blob that an event refers to is gone.
    BlobRemoved,
    /// A view says something else than follows from the events.
    ViewWrong,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One place where the ledger is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<Stream>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seal: Option<u64>,
    pub message: String,
}

impl Finding {
    pub fn new(kind: FindingKind, message: impl Into<String>) -> Self {
        Self { kind, stream: None, sequence: None, seal: None, message: message.into() }
    }

    pub(super) fn at(mut self, stream: &Stream, sequence: u64) -> Self {
        self.stream = Some(stream.clone());
        self.sequence = Some(sequence);
        self
    }

    pub(super) fn of_seal(mut self, number: u64) -> Self {
        self.seal = Some(number);
        self
    }
}

/// The result of a verification. Integrity (is what is here what was written?) and
/// completeness (how much of it does a seal vouch for?) are told apart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub events: u64,
    pub streams: u64,
    pub seals: u64,
    /// Events written after the newest seal: nothing outside the ledger vouches for them yet.
    pub unsealed_events: u64,
    /// Bodies that a signed retention removed.
    pub retained_bodies: u64,
    /// At most [`Report::LISTED`]; `findings_total` counts all.
    pub findings: Vec<Finding>,
    pub findings_total: u64,
    /// Things worth knowing that are no damage.
    pub notices: Vec<String>,
}

impl Report {
    /// How many findings are listed; the rest are only counted, so that verification of a
    /// wholly destroyed ledger needs no more memory than that of a sound one.
    pub const LISTED: usize = 200;

    pub fn add(&mut self, finding: Finding) {
        self.findings_total += 1;
        if self.findings.len() < Self::LISTED {
            self.findings.push(finding);
        }
    }

    pub fn is_intact(&self) -> bool {
        self.findings_total == 0
    }
}
