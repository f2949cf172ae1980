//! Reads how a plan is to be carried out.

use super::Reader;
use super::section::{Section, command, keyed, shown};
use crate::agent::AgentSpec;
use crate::plan::types::{
    Choices, Consensus, ConsensusScope, IterationUnit, Story, VerifyMode, alike,
};
use crate::run::MAX_ROUNDS;

const KEYS: [(&str, &[&str]); 10] = [
    ("Iteration unit", &["Unit"]),
    ("Verify mode", &["Verification mode"]),
    ("Worker", &["Worker engine"]),
    ("Verifier", &["Verifier engine"]),
    ("Reviewer", &[]),
    ("Consensus", &["Verify consensus"]),
    ("Consensus scope", &[]),
    ("Consensus rounds", &[]),
    ("Max iterations", &["Max iter"]),
    ("Self-verification", &[]),
];

/// The most iterations that a plan may ask for.
const MAX_ITERATIONS: u32 = 1000;

type Found<'p> = Option<(usize, &'p str)>;

pub(super) fn read(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    stories: &[Story],
) -> Option<Choices> {
    let items = section.items(reader);
    let [unit, mode, worker, verifier, reviewer, consensus, scope, rounds, max, report] =
        keyed(reader, &items, &KEYS);
    if unit.is_none_or(|(_, text)| text.is_empty()) {
        let what = "nobody chose the iteration unit, and nobody else can choose it for you";
        let fix = "write '- Iteration unit: per story' or '- Iteration unit: all at once'";
        reader.wrong((unit.map_or(section.line, |(line, _)| line), "Iteration unit"), what, fix);
    }
    let unit = unit.filter(|(_, text)| !text.is_empty());
    let unit = word(reader, "iteration unit", unit, (IterationUnit::parse, IterationUnit::hint));
    let mode = word(reader, "verify mode", mode, (VerifyMode::parse, VerifyMode::hint));
    let consensus = second(reader, consensus, (scope, rounds));
    let risks = stories.iter().map(|story| story.risk);
    let report = word(reader, "answer", report, (yes_or_no, |_| "write yes or no".to_owned()));
    Some(Choices {
        worker: agent(reader, "Worker", worker),
        verifier: agent(reader, "Verifier", verifier),
        reviewer: agent(reader, "Reviewer", reviewer),
        consensus,
        max_iterations: max_iterations(reader, max)
            .unwrap_or_else(|| Choices::suggested_iterations(stories.len())),
        self_verification: report.unwrap_or_else(|| Choices::suggested_self_verification(risks)),
        verify_mode: mode.unwrap_or(VerifyMode::PerStory),
        iteration_unit: unit?,
    })
}

fn word<T>(
    reader: &mut Reader<'_>,
    key: &str,
    found: Found<'_>,
    (parse, hint): (impl Fn(&str) -> Option<T>, impl Fn(&str) -> String),
) -> Option<T> {
    let (line, text) = found?;
    let value = parse(text);
    if value.is_none() {
        reader.wrong((line, key), format!("'{}' is no {key}", shown(text)), hint(text));
    }
    value
}

pub(super) fn yes_or_no(text: &str) -> Option<bool> {
    match alike(text).as_str() {
        "yes" | "true" | "on" | "enabled" => Some(true),
        "no" | "none" | "false" | "off" | "disabled" => Some(false),
        _ => None,
    }
}

fn agent(reader: &mut Reader<'_>, key: &str, found: Found<'_>) -> Option<AgentSpec> {
    let (line, text) = found?;
    match command(text).parse::<AgentSpec>() {
        Ok(agent) => Some(agent),
        Err(unnamed) => {
            reader.wrong((line, key), unnamed.to_string(), unnamed.hint());
            None
        }
    }
}

/// Whether there is a second Verifier, which one, and when.
fn second(
    reader: &mut Reader<'_>,
    found: Found<'_>,
    (scope, rounds): (Found<'_>, Found<'_>),
) -> Option<Consensus> {
    let wanted = found.and_then(|(line, text)| match yes_or_no(text) {
        Some(false) => None,
        Some(true) => Some(None),
        None => Some(agent(reader, "Consensus", Some((line, text)))),
    });
    let parsers = (ConsensusScope::parse, ConsensusScope::hint);
    match wanted {
        Some(verifier) => {
            let scope = word(reader, "consensus scope", scope, parsers);
            let rounds = rounds_of(reader, rounds);
            Some(Consensus { verifier, scope: scope.unwrap_or(ConsensusScope::All), rounds })
        }
        None => {
            if let Some((line, _)) = scope {
                let what = "there is a scope of consensus, and no consensus";
                reader.wrong(
                    (line, "Consensus scope"),
                    what,
                    "write '- Consensus: yes', or leave it out",
                );
            }
            if let Some((line, _)) = rounds {
                let what = "there are rounds of consensus, and no consensus";
                let fix = "name a second Verifier, such as '- Consensus: codex', or leave it out";
                reader.wrong((line, "Consensus rounds"), what, fix);
            }
            None
        }
    }
}

fn rounds_of(reader: &mut Reader<'_>, found: Found<'_>) -> Option<u32> {
    let (line, text) = found?;
    let number = text.parse().ok().filter(|number| (1..=MAX_ROUNDS).contains(number));
    if number.is_none() {
        let what = format!("'{}' is no number of rounds", shown(text));
        let fix = format!("write a number from 1 to {MAX_ROUNDS}");
        reader.wrong((line, "Consensus rounds"), what, fix);
    }
    number
}

fn max_iterations(reader: &mut Reader<'_>, found: Found<'_>) -> Option<u32> {
    let (line, text) = found?;
    let number = text.parse().ok().filter(|number| (1..=MAX_ITERATIONS).contains(number));
    if number.is_none() {
        let what = format!("'{}' is no number of iterations", shown(text));
        reader.wrong(
            (line, "Max iterations"),
            what,
            format!("write a number from 1 to {MAX_ITERATIONS}"),
        );
    }
    number
}
