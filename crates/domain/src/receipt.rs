//! Receipts: what we executed ourselves, and how it ended.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{Digest, ObjectId};
use crate::ledger::{PublicKey, Signature, signed_bytes};
use crate::run::Outside;
use crate::stamp::Stamp;
use crate::verify::Level;

/// How a program that we started came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// A program that a command needs, as it was when the command was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolVersion {
    /// As commands name it.
    pub program: String,
    /// The file that it is.
    pub path: String,
    /// What it says about itself; nothing for programs that are not known to say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// When that file was changed last, as the file system counts it: nobody can set that back.
    pub changed_at: Timestamp,
    /// What is installed for it outside of the project, as far as a list of it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<Digest>,
}

/// What a program and everything that it started and waited for have used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// The time of all processors together, of the program and of the system for it.
    pub cpu_ms: u64,
    /// The most memory that one process of it had at a time.
    pub peak_bytes: u64,
}

/// One program that we ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// Where it names the folder that was made for it, `{place}` stands for that folder.
    pub argv: Vec<String>,
    /// The folder, relative to the checkout.
    pub cwd: String,
    /// Digest of the environment it was given, without the folder that was made for it.
    pub environment: Digest,
    pub started_at: Timestamp,
    pub duration_ms: u64,
    pub ended: Ended,
    pub output: Output,
    /// Processes it left behind, which we ended.
    pub stragglers: u32,
    /// How it was confined.
    pub sandbox: String,
    /// The report that a test runner left, as a blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Used>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolVersion>,
}

impl Execution {
    /// The blobs that it refers to.
    pub fn blobs(&self) -> Vec<Digest> {
        [Some(self.output.blob), self.report].into_iter().flatten().collect()
    }
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
    /// What kind of evidence it is, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// What changed in the user's own repository meanwhile, where it could write there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
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

    /// What must be the same for this receipt to stand for another run.
    pub fn identity(&self) -> Identity<'_> {
        let Execution { argv, cwd, environment, sandbox, tools, .. } = &self.execution;
        Identity {
            contract: self.contract,
            tree: &self.tree,
            check: self.check,
            attempt: self.attempt,
            argv,
            cwd,
            environment: *environment,
            sandbox,
            tools,
            is_planted: false,
        }
    }

    /// Whether it says how the command ends on that tree. A failure is a fact; what was stopped, or
    /// was never started, says nothing. Shells have two exit codes for what they can't start.
    pub fn is_reusable(&self) -> bool {
        const NOT_STARTED: [i32; 2] = [126, 127];
        matches!(self.execution.ended, Ended::Exited { code } if !NOT_STARTED.contains(&code))
    }
}

/// What must be the same for one run to stand for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Identity<'a> {
    pub contract: Digest,
    pub tree: &'a ObjectId,
    pub check: u32,
    /// Which of several runs of the same on the same.
    pub attempt: u32,
    pub argv: &'a [String],
    pub cwd: &'a str,
    pub environment: Digest,
    pub sandbox: &'a str,
    pub tools: &'a [ToolVersion],
    /// Whether tests of ours were planted into `tree`. Their names are others every time.
    pub is_planted: bool,
}

impl Identity<'_> {
    /// The name under which runs are found again.
    pub fn digest(&self) -> Digest {
        crate::canonical::digest(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(ended: &str) -> Receipt {
        let stored = serde_json::json!({
            "run": "20261116_090507_001", "attempt": 1, "contract": "0".repeat(64),
            "tree": "1".repeat(40), "check": 0,
            "execution": {
                "argv": ["true"], "cwd": ".", "environment": "2".repeat(64),
                "started_at": "2026-11-16T09:05:07Z", "duration_ms": 1,
                "ended": serde_json::from_str::<serde_json::Value>(ended).unwrap(),
                "output": { "blob": "3".repeat(64), "bytes": 0, "excerpt": "" },
                "stragglers": 0, "sandbox": "none",
            },
        });
        serde_json::from_value(stored).unwrap()
    }

    /// D1.7: a failure is a fact; what was stopped or never started is none.
    #[test]
    fn only_what_ended_by_itself_is_reusable() {
        let check = |ended: &str, expected: bool| {
            assert_eq!(receipt(ended).is_reusable(), expected, "{ended}");
        };
        check(r#"{"how":"exited","code":0}"#, true);
        check(r#"{"how":"exited","code":1}"#, true);
        check(r#"{"how":"exited","code":126}"#, false);
        check(r#"{"how":"exited","code":127}"#, false);
        check(r#"{"how":"timed_out"}"#, false);
        check(r#"{"how":"signalled","signal":9}"#, false);
        check(r#"{"how":"not_started","reason":"x"}"#, false);
        check(r#"{"how":"lost","reason":"x"}"#, false);
        check(r#"{"how":"flooded"}"#, false);
        check(r#"{"how":"cancelled"}"#, false);
    }

    /// D1.7: another tree, contract, command, environment, sandbox, tool or repetition is another run.
    #[test]
    fn every_part_of_an_identity_counts() {
        let first = receipt(r#"{"how":"exited","code":0}"#);
        let name = first.identity().digest();
        let check = |change: &dyn Fn(&mut Receipt)| {
            let mut other = first.clone();
            change(&mut other);
            assert_ne!(other.identity().digest(), name, "{other:?}");
        };
        check(&|other| other.tree = "4".repeat(40).parse().unwrap());
        check(&|other| other.contract = Digest::of(b""));
        check(&|other| other.check = 1);
        check(&|other| other.attempt = 2);
        check(&|other| other.execution.argv.push("x".into()));
        check(&|other| other.execution.cwd = "web".into());
        check(&|other| other.execution.environment = Digest::of(b""));
        check(&|other| other.execution.sandbox = "bubblewrap".into());
        check(&|other| {
            let (program, path) = ("cc".to_owned(), "/usr/bin/cc".to_owned());
            let changed_at = other.execution.started_at;
            let tool =
                ToolVersion { program, path, version: String::new(), changed_at, packages: None };
            other.execution.tools.push(tool);
        });
        assert_ne!(Identity { is_planted: true, ..first.identity() }.digest(), name);
        let mut later = first.clone();
        later.run = "20261116_090507_002".parse().unwrap();
        later.execution.duration_ms = 9;
        assert_eq!(later.identity().digest(), name);
    }
}
