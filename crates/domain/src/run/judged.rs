//! What was found about an attempt with a crew: by us, and by verifiers.

use serde::{Deserialize, Serialize};

use super::Outside;
use crate::agent::{AgentSpec, Heard};
use crate::claim::Audit;
use crate::id::{Digest, ObjectId};
use crate::ledger::{PublicKey, Signature, signed_bytes};
use crate::receipt::{Ended, Execution};
use crate::stamp::Stamp;
use crate::verdict::AgentVerdict;
use crate::verify::{Level, Reason, Unexpected, Verdict};

/// A look at the assignment before the work (LP-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewed {
    pub attempt: u32,
    #[serde(flatten)]
    pub review: Review,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<Box<Execution>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Box<Heard>>,
    /// What changed in the user's own repository meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
}

impl Reviewed {
    pub(super) fn blobs(&self) -> Vec<Digest> {
        let output = self.execution.iter().flat_map(|execution| execution.blobs());
        self.prompt.into_iter().chain(output).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "review", rename_all = "snake_case")]
pub enum Review {
    Skipped {
        because: String,
    },
    Sufficient,
    /// The worker is told.
    Concerns {
        concerns: Vec<String>,
    },
}

/// A command that the worker says it ran, run by us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reproduced {
    pub command: String,
    pub claimed: i64,
    pub ended: Ended,
    /// Whether it was said to fail before the work, and was run on the old code with the new tests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_red: bool,
}

impl Reproduced {
    /// What was said to fail before the work, and how it ended for us.
    pub fn red(command: &str, claimed: i64, ended: Ended) -> Self {
        Self { command: command.to_owned(), claimed, ended, is_red: true }
    }

    pub fn agrees(&self) -> bool {
        // How it fails may differ, also where it can't even begin; that it passes may not.
        if self.is_red {
            return !self.ended.passed();
        }
        matches!(self.ended, Ended::Exited { code } if i64::from(code) == self.claimed)
    }
}

/// The verification of what an attempt handed over. Its receipts are on its own record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    pub run: Stamp,
    pub attempt: u32,
    pub tree: ObjectId,
    /// The verification's own name: `countersign show` and its stream tell everything.
    pub verification: Stamp,
    pub verdict: Verdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    pub reasons: Vec<Reason>,
    /// One line for each finding of gaming that is not allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The receipts of the criteria, with their commands and whether they passed.
    pub receipts: Vec<Proof>,
    /// Tests that failed before the work and pass now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproduced: Vec<Reproduced>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
    /// Tests of the test-spec that were not seen to run and pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_tests: Vec<String>,
    /// Tests of the test-spec whose command passed without telling which tests it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnamed_tests: Vec<String>,
    /// Rows of the test-spec whose command printed something else than they expect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexpected: Vec<Unexpected>,
    /// Files that the story is not about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out_of_scope: Vec<String>,
    /// What changed in the user's own repository meanwhile, where it could write there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
    /// Over everything else; what makes it ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

impl Examined {
    /// What a signature over it is for.
    pub const PURPOSE: &'static str = "examination";

    /// What is signed.
    pub fn unsigned(&self) -> Self {
        Self { signature: None, ..self.clone() }
    }

    /// Whether `key` signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let bytes = signed_bytes(Self::PURPOSE, &self.unsigned());
        self.signature.is_some_and(|signature| key.verifies(&bytes, &signature))
    }
}

/// One criterion that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub command: String,
    pub passed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub receipts: Vec<Digest>,
    /// The end of what it printed, where it did not pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

/// What came of a verifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    pub attempt: u32,
    pub verifier: u32,
    pub tree: ObjectId,
    pub agent: AgentSpec,
    pub execution: Box<Execution>,
    pub heard: Heard,
    #[serde(flatten)]
    pub said: Said,
    /// Files of its checkout that it changed, which it may not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<String>,
    /// What changed in the user's own repository meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
}

/// A verifier's verdict, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum Said {
    Verdict { verdict: Box<AgentVerdict> },
    Unfit { faults: Vec<String> },
}

impl Verified {
    /// The verdict, if it can be used: one of a verifier that changed files can't.
    pub fn verdict(&self) -> Option<&AgentVerdict> {
        match &self.said {
            Said::Verdict { verdict } if self.touched.is_empty() => Some(verdict),
            _ => None,
        }
    }
}
