//! Names of tasks, such as `TASK-0824`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::IdError;

/// The name of a task. It is safe as a part of a file name and of a git ref on every system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(String);

impl TaskId {
    pub const MAX: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TaskId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match flaw(text) {
            None => Ok(Self(text.to_owned())),
            Some(_) => Err(IdError::new("a task's id (as in TASK-0824)", text)),
        }
    }
}

impl TryFrom<String> for TaskId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.0
    }
}

/// Names that are devices on Windows, with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Why a text can't be the name of a task.
pub(crate) fn flaw(text: &str) -> Option<&'static str> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let lower = text.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    let ending = lower.rsplit_once('.').map(|(_, ending)| ending);
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    if text.is_empty() {
        Some("it is empty")
    } else if text.len() > TaskId::MAX {
        Some("it has more than 64 characters")
    } else if !text.chars().all(allowed) {
        Some("it has other characters than letters, digits, '-', '_' and '.'")
    } else if !text.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
        Some("it doesn't begin with a letter or a digit")
    } else if text.contains("..") || text.ends_with('.') || ending == Some("lock") {
        Some("git allows no '..', no '.' at the end and no '.lock' at the end")
    } else if DEVICES.contains(&stem) || port.is_some_and(|n| n.len() == 1 && n != "0") {
        Some("it is the name of a device on Windows")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-02: ids are safe as names of files and refs.
    #[test]
    fn ids_are_safe_as_names_of_files_and_refs() {
        let long = "a".repeat(64);
        for good in
            ["TASK-0824", "a", "7", "fix_login", "v1.2", "com0", "console", "LPT", "lock", &long]
        {
            assert_eq!(flaw(good), None, "{good}");
            assert_eq!(good.parse::<TaskId>().unwrap().as_str(), good);
        }
        let too_long = "a".repeat(65);
        for bad in [
            "", " ", "a b", "a/b", "a\\b", "..", "a..b", "a.", ".a", "-a", "_a", "a.lock",
            "A.LOCK", "con", "NUL", "aux.txt", "com1", "lpt9.x", "a:b", "a~1", "a^", "a?", "a*",
            "a[", "@{", "ä", "a\n", "a\0", &too_long,
        ] {
            assert!(flaw(bad).is_some(), "{bad:?}");
            assert!(bad.parse::<TaskId>().is_err(), "{bad:?}");
        }
    }
}
