//! The Merkle root over all stream heads (leaf and node hashing as in RFC 6962).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Stream;
use crate::id::Digest;

/// Where a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub sequence: u64,
    pub hash: Digest,
}

/// The heads of all streams, in the order of their names.
pub type Heads = BTreeMap<Stream, Head>;

/// The root over `heads`; with no heads, the hash of nothing.
pub(super) fn root(heads: &Heads) -> Digest {
    let mut level: Vec<[u8; 32]> = heads.iter().map(|(stream, head)| leaf(stream, head)).collect();
    if level.is_empty() {
        return Digest::of(b"");
    }
    // Pairing level by level, an odd one moving up, gives the RFC 6962 tree.
    while level.len() > 1 {
        level = level.chunks(2).map(pair).collect();
    }
    Digest::from_bytes(level[0])
}

fn leaf(stream: &Stream, head: &Head) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update([0]);
    hasher.update(stream.as_str());
    hasher.update([0]);
    hasher.update(head.sequence.to_be_bytes());
    hasher.update(head.hash.as_bytes());
    hasher.finalize().into()
}

fn pair(nodes: &[[u8; 32]]) -> [u8; 32] {
    match nodes {
        [left, right] => {
            let mut hasher = Sha256::new();
            hasher.update([1]);
            hasher.update(left);
            hasher.update(right);
            hasher.finalize().into()
        }
        _ => nodes[0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(n: u64) -> Heads {
        (0..n)
            .map(|i| {
                let stream = format!("s/{i:03}").parse().unwrap();
                (stream, Head { sequence: i + 1, hash: Digest::of(&i.to_be_bytes()) })
            })
            .collect()
    }

    /// SE-01: every head, its place and its absence change the root.
    #[test]
    fn any_change_changes_the_root() {
        for n in 1..20 {
            let whole = heads(n);
            let mut seen = std::collections::HashSet::from([root(&whole)]);
            for stream in whole.keys() {
                let mut dropped = whole.clone();
                dropped.remove(stream);
                assert!(seen.insert(root(&dropped)), "dropping {stream} of {n}");
                let mut cut = whole.clone();
                cut.get_mut(stream).unwrap().sequence += 1;
                assert!(seen.insert(root(&cut)), "moving {stream} of {n}");
            }
        }
    }

    #[test]
    fn an_odd_leaf_moves_up_unchanged() {
        let three = heads(3);
        let leaves: Vec<_> = three.iter().map(|(s, h)| leaf(s, h)).collect();
        let expected = pair(&[pair(&leaves[..2]), leaves[2]]);
        assert_eq!(root(&three), Digest::from_bytes(expected));
    }
}
