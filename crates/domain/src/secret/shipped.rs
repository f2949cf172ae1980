//! Where things stand in `data/secret/rules.txt`, found by the compiler: a hook is a new process
//! for every call, and would otherwise read hundreds of rules to find that none is needed.

use super::rules::{Kind, SECTIONS, Section};
use super::sieve::{self, GLANCE, HEADS, Key, NO_KEY};

pub(crate) const FILE: &str = include_str!("../../data/secret/rules.txt");

/// Stands for a rule where an escape was found.
pub(crate) const ESCAPE: u16 = u16::MAX - 1;

/// A line of the file that says something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) section: Section,
    start: usize,
    end: usize,
}

impl Line {
    pub(crate) fn text(self) -> &'static str {
        FILE.get(self.start..self.end).unwrap_or("")
    }
}

/// Everything in the file, in the order in which it stands there.
struct Index<const RULES: usize, const LISTS: usize, const KEYS: usize> {
    rules: [Line; RULES],
    lists: [Line; LISTS],
    keys: [Key; KEYS],
    glance: [u8; GLANCE],
    heads: [u16; HEADS],
    /// How many there are, whether or not there was room for them.
    counts: [usize; 3],
}

impl<const RULES: usize, const LISTS: usize, const KEYS: usize> Index<RULES, LISTS, KEYS> {
    const fn add(&mut self, line: Line) {
        match line.section {
            Section::Rules(_) => {
                let number = self.counts[0];
                if number < RULES {
                    self.rules[number] = line;
                }
                self.counts[0] += 1;
                self.add_keys(column(line, 2), short(number));
            }
            Section::Escapes => self.add_keys((line.start, line.end), ESCAPE),
            _ => {
                if self.counts[1] < LISTS {
                    self.lists[self.counts[1]] = line;
                }
                self.counts[1] += 1;
            }
        }
    }

    /// `one,other`
    const fn add_keys(&mut self, (mut start, end): (usize, usize), rule: u16) {
        let mut at = start;
        while at <= end {
            if at == end || FILE.as_bytes()[at] == b',' {
                self.add_key((start, at), rule);
                start = at + 1;
            }
            at += 1;
        }
    }

    const fn add_key(&mut self, (start, end): (usize, usize), rule: u16) {
        let number = self.counts[2];
        self.counts[2] += 1;
        if number >= KEYS {
            return;
        }
        let mark = sieve::mark(FILE.as_bytes(), (start, end));
        self.glance[mark.hash] |= mark.fourth;
        let head = mark.hash % HEADS;
        self.keys[number] = mark.key(start, end - start, rule, self.heads[head]);
        self.heads[head] = short(number);
    }
}

/// There are fewer rules and keys than that by far.
#[expect(clippy::cast_possible_truncation, reason = "TryFrom can't be used at compile time")]
const fn short(number: usize) -> u16 {
    assert!(number < ESCAPE as usize);
    number as u16
}

/// Where a column of a line begins and ends.
const fn column(line: Line, number: usize) -> (usize, usize) {
    let bytes = FILE.as_bytes();
    let (mut start, mut left) = (line.start, number);
    while left > 0 {
        while start < line.end && bytes[start] != b' ' {
            start += 1;
        }
        while start < line.end && bytes[start] == b' ' {
            start += 1;
        }
        left -= 1;
    }
    let mut end = start;
    while end < line.end && bytes[end] != b' ' {
        end += 1;
    }
    (start, end)
}

const fn is_same(one: &[u8], (start, end): (usize, usize)) -> bool {
    let mut at = 0;
    while at < one.len() && start + at < end && one[at] == FILE.as_bytes()[start + at] {
        at += 1;
    }
    at == one.len() && start + at == end
}

const fn section(start: usize, end: usize) -> Option<Section> {
    let mut at = 0;
    while at < SECTIONS.len() {
        if is_same(SECTIONS[at].0.as_bytes(), (start, end)) {
            return Some(SECTIONS[at].1);
        }
        at += 1;
    }
    None
}

const NO_LINE: Line = Line { section: Section::Rules(Kind::Token), start: 0, end: 0 };

const fn read<const R: usize, const L: usize, const K: usize>() -> Index<R, L, K> {
    let mut index = Index {
        rules: [NO_LINE; R],
        lists: [NO_LINE; L],
        keys: [NO_KEY; K],
        glance: [0; GLANCE],
        heads: [u16::MAX; HEADS],
        counts: [0; 3],
    };
    let bytes = FILE.as_bytes();
    let (mut start, mut current) = (0, None);
    while start < bytes.len() {
        let mut end = start;
        while end < bytes.len() && bytes[end] != b'\n' {
            end += 1;
        }
        if end > start && bytes[start] == b'[' {
            current = section(start, end);
        } else if end > start
            && bytes[start] != b'#'
            && let Some(section) = current
        {
            index.add(Line { section, start, end });
        }
        start = end + 1;
    }
    index
}

const COUNTS: [usize; 3] = read::<0, 0, 0>().counts;
static INDEX: Index<{ COUNTS[0] }, { COUNTS[1] }, { COUNTS[2] }> = read();

/// The lines of rules.
pub(crate) fn rules() -> &'static [Line] {
    &INDEX.rules
}

/// The keys of the rules, and how they are found.
pub(crate) fn keys() -> (&'static [Key], &'static [u8; GLANCE], &'static [u16; HEADS]) {
    (&INDEX.keys, &INDEX.glance, &INDEX.heads)
}

/// What stands after the name of a list of words or of a part of patterns.
pub(crate) fn list(name: &str) -> &'static str {
    let named = |line: &Line| line.text().strip_prefix(name)?.strip_prefix(':');
    INDEX.lists.iter().find_map(named).unwrap_or("").trim()
}
