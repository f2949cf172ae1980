//! What is to be run, and how it ended.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use countersign_domain::Digest;
pub use countersign_domain::receipt::{Ended, Used};

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
    /// What it used; nothing is known of a program that was lost.
    pub used: Option<Used>,
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
    /// What the marks of all its launches begin with.
    pub(crate) kin: Option<Kin>,
}

/// Who programs belong to beyond one launch, such as a run: what all of them bear, so that they are
/// found again when nobody is left who started them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kin(String);

impl Kin {
    /// Half of a mark; the other half is each launch's own.
    const DIGITS: usize = 16;

    /// The kin of who has this digest. Another digest is another kin.
    pub fn of(whose: &Digest) -> Self {
        let mut digits = whose.to_string();
        digits.truncate(Self::DIGITS);
        Self(digits)
    }

    /// The mark of a launch: this, and the end of `unique`, which has as many digits as a mark.
    pub(crate) fn mark(&self, unique: &str) -> String {
        format!("{}{}", self.0, unique.get(Self::DIGITS..).unwrap_or_default())
    }

    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn digits(&self) -> &str {
        &self.0
    }
}

impl Supervisor {
    /// `program` must be an absolute path: the supervisor does not run in the caller's directory.
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(OsString::from).collect();
        Self { program: program.into(), arguments, kin: None }
    }

    /// The same for programs that are all of one kin.
    #[must_use]
    pub fn for_kin(self, kin: Option<Kin>) -> Self {
        Self { kin, ..self }
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

    /// Receipts are stored: these words must not change.
    #[test]
    fn the_stored_form_is_fixed() {
        let check = |ended: Ended, json: &str| {
            assert_eq!(serde_json::to_string(&ended).unwrap(), json);
            assert_eq!(serde_json::from_str::<Ended>(json).unwrap(), ended);
        };
        check(Ended::Exited { code: 3 }, r#"{"how":"exited","code":3}"#);
        check(Ended::Signalled { signal: 9 }, r#"{"how":"signalled","signal":9}"#);
        check(Ended::TimedOut, r#"{"how":"timed_out"}"#);
        check(Ended::Flooded, r#"{"how":"flooded"}"#);
        check(Ended::Cancelled, r#"{"how":"cancelled"}"#);
        check(Ended::NotStarted { reason: "x".into() }, r#"{"how":"not_started","reason":"x"}"#);
        check(Ended::Lost { reason: "x".into() }, r#"{"how":"lost","reason":"x"}"#);
    }
}
