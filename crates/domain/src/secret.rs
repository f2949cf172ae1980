//! Secrets in text: found before it is stored, shown or sent, and taken out of it.
//!
//! What is known about secrets is data (`data/secret/rules.txt`): tokens that are known by their
//! form, values that are known by the name they are given to, and what remains by its entropy.
//! Finding takes time in proportion to the text, whatever is in it; bytes may be anything.
//!
//! There is no comment that makes a scanner look away (`allow-secret` and the like). The texts are
//! those of agents and of what they read, and who wants to hide a secret would only have to say
//! so. What is no secret is said by a person, in the configuration: see [`Extension`].

mod assigned;
mod example;
mod extension;
mod found;
mod generic;
mod json;
mod redact;
mod rules;
mod shape;
mod shipped;
mod shown;
mod sieve;
mod value;
mod words;
mod wrapped;

use std::ops::Range;
use std::sync::OnceLock;

pub use extension::Extension;
pub use found::Found;
pub use json::FoundIn;
pub use rules::RuleError;

use extension::Allowed;
use found::Hit;
use rules::{Kind, Ready, Rule, Section};
use shape::Runs;
use shape::set::Set;
use shipped::ESCAPE;
use sieve::Sieve;
use value::Mix;
use wrapped::Piece;

/// Finds secrets. It costs nothing to have one; rules are made ready when they are needed.
#[derive(Debug, Clone)]
pub struct Scanner {
    sieve: Sieve,
    /// The lines of rules that a project added.
    own: Vec<(String, Kind)>,
    /// The patterns of all rules, as far as they were needed.
    ready: Vec<Ready>,
    allowed: Allowed,
}

impl Scanner {
    /// With the rules that we ship.
    pub fn builtin() -> &'static Self {
        static SCANNER: OnceLock<Scanner> = OnceLock::new();
        SCANNER.get_or_init(|| {
            let ready = shipped::rules().iter().map(|_| Ready::new()).collect();
            let (sieve, allowed) = (Sieve::default(), Allowed::default());
            Self { sieve, own: Vec::new(), ready, allowed }
        })
    }

    /// The ids of all rules with what they find, in words.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all_rules().map(|rule| (rule.id(), rule.words()))
    }

    fn all_rules(&self) -> impl Iterator<Item = Rule<'_>> {
        (0..ESCAPE).map_while(|number| self.rule(number))
    }

    fn rule(&self, number: u16) -> Option<Rule<'_>> {
        let number = usize::from(number);
        let ready = self.ready.get(number)?;
        let shipped = shipped::rules();
        if let Some(line) = shipped.get(number) {
            let Section::Rules(kind) = line.section else { return None };
            return Some(Rule { line: line.text(), kind, ready });
        }
        let (line, kind) = self.own.get(number - shipped.len())?;
        Some(Rule { line, kind: *kind, ready })
    }

    /// Takes in a rule that was checked. More than there can be numbers are not taken in.
    fn add(&mut self, line: &str, kind: Kind) {
        let number = u16::try_from(self.ready.len()).ok().filter(|number| *number < ESCAPE);
        let Some(number) = number else { return };
        let ready = Ready::new();
        self.sieve.add(Rule { line, kind, ready: &ready }.keys(), number);
        self.ready.push(ready);
        self.own.push((line.to_owned(), kind));
    }

    /// The secrets in a text, in order and without overlaps. The text may be any bytes.
    pub fn scan(&self, text: &[u8]) -> Vec<Found<'_>> {
        found::locate(text, &self.hits(text), self)
    }

    /// Whether there is a secret in a text.
    pub fn finds_any(&self, text: &[u8]) -> bool {
        !self.hits(text).is_empty()
    }

    fn hits(&self, text: &[u8]) -> Vec<Hit> {
        let mut hits = self.look(text);
        wrapped::each_base64(text, |piece| self.look_into(piece, &mut hits));
        shown::each_shown(text, |piece| self.look_into(piece, &mut hits));
        found::join(hits, self)
    }

    /// What is found in a text as it is, and in what has escapes in it.
    fn look(&self, text: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let (mut runs, mut unescaped) = (Runs::default(), 0);
        let mut keys: Vec<usize> = Vec::new();
        self.sieve.each(text, |number, at| {
            if text[at] == b'-' && keys.last() != Some(&at) && shown::is_key(text, at) {
                keys.push(at);
            }
            if number != ESCAPE {
                hits.extend(self.try_rule(number, text, at, &mut runs));
            } else if at >= unescaped {
                let piece = wrapped::around(text, at, unescaped);
                unescaped = piece.whole.end;
                self.look_into(&piece, &mut hits);
            }
        });
        for (number, start) in keys.iter().enumerate() {
            let end = keys.get(number + 1).copied().unwrap_or(text.len());
            if let Some(piece) = shown::key(text, *start, end) {
                self.look_into(&piece, &mut hits);
            }
        }
        hits
    }

    /// What is found in a piece, without looking for pieces in it.
    fn look_into(&self, piece: &Piece, hits: &mut Vec<Hit>) {
        let mut runs = Runs::cut_at(&piece.cuts);
        self.sieve.each(&piece.text, |number, at| {
            let hit = self.try_rule(number, &piece.text, at, &mut runs);
            hits.extend(hit.map(|hit| Hit { rule: hit.rule, place: piece.place(hit.place) }));
        });
    }

    fn try_rule(&self, number: u16, text: &[u8], at: usize, runs: &mut Runs) -> Option<Hit> {
        let rule = self.rule(number)?;
        let place = match rule.kind {
            Kind::Token | Kind::Weak | Kind::Address => self.token(rule, text, at, runs),
            Kind::Named => self.named(rule, text, at, runs),
            Kind::Password | Kind::Secret => self.generic(rule, text, at),
        };
        place.map(|place| Hit { rule: number, place })
    }

    fn token(
        &self,
        rule: Rule<'_>,
        text: &[u8],
        at: usize,
        runs: &mut Runs,
    ) -> Option<Range<usize>> {
        let shape = rule.shape()?;
        // Most texts that are made to take long end here.
        if shape.begins_with_key() && !begins(text, at) && !runs.is_cut(at) {
            return None;
        }
        let fit = shape.fit(text, at, runs)?;
        let secret = &text[fit.secret.clone()];
        let judged = match rule.kind {
            Kind::Weak => generic::looks_made(secret, Mix::of(secret)),
            Kind::Address => generic::is_password(secret),
            _ => true,
        };
        let start = fit.whole.start;
        let is_begun = begins(text, start) || runs.is_cut(start);
        let real = judged && is_begun && self.is_real(rule, secret);
        real.then_some(fit.secret)
    }

    fn named(
        &self,
        rule: Rule<'_>,
        text: &[u8],
        at: usize,
        runs: &mut Runs,
    ) -> Option<Range<usize>> {
        let joins = at > 0 && text[at - 1].is_ascii_alphabetic() && !runs.is_cut(at);
        let turns = joins && text[at - 1].is_ascii_lowercase() && text[at].is_ascii_uppercase();
        if joins && !turns {
            return None;
        }
        let found = assigned::read(text, at, true)?;
        let fit = rule.shape()?.fit(text, found.value.start, runs)?;
        let says = words::any_in("asks", &text[found.name], 1);
        (says && self.is_real(rule, &text[fit.secret.clone()])).then_some(fit.secret)
    }

    fn generic(&self, rule: Rule<'_>, text: &[u8], at: usize) -> Option<Range<usize>> {
        let found = assigned::read(text, at, false)?;
        let text = &text[..found.value.end];
        let fit = rule.shape()?.fit(text, found.value.start, &mut Runs::default())?;
        (fit.whole == found.value
            && generic::is_secret(text, &found, rule.kind)
            && self.is_real(rule, &text[fit.whole]))
        .then_some(found.value)
    }

    /// Whether what has the form of a secret is one, and not a stand-in for it.
    fn is_real(&self, rule: Rule<'_>, secret: &[u8]) -> bool {
        value::entropy(secret) >= rule.bits()
            && !words::any_in("examples", secret, 1)
            && !words::any_in(rule.id(), secret, 1)
            && !self.allowed.has(rule.id(), secret)
    }
}

/// Whether something may begin here, and is not only the end of a longer word.
fn begins(text: &[u8], at: usize) -> bool {
    let is_word = |at: usize| text.get(at).is_some_and(|byte| Set::WORD.has(*byte));
    if at == 0 || !is_word(at) || !is_word(at - 1) {
        return true;
    }
    // The letter before is the end of an escape: `\n`, `%3D`, `\u003d`, a colour of a terminal.
    let before = &text[..at];
    let hex = |count: usize| {
        before.iter().rev().take(count).filter(|byte| byte.is_ascii_hexdigit()).count() == count
    };
    let ends = |count: usize, mark: &[u8]| {
        before.len() >= count && before[..before.len() - count].ends_with(mark)
    };
    let letter = ends(1, b"\\") && b"nrtbf".contains(&text[at - 1]);
    let colour =
        text[at - 1] == b'm' && before.iter().rev().skip(1).take(8).any(|byte| *byte == 0x1b);
    letter
        || colour
        || (hex(2) && (ends(2, b"%") || ends(2, b"\\x")))
        || (hex(4) && ends(4, b"\\u"))
}
