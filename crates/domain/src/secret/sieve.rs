//! Finds the keys of all rules in one pass. Most of a text is passed over at a glance: four
//! bytes are looked up in a small table, which says no to nearly all of them.

use super::shipped::{self, FILE};

/// A key and the rule that it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// Where its text is: in the shipped file, or beyond its end in what was added.
    start: u32,
    /// The three bytes that it is known by.
    gram: u32,
    rule: u16,
    /// The next key with the same place in the table.
    next: u16,
    length: u8,
    /// Where those three bytes stand in it.
    at: u8,
}

pub(crate) const NO_KEY: Key = Key { start: 0, gram: 0, rule: 0, next: NONE, length: 0, at: 0 };

/// By a hash of three bytes, one bit for each of eight groups of bytes that may be the fourth.
pub(crate) const GLANCE: usize = 1 << 14;
/// By a part of the same hash, the first key.
pub(crate) const HEADS: usize = 1 << 11;
const NONE: u16 = u16::MAX;

/// Keys are at least as long as what they are known by, and their length fits a byte.
pub(crate) const SHORTEST: usize = 3;
pub(crate) const LONGEST: usize = 100;

/// How rare a byte is in code and prose: letters by their frequency, all else is rare.
const RARITY: [usize; 256] = {
    let by_frequency = b"etaoinsr lcdupmhgfby.-_/=(:vw\"10,'x2k3456789jqz";
    let mut table = [48; 256];
    let mut at = 0;
    while at < by_frequency.len() {
        table[by_frequency[at] as usize] = at;
        at += 1;
    }
    table
};

/// What a key is known by: its rarest bytes.
pub(crate) struct Mark {
    at: usize,
    gram: u32,
    pub(crate) hash: usize,
    /// The group of the fourth byte, or all of them if the key has no more than three.
    pub(crate) fourth: u8,
}

/// What the key at this place of a text is known by.
pub(crate) const fn mark(text: &[u8], (start, end): (usize, usize)) -> Mark {
    let (mut best, mut most, mut at) = (start, 0, start);
    while at + 3 < end {
        let rare = RARITY[text[at] as usize]
            + RARITY[text[at + 1] as usize]
            + RARITY[text[at + 2] as usize]
            + RARITY[text[at + 3] as usize];
        if rare > most {
            (best, most) = (at, rare);
        }
        at += 1;
    }
    let gram = gram([text[best], text[best + 1], text[best + 2], 0]);
    let fourth = if best + 3 < end { 1 << (text[best + 3] & 7) } else { u8::MAX };
    Mark { at: best - start, gram, hash: hash(gram), fourth }
}

impl Mark {
    #[expect(clippy::cast_possible_truncation, reason = "a key has up to 100 bytes")]
    pub(crate) const fn key(&self, start: usize, length: usize, rule: u16, next: u16) -> Key {
        let (length, at) = (length as u8, self.at as u8);
        Key { start: start as u32, gram: self.gram, rule, next, length, at }
    }
}

/// The keys of the shipped rules, and those that a project added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sieve {
    own: Option<Box<Own>>,
}

/// The keys of both.
#[derive(Debug, Clone)]
struct Own {
    keys: Vec<Key>,
    texts: String,
    glance: [u8; GLANCE],
    heads: [u16; HEADS],
}

impl Sieve {
    /// Takes keys in, with commas between them; see [`SHORTEST`] and [`LONGEST`].
    pub(crate) fn add(&mut self, keys: &str, rule: u16) {
        let (shipped, glance, heads) = shipped::keys();
        let own = self.own.get_or_insert_with(|| {
            let (keys, texts) = (shipped.to_vec(), String::new());
            Box::new(Own { keys, texts, glance: *glance, heads: *heads })
        });
        for key in keys.split(',').filter(|key| key.len() >= SHORTEST) {
            let mark = mark(key.as_bytes(), (0, key.len()));
            let Ok(number) = u16::try_from(own.keys.len()) else { return };
            let head = &mut own.heads[mark.hash % HEADS];
            let start = FILE.len() + own.texts.len();
            own.keys.push(mark.key(start, key.len(), rule, *head));
            own.glance[mark.hash] |= mark.fourth;
            own.texts.push_str(key);
            *head = number;
        }
    }

    /// Calls `found` with the rule and the place of every key in the text, whatever its case.
    pub(crate) fn each(&self, text: &[u8], mut found: impl FnMut(u16, usize)) {
        let (shipped, glance, heads) = shipped::keys();
        let look = match &self.own {
            Some(own) => Look { keys: &own.keys, texts: &own.texts, heads: &own.heads },
            None => Look { keys: shipped, texts: "", heads },
        };
        let glance = self.own.as_ref().map_or(glance, |own| &own.glance);
        for (at, window) in text.windows(4).enumerate() {
            // The length is fixed, so the compiler reads four bytes at once.
            let gram = gram([window[0], window[1], window[2], window[3]]);
            let hash = hash(gram);
            if glance[hash] >> (window[3] & 7) & 1 == 1 {
                look.at(text, at, gram, &mut found);
            }
        }
        if let [.., a, b, c] = *text {
            look.at(text, text.len() - 3, gram([a, b, c, 0]), &mut found);
        }
    }
}

/// The long look, where the glance said maybe.
struct Look<'a> {
    keys: &'a [Key],
    texts: &'a str,
    heads: &'a [u16; HEADS],
}

impl Look<'_> {
    fn at(&self, text: &[u8], at: usize, gram: u32, found: &mut impl FnMut(u16, usize)) {
        let mut next = self.heads[hash(gram) % HEADS];
        while let Some(key) = self.keys.get(usize::from(next)) {
            if key.gram == gram
                && let Some(start) = at.checked_sub(usize::from(key.at))
                && let Some(there) = text.get(start..start + usize::from(key.length))
                && there.eq_ignore_ascii_case(self.text(key))
            {
                found(key.rule, start);
            }
            next = key.next;
        }
    }

    fn text(&self, key: &Key) -> &[u8] {
        let (start, length) = (key.start as usize, usize::from(key.length));
        let (text, start) = match start.checked_sub(FILE.len()) {
            Some(start) => (self.texts, start),
            None => (FILE, start),
        };
        text.as_bytes().get(start..start + length).unwrap_or_default()
    }
}

/// The first three of four bytes with the bit of small letters set, which makes letters of both
/// cases the same, and some signs too; keys are compared in full afterwards.
const fn gram(bytes: [u8; 4]) -> u32 {
    (u32::from_le_bytes(bytes) | 0x2020_2020) & 0x00ff_ffff
}

const fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> (32 - GLANCE.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of rules from 9,000 on, so that those that are shipped don't matter.
    #[track_caller]
    fn check(keys: &[&str], text: &str, expected: &[(u16, usize)]) {
        let mut sieve = Sieve::default();
        for (rule, key) in (9000..).zip(keys) {
            sieve.add(key, rule);
        }
        let mut found = Vec::new();
        sieve.each(text.as_bytes(), |rule, at| found.push((rule, at)));
        found.retain(|(rule, _)| (9000..9999).contains(rule));
        found.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_key_is_found_wherever_it_stands() {
        check(&["ghp_"], "ghp_", &[(9000, 0)]);
        check(&["ghp_"], "a ghp_ b GHP_ghp_", &[(9000, 2), (9000, 9), (9000, 13)]);
        check(&["sg."], "SG.", &[(9000, 0)]);
        check(&["sg."], "xSG", &[]);
        check(&["xyz,token", "ken", "tok"], "tokens", &[(9000, 0), (9001, 2), (9002, 0)]);
        check(&["key", "key"], "key", &[(9000, 0), (9001, 0)]);
        check(&["a_b"], "a\x7fb a?b", &[]);
        for text in ["", "k", "ke"] {
            check(&["key"], text, &[]);
        }
    }

    #[test]
    fn a_key_that_is_too_short_is_never_found() {
        check(&["ab", ""], "ab ab", &[]);
    }
}
