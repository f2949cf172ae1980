//! Seals: a signed root over all stream heads, chained to the seal before it.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER_PERMISSIVE;
use ed25519_dalek::{Verifier as _, VerifyingKey};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::merkle;
use super::{Heads, LedgerId};
use crate::id::{Digest, IdError};

/// What a seal says. Its canonical JSON is what gets signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    pub ledger: LedgerId,
    /// The first seal of a ledger is 1.
    pub number: u64,
    pub time: Timestamp,
    /// The seal speaks of all events up to this position of the ledger.
    pub position: u64,
    pub events: u64,
    pub streams: u64,
    /// The events since the previous seal, in the order of their positions.
    pub order: Digest,
    /// Root over the heads of all streams.
    pub root: Digest,
    /// The heads that moved since the previous seal: what names the stream that was cut,
    /// dropped or rewritten.
    pub moved: Heads,
    /// Digest of the previous seal, so that none can be left out.
    pub previous: Option<Digest>,
    pub key: PublicKey,
}

impl Statement {
    /// The root a statement about `heads` must carry.
    pub fn root_over(heads: &Heads) -> Digest {
        merkle::root(heads)
    }
}

/// The digest over events in their order: chains only order the events of one stream.
#[derive(Debug, Clone, Default)]
pub struct Order(Sha256);

impl Order {
    /// Takes in the hash of the next event.
    pub fn add(&mut self, hash: &Digest) {
        self.0.update(hash.as_bytes());
    }

    pub fn finish(self) -> Digest {
        Digest::from_bytes(self.0.finalize().into())
    }
}

/// A signed statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    pub statement: Statement,
    pub signature: Signature,
}

/// Why a seal doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("it was signed with another key ({found}) than the trusted one ({trusted})")]
    OtherKey { found: PublicKey, trusted: PublicKey },
    #[error("its signature is not valid")]
    Signature,
    #[error("it belongs to ledger {0}")]
    OtherLedger(LedgerId),
}

impl Seal {
    /// What the next seal names as its previous one.
    pub fn digest(&self) -> Digest {
        let mut bytes = signed_bytes("seal", &self.statement);
        bytes.extend_from_slice(&self.signature.0);
        Digest::of(&bytes)
    }

    /// Whether the seal is one of `ledger`, signed with `trusted`.
    pub fn check(&self, ledger: LedgerId, trusted: &PublicKey) -> Result<(), SealError> {
        if self.statement.ledger != ledger {
            return Err(SealError::OtherLedger(self.statement.ledger));
        }
        if self.statement.key != *trusted {
            return Err(SealError::OtherKey { found: self.statement.key, trusted: *trusted });
        }
        if trusted.verifies(&signed_bytes("seal", &self.statement), &self.signature) {
            Ok(())
        } else {
            Err(SealError::Signature)
        }
    }
}

/// The bytes that are signed for `statement`: its canonical JSON behind a line that says what
/// it is, so that a signature over one kind of statement is none over another.
pub fn signed_bytes<T: Serialize>(purpose: &str, statement: &T) -> Vec<u8> {
    let mut bytes = format!("countersign {purpose} 1\n").into_bytes();
    // Our statements are plain structs of strings and integers: they always serialise. Should
    // one ever not, the empty text it leaves verifies nothing.
    bytes.extend(serde_json_canonicalizer::to_vec(statement).unwrap_or_default());
    bytes
}

/// An ed25519 public key, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Whether `signature` over `message` was made with this key's secret half.
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| key.verify(message, &signature).is_ok())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER_PERMISSIVE.encode(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        decode(text.trim())
            .map(Self)
            .ok_or_else(|| IdError::new("an ed25519 public key (64 hexadecimal digits)", text))
    }
}

impl TryFrom<String> for PublicKey {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

/// An ed25519 signature, written as 128 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature(pub [u8; 64]);

impl TryFrom<String> for Signature {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        decode(&text)
            .map(Self)
            .ok_or_else(|| IdError::new("a signature (128 hexadecimal digits)", &text))
    }
}

impl From<Signature> for String {
    fn from(signature: Signature) -> Self {
        HEXLOWER_PERMISSIVE.encode(&signature.0)
    }
}

fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?.try_into().ok()
}
