//! What we find ourselves about the work of a crew: the whole verification, and what the worker says
//! it ran, run again.

use countersign_domain::ObjectId;
use countersign_domain::claim::{Claimed, ClaimedStep, StepKind, audit};
use countersign_domain::classify::Overrides;
use countersign_domain::contract::Check;
use countersign_domain::gaming::{Finding, Severity};
use countersign_domain::qa::Outcome;
use countersign_domain::receipt::Ended;
use countersign_domain::run::{Assigned, Examined, Proof, Reproduced, RequiredTest, Run, RunEvent};
use countersign_domain::scope;
use countersign_domain::verify::{Checked, Mark, Unexpected, bare};

use super::crew::crew;
use super::effects::run_command;
use super::outside;
use crate::Engine;
use crate::error::Result;
use crate::verify::{Request, Verification, Walls};

/// The most commands of a claim that are tried again.
const MOST_REPRODUCED: usize = 3;
/// Folders that tests may need and that are in no tree: without them, what failed proves nothing.
const LENT: [&str; 5] = ["node_modules", ".venv", "venv", "vendor", "target"];

/// Verifies what was handed over against the base.
pub(super) fn examine(
    engine: &mut Engine,
    run: &Run,
    attempt: u32,
    tree: ObjectId,
) -> Result<RunEvent> {
    let contract = &run.opened.contract;
    let checks = if crew(run)?.is_detected {
        Vec::new()
    } else {
        contract.checks.iter().map(|check| check.command.clone()).collect()
    };
    let request = Request {
        task: crew(run)?.task.as_ref().unwrap_or(&contract.goal).clone(),
        base: Some(run.base().commit.to_string()),
        tree: Some(tree.clone()),
        checks,
        examples: crew(run)?.examples.clone(),
        agent: crew(run)?.worker(run.rung).map(ToString::to_string),
        said: said_of(crew(run)?.story.as_ref()),
        seconds: Some(run.opened.limits.check_seconds),
        own_seconds: contract.own_seconds(),
        ..Request::default()
    };
    let verification = engine.verify_work(&request, &mut |_| {})?;
    let reproduced = reproduce(engine, run, &tree, &verification)?;
    let story = crew(run)?.story.as_ref();
    let claim = run.claimed.as_ref().and_then(Claimed::given);
    let criteria = story.map(|story| story.criteria.clone()).unwrap_or_default();
    let tests = story.map(|story| &story.tests[..]).unwrap_or_default();
    let touches = story.map(|story| &story.touches[..]).unwrap_or_default();
    let is_outside = |path: &&String| {
        !touches.is_empty() && !touches.iter().any(|glob| scope::is_match(glob, path))
    };
    let judgement = &verification.judgement;
    let examined = Examined {
        run: run.id(),
        attempt,
        tree,
        verification: verification.id,
        verdict: judgement.verdict,
        level: judgement.level,
        reasons: judgement.reasons.clone(),
        findings: findings(&verification),
        receipts: proofs(engine, &verification)?,
        shown_by: judgement.shown_by.iter().take(200).cloned().collect(),
        reproduced,
        audit: claim.map(|claim| audit(claim, &criteria)),
        missing_tests: missing(tests, &verification),
        unnamed_tests: unnamed(tests, &verification),
        unexpected: verification.examples.iter().filter_map(Unexpected::of).collect(),
        out_of_scope: verification.changed.iter().filter(is_outside).cloned().collect(),
        outside: outside::after_checks(engine, run)?,
        signature: None,
    };
    let signature = Some(engine.key()?.sign(Examined::PURPOSE, &examined));
    Ok(RunEvent::Examined(Box::new(Examined { signature, ..examined })))
}

/// What the plan says of a story is not guessed from its words.
fn said_of(story: Option<&Assigned>) -> Overrides {
    Overrides { risk: story.and_then(|story| story.risk), ..Overrides::default() }
}

/// LP-07: tests count only when they are mapped, and only when they really ran. Where a command tells
/// no names of tests, all that can be said is whether it passed.
fn missing(required: &[RequiredTest], verification: &Verification) -> Vec<String> {
    let is_missing = |one: &&RequiredTest| {
        let of_command = verification.checks.iter().filter(|check| check.command == one.command);
        let mut ran = of_command.flat_map(Checked::handed);
        let wanted = bare(&one.test);
        !ran.any(|ran| {
            if ran.report.cases.is_empty() {
                ran.ended.passed()
            } else {
                ran.report
                    .cases
                    .iter()
                    .any(|case| case.outcome == Outcome::Passed && bare(&case.id) == wanted)
            }
        })
    };
    required.iter().filter(is_missing).map(|one| one.test.clone()).collect()
}

/// Tests of which only the exit code of their command was seen.
fn unnamed(required: &[RequiredTest], verification: &Verification) -> Vec<String> {
    let is_unnamed = |one: &&RequiredTest| {
        let of_command = verification.checks.iter().filter(|check| check.command == one.command);
        let mut ran = of_command.flat_map(Checked::handed).peekable();
        ran.peek().is_some() && ran.all(|ran| ran.report.cases.is_empty() && ran.ended.passed())
    };
    required.iter().filter(is_unnamed).map(|one| one.test.clone()).collect()
}

/// One line for each finding that nobody allowed.
fn findings(verification: &Verification) -> Vec<String> {
    let read = verification.findings.iter().filter(|one| one.severity() > Severity::Info);
    let ran = verification.judgement.findings.iter().filter(|one| one.allowed.is_none());
    read.chain(ran).map(|one| words_of(&one.finding)).take(50).collect()
}

fn words_of(finding: &Finding) -> String {
    let place = finding.path.as_deref().map_or_else(String::new, |path| match finding.line {
        Some(line) => format!("{path}:{line}: "),
        None => format!("{path}: "),
    });
    format!("{place}{} ({})", finding.message, finding.rule)
}

fn proofs(engine: &Engine, verification: &Verification) -> Result<Vec<Proof>> {
    let mut proofs = Vec::new();
    for result in &verification.judgement.results {
        let passed = result.mark == Mark::Pass;
        // On other grounds it may have failed for other reasons: what was handed over counts, and is last.
        let of_command = verification.checks.iter().filter(|one| one.command == result.command);
        let handed = of_command.flat_map(Checked::handed).map(|ran| ran.receipt).last();
        let mut receipts = result.receipts.clone();
        receipts.sort_by_key(|receipt| Some(*receipt) == handed);
        let excerpt = match receipts.last() {
            Some(receipt) if !passed => {
                engine.receipt(&receipt.to_string())?.receipt.execution.output.excerpt
            }
            _ => String::new(),
        };
        proofs.push(Proof {
            command: result.command.clone(),
            passed,
            error: result.error.clone(),
            receipts,
            excerpt,
        });
    }
    Ok(proofs)
}

/// LP-12: commands that the worker says failed before its work or passed after it, run by us. Only where
/// they are confined: a worker must not have us run what it could not run itself.
fn reproduce(
    engine: &Engine,
    run: &Run,
    tree: &ObjectId,
    verification: &Verification,
) -> Result<Vec<Reproduced>> {
    let Some(claim) = run.claimed.as_ref().and_then(Claimed::given) else { return Ok(Vec::new()) };
    let is_red = |step: &&ClaimedStep| step.step == StepKind::VerifyRed;
    let is_green = |step: &&ClaimedStep| {
        matches!(step.step, StepKind::VerifyGreen | StepKind::VerifyE2e)
            && step.exit_code == Some(0)
    };
    let steps = || claim.execution_steps.iter();
    // What is red is known already where the verification ran the same on the same files.
    let mut all: Vec<Reproduced> = Vec::new();
    let (mut red, mut green) = (Vec::new(), Vec::new());
    for (command, claimed) in distinct(steps().filter(is_red)) {
        match known(verification, command) {
            Some(ended) => all.push(Reproduced::red(command, claimed, ended)),
            None => red.push((command, claimed)),
        }
    }
    let contract = &run.opened.contract.checks;
    for (command, claimed) in distinct(steps().filter(is_green)) {
        if !contract.iter().any(|check| check.command == command) {
            green.push((command, claimed));
        }
    }
    let worktree = &engine.repository.layout().worktree;
    let is_lent = LENT.iter().any(|name| worktree.join(name).is_dir());
    if !Walls::find(engine).are_up() || is_lent {
        return Ok(all);
    }
    for (number, (command, claimed)) in red.into_iter().take(MOST_REPRODUCED).enumerate() {
        let name = format!("claimed-{}-red-{number}", run.attempt);
        let ended =
            run_command(engine, run, (&name, &Check::new(command)), &verification.red)?.ended;
        all.push(Reproduced::red(command, claimed, ended));
    }
    for (number, (command, claimed)) in green.into_iter().take(MOST_REPRODUCED).enumerate() {
        let name = format!("claimed-{}-{number}", run.attempt);
        let ended = run_command(engine, run, (&name, &Check::new(command)), tree)?.ended;
        all.push(Reproduced { command: command.to_owned(), claimed, ended, is_red: false });
    }
    Ok(all)
}

/// The commands of steps with what they are said to have ended with, each once.
fn distinct<'a>(steps: impl Iterator<Item = &'a ClaimedStep>) -> Vec<(&'a str, i64)> {
    let mut commands: Vec<(&str, i64)> = Vec::new();
    for step in steps {
        if let (Some(command), Some(claimed)) = (step.command.as_deref(), step.exit_code)
            && !commands.iter().any(|(known, _)| *known == command)
        {
            commands.push((command, claimed));
        }
    }
    commands
}

/// How a command ended on the old code with the new tests, where the verification ran it there.
fn known(verification: &Verification, command: &str) -> Option<Ended> {
    let checks = verification.checks.iter().filter(|check| check.command == command);
    let mut runs = checks.flat_map(|check| &check.runs);
    runs.find(|ran| ran.tree == verification.red).map(|ran| ran.ended.clone())
}
