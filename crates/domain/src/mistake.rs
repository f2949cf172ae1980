//! What is wrong in a file that a person wrote: where, what, and what to do about it.

mod nearest;

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

pub use nearest::{nearest, suggestion};

/// A place in a file. Both count from one; a column is one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place of a byte of a text.
    pub fn of(text: &[u8], byte: usize) -> Self {
        let before = &text[..byte.min(text.len())];
        let line = before.split(|byte| *byte == b'\n');
        let column = String::from_utf8_lossy(line.clone().next_back().unwrap_or_default());
        Self { line: line.count(), column: column.chars().count() + 1 }
    }
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

/// A file's bytes as text, or where they are no UTF-8.
pub fn utf8<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Mistake> {
    str::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        let what = format!("byte {byte} (0x{:02x}) is no UTF-8", bytes[byte]);
        Mistake::new((file, Place::of(bytes, byte)), "", what, "save the file as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        let said = utf8("a.yaml", bytes).map_err(|mistake| mistake.to_string());
        assert_eq!(said.err().unwrap_or_default(), expected);
    }

    /// CX-02: what is no UTF-8 is told with its byte, line and column.
    #[test]
    fn bytes_that_are_no_text_are_told() {
        check("äöü\r\n".as_bytes(), "");
        check(b"", "");
        check(b"\xff", "a.yaml:1:1: byte 0 (0xff) is no UTF-8; save the file as UTF-8");
        check(
            "a: ä\nb: ö".as_bytes().split_last().unwrap().1,
            "a.yaml:2:4: byte 9 (0xc3) is no UTF-8; save the file as UTF-8",
        );
        check(b"a\xffb", "a.yaml:1:2: byte 1 (0xff) is no UTF-8; save the file as UTF-8");
    }
}
