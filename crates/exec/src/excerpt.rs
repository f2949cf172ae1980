//! The beginning and the end of an output, in bounded memory.

use std::borrow::Cow;

const HEAD: usize = 8 * 1024;
const TAIL: usize = 24 * 1024;

/// What a person reads of an output: errors are announced first and summed up last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The first bytes, at most 8 KiB.
    pub head: Vec<u8>,
    /// The last bytes, at most 24 KiB, never overlapping `head`.
    pub tail: Vec<u8>,
    /// How many bytes lie between the two.
    pub omitted: u64,
}

impl Excerpt {
    /// The excerpt as text; what is not UTF-8 becomes replacement characters.
    pub fn text(&self) -> String {
        if self.omitted == 0 {
            // Joined before decoding: a character may straddle the two parts.
            let whole = [self.head.as_slice(), self.tail.as_slice()].concat();
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let lossy = |bytes| -> Cow<'_, str> { String::from_utf8_lossy(bytes) };
        let (head, tail) = (lossy(&self.head), lossy(&self.tail));
        format!("{head}\n[… {} bytes omitted …]\n{tail}", self.omitted)
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let to_head = bytes.len().min(HEAD - self.head.len());
        let (first, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Trimming only at twice the size makes it a copy once in a while, not for every chunk.
        if self.tail.len() > 2 * TAIL {
            self.trim();
        }
    }

    pub(crate) fn finish(mut self) -> Self {
        if self.tail.len() > TAIL {
            self.trim();
        }
        self
    }

    fn trim(&mut self) {
        let surplus = self.tail.len() - TAIL;
        self.tail.drain(..surplus);
        self.omitted += surplus as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For every total and chunk size: the parts and the gap account for each byte.
    #[test]
    fn head_gap_and_tail_add_up() {
        for total in [0, 1, HEAD - 1, HEAD, HEAD + 1, HEAD + TAIL, HEAD + TAIL + 1, 200_000] {
            let bytes: Vec<u8> = (0..total).map(|i| u8::try_from(i % 251).unwrap()).collect();
            for chunk in [1, 1000, 65_536, 300_000] {
                let mut excerpt = Excerpt::default();
                bytes.chunks(chunk).for_each(|chunk| excerpt.push(chunk));
                let excerpt = excerpt.finish();
                let omitted = usize::try_from(excerpt.omitted).unwrap();
                assert_eq!(excerpt.head.len() + omitted + excerpt.tail.len(), total);
                assert_eq!(omitted, total.saturating_sub(HEAD + TAIL));
                assert!(bytes.starts_with(&excerpt.head) && bytes.ends_with(&excerpt.tail));
            }
        }
    }

    #[test]
    fn text_says_what_is_missing_and_survives_any_byte() {
        let mut short = Excerpt::default();
        short.push("a".repeat(HEAD - 1).as_bytes());
        short.push("é\u{0}".as_bytes());
        assert!(short.finish().text().ends_with("aé\u{0}"));

        let mut long = Excerpt::default();
        long.push(&vec![0xff; HEAD + TAIL + 5]);
        assert!(long.finish().text().contains("[… 5 bytes omitted …]"));
    }
}
