//! What a person tells us, and not the agent, in a prompt: `--tier STRICT`, `--skip-verify` and
//! the like, as words of their own at its start or its end.
//!
//! A flag in the middle of a sentence, in quotes or in code is part of the task: "explain
//! --skip-verify" must not skip anything.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::classify::{Label as _, Tier};

/// A flag without a value. Their use is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    NoWorklog,
    SkipVerify,
    NoCheckpoints,
    VerboseLog,
    RetryMemory,
    SkipCompliance,
}

impl Flag {
    pub const ALL: [Self; 6] = [
        Self::NoWorklog,
        Self::SkipVerify,
        Self::NoCheckpoints,
        Self::VerboseLog,
        Self::RetryMemory,
        Self::SkipCompliance,
    ];

    /// As it is written in a prompt.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoWorklog => "--no-worklog",
            Self::SkipVerify => "--skip-verify",
            Self::NoCheckpoints => "--no-checkpoints",
            Self::VerboseLog => "--verbose-log",
            Self::RetryMemory => "--retry-memory",
            Self::SkipCompliance => "--skip-compliance",
        }
    }

    /// Whether it leaves out something that we would do: the skip rate counts these.
    pub fn skips(self) -> bool {
        !matches!(self, Self::VerboseLog | Self::RetryMemory)
    }
}

/// What was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub set: BTreeSet<Flag>,
}

impl Flags {
    pub fn has(&self, flag: Flag) -> bool {
        self.set.contains(&flag)
    }

    pub fn is_empty(&self) -> bool {
        self.tier.is_none() && self.set.is_empty()
    }

    /// Takes in what was said later.
    pub fn add(&mut self, later: Self) {
        self.tier = later.tier.or(self.tier);
        self.set.extend(later.set);
    }

    /// The later word wins.
    fn take(&mut self, said: Said) {
        match said {
            Said::Flag(flag) => drop(self.set.insert(flag)),
            Said::Tier(tier) => self.tier = Some(tier),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Flag(Flag),
    Tier(Tier),
}

/// The flags of a prompt, and the prompt without them.
pub fn parse(prompt: &str) -> (Flags, String) {
    let mut flags = Flags::default();
    let trimmed = prompt.trim();
    let (command, mut text) = slash_command(trimmed);
    let text_before = text;
    while let Some((said, rest)) = first(text) {
        flags.take(said);
        text = rest;
    }
    if !text.is_empty() && continues(text) {
        // `--skip-verify is broken` speaks about the flag.
        (flags, text) = (Flags::default(), text_before);
    }
    let mut at_end = Vec::new();
    let mut body = text;
    while let Some((said, rest)) = last(body) {
        at_end.push(said);
        body = rest;
    }
    if !at_end.is_empty() && (body.is_empty() || !leads_on(body, &text[body.len()..])) {
        text = body;
        at_end.into_iter().rev().for_each(|said| flags.take(said));
    }
    if flags.is_empty() {
        return (flags, prompt.to_owned());
    }
    let space = if command.is_empty() || text.is_empty() { "" } else { " " };
    (flags, format!("{command}{space}{text}"))
}

/// `/task …`: flags may follow it. A path is no command.
fn slash_command(prompt: &str) -> (&str, &str) {
    let end = prompt.find(char::is_whitespace).unwrap_or(prompt.len());
    let is_name = |letter: char| letter.is_alphanumeric() || "-_:.".contains(letter);
    match prompt[..end].strip_prefix('/') {
        Some(name) if !name.is_empty() && name.chars().all(is_name) => {
            (&prompt[..end], prompt[end..].trim_start())
        }
        _ => ("", prompt),
    }
}

fn flag(word: &str) -> Option<Said> {
    if let Some(tier) = word.strip_prefix("--tier=") {
        return Tier::parse(tier).map(Said::Tier);
    }
    Flag::ALL.into_iter().find(|flag| flag.name() == word).map(Said::Flag)
}

/// A flag at the start, and what follows it.
fn first(text: &str) -> Option<(Said, &str)> {
    let (word, rest) = split_first(text);
    if word == "--tier" {
        let (tier, rest) = split_first(rest);
        return Some((Said::Tier(Tier::parse(tier)?), rest));
    }
    Some((flag(word)?, rest))
}

/// A flag at the end, and what comes before it.
fn last(text: &str) -> Option<(Said, &str)> {
    let (rest, word) = split_last(text);
    if let Some(tier) = Tier::parse(word) {
        let (rest, word) = split_last(rest);
        return (word == "--tier").then_some((Said::Tier(tier), rest));
    }
    Some((flag(word)?, rest))
}

fn split_first(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

fn split_last(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let start = text.char_indices().rfind(|(_, letter)| letter.is_whitespace());
    let start = start.map_or(0, |(at, letter)| at + letter.len_utf8());
    (text[..start].trim_end(), &text[start..])
}

/// Words by which a sentence goes on after its subject.
const AFTER: &str = "\
    is isn't are was does doesn't did do don't should shouldn't must can can't cannot could \
    has have had will would won't fails breaks works flag flags option options switch argument \
    parameter and or to in as when with without seems needs crashes causes makes gets not \
    never still no also";

/// Words after which a sentence is not at its end.
const BEFORE: &str = "\
    flag flags option options switch argument parameter called named for of the a an explain \
    support implement document add remove rename drop parse handle use uses using with without \
    to and or is does mean means like via by from if when than as about pass passing give test \
    describe deprecate replace fix under in on into say says write call run runs accept \
    accepts ignore ignores our my your its that this new old not but";

fn is_in(list: &str, word: &str) -> bool {
    let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    list.split(' ').any(|known| known.eq_ignore_ascii_case(bare))
}

/// Whether a text goes on with a sentence whose subject stood before it, on the same line.
fn continues(text: &str) -> bool {
    let (word, _) = split_first(text);
    is_in(AFTER, word) || word.starts_with([',', '?', '!', '.'])
}

/// Whether what comes before flags leads on to them: a sentence that needs them, or a quote or
/// code that is still open. Flags on a line of their own end nothing but the prompt.
fn leads_on(before: &str, flags: &str) -> bool {
    let open = |mark: &str| before.matches(mark).count() % 2 == 1;
    if open("```") || open("\"") || (open("`") && !open("```")) {
        return true;
    }
    if flags.trim_end().contains('\n')
        && flags.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
    {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or(before);
    let is_code = line.starts_with("    ") || line.starts_with('\t') || line.starts_with("$ ");
    let (_, word) = split_last(before);
    let ends = word.ends_with([':', '=', ',', '(', '/']);
    let (_, earlier) = split_last(split_last(before).0);
    let goes_on = word.eq_ignore_ascii_case("on") && is_in("go carry move keep read", earlier);
    is_code || ends || is_in(BEFORE, word) && !goes_on && !word.ends_with(['.', '!', '?', ';'])
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;
