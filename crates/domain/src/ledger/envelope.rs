//! Events, and how they are chained.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::id::{Digest, IdError};

/// The identity of one ledger. Every chain starts from it, so that a stream or a seal from
/// another ledger can't be passed off as one of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LedgerId(pub Uuid);

impl fmt::Display for LedgerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for LedgerId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        text.parse().map(Self).map_err(|_| IdError::new("a ledger id (a UUID)", text))
    }
}

impl LedgerId {
    /// What the first event of `stream` names as the one before it.
    pub fn root_of(self, stream: &Stream) -> Digest {
        Digest::of(format!("countersign ledger {self} stream {stream}").as_bytes())
    }
}

/// The name of a stream, such as `run/20261116_101500_001`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stream(String);

impl Stream {
    /// The longest name; keeps index pages small.
    pub const MAX: usize = 200;

    /// The stream of the ledger's own acts: retention, replacement.
    pub fn of_ledger() -> Self {
        Self("ledger".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Stream {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/');
        let shaped = !text.is_empty() && !text.starts_with('/') && !text.ends_with('/');
        if shaped && text.len() <= Self::MAX && text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::new(
                "a stream name (letters, digits, '_', '-', '.' and '/', at most 200)",
                text,
            ))
        }
    }
}

impl TryFrom<String> for Stream {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<Stream> for String {
    fn from(stream: Stream) -> Self {
        stream.0
    }
}

/// An event before it has a place in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub id: Uuid,
    pub time: Timestamp,
    /// Who did it: `user`, `engine`, an agent's name.
    pub actor: String,
    pub kind: String,
    /// The version of the body's shape; a shape is only ever added to.
    pub format: u32,
    /// Canonical JSON (RFC 8785).
    pub body: String,
}

impl Draft {
    /// Chains the draft as event `sequence` of `stream`, after the event with hash `previous`.
    pub fn chain(self, stream: &Stream, sequence: u64, previous: Digest) -> Event {
        let mut event = Event {
            id: self.id,
            stream: stream.clone(),
            sequence,
            // Always six digits, so that times sort as text.
            time: format!("{:.6}", self.time),
            actor: self.actor,
            kind: self.kind,
            format: self.format,
            body_hash: Digest::of(self.body.as_bytes()),
            body: Some(self.body),
            previous,
            hash: previous,
        };
        event.hash = event.computed_hash();
        event
    }
}

/// One fact, in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub id: Uuid,
    pub stream: Stream,
    /// The first event of a stream is 1.
    pub sequence: u64,
    /// RFC 3339, UTC. Kept as written, so that its bytes are what was hashed.
    pub time: String,
    pub actor: String,
    pub kind: String,
    pub format: u32,
    /// `None` when retention has removed it.
    pub body: Option<String>,
    pub body_hash: Digest,
    pub previous: Digest,
    pub hash: Digest,
}

impl Event {
    /// The SHA-256 of the envelope: the canonical JSON of everything but body and hash.
    pub fn computed_hash(&self) -> Digest {
        self.hash_as(self.sequence, &mut String::with_capacity(512))
    }

    /// The hash this event would have at another place of its stream; tells a moved event
    /// from an edited one. `json` is room to work in.
    pub(super) fn hash_as(&self, sequence: u64, json: &mut String) -> Digest {
        json.clear();
        json.push_str("{\"actor\":");
        push_text(json, &self.actor);
        json.push_str(",\"body_hash\":\"");
        push_hex(json, &self.body_hash);
        json.push_str("\",\"format\":");
        push_number(json, self.format.into());
        json.push_str(",\"id\":\"");
        json.push_str(self.id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
        json.push_str("\",\"kind\":");
        push_text(json, &self.kind);
        json.push_str(",\"previous\":\"");
        push_hex(json, &self.previous);
        json.push_str("\",\"sequence\":");
        push_number(json, sequence);
        json.push_str(",\"stream\":");
        push_text(json, self.stream.as_str());
        json.push_str(",\"time\":");
        push_text(json, &self.time);
        json.push('}');
        Digest::of(json.as_bytes())
    }

    /// Whether the body, if it is there, is the one that the envelope names.
    pub fn body_is_intact(&self) -> bool {
        self.body.as_ref().is_none_or(|body| Digest::of(body.as_bytes()) == self.body_hash)
    }
}

fn push_number(json: &mut String, number: u64) {
    // Writing to a string can't fail.
    let _ = write!(json, "{number}");
}

fn push_hex(json: &mut String, digest: &Digest) {
    data_encoding::HEXLOWER.encode_append(digest.as_bytes(), json);
}

/// Appends `text` as a JSON string. Almost every text needs no escaping, and verification
/// does this four times an event.
fn push_text(json: &mut String, text: &str) {
    if text.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\') {
        // A `Value` string always serialises, and as RFC 8785 wants it.
        json.push_str(&serde_json::Value::from(text).to_string());
    } else {
        json.push('"');
        json.push_str(text);
        json.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(body: &str) -> Draft {
        Draft {
            id: Uuid::from_u128(7),
            time: "2026-11-16T10:15:00.5Z".parse().unwrap(),
            actor: "us\"er".into(),
            kind: "note.taken".into(),
            format: 1,
            body: body.into(),
        }
    }

    /// PL-01: the hash is that of the RFC 8785 form of the envelope, so that anyone can
    /// recompute it with other tools.
    #[test]
    fn hash_is_over_the_canonical_envelope() {
        let ledger = LedgerId(Uuid::from_u128(1));
        let stream: Stream = "note/a".parse().unwrap();
        let event = draft("{\"a\":1}").chain(&stream, 1, ledger.root_of(&stream));
        let envelope = serde_json::json!({
            "id": event.id, "stream": event.stream, "sequence": 1, "time": event.time,
            "actor": event.actor, "kind": event.kind, "format": 1,
            "body_hash": event.body_hash, "previous": event.previous,
        });
        let canonical = serde_json_canonicalizer::to_vec(&envelope).unwrap();
        assert_eq!(event.hash, Digest::of(&canonical));
        assert!(event.body_is_intact());
    }

    #[test]
    fn stream_names_are_checked() {
        for good in ["ledger", "run/20261116_101500_001", "a/b.c-d_e"] {
            assert!(good.parse::<Stream>().is_ok(), "{good}");
        }
        for bad in ["", "/a", "a/", "a b", "ä", "a\"b", &"x".repeat(201)] {
            assert!(bad.parse::<Stream>().is_err(), "{bad}");
        }
    }
}
