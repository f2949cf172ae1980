//! How alike two pieces of code are, whatever they are called and however they are laid out.

use std::collections::HashMap;

use countersign_domain::Digest;

/// Moved and renamed tests are the same from here on.
pub(crate) const ALIKE: f64 = 0.8;

/// Longer bodies are compared by their beginning.
const MAX_TOKENS: usize = 2_000;

/// The words and signs of a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pairs: HashMap<u64, u32>,
    count: u32,
}

/// A body's words and signs, without comments, in one line each.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < MAX_TOKENS {
        let rest = &bytes[at..];
        let length = if rest[0].is_ascii_whitespace() || rest[0] == b';' {
            at += 1;
            continue;
        } else if rest[0] == b'#' && rest.get(1) != Some(&b'[') || rest.starts_with(b"//") {
            at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            continue;
        } else if is_word(rest[0]) {
            rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
        } else {
            1
        };
        found.push(text.get(at..at + length).unwrap_or("?"));
        at += length;
    }
    found
}

impl Shape {
    pub(crate) fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let mut shape = Self::default();
        for pair in tokens.windows(2) {
            *shape.pairs.entry(hash(pair)).or_default() += 1;
            shape.count += 1;
        }
        shape
    }

    /// From 0 to 1: how much of both is the same.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let total = self.count + other.count;
        // What has almost nothing in it is like everything else of that sort.
        if self.count < 6 || other.count < 6 || self.count > 4 * other.count {
            return 0.0;
        }
        let (small, large) =
            if self.pairs.len() < other.pairs.len() { (self, other) } else { (other, self) };
        let shared: u32 = small
            .pairs
            .iter()
            .map(|(pair, count)| large.pairs.get(pair).map_or(0, |other| *count.min(other)))
            .sum();
        f64::from(2 * shared) / f64::from(total)
    }
}

/// FNV-1a, which is enough for words that nobody gains from colliding.
fn hash(words: &[&str]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The same for two bodies that differ in layout and comments only.
pub(crate) fn digest(body: &str) -> Digest {
    Digest::of(tokens(body).join(" ").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_comments_make_no_difference() {
        let one = "{\n  let a = add(2, 3); // sum\n  assert_eq!(a, 5);\n}";
        let other = "{ let a = add(2,3);\n\n assert_eq!(a, 5); }";
        assert_eq!(digest(one), digest(other));
        assert!(Shape::of(one).likeness(&Shape::of(other)) > 0.99);
        let third = "{ let b = open(\"x\"); b.write(7); assert!(b.is_done()); }";
        assert!(Shape::of(one).likeness(&Shape::of(third)) < ALIKE);
    }
}
