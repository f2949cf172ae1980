//! Examples of secrets, made from the patterns of their rules: for tests and benchmarks, so that
//! nothing that looks like a secret has to be written down anywhere.

use super::rules::Kind;
use super::shape::Part;
use super::shape::parse;
use super::shape::set::Set;
use super::{Rule, Scanner};

/// Numbers as if by chance, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).unwrap_or(0)
    }
}

/// Some of what chance makes does not look like it.
const MAX_TRIES: u64 = 64;

impl Scanner {
    /// A text that the rule finds, with nothing real in it; another one for another seed. For
    /// rules that need a name, the name stands before it.
    pub fn example(&self, rule: &str, seed: u64) -> Option<String> {
        let rule = self.all_rules().find(|known| known.id() == rule)?;
        let finds =
            |text: &String| self.scan(text.as_bytes()).iter().any(|found| found.rule == rule.id());
        (0..MAX_TRIES).filter_map(|nth| make(rule, seed ^ nth << 48, Length::Enough)).find(finds)
    }
}

/// How much an example has of what is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Enough,
    /// One less than the least.
    Short,
}

/// What chance makes of a rule's pattern.
pub(crate) fn make(rule: Rule<'_>, seed: u64, length: Length) -> Option<String> {
    let parsed = parse::parse(rule.pattern()).ok()?;
    let mut making = Making { chance: Chance(seed), length, text: Vec::new() };
    making.add_all(&parsed.parts);
    let text = String::from_utf8(making.text).ok()?;
    let key = rule.keys().split(',').next()?;
    Some(match rule.kind {
        Kind::Token | Kind::Weak | Kind::Address => text,
        Kind::Named if key.contains(['_', '-']) => format!("{key}_key = \"{text}\""),
        Kind::Named => format!("{key}_api_key = \"{text}\""),
        Kind::Password | Kind::Secret => format!("{key} = \"{text}\""),
    })
}

struct Making {
    chance: Chance,
    length: Length,
    text: Vec<u8>,
}

impl Making {
    fn add_all(&mut self, parts: &[Part]) {
        for part in parts {
            self.add(part);
        }
    }

    fn add(&mut self, part: &Part) {
        match part {
            Part::Bytes(bytes) => self.text.extend_from_slice(bytes),
            Part::Set { set, min, max } => {
                let bytes = pleasant(*set);
                for _ in 0..self.count(*min, *max, &bytes) {
                    self.text.push(bytes[self.chance.below(bytes.len())]);
                }
            }
            Part::Any(choices) => {
                // An example may be put into a larger text, so it can't rest on being its end.
                let inside: Vec<_> = choices.iter().filter(|c| !c.contains(&Part::End)).collect();
                let choice = self.chance.below(inside.len());
                self.add_all(inside.get(choice).copied().map_or(&[], Vec::as_slice));
            }
            Part::Times { parts, min, max } => {
                let more = if self.length == Length::Short { 0 } else { max - min };
                for _ in 0..min + self.chance.below(more + 1) {
                    self.add_all(parts);
                }
            }
            Part::Secret(parts) => self.add_all(parts),
            Part::Key | Part::End => {}
        }
    }

    fn count(&mut self, min: usize, max: usize, bytes: &[u8]) -> usize {
        if self.length == Length::Short {
            return if min > 1 { min - 1 } else { min };
        }
        // Somewhat more than the least, where more may be; but not more signs than needed.
        let signs = !bytes.iter().any(u8::is_ascii_alphanumeric);
        let more = if signs { 0 } else { (max - min).min(8) };
        min + self.chance.below(more + 1)
    }
}

/// The bytes of a set that an example is made of: letters and digits if there are any, else what
/// is visible, else what there is.
fn pleasant(set: Set) -> Vec<u8> {
    let of = |wanted: fn(&u8) -> bool| set.bytes().filter(wanted).collect::<Vec<u8>>();
    [u8::is_ascii_alphanumeric as fn(&u8) -> bool, u8::is_ascii_graphic, |byte| *byte == b' ']
        .into_iter()
        .map(of)
        .find(|bytes| !bytes.is_empty())
        .unwrap_or_else(|| set.bytes().collect())
}
