//! Floors from `rules.txt`: what a clause demands at least.

use super::features::{Features, Part};
use super::types::{ContractType, Label, Reversibility, Risk, Tier};

/// One side of a condition: any of these features, or none of them.
#[derive(Debug, Clone)]
struct Condition {
    any: Vec<String>,
    wanted: bool,
}

/// A floor with the condition under which it holds.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    conditions: Vec<Condition>,
    pub contract: Option<ContractType>,
    pub tier: Option<Tier>,
    pub risk: Option<Risk>,
    pub reversibility: Option<Reversibility>,
    pub why: String,
    pub line: usize,
    /// From a user's extension.
    pub own: bool,
}

/// Reads one line; `None` for an empty line or a comment.
pub(crate) fn parse_line(raw: &str, line: usize, own: bool) -> Result<Option<Rule>, String> {
    let raw = raw.trim();
    if raw.is_empty() || raw.starts_with('#') {
        return Ok(None);
    }
    let (when, then) = raw
        .split_once(" : ")
        .ok_or_else(|| format!("line {line}: no \" : \""))?;
    let (labels, why) = then
        .split_once(" | ")
        .ok_or_else(|| format!("line {line}: no \" | \""))?;
    let conditions = when
        .split_whitespace()
        .map(|word| {
            let (word, wanted) = word.strip_prefix('!').map_or((word, true), |w| (w, false));
            Condition {
                any: word.split('|').map(str::to_owned).collect(),
                wanted,
            }
        })
        .collect();
    let why = why.trim().to_owned();
    let mut rule = Rule {
        conditions,
        contract: None,
        tier: None,
        risk: None,
        reversibility: None,
        why,
        line,
        own,
    };
    for pair in labels.split(',') {
        let known = match pair.trim().split_once(' ') {
            Some(("contract", name)) => ContractType::parse(name).map(|v| rule.contract = Some(v)),
            Some(("tier", name)) => Tier::parse(name).map(|v| rule.tier = Some(v)),
            Some(("risk", name)) => Risk::parse(name).map(|v| rule.risk = Some(v)),
            Some(("reversibility", name)) => {
                Reversibility::parse(name).map(|v| rule.reversibility = Some(v))
            }
            _ => None,
        };
        known.ok_or_else(|| format!("line {line}: {pair:?} is no label"))?;
    }
    Ok(Some(rule))
}

/// Reads the file format described at its head.
pub(crate) fn parse(text: &str) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    for (at, line) in text.lines().enumerate() {
        rules.extend(parse_line(line, at + 1, false)?);
    }
    Ok(rules)
}

impl Rule {
    fn holds(&self, features: &Features) -> bool {
        self.conditions
            .iter()
            .all(|c| c.any.iter().any(|name| features.contains_key(name)) == c.wanted)
    }
}

/// The rules that a clause fires. Only a clause that asks for something can.
pub(crate) fn fired<'a>(rules: &'a [Rule], part: &Part) -> Vec<&'a Rule> {
    let reading = &part.reading;
    if reading.asks || reading.hedged || reading.negated {
        return Vec::new();
    }
    rules
        .iter()
        .filter(|rule| rule.holds(&part.features))
        .collect()
}
