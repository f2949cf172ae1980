//! Floors from `rules.txt`: what a clause demands at least.

use super::features::{Features, Part, is_group};
use super::fold;
use super::lexicon::Lexicon;
use super::paths;
use super::token;
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

/// A feature as it is written, and a word also without its ending: that is how words are kept.
fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    if let Some((kind @ ("w" | "t"), word)) = name.split_once(':') {
        all.push(format!("{kind}:{}", token::stem(&fold::word(word)).0));
    }
    all.dedup();
    all
}

/// Reads one line; `None` for an empty line or a comment.
pub(crate) fn parse_line(raw: &str, line: usize, own: bool) -> Result<Option<Rule>, String> {
    let raw = raw.trim();
    if raw.is_empty() || raw.starts_with('#') {
        return Ok(None);
    }
    let (when, then) = raw.split_once(" : ").ok_or_else(|| format!("line {line}: no \" : \""))?;
    let (labels, why) = then.split_once(" | ").ok_or_else(|| format!("line {line}: no \" | \""))?;
    let conditions = when
        .split_whitespace()
        .map(|word| {
            let (word, wanted) = word.strip_prefix('!').map_or((word, true), |w| (w, false));
            Condition { any: word.split('|').flat_map(spellings).collect(), wanted }
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

/// Facts about the shape of a clause that a rule may name.
const SHAPES: [&str; 12] = [
    "asks",
    "mark",
    "interrogative",
    "hedged",
    "negated",
    "verb",
    "noverb",
    "verb.ed",
    "verb.ing",
    "breaking",
    "critical.twice",
    "after.question",
];

impl Rule {
    /// Refuses a rule that could never fire because it names something that no clause can have.
    pub(crate) fn check(&self, lexicon: &Lexicon) -> Result<(), String> {
        let unknown = self.conditions.iter().flat_map(|c| &c.any).find(|n| !exists(lexicon, n));
        let line = self.line;
        unknown.map_or(Ok(()), |name| Err(format!("line {line}: no clause can have {name:?}")))
    }
}

/// Whether a clause can have a feature of this name.
fn exists(lexicon: &Lexicon, name: &str) -> bool {
    let act = |name: &str| lexicon.find_class(&format!("act.{name}")).is_some();
    let thing = |name: &str| {
        is_group(name) || (!name.starts_with("act.") && lexicon.find_class(name).is_some())
    };
    if let Some((verb, object)) = name.split_once(['>', '~']) {
        return act(verb) && thing(object);
    }
    if let Some(group) = name.strip_prefix("symptom&") {
        return is_group(group);
    }
    match name.split_once(':') {
        None => SHAPES.contains(&name),
        Some(("act" | "first" | "later", verb)) => act(verb),
        Some(("noun" | "tag" | "neg", verb)) if verb.starts_with("act.") => {
            lexicon.find_class(verb).is_some()
        }
        Some(("obj" | "topic" | "around" | "name" | "tag" | "neg" | "any" | "head", what)) => {
            thing(what)
        }
        Some(("asked", what)) => thing(what) || act(what),
        Some(("path", kind)) => paths::KINDS.contains(&kind),
        Some(("w" | "t" | "g", word)) => !word.is_empty(),
        Some(_) => false,
    }
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
    if !part.reading.allows() {
        return Vec::new();
    }
    rules.iter().filter(|rule| rule.holds(&part.features)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Knowledge;
    use super::parse_line;

    #[test]
    fn a_rule_that_can_never_fire_is_refused() {
        let lexicon = &Knowledge::shipped().lexicon;
        let check = |when: &str| {
            let rule =
                parse_line(&format!("{when} : tier STRICT | why"), 1, true).unwrap().unwrap();
            rule.check(lexicon)
        };
        for right in [
            "any:money",
            "obj:@critical",
            "act:destroy",
            "first:deploy",
            "destroy>data",
            "deploy~prod",
            "tag:act.fix",
            "w:send",
            "path:schema",
            "symptom&@store",
            "breaking",
            "any:auth|head:ui !verb",
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in [
            "any:mony",
            "money",
            "act:data",
            "obj:destroy",
            "data>destroy",
            "path:nowhere",
            "any:@secret",
            "all:money",
            "w:",
            "any:money !any:dosc",
        ] {
            assert!(check(wrong).unwrap_err().contains("line 1"), "{wrong}");
        }
    }
}
