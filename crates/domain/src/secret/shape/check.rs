//! Whether a pattern means one thing: no repetition may take what the part after it begins with.

use super::parse::Parsed;
use super::set::Set;
use super::{Op, Part, Shape};

pub(super) fn check(parsed: &Parsed) -> Result<(), String> {
    let parts = &parsed.parts;
    let key = parts.iter().position(|part| *part == Part::Key);
    let before = &parts[..key.unwrap_or(0)];
    if !before.iter().all(|part| matches!(part, Part::Bytes(_) | Part::Set { .. })) {
        return Err("before `()` there may be letters and sets only".to_owned());
    }
    let secrets: usize = parts.iter().map(count_secrets).sum();
    if secrets > 1 || parts.iter().filter(|part| **part == Part::Key).count() > 1 {
        return Err("there may be one `(…)` and one `()`; write `(?:…)` for the others".to_owned());
    }
    let fold = |set: Set| if parsed.caseless { set.caseless() } else { set };
    greedy(&parts[key.unwrap_or(0)..], Set::default(), &fold)?;
    let mut backwards: Vec<Part> = before.to_vec();
    backwards.reverse();
    for part in &mut backwards {
        if let Part::Bytes(bytes) = part {
            bytes.reverse();
        }
    }
    greedy(&backwards, Set::default(), &fold)?;
    let mut all = Set::default();
    if first(parts, &mut all) {
        return Err("the pattern fits nothing at all; say what must be there".to_owned());
    }
    Ok(())
}

fn count_secrets(part: &Part) -> usize {
    let of = |parts: &[Part]| parts.iter().map(count_secrets).sum::<usize>();
    match part {
        Part::Secret(parts) => 1 + of(parts),
        // What is repeated could be there twice.
        Part::Times { parts, max, .. } => of(parts) * max,
        Part::Any(choices) => choices.iter().map(|choice| of(choice)).max().unwrap_or(0),
        _ => 0,
    }
}

/// Adds the bytes that parts may begin with; whether they may also be nothing.
fn first(parts: &[Part], into: &mut Set) -> bool {
    for part in parts {
        let nothing = match part {
            Part::Bytes(bytes) => {
                *into = bytes.first().map_or(*into, |byte| into.or(Set::of(*byte)));
                bytes.is_empty()
            }
            Part::Set { set, min, .. } => {
                *into = into.or(*set);
                *min == 0
            }
            Part::Any(choices) => {
                // All of them add their bytes.
                choices.iter().filter(|choice| first(choice, into)).count() > 0
            }
            Part::Times { parts, min, .. } => first(parts, into) || *min == 0,
            Part::Secret(parts) => first(parts, into),
            Part::Key => true,
            // Nothing can follow, so nothing can be taken from it.
            Part::End => false,
        };
        if !nothing {
            return false;
        }
    }
    true
}

/// `follow`: what may stand after all parts.
fn greedy(parts: &[Part], follow: Set, fold: &impl Fn(Set) -> Set) -> Result<(), String> {
    for (at, part) in parts.iter().enumerate() {
        let mut next = Set::default();
        if first(&parts[at + 1..], &mut next) {
            next = next.or(follow);
        }
        match part {
            Part::Set { set, min, max } if min < max && fold(*set).meets(fold(next)) => {
                return Err(format!(
                    "what is repeated {min} to {max} times may take what the next part \
                         begins with; leave that out of the set, or say how often exactly"
                ));
            }
            Part::Any(choices) => {
                choices.iter().try_for_each(|choice| greedy(choice, next, fold))?;
            }
            Part::Times { parts, max, .. } => {
                if *max > 1 {
                    first(parts, &mut next);
                }
                greedy(parts, next, fold)?;
            }
            Part::Secret(parts) => greedy(parts, next, fold)?,
            _ => {}
        }
    }
    Ok(())
}

impl Shape {
    /// Whether a text that fits may have these bytes, in some case, where the key stands.
    pub(crate) fn may_begin_with(&self, key: &[u8]) -> bool {
        self.may_go_on_with(0, key)
    }

    fn may_go_on_with(&self, step: usize, key: &[u8]) -> bool {
        let Some(&first) = key.first() else { return true };
        match self.ops.get(step) {
            Some(Op::Bytes(bytes)) => {
                let common = bytes.len().min(key.len());
                bytes[..common].eq_ignore_ascii_case(&key[..common])
                    && self.may_go_on_with(step + 1, &key[common..])
            }
            Some(Op::Set { set, min, max }) => {
                let fits = Set::of(first).caseless().meets(*set);
                let taken = key.iter().take(*max);
                let most = taken.take_while(|byte| Set::of(**byte).caseless().meets(*set)).count();
                let enough = |count: usize| count >= *min || count == key.len();
                (*min == 0 || fits)
                    && (0..=most)
                        .any(|count| enough(count) && self.may_go_on_with(step + 1, &key[count..]))
            }
            Some(Op::Split(other)) => {
                self.may_go_on_with(step + 1, key) || self.may_go_on_with(*other, key)
            }
            Some(Op::Jump(to)) => self.may_go_on_with(*to, key),
            Some(Op::SecretFrom | Op::SecretTo) => self.may_go_on_with(step + 1, key),
            Some(Op::End | Op::Done) | None => false,
        }
    }
}
