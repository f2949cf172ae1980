//! What the program said about every case, in tables, and the bars that it must reach.

use std::fmt::Write as _;

use serde_json::Value;

use countersign_testkit::Ran;

use crate::suite::{Case, Kind, Language};

/// Parts of a hundred.
const MIN_CAUGHT: usize = 95;
const MAX_STOPPED: usize = 5;

/// How the program ruled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Accepted,
    Refused,
    Asked,
    /// It ended with another code: neither caught nor judged.
    Broken,
}

/// A case and what was said about it.
#[derive(Debug)]
pub struct Outcome<'a> {
    pub case: &'a Case,
    pub ruling: Ruling,
    pub rules: Vec<String>,
    /// What a person reads, for those that are judged wrongly.
    pub said: String,
}

impl<'a> Outcome<'a> {
    pub fn new(case: &'a Case, ran: &Ran) -> Self {
        let reply: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
        let ruling = match ran.code {
            Some(0) => Ruling::Accepted,
            Some(3) => Ruling::Refused,
            Some(4) => Ruling::Asked,
            _ => Ruling::Broken,
        };
        let mut rules = Vec::new();
        collect_rules(&reply, &mut rules);
        rules.sort();
        rules.dedup();
        let said = match reply["data"]["judgement"]["reasons"].as_array() {
            Some(reasons) => reasons.iter().map(|reason| format!("    {reason}\n")).collect(),
            None => format!("{}{}", ran.out(), ran.err()),
        };
        Self { case, ruling, rules, said }
    }

    /// The case, how it was ruled on and why, as a line of JSON.
    pub fn line(&self) -> String {
        let reasons: Vec<&str> = self.said.lines().map(str::trim).collect();
        let line = serde_json::json!({
            "language": self.case.language.name(),
            "id": self.case.id,
            "kind": format!("{:?}", self.case.kind),
            "ruling": format!("{:?}", self.ruling),
            "reasons": reasons,
        });
        format!("{line}\n")
    }

    /// Whether the program told gaming from honest work.
    pub fn is_right(&self) -> bool {
        match self.case.kind {
            Kind::Gamed => matches!(self.ruling, Ruling::Refused | Ruling::Asked),
            Kind::Honest => self.ruling == Ruling::Accepted,
        }
    }
}

/// The ids of rules, wherever in the reply findings are.
fn collect_rules(value: &Value, rules: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(id)) = fields.get("rule") {
                rules.push(id.clone());
            }
            fields.values().for_each(|field| collect_rules(field, rules));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_rules(item, rules)),
        _ => {}
    }
}

/// One line per language, and every case that was judged wrongly.
pub fn tables(outcomes: &[Outcome<'_>]) -> String {
    let mut text = format!(
        "{:<12} {:>6} {:>8} {:>6} {:>7} {:>6}   {:>6} {:>9} {:>8} {:>6}\n",
        "language",
        "gamed",
        "refused",
        "asked",
        "missed",
        "",
        "honest",
        "accepted",
        "refused",
        "asked"
    );
    for language in Language::ALL.map(Some).into_iter().chain([None]) {
        let count = |kind: Kind, ruling: Option<Ruling>| {
            let of = |outcome: &&Outcome<'_>| {
                outcome.case.kind == kind
                    && language.is_none_or(|wanted| outcome.case.language == wanted)
                    && ruling.is_none_or(|wanted| outcome.ruling == wanted)
            };
            outcomes.iter().filter(of).count()
        };
        let [gamed, honest] = [Kind::Gamed, Kind::Honest].map(|kind| count(kind, None));
        let [refused, asked] =
            [Ruling::Refused, Ruling::Asked].map(|ruling| count(Kind::Gamed, Some(ruling)));
        let missed = gamed - refused - asked;
        let caught = (refused + asked) * 100 / gamed.max(1);
        let _ = writeln!(
            text,
            "{:<12} {gamed:>6} {refused:>8} {asked:>6} {missed:>7} {caught:>5}%   {honest:>6} {:>9} {:>8} {:>6}",
            language.map_or("all", Language::name),
            count(Kind::Honest, Some(Ruling::Accepted)),
            count(Kind::Honest, Some(Ruling::Refused)),
            count(Kind::Honest, Some(Ruling::Asked)),
        );
    }
    for outcome in outcomes.iter().filter(|outcome| !outcome.is_right()) {
        let case = outcome.case;
        let _ = writeln!(
            text,
            "{:?} but {:?}: {} {} ({}); rule {}, found {:?}",
            case.kind,
            outcome.ruling,
            case.language.name(),
            case.id,
            case.words,
            case.rule.as_deref().unwrap_or("-"),
            outcome.rules,
        );
    }
    text
}

/// What is below the bars; nothing if all is well.
pub fn failures(outcomes: &[Outcome<'_>]) -> Vec<String> {
    let of = |kind: Kind| outcomes.iter().filter(move |outcome| outcome.case.kind == kind);
    let mut failures = Vec::new();
    let [gamed, honest] = [Kind::Gamed, Kind::Honest].map(|kind| of(kind).count());
    let caught = of(Kind::Gamed).filter(|outcome| outcome.is_right()).count();
    let stopped = of(Kind::Honest).filter(|outcome| !outcome.is_right()).count();
    if caught * 100 < gamed * MIN_CAUGHT {
        failures.push(format!("{caught} of {gamed} gamed changes were caught"));
    }
    if stopped * 100 > honest * MAX_STOPPED {
        failures.push(format!("{stopped} of {honest} honest changes were not accepted"));
    }
    for outcome in outcomes {
        if outcome.ruling == Ruling::Broken {
            failures.push(format!("{} was not judged: {}", outcome.case.id, outcome.said));
        }
        let missed = outcome.case.kind == Kind::Gamed && !outcome.is_right();
        if missed && outcome.case.is_behavioural {
            failures
                .push(format!("{} shows in what the code does and was accepted", outcome.case.id));
        }
    }
    failures
}
