//! Sets of bytes.

/// A set of bytes: one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Set([u64; 4]);

impl Set {
    /// Letters, digits and the underscore.
    pub(crate) const WORD: Self =
        Self::ranges(&[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')]);
    pub(crate) const DIGIT: Self = Self::ranges(&[(b'0', b'9')]);
    pub(crate) const SPACE: Self = Self::ranges(&[(b'\t', b'\r'), (b' ', b' ')]);

    pub(crate) const fn ranges(ranges: &[(u8, u8)]) -> Self {
        Self([0; 4]).and_ranges(ranges)
    }

    pub(crate) const fn and_ranges(self, ranges: &[(u8, u8)]) -> Self {
        let mut set = self;
        let mut at = 0;
        while at < ranges.len() {
            let (mut byte, last) = ranges[at];
            loop {
                set.0[(byte >> 6) as usize] |= 1 << (byte & 63);
                if byte >= last {
                    break;
                }
                byte += 1;
            }
            at += 1;
        }
        set
    }

    pub(crate) const fn of(byte: u8) -> Self {
        Self::ranges(&[(byte, byte)])
    }

    pub(crate) const fn has(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub(crate) fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        (0..4).any(|at| self.0[at] & other.0[at] != 0)
    }

    pub(crate) fn bytes(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |byte| self.has(*byte))
    }

    /// The byte in it, if it is the only one.
    pub(crate) fn single(self) -> Option<u8> {
        let count: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        let (at, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        let byte = u32::try_from(at * 64).ok()? + word.trailing_zeros();
        u8::try_from(byte).ok().filter(|_| count == 1)
    }

    /// With the other case of every letter in it.
    pub(crate) fn caseless(self) -> Self {
        let other = |byte: u8| {
            if byte.is_ascii_lowercase() {
                byte.to_ascii_uppercase()
            } else {
                byte.to_ascii_lowercase()
            }
        };
        self.bytes().fold(self, |set, byte| set.or(Self::of(other(byte))))
    }
}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text: Vec<u8> = self.bytes().collect();
        write!(f, "[{}]", text.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let set = Set::ranges(&[(b'a', b'c'), (255, 255)]);
        let all: Vec<u8> = set.bytes().collect();
        assert_eq!(all, [b'a', b'b', b'c', 255]);
        assert!(set.meets(Set::of(b'b')) && !set.meets(Set::DIGIT));
        assert!(!set.not().has(b'a') && set.not().has(0));
        assert_eq!(Set::of(b'k').caseless(), Set::of(b'K').or(Set::of(b'k')));
        assert_eq!((Set::of(200).single(), set.single()), (Some(200), None));
        assert_eq!(format!("{:?}", Set::of(b'\n')), "[\\n]");
    }
}
