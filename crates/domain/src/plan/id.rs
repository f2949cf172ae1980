//! Names in a plan: its slug, its stories, their criteria; and the lines where things are written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::IdError;

/// The short name of a plan, and of its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

impl Slug {
    pub const MAX: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A slug made from words, such as the objective of a plan.
    pub fn suggest(words: &str) -> Option<Self> {
        let mut slug = String::new();
        for word in words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
            let word = word.to_ascii_lowercase();
            if slug.len() + word.len() >= 32 {
                break;
            }
            if !slug.is_empty() {
                slug.push('-');
            }
            slug.push_str(&word);
        }
        slug.parse().ok()
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Slug {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let named = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let is_slug = (1..=Self::MAX).contains(&text.len())
            && text.bytes().all(named)
            && !text.starts_with('-')
            && !text.ends_with('-')
            // Otherwise it could be the name of a device somewhere, and no folder.
            && text.parse::<crate::task::TaskId>().is_ok();
        if is_slug {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::new("a slug (small letters, digits and '-', as in auth-refactor)", text))
        }
    }
}

impl TryFrom<String> for Slug {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

/// A numbered name. `US-1`, `us-001` and `US 1` are the same, and one of them is written.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $format:literal, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(u32);

        impl $name {
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            pub const fn number(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, $format, self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let wrong = || IdError::new($expected, text);
                let prefix = text.get(..$prefix.len()).ok_or_else(wrong)?;
                let digits = text[$prefix.len()..].trim_start_matches(['-', '_', ' ']);
                let is_number = (1..=6).contains(&digits.len())
                    && digits.bytes().all(|b| b.is_ascii_digit());
                if !prefix.eq_ignore_ascii_case($prefix) || !is_number {
                    return Err(wrong());
                }
                digits.parse().map(Self).map_err(|_| wrong())
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

numbered! {
    /// The name of a story, such as `US-001`.
    StoryId, "US", "US-{:03}", "a story's id (as in US-001)"
}

numbered! {
    /// The name of an acceptance criterion within its story, such as `AC1`.
    CriterionId, "AC", "AC{}", "a criterion's id (as in AC1)"
}

/// The line of a file, from one. It says where something was written and nothing about what, so
/// that plans which say the same are equal.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(transparent)]
pub struct Line(pub usize);

impl PartialEq for Line {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Line {}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-04, D1.5: several spellings of ids are read, and one is written.
    #[test]
    fn ids_are_read_in_several_spellings_and_written_in_one() {
        for text in ["US-001", "us-1", "US1", "Us_0001", "US 1"] {
            assert_eq!(text.parse::<StoryId>().map(|id| id.to_string()).unwrap(), "US-001");
        }
        for text in ["AC1", "ac-1", "AC 01", "AC_1"] {
            assert_eq!(text.parse::<CriterionId>().map(|id| id.to_string()).unwrap(), "AC1");
        }
        assert_eq!(StoryId::new(1234).to_string(), "US-1234");
        for text in
            ["", "U", "US", "US-", "US-1a", "US-1234567", "ÜS-1", "ÜÜ-1", "US--x", "1", "US-١"]
        {
            assert!(text.parse::<StoryId>().is_err(), "{text}");
        }
    }

    /// LP-04: a slug is the name of a folder on every system.
    #[test]
    fn slugs_are_safe_names_of_folders() {
        for text in ["a", "auth-refactor", "2fa"] {
            assert_eq!(text.parse::<Slug>().unwrap().as_str(), text);
        }
        for text in ["", "-a", "a-", "A", "a b", "a/b", "..", "con", "ä", &"a".repeat(65)] {
            assert!(text.parse::<Slug>().is_err(), "{text}");
        }
    }

    /// LP-04: a slug is suggested from the words of an objective.
    #[test]
    fn a_slug_is_suggested() {
        let suggested = |words: &str| Slug::suggest(words).map(|slug| slug.to_string());
        assert_eq!(suggested("Greet visitors by name!").as_deref(), Some("greet-visitors-by-name"));
        assert_eq!(suggested("…"), None);
        assert_eq!(
            suggested(&"very long words ".repeat(9)).as_deref(),
            Some("very-long-words-very-long-words")
        );
    }
}
