//! Receipts: what we executed ourselves, and how it ended.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::{Digest, ObjectId};
use crate::ledger::{PublicKey, Signature, signed_bytes};
use crate::stamp::Stamp;

/// How a program that we started came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ended {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// It was still running at its deadline.
    TimedOut,
    /// It wrote more output than is allowed.
    Flooded,
    /// Someone asked us to stop it.
    Cancelled,
    /// It could not be started.
    NotStarted {
        reason: String,
    },
    /// We lost sight of it, so nobody knows how it ended.
    Lost {
        reason: String,
    },
}

impl Ended {
    /// Only an exit with code 0 is a pass; everything we don't know is not.
    pub fn passed(&self) -> bool {
        matches!(self, Self::Exited { code: 0 })
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code } => write!(f, "exit code {code}"),
            Self::Signalled { signal } => write!(f, "ended by signal {signal}"),
            Self::TimedOut => f.write_str("stopped at its deadline"),
            Self::Flooded => f.write_str("stopped: it wrote too much output"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NotStarted { reason } => write!(f, "could not be started: {reason}"),
            Self::Lost { reason } => write!(f, "lost: {reason}"),
        }
    }
}

/// What a program wrote. The whole of it is a blob; this is enough to see what happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    pub blob: Digest,
    pub bytes: u64,
    /// The beginning and the end, as text.
    pub excerpt: String,
}

/// One program that we ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    pub argv: Vec<String>,
    /// The folder, relative to the checkout.
    pub cwd: String,
    /// Digest of the environment it was given.
    pub environment: Digest,
    pub started_at: Timestamp,
    pub duration_ms: u64,
    pub ended: Ended,
    pub output: Output,
    /// Processes it left behind, which we ended.
    pub stragglers: u32,
    /// How it was confined.
    pub sandbox: String,
}

/// The proof that a check was run by us on one tree under one contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub run: Stamp,
    pub attempt: u32,
    pub contract: Digest,
    pub tree: ObjectId,
    /// Which check of the contract, counted from 0.
    pub check: u32,
    pub execution: Execution,
    /// Over everything else; what makes it ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

impl Receipt {
    /// What a signature over a receipt is for.
    pub const PURPOSE: &'static str = "receipt";

    /// The receipt's name, made from all it says.
    pub fn id(&self) -> Digest {
        crate::canonical::digest(&self.unsigned())
    }

    /// What is signed.
    pub fn unsigned(&self) -> Self {
        Self { signature: None, ..self.clone() }
    }

    /// Whether `key` signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let bytes = signed_bytes(Self::PURPOSE, &self.unsigned());
        self.signature.is_some_and(|signature| key.verifies(&bytes, &signature))
    }

    pub fn passed(&self) -> bool {
        self.execution.ended.passed()
    }
}
