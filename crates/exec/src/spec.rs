//! What is to be run, and how it ended.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::excerpt::Excerpt;

/// One program to run, with all its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The program and its arguments. A name without `/` is looked up in `PATH` of `env`; a
    /// relative path is relative to `cwd`.
    pub argv: Vec<OsString>,
    /// Where it runs; relative to our own directory.
    pub cwd: PathBuf,
    /// The whole environment of the program, save for [`crate::LAUNCH_MARKER`].
    pub env: Environment,
    /// The file the program reads as its input, relative to our own directory; nothing to read if absent.
    pub stdin: Option<PathBuf>,
    /// How long the program may run before its tree is ended.
    pub deadline: Duration,
    /// How long processes may take to leave after SIGTERM, before SIGKILL.
    pub grace: Duration,
    /// How many bytes of output are kept; one byte more ends the tree.
    pub max_output: u64,
}

/// How a run ended. Only [`Ended::passed`] says that the program did its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ended {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    TimedOut,
    /// The program wrote more than `max_output` bytes.
    Flooded,
    Cancelled,
    /// The program could not be started: missing, not executable, no such directory, …
    NotStarted {
        reason: String,
    },
    /// We lost sight of the program, so nothing can be said about its result.
    Lost {
        reason: String,
    },
}

impl Ended {
    /// True only if the program ran to its end and exited with 0.
    pub fn passed(&self) -> bool {
        matches!(self, Self::Exited { code: 0 })
    }
}

/// The account of one finished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub ended: Ended,
    /// From the start of the program to its end, or to the moment it was told to end.
    pub duration: Duration,
    /// How many bytes were written to the caller's output.
    pub output_bytes: u64,
    pub excerpt: Excerpt,
    /// How many other processes of the tree were still alive when the program ended.
    pub stragglers: u32,
}

/// A run that has no result at all, because something on our side failed. The tree is ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start the supervisor '{program}': {source}")]
    Supervisor { program: String, source: io::Error },
    #[error("cannot keep the output of the program: {0}")]
    Output(#[source] io::Error),
    #[error("cannot watch the program: {0}")]
    Watch(#[source] io::Error),
}

/// How to start the supervisor: a program and its first arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supervisor {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
}

impl Supervisor {
    /// `program` must be an absolute path: the supervisor does not run in the caller's directory.
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
        }
    }

    /// This very executable, entered again with `arguments`.
    ///
    /// On Linux it is named through `/proc`, so that an upgrade that replaces the file while we
    /// run cannot pair an old leader with a new supervisor.
    pub fn this_program(arguments: &[&str]) -> io::Result<Self> {
        let program = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe()?
        };
        Ok(Self::new(program, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exit_zero_passes() {
        let others = [
            Ended::Exited { code: 1 },
            Ended::Exited { code: -1 },
            Ended::Signalled { signal: 9 },
            Ended::TimedOut,
            Ended::Flooded,
            Ended::Cancelled,
            Ended::NotStarted {
                reason: String::new(),
            },
            Ended::Lost {
                reason: String::new(),
            },
        ];
        assert!(Ended::Exited { code: 0 }.passed());
        assert!(others.iter().all(|ended| !ended.passed()));
    }

    /// Receipts are stored: these words must not change.
    #[test]
    fn the_stored_form_is_fixed() {
        let check = |ended: Ended, json: &str| {
            assert_eq!(serde_json::to_string(&ended).unwrap(), json);
            assert_eq!(serde_json::from_str::<Ended>(json).unwrap(), ended);
        };
        check(Ended::Exited { code: 3 }, r#"{"how":"exited","code":3}"#);
        check(
            Ended::Signalled { signal: 9 },
            r#"{"how":"signalled","signal":9}"#,
        );
        check(Ended::TimedOut, r#"{"how":"timed_out"}"#);
        check(Ended::Flooded, r#"{"how":"flooded"}"#);
        check(Ended::Cancelled, r#"{"how":"cancelled"}"#);
        check(
            Ended::NotStarted { reason: "x".into() },
            r#"{"how":"not_started","reason":"x"}"#,
        );
        check(
            Ended::Lost { reason: "x".into() },
            r#"{"how":"lost","reason":"x"}"#,
        );
    }
}
