//! Canonical JSON (RFC 8785): the same value always gives the same bytes.

use serde::Serialize;

use crate::id::Digest;

/// The canonical JSON of `value`.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    serde_json_canonicalizer::to_string(value)
}

/// The digest of the canonical JSON of one of our own types, which are plain data and always
/// serialise; anything that would not gets the digest of nothing, which names no object.
pub(crate) fn digest<T: Serialize>(value: &T) -> Digest {
    Digest::of(to_string(value).unwrap_or_default().as_bytes())
}
