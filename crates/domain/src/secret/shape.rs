//! What a secret looks like: a pattern that is tried where its key was found in a text.
//!
//! A small machine of our own instead of regular expressions of the general kind: it needs no
//! time to be built, which counts when every call of a hook is a new process, and it tells how
//! to make an example of what it finds.

mod check;
pub(crate) mod parse;
pub(crate) mod set;

use std::ops::Range;

pub(crate) use parse::Part;
use set::Set;

/// One step of the machine.
#[derive(Debug, Clone)]
enum Op {
    Bytes(Box<[u8]>),
    Set {
        set: Set,
        min: usize,
        max: usize,
    },
    /// Go on with the next step, and with this one if that leads nowhere.
    Split(usize),
    Jump(usize),
    SecretFrom,
    SecretTo,
    End,
    Done,
}

/// A pattern, ready to be tried.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// What stands before the key, to be tried backwards, nearest first.
    before: Vec<Op>,
    ops: Vec<Op>,
    caseless: bool,
}

/// Where a pattern fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fit {
    pub(crate) whole: Range<usize>,
    pub(crate) secret: Range<usize>,
}

/// What may be that long has no length by which it is known, so it may go on.
const MAY_GO_ON: usize = 1000;

/// Patterns with more forks than this could take long to fail.
const MAX_FORKS: usize = 60;

impl Shape {
    /// Reads a pattern, or says what is wrong and at which byte of it.
    pub(crate) fn parse(pattern: &str) -> Result<Self, (usize, String)> {
        let parsed = parse::parse(pattern)?;
        let whole = |what: String| (0, what);
        check::check(&parsed).map_err(whole)?;
        let mut shape = Self { before: Vec::new(), ops: Vec::new(), caseless: parsed.caseless };
        let key = parsed.parts.iter().position(|part| *part == Part::Key);
        let (before, after) = parsed.parts.split_at(key.unwrap_or(0));
        for part in before.iter().rev() {
            shape.add(part);
        }
        std::mem::swap(&mut shape.before, &mut shape.ops);
        shape.add_all(after);
        shape.ops.push(Op::Done);
        let forks = shape.ops.iter().filter(|op| matches!(op, Op::Split(_))).count();
        if forks > MAX_FORKS {
            return Err(whole(format!("more than {MAX_FORKS} alternatives; make two rules of it")));
        }
        Ok(shape)
    }

    fn add_all(&mut self, parts: &[Part]) {
        for part in parts {
            self.add(part);
        }
    }

    fn add(&mut self, part: &Part) {
        match part {
            Part::Bytes(bytes) if self.caseless => {
                self.ops.push(Op::Bytes(bytes.to_ascii_lowercase().into()));
            }
            Part::Bytes(bytes) => self.ops.push(Op::Bytes(bytes.as_slice().into())),
            Part::Set { set, min, max } => {
                let set = if self.caseless { set.caseless() } else { *set };
                self.ops.push(Op::Set { set, min: *min, max: *max });
            }
            Part::Any(choices) => self.add_any(choices),
            Part::Times { parts, min, max } => {
                let mut forks = Vec::new();
                for nth in 0..*max {
                    if nth >= *min {
                        forks.push(self.ops.len());
                        self.ops.push(Op::Split(0));
                    }
                    self.add_all(parts);
                }
                let end = self.ops.len();
                for fork in forks {
                    self.ops[fork] = Op::Split(end);
                }
            }
            Part::Secret(parts) => {
                self.ops.push(Op::SecretFrom);
                self.add_all(parts);
                self.ops.push(Op::SecretTo);
            }
            Part::Key => {}
            Part::End => self.ops.push(Op::End),
        }
    }

    fn add_any(&mut self, choices: &[Vec<Part>]) {
        let mut ends = Vec::new();
        for (nth, choice) in choices.iter().enumerate() {
            let fork = self.ops.len();
            let is_last = nth + 1 == choices.len();
            if !is_last {
                self.ops.push(Op::Split(0));
            }
            self.add_all(choice);
            if !is_last {
                ends.push(self.ops.len());
                self.ops.push(Op::Jump(0));
                self.ops[fork] = Op::Split(self.ops.len());
            }
        }
        let end = self.ops.len();
        for jump in ends {
            self.ops[jump] = Op::Jump(end);
        }
    }

    /// Whether nothing stands before the key.
    pub(crate) fn begins_with_key(&self) -> bool {
        self.before.is_empty()
    }

    /// Tries the pattern with its key at `at`. What it fits must not go on beyond its end.
    pub(crate) fn fit(&self, text: &[u8], at: usize, runs: &mut Runs<'_>) -> Option<Fit> {
        let start = self.back(text, at)?;
        let mut tried = Try { text, runs, secret: None, last: None };
        let end = self.run(0, at, &mut tried)?;
        let secret = tried.secret.map_or(start..end, |(from, to)| from..to);
        Some(Fit { whole: start..end, secret })
    }

    /// Where the pattern begins, if what stands before the key is there.
    fn back(&self, text: &[u8], at: usize) -> Option<usize> {
        let mut start = at;
        for op in &self.before {
            match op {
                Op::Bytes(bytes) => {
                    let from = start.checked_sub(bytes.len())?;
                    self.same(&text[from..start], bytes).then_some(())?;
                    start = from;
                }
                Op::Set { set, min, max } => {
                    let most = text[..start].iter().rev().take(*max);
                    let count = most.take_while(|byte| set.has(**byte)).count();
                    (count >= *min).then_some(())?;
                    start -= count;
                }
                _ => return None,
            }
        }
        // As at the end, what is longer is something else.
        let goes_on = match self.before.last() {
            Some(Op::Set { set, .. }) => start > 0 && set.has(text[start - 1]),
            _ => false,
        };
        (!goes_on).then_some(start)
    }

    fn same(&self, text: &[u8], bytes: &[u8]) -> bool {
        if self.caseless { text.eq_ignore_ascii_case(bytes) } else { text == bytes }
    }

    /// From a step on; where it ends if it leads to the end.
    fn run(&self, mut step: usize, mut at: usize, tried: &mut Try<'_, '_, '_>) -> Option<usize> {
        loop {
            match self.ops.get(step)? {
                Op::Bytes(bytes) => {
                    let there = tried.text.get(at..at + bytes.len())?;
                    self.same(there, bytes).then_some(())?;
                    at += bytes.len();
                    tried.last = None;
                }
                Op::Set { set, min, max } => {
                    let end = tried.runs.end(tried.text, at, set, *max);
                    (end - at >= *min).then_some(())?;
                    tried.last = if end > at { Some((*set, *max)) } else { tried.last };
                    at = end;
                }
                Op::Split(other) => {
                    let before = (tried.secret, tried.last);
                    if let Some(end) = self.run(step + 1, at, tried) {
                        return Some(end);
                    }
                    (tried.secret, tried.last) = before;
                    step = *other;
                    continue;
                }
                Op::Jump(to) => {
                    step = *to;
                    continue;
                }
                Op::SecretFrom => tried.secret = Some((at, at)),
                Op::SecretTo => tried.secret = tried.secret.map(|(from, _)| (from, at)),
                Op::End => (at == tried.text.len()).then_some(())?,
                Op::Done => return tried.ends(at).then_some(at),
            }
            step += 1;
        }
    }
}

struct Try<'a, 'r, 'c> {
    text: &'a [u8],
    runs: &'r mut Runs<'c>,
    secret: Option<(usize, usize)>,
    /// The set that took the last byte, and how many it may take.
    last: Option<(Set, usize)>,
}

impl Try<'_, '_, '_> {
    /// Whether what was found ends here, and is not only the beginning of something longer.
    fn ends(&self, at: usize) -> bool {
        let Some(&next) = self.text.get(at).filter(|_| !self.runs.is_cut(at)) else { return true };
        let inside = at > 0 && Set::WORD.has(self.text[at - 1]) && Set::WORD.has(next);
        match self.last {
            Some((_, max)) if max >= MAY_GO_ON => true,
            Some((set, _)) => !inside && !set.has(next),
            None => !inside,
        }
    }
}

/// How far stretches of bytes of one set go, so that a hostile text full of keys has none of
/// its stretches read again for every key.
#[derive(Debug, Default)]
pub(crate) struct Runs<'t> {
    known: Vec<(Set, Range<usize>)>,
    /// Where something was left out of the text, in order.
    cuts: &'t [usize],
}

/// Shorter ones are quicker read than remembered.
const LONG: usize = 128;

impl<'t> Runs<'t> {
    pub(crate) fn cut_at(cuts: &'t [usize]) -> Self {
        Self { known: Vec::new(), cuts }
    }

    /// Whether something was left out right before this place.
    pub(crate) fn is_cut(&self, at: usize) -> bool {
        self.cuts.binary_search(&at).is_ok()
    }

    fn end(&mut self, text: &[u8], at: usize, set: &Set, max: usize) -> usize {
        let most = text.len().min(at.saturating_add(max));
        let read = |from: usize, to: usize| {
            from + text[from..to].iter().take_while(|byte| set.has(**byte)).count()
        };
        if max < LONG {
            return read(at.min(most), most);
        }
        let near = read(at.min(most), most.min(at + LONG));
        if near < most.min(at + LONG) {
            return near;
        }
        let known = self.known.iter().position(|(known, _)| known == set).unwrap_or_else(|| {
            self.known.push((*set, 0..0));
            self.known.len() - 1
        });
        let run = &mut self.known[known].1;
        if !run.contains(&at) {
            *run = at..read(near, text.len());
        }
        run.end.min(most)
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
