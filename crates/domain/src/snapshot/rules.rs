//! The ignore rules that lie outside of the tree, frozen when a context begins.

use serde::{Deserialize, Serialize};

use super::path_text::PathText;
use crate::id::Digest;

/// What `.git/info/exclude` and the user's own ignore file said. A rule that is added later
/// hides nothing from who compares by these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoreRules {
    pub exclude: PathText,
    pub global: PathText,
}

impl IgnoreRules {
    pub fn digest(&self) -> Digest {
        let lengths = [self.exclude.as_bytes().len() as u64, self.global.as_bytes().len() as u64];
        let mut bytes: Vec<u8> = lengths.iter().flat_map(|len| len.to_be_bytes()).collect();
        bytes.extend_from_slice(self.exclude.as_bytes());
        bytes.extend_from_slice(self.global.as_bytes());
        Digest::of(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_one_digest_each() {
        let rules = |exclude: &str, global: &str| IgnoreRules {
            exclude: exclude.into(),
            global: global.into(),
        };
        assert_eq!(rules("a", "b").digest(), rules("a", "b").digest());
        for other in [rules("ab", ""), rules("", "ab"), rules("b", "a"), rules("", "")] {
            assert_ne!(rules("a", "b").digest(), other.digest());
        }
    }

    #[test]
    fn rules_are_kept_to_the_byte() {
        let rules =
            IgnoreRules { exclude: "*.o\n\\#x\n".into(), global: PathText::new(*b"\xff\n") };
        let text = serde_json::to_string(&rules).unwrap();
        assert_eq!(serde_json::from_str::<IgnoreRules>(&text).unwrap(), rules);
    }
}
