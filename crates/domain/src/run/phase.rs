//! A run as a log of phases: one line for each step that matters, in words that programs can search.
//! They follow from the journal, so a run that was not watched has them too.

use super::{Decision, Examined, Outcome, Review, Run, RunEvent, Said, Verified};
use crate::agent::AgentSpec;
use crate::verdict::Conclusion;
use crate::verify::Verdict;

/// The lines of a whole journal, each with the number of its event.
pub fn phases<'e>(events: impl Iterator<Item = &'e RunEvent>) -> Vec<(usize, String)> {
    let (mut run, mut lines) = (None::<Run>, Vec::new());
    for (number, event) in events.enumerate() {
        let taken = match (&mut run, event) {
            (Some(run), _) => run.apply(event.clone()).is_ok(),
            (None, RunEvent::Opened(opened)) => {
                run = Some(Run::open((**opened).clone()));
                true
            }
            (None, _) => false,
        };
        let line = run.as_ref().filter(|_| taken).and_then(|run| phase(run, event));
        lines.extend(line.map(|line| (number, line)));
    }
    lines
}

/// The line of `event`, by which `run` has come to be what it is; `None` for what is no phase.
pub fn phase(run: &Run, event: &RunEvent) -> Option<String> {
    let line = match event {
        RunEvent::Opened(opened) => format!(
            "contract checks={} hash={}",
            opened.contract.checks.len(),
            opened.contract_hash.short()
        ),
        RunEvent::Reviewed(reviewed) => match &reviewed.review {
            Review::Skipped { because } => {
                format!("contract_review result=skipped because={because:?}")
            }
            Review::Sufficient => "contract_review result=ok".to_owned(),
            Review::Concerns { concerns } => {
                format!("contract_review result=issues count={}", concerns.len())
            }
        },
        RunEvent::Launched { agent, .. } => {
            format!(
                "worker {} dispatched=true",
                agent.as_ref().map_or("engine=command".into(), who)
            )
        }
        RunEvent::Worked { execution, heard, .. } => {
            let end =
                heard.as_ref().map_or_else(|| execution.ended.to_string(), |h| h.end.to_string());
            format!("worker ended={end:?} ms={}", execution.duration_ms)
        }
        RunEvent::Snapshotted { tree, .. } => format!("handover tree={}", tree.short()),
        RunEvent::Checked(receipt) => format!(
            "check number={} passed={} receipt={}",
            receipt.check,
            receipt.passed(),
            receipt.id().short()
        ),
        RunEvent::Examined(examined) => examination(examined),
        RunEvent::VerifierLaunched { verifier, .. } => {
            let crew = run.opened.crew.as_deref();
            let agent = crew.and_then(|crew| crew.verifiers.get(verifier.checked_sub(1)? as usize));
            let agent = agent.map_or("engine=unknown".into(), who);
            format!("verifier {agent} scope={} dispatched=true", scope(run))
        }
        RunEvent::Verified(verified) => verdict(run, verified),
        RunEvent::Ruled(ruling) => {
            let decision = match &ruling.decision {
                Decision::Accept => "accept",
                Decision::Revise => "revise",
                Decision::Retry { .. } => "retry",
                Decision::Ask { .. } => "ask",
                Decision::Block { .. } => "block",
            };
            format!("ruling decision={decision} reasons={}", ruling.reasons.len())
        }
        RunEvent::Asked { number, checkpoint, .. } => {
            format!("checkpoint number={number} id={checkpoint}")
        }
        RunEvent::Resolved { number, choice, .. } => {
            format!("checkpoint number={number} answer={choice}")
        }
        RunEvent::Interrupted { .. } => "worker ended=interrupted".to_owned(),
        RunEvent::VerifierInterrupted { verifier, .. } => {
            format!("verifier number={verifier} ended=interrupted")
        }
        RunEvent::Closed(outcome) => return Some(validated(run, outcome)),
        RunEvent::Prepared { .. }
        | RunEvent::Claimed { .. }
        | RunEvent::Looked { .. }
        | RunEvent::Waited { .. }
        | RunEvent::Committed { .. }
        | RunEvent::CancelRequested { .. } => return None,
    };
    Some(format!("[EXEC] iter={} phase={line}", run.attempt))
}

fn who(agent: &AgentSpec) -> String {
    let model = agent.model.as_deref().unwrap_or("default");
    format!("engine={} model={model}", agent.kind.name())
}

fn scope(run: &Run) -> &str {
    let story = run.opened.crew.as_ref().and_then(|crew| crew.story.as_ref());
    story.map_or("ALL", |story| &story.story)
}

fn examination(examined: &Examined) -> String {
    let passed = examined.receipts.iter().filter(|proof| proof.passed).count();
    let level = examined.level.map_or("none".to_owned(), |level| level.to_string());
    format!(
        "layer_check verdict={} level={level:?} checks_passed={passed} checks={}",
        verdict_word(examined.verdict),
        examined.receipts.len()
    )
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "pass",
        Verdict::Refused => "fail",
        Verdict::Human | Verdict::Advisory => "person",
    }
}

fn verdict(run: &Run, verified: &Verified) -> String {
    let said = match &verified.said {
        Said::Verdict { verdict } => match verdict.verdict {
            Conclusion::Pass => "pass",
            Conclusion::Fail => "fail",
            Conclusion::RequestInfo => "request_info",
            Conclusion::Blocked => "blocked",
        },
        Said::Unfit { .. } => "unusable",
    };
    format!("verdict {} verdict={said} us_id={}", who(&verified.agent), scope(run))
}

fn validated(run: &Run, outcome: &Outcome) -> String {
    let result = match outcome {
        Outcome::Accepted { .. } => "COMPLETE",
        Outcome::Refused { .. } => "BLOCKED",
    };
    format!("[VALIDATE] result={result} iterations={} us_id={}", run.attempt, scope(run))
}
