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
        (0..MAX_TRIES).filter_map(|nth| make(rule, seed ^ nth << 48, 0)).find(finds)
    }
}

/// `short`: by how much the last part that is repeated falls short of its least.
pub(crate) fn make(rule: Rule<'_>, seed: u64, short: usize) -> Option<String> {
    let parsed = parse::parse(rule.pattern()).ok()?;
    let mut chance = Chance(seed);
    let mut text = Vec::new();
    let last = parsed.parts.iter().rposition(is_long);
    for (at, part) in parsed.parts.iter().enumerate() {
        let short = if Some(at) == last { short } else { 0 };
        add(part, short, &mut chance, &mut text);
    }
    let text = String::from_utf8(text).ok()?;
    let key = rule.keys().split(',').next()?;
    Some(match rule.kind {
        Kind::Token | Kind::Weak | Kind::Address => text,
        Kind::Named if key.contains(['_', '-']) => format!("{key}_key = \"{text}\""),
        Kind::Named => format!("{key}_api_key = \"{text}\""),
        Kind::Generic => format!("{key} = \"{text}\""),
    })
}

fn is_long(part: &Part) -> bool {
    match part {
        Part::Set { min, .. } => *min > 1,
        Part::Secret(parts) | Part::Times { parts, .. } => parts.iter().any(is_long),
        Part::Any(choices) => choices.iter().any(|choice| choice.iter().any(is_long)),
        _ => false,
    }
}

fn add(part: &Part, short: usize, chance: &mut Chance, text: &mut Vec<u8>) {
    match part {
        Part::Bytes(bytes) => text.extend_from_slice(bytes),
        Part::Set { set, min, max } => {
            let visible: Vec<u8> = pleasant(*set);
            // Somewhat more than the least, where more may be; but not more signs than needed.
            let signs = !visible.iter().any(u8::is_ascii_alphanumeric);
            let more = if signs { 0 } else { (max - min).min(8) };
            let count =
                if short > 0 { min.saturating_sub(short) } else { min + chance.below(more + 1) };
            text.extend((0..count).map(|_| visible[chance.below(visible.len())]));
        }
        Part::Any(choices) => {
            // An example may be put into a larger text, so it can't rest on being its end.
            let inside: Vec<_> = choices.iter().filter(|c| !c.contains(&Part::End)).collect();
            add_all(inside[chance.below(inside.len())], short, chance, text);
        }
        Part::Times { parts, min, max } => {
            let count = min + chance.below(max - min + 1);
            (0..count).for_each(|_| add_all(parts, short, chance, text));
        }
        Part::Secret(parts) => add_all(parts, short, chance, text),
        Part::Key | Part::End => {}
    }
}

fn add_all(parts: &[Part], short: usize, chance: &mut Chance, text: &mut Vec<u8>) {
    let last = parts.iter().rposition(is_long);
    for (at, part) in parts.iter().enumerate() {
        add(part, if Some(at) == last { short } else { 0 }, chance, text);
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
