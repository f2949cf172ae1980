//! What a context was made from and what was made from it, each with its digest, so that it can
//! be made again and compared.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::Digest;

/// The name and version of how values become bytes: keys sorted, two spaces, UTF-8, one newline
/// at the end.
pub const SERIALIZER: &str = "sorted-json/1";

/// A list of everything around a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub version: u32,
    pub serializer: String,
    pub normalizer: String,
    /// The files of the repository that it was made from, sorted by path.
    pub sources: Vec<Source>,
    /// The files that were made, sorted by path.
    pub derived: Vec<Source>,
}

/// A file and the digest of its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub path: String,
    pub sha256: Digest,
}

impl Manifest {
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serialized(self)
    }

    /// The sources that are not what they were: changed, gone or new.
    pub fn changes(&self, now: &[Source]) -> Vec<String> {
        let mut changes = Vec::new();
        for was in &self.sources {
            match now.iter().find(|is| is.path == was.path) {
                None => changes.push(format!("{}: no longer used", was.path)),
                Some(is) if is.sha256 != was.sha256 => changes.push(format!(
                    "{}: changed ({} → {})",
                    was.path,
                    was.sha256.short(),
                    is.sha256.short()
                )),
                Some(_) => {}
            }
        }
        let is_new = |is: &&Source| !self.sources.iter().any(|was| was.path == is.path);
        changes.extend(now.iter().filter(is_new).map(|is| format!("{}: new", is.path)));
        changes
    }
}

/// `value` as the bytes that are stored and hashed.
pub(crate) fn serialized(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    // A map of `serde_json` keeps its keys sorted; going through it sorts those of structs.
    let value: Value = serde_json::to_value(value)?;
    let mut bytes = serde_json::to_vec_pretty(&sorted(value))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Sorts keys whatever map `serde_json` was built with.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(String, Value)> = map.into_iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
