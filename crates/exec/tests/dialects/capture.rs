//! What the hooks told against what the transcript tells.

use std::collections::BTreeMap;

use countersign_domain::worklog::{Agent, End, News, Operation};
use countersign_exec::agents::dialect::{expects_hook, read, transcript, unheard};

use crate::support::{Tour, operation_line, tour, tours};

/// The ends of calls that hooks told of, each by the event of its own.
fn told(tour: &Tour) -> Vec<Operation> {
    let payloads = tour.payloads();
    let news = payloads.iter().map(|(_, bytes)| read(tour.agent, bytes).report.news);
    let operated = news.filter_map(|news| match news {
        News::Operated(operation) => Some(*operation),
        _ => None,
    });
    operated.collect()
}

fn written(tour: &Tour) -> Vec<Operation> {
    let transcripts = tour.transcripts();
    let read = transcripts.iter().map(|(_, bytes)| transcript(tour.agent, bytes.as_slice()));
    read.flat_map(|read| read.unwrap().operations().cloned().collect::<Vec<_>>()).collect()
}

/// Calls that should have been told of and were not. Gemini has no ids in its hooks: there, calls
/// are counted by tool.
fn silent(tour: &Tour) -> Vec<Operation> {
    let told = told(tour);
    let expected = written(tour).into_iter().filter(|o| expects_hook(tour.agent, o));
    if tour.agent != Agent::Gemini {
        return expected.filter(|o| !told.iter().any(|told| told.call == o.call)).collect();
    }
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for operation in told {
        *left.entry(operation.tool).or_default() += 1;
    }
    let mut silent = Vec::new();
    for operation in expected {
        match left.get_mut(&operation.tool) {
            Some(count) if *count > 0 => *count -= 1,
            _ => silent.push(operation),
        }
    }
    silent
}

/// WL-22: hooks told of every call that they could tell of.
#[test]
fn nothing_that_should_have_been_told_is_missing() {
    for tour in tours().iter().filter(|tour| tour.name != "claude-tampering") {
        let silent: Vec<_> = silent(tour).iter().map(operation_line).collect();
        assert_eq!(silent, Vec::<String>::new(), "{}", tour.name);
    }
}

/// WL-22: an agent that switched the hooks off is known by what its transcript tells and its
/// hooks don't.
#[test]
fn silence_after_tampering_is_noticed() {
    assert!(!silent(&tour("claude-tampering")).is_empty());
}

/// Everything that hooks told of is in a transcript too, and means the same.
#[test]
fn hooks_and_transcripts_agree() {
    let mut compared = 0;
    for tour in tours().iter().filter(|tour| tour.agent != Agent::Gemini) {
        let written = written(tour);
        for told in told(tour) {
            let same = written.iter().find(|written| written.call == told.call);
            let same = same.unwrap_or_else(|| panic!("{}: {}", tour.name, operation_line(&told)));
            compared += 1;
            if tour.agent == Agent::Claude {
                assert_eq!(told.deed, same.deed, "{}", tour.name);
                // Of a background command the hook told only that it began.
                if told.end != End::Initiated {
                    assert_eq!(told.end, same.end, "{}", tour.name);
                }
            }
            // Codex' hooks never know an exit code; nobody may make one up for them.
            assert!(tour.agent != Agent::Codex || told.end.exit().is_none());
        }
    }
    assert!(compared > 40, "{compared}");
}

/// What only the list of a turn tells of was refused, one way or the other.
#[test]
fn calls_without_events_of_their_own_are_in_the_batch() {
    let tour = tour("claude-work");
    let told = told(&tour);
    let mut ends = Vec::new();
    for (_, bytes) in tour.payloads() {
        let News::Batch(all) = read(tour.agent, &bytes).report.news else { continue };
        for operation in all.iter().filter(|o| !told.iter().any(|told| told.call == o.call)) {
            let end = unheard(operation);
            assert!(!end.ran(), "{}", operation_line(operation));
            let written = written(&tour).into_iter().find(|w| w.call == operation.call).unwrap();
            assert_eq!(end, written.end);
            ends.push(end);
        }
    }
    assert!(ends.iter().any(|end| matches!(end, End::Rejected { .. })), "{ends:?}");
    assert!(ends.iter().any(|end| matches!(end, End::Denied { .. })), "{ends:?}");
}
