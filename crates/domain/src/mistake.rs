//! What is wrong in a file that a person wrote: where, what, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A place in a file. Both count from one; a column is one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A value, and where it was written. It is stored and shown as the value alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placed<T = String> {
    pub value: T,
    pub place: Place,
}

impl<T> Placed<T> {
    pub const fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }
}

impl<T: Serialize> Serialize for Placed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// One thing about a file: the file can't be used (a mistake), or it can (a warning).
macro_rules! remark {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name {
            /// The file's path, as the caller named it.
            pub file: String,
            #[serde(flatten)]
            pub place: Place,
            /// The way to the value, such as `qa.commands[1].timeout`; empty for the whole file.
            pub key: String,
            /// What is wrong.
            pub what: String,
            /// What to do about it.
            pub fix: String,
        }

        impl $name {
            pub fn new(
                (file, place): (&str, Place),
                key: impl Into<String>,
                what: impl Into<String>,
                fix: impl Into<String>,
            ) -> Self {
                let file = file.to_owned();
                Self { file, place, key: key.into(), what: what.into(), fix: fix.into() }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self { file, place: Place { line, column }, key, what, fix } = self;
                write!(f, "{file}:{line}:{column}: ")?;
                if !key.is_empty() {
                    write!(f, "{key}: ")?;
                }
                write!(f, "{what}; {fix}")
            }
        }
    };
}

remark! {
    /// Why a file can't be used.
    Mistake
}

remark! {
    /// What is odd about a file that can be used.
    Warning
}
