//! One error for all use cases: what failed, where, what to do, and how the program ends.

use std::fmt;

use serde::Serialize;

/// What sort of error it is: part of the JSON output, and the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What was asked for is not there.
    NotFound,
    /// What was asked for can't be done in this state.
    Refused,
    /// The request itself is wrong.
    Usage,
    /// The working tree is not what was left.
    Drift,
    /// A run ended without acceptance.
    NotAccepted,
    /// A person has to look before it goes on.
    Human,
    /// A program that is needed is missing.
    MissingTool,
    /// The ledger or the disk can't be used now; nothing acknowledged is lost.
    Unavailable,
    /// The ledger is not what it was.
    Tampered,
    /// A mistake of ours.
    Bug,
}

impl Kind {
    /// The documented exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::NotFound | Self::Refused | Self::Drift | Self::Unavailable | Self::Tampered => 1,
            Self::Usage => 2,
            Self::NotAccepted => 3,
            Self::Human => 4,
            Self::MissingTool => 5,
            Self::Bug => 70,
        }
    }
}

/// An error as a surface shows it.
#[derive(Debug, Clone, Serialize)]
pub struct Error {
    pub kind: Kind,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn io(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::new(Kind::Unavailable, format!("can't {what} {}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<countersign_store::Error> for Error {
    fn from(error: countersign_store::Error) -> Self {
        use countersign_store::Error as Store;
        let message = error.to_string();
        match error {
            Store::Leased { .. } => Self::new(Kind::Refused, message)
                .hint("wait for that process, or end it; `countersign status` shows the run"),
            Store::NoBlob(_) => Self::new(Kind::NotFound, message)
                .hint("`countersign ledger verify` says whether it was removed"),
            Store::Newer { .. } => Self::new(Kind::Refused, message)
                .hint("use the newer version of countersign; this one changes nothing"),
            Store::Conflict { .. } => Self::new(Kind::Bug, message),
            Store::Unreadable(_) => Self::new(Kind::Tampered, message)
                .hint("`countersign ledger verify` names what is damaged"),
            _ => Self::new(Kind::Unavailable, message)
                .hint("`countersign doctor` looks at disk, permissions and the ledger"),
        }
    }
}

impl From<countersign_domain::relay::Refusal> for Error {
    fn from(refusal: countersign_domain::relay::Refusal) -> Self {
        Self::new(Kind::Tampered, format!("the relay's journal does not fit together: {refusal}"))
            .hint("`countersign ledger verify` names what was changed")
    }
}

impl From<countersign_domain::run::Refusal> for Error {
    fn from(refusal: countersign_domain::run::Refusal) -> Self {
        Self::new(Kind::Tampered, format!("the run's journal does not fit together: {refusal}"))
            .hint("`countersign ledger verify` names what was changed")
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::new(Kind::Bug, format!("can't read or write our own data: {error}"))
    }
}

/// The result of every use case.
pub type Result<T> = std::result::Result<T, Error>;

impl From<countersign_git::Error> for Error {
    fn from(error: countersign_git::Error) -> Self {
        use countersign_git::Error as Git;
        let message = error.to_string();
        let kind = match error {
            Git::GitMissing | Git::GitTooOld { .. } => Kind::MissingTool,
            Git::UnknownRevision { .. } => Kind::NotFound,
            Git::NoSpace { .. } | Git::Locked { .. } => Kind::Unavailable,
            _ => Kind::Refused,
        };
        Self::new(kind, message)
    }
}

impl From<countersign_exec::Error> for Error {
    fn from(error: countersign_exec::Error) -> Self {
        Self::new(Kind::Unavailable, error.to_string())
            .hint("`countersign doctor` looks at disk and programs")
    }
}
