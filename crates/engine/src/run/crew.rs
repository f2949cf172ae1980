//! Effects of a run with a crew: its agents, what they hand in, and what we find about it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::agent::{AgentSpec, Heard, Kind as AgentKind, Money, Role, Usage};
use countersign_domain::budget::{Limit, OverBudget, ReservationId, Want};
use countersign_domain::claim::{self, Claimed};
use countersign_domain::receipt::{Ended, Execution};
use countersign_domain::run::{
    CLAIM_FILE, Crew, Review, Reviewed, Ruling, Run, RunEvent, Said, Shown, Verified, assignment,
    review_assignment, verifier_assignment,
};
use countersign_domain::verdict::{self, Expectation};
use countersign_domain::{Digest, ObjectId};
use countersign_exec::agents::hides;
use countersign_git::Listed;

use super::agent::{self, Job};
use super::live::{Left, Live, LiveFile};
use super::{checkouts, outside};
use crate::error::{Error, Kind, Result};
use crate::{Engine, regular};

/// The most bytes of what agents hand in.
const MOST_HANDED_IN: u64 = 1024 * 1024;
/// The most bytes of a difference that a verifier is shown at once.
const MOST_SHOWN: usize = 200 * 1024;
/// Where a verifier may leave its verdict, in its checkout.
const VERDICT_FILE: &str = ".countersign/verdict.json";

pub(super) fn crew(run: &Run) -> Result<&Crew> {
    run.opened.crew.as_deref().ok_or_else(|| Error::new(Kind::Bug, "the run has no crew"))
}

fn worker(run: &Run) -> Result<&AgentSpec> {
    crew(run)?.worker(run.rung).ok_or_else(|| Error::new(Kind::Bug, "the crew has no worker"))
}

fn verifier_of(run: &Run, verifier: u32) -> Result<&AgentSpec> {
    let found = crew(run)?.verifiers.get(verifier as usize);
    found.ok_or_else(|| Error::new(Kind::Bug, "there is no such verifier"))
}

/// A start's name for its budget: one that is started again is another.
fn reservation(run: &Run, role: Role, start: u32) -> ReservationId {
    let start = 1 + start + 100 * (run.interruptions + run.restarts);
    ReservationId { run: run.id(), attempt: run.attempt, role, start }
}

/// LP-20: has the assignment looked at before the first attempt, or says why nobody does.
pub(super) fn review(engine: &mut Engine, run: &Run, attempt: u32) -> Result<RunEvent> {
    let skipped = |because: &str| {
        let review = Review::Skipped { because: because.to_owned() };
        let (prompt, execution, heard, outside) = (None, None, None, Vec::new());
        let reviewed = Reviewed { attempt, review, prompt, execution, heard, outside };
        Ok(RunEvent::Reviewed(Box::new(reviewed)))
    };
    let Some(reviewer) = &crew(run)?.reviewer else {
        return skipped("nobody is named to review assignments");
    };
    if attempt > 1 {
        return skipped("it was reviewed before the first attempt");
    }
    // Of one whose driver was killed, nothing else is on the record.
    settle_interrupted(engine, run)?;
    let (id, limit) = match reserve_again(engine, run, reviewer)? {
        Ok(reserved) => reserved,
        Err(over) => return skipped(&over.to_string()),
    };
    let prompt = review_assignment(run);
    let blob = engine.store.blobs().put(prompt.as_bytes())?;
    let place = engine.run_folder(run.id()).join(format!("review-{attempt}-{}", run.interruptions));
    let tree = run.last_tree.as_ref().unwrap_or(&run.base().tree).clone();
    judges_checkout(engine, run, (&place, &tree), reviewer)?;
    let job = Job {
        spec: reviewer,
        id,
        prompt: prompt.as_bytes(),
        folder: place.clone(),
        name: format!("review-{attempt}"),
        seconds: run.opened.limits.worker_seconds,
        max_cost: limit.money,
        max_tokens: limit.tokens,
    };
    let done = agent::start(engine, run, &job);
    let outside = outside::after(engine, run, &place);
    checkouts::retire(engine, &place)?;
    let (execution, heard) = done?;
    settle_ended(engine, id, reviewer, (&execution, &heard))?;
    let outside = outside?;
    Ok(RunEvent::Reviewed(Box::new(Reviewed {
        attempt,
        review: if heard.end.is_finished() {
            review_in(&heard.said)
        } else {
            Review::Skipped { because: format!("the reviewer did not finish: {}", heard.end) }
        },
        prompt: Some(blob),
        execution: Some(Box::new(execution)),
        heard: Some(Box::new(heard)),
        outside,
    })))
}

/// What a reviewer says. It can only add to what a worker is told.
fn review_in(said: &str) -> Review {
    let objects = said.split("```").map(|part| part.trim_start_matches("json").trim());
    let object = objects
        .chain([said.trim()])
        .filter_map(|text| serde_json::from_str::<serde_json::Value>(text).ok())
        .find(|value| value.get("sufficient").is_some());
    let Some(object) = object else {
        return Review::Skipped { because: "the reviewer's answer can't be read".to_owned() };
    };
    let concerns = object["concerns"].as_array().into_iter().flatten();
    let concerns: Vec<String> = concerns
        .filter_map(|concern| concern.as_str())
        .take(20)
        .map(|concern| concern.chars().take(1_000).collect())
        .collect();
    if object["sufficient"] == true && concerns.is_empty() {
        return Review::Sufficient;
    }
    Review::Concerns { concerns }
}

/// What a start may spend, reserved; or why it can't be paid for.
fn reserve(
    engine: &mut Engine,
    spec: &AgentSpec,
    id: ReservationId,
) -> Result<std::result::Result<Limit, OverBudget>> {
    // A command is paid for by nobody that we know of, and must not keep others from starting.
    if spec.kind == AgentKind::Command {
        return Ok(Ok(Limit::default()));
    }
    // Before it is reserved: what is reserved and has left no word was made to.
    LiveFile::of(engine, id.run)?.announce(id, spec);
    Ok(engine.reserve(&Want::of(id))?.map(|reserved| reserved.limit))
}

/// Reserves what a reviewer may spend. One that ended before that was recorded was paid for: the next
/// is another start.
fn reserve_again(
    engine: &mut Engine,
    run: &Run,
    reviewer: &AgentSpec,
) -> Result<std::result::Result<(ReservationId, Limit), OverBudget>> {
    let mut start = 0;
    loop {
        let id = reservation(run, Role::Reviewer, start);
        match reserve(engine, reviewer, id) {
            Err(error) if error.kind == Kind::Refused && start < 99 => start += 1,
            reserved => return Ok(reserved?.map(|limit| (id, limit))),
        }
    }
}

/// Reserves what the worker may spend and fixes its prompt.
pub(super) fn launch(engine: &mut Engine, run: &Run, attempt: u32) -> Result<RunEvent> {
    if let Err(over) = reserve(engine, worker(run)?, reservation(run, Role::Worker, 0))? {
        return Ok(RunEvent::Ruled(Ruling::over_budget(run, &over)));
    }
    let prompt = engine.store.blobs().put(assignment(run).as_bytes())?;
    let fingerprint = outside::before(engine, run)?;
    let agent = Some(worker(run)?.clone());
    Ok(RunEvent::Launched { attempt, prompt, agent, fingerprint })
}

/// Runs the worker to its end.
pub(super) fn work(
    engine: &mut Engine,
    run: &Run,
    attempt: u32,
    prompt: &Digest,
) -> Result<RunEvent> {
    let id = reservation(run, Role::Worker, 0);
    let limit = reserve(engine, worker(run)?, id)?.unwrap_or_default();
    let text = engine.store.blobs().read(prompt)?;
    let job = Job {
        spec: worker(run)?,
        id,
        prompt: &text,
        folder: checkouts::workshop(engine, run, attempt),
        name: format!("work-{attempt}"),
        seconds: run.opened.limits.worker_seconds,
        max_cost: limit.money,
        max_tokens: limit.tokens,
    };
    let (execution, heard) = agent::start(engine, run, &job)?;
    settle_ended(engine, id, job.spec, (&execution, &heard))?;
    let outside = outside::after(engine, run, &job.folder)?;
    let (execution, heard) = (Box::new(execution), Some(Box::new(heard)));
    Ok(RunEvent::Worked { attempt, execution, heard, outside })
}

/// Puts on the books what a start used that came to its end. What never began has used nothing.
fn settle_ended(
    engine: &mut Engine,
    id: ReservationId,
    spec: &AgentSpec,
    (execution, heard): (&Execution, &Heard),
) -> Result<()> {
    if spec.kind != AgentKind::Command {
        if let Ended::NotStarted { reason } = &execution.ended {
            engine.release(id, reason)?;
        } else {
            let took = Duration::from_millis(execution.duration_ms);
            engine.settle_after(id, heard.usage, took)?;
        }
    }
    Live::forget(&engine.run_folder(id.run));
    Ok(())
}

/// Puts on the books what a start used.
fn settle(engine: &mut Engine, id: ReservationId, spec: &AgentSpec, usage: Usage) -> Result<()> {
    if spec.kind != AgentKind::Command {
        engine.settle(id, usage)?;
    }
    Live::forget(&engine.run_folder(id.run));
    Ok(())
}

/// Puts every start of the run on the books that its driver did not live to settle: nothing of it
/// runs any more. It counts with what was heard of it last, which a call that was under way may
/// exceed. Where nothing is known that can be believed it counts as all that it could have spent.
pub(super) fn settle_interrupted(engine: &mut Engine, run: &Run) -> Result<()> {
    if run.opened.crew.is_none() {
        return Ok(());
    }
    let folder = engine.run_folder(run.id());
    let key = engine.key()?.public();
    for id in engine.unsettled(run.id())? {
        match Live::left_of(id, &folder, key) {
            Left::Unbegun => engine.release(id, "its driver ended before it began")?,
            Left::Used(spec, used) => {
                let cost = used.cost.or((used.tokens() == 0).then_some(Money::ZERO));
                settle(engine, id, &spec, Usage { cost, is_partial: false, ..used })?;
            }
            Left::Unknown => {
                engine.settle(id, Usage { is_partial: true, ..Usage::default() })?;
            }
        }
    }
    Live::forget(&folder);
    for place in agent::places(&folder) {
        remove(&place)?;
    }
    Ok(())
}

/// Reads what the worker says it did. The folder of the claim is not part of its work.
pub(super) fn claim(engine: &Engine, run: &Run, attempt: u32) -> Result<RunEvent> {
    let folder = checkouts::workshop(engine, run, attempt);
    let story = crew(run)?.story.as_ref().map(|story| story.story.as_str());
    let file = folder.join(CLAIM_FILE);
    let found = std::fs::symlink_metadata(&file).ok();
    let claimed = match (regular::read(&file, MOST_HANDED_IN), found) {
        // A link may lead to a claim of somebody else.
        (Some(bytes), Some(found)) if found.is_file() => claim::read(&bytes, story, attempt),
        (_, Some(_)) => {
            let most = MOST_HANDED_IN / 1024;
            let fault = format!("{CLAIM_FILE} is no plain file of at most {most} kB");
            Claimed::Unfit { faults: vec![fault] }
        }
        (_, None) => match &run.heard {
            Some(heard) => claim::read_said(&heard.said, story, attempt),
            None => Claimed::None,
        },
    };
    Ok(RunEvent::Claimed { attempt, claimed })
}

/// Takes the claim out of a checkout: with its folder, or alone where that belongs to the project.
pub(super) fn remove_claim(engine: &Engine, run: &Run, folder: &Path) -> Result<()> {
    let own = Path::new(CLAIM_FILE).parent().unwrap_or(Path::new(""));
    let listed = engine.repository.list(&run.base().tree)?;
    if !listed.iter().any(|one| one.path.starts_with(own)) {
        return remove(&folder.join(own));
    }
    let is_projects = listed.iter().any(|one| one.path.starts_with(CLAIM_FILE));
    if is_projects { Ok(()) } else { remove_inside(folder, CLAIM_FILE) }
}

/// Removes what lies at `path`, links not followed, if anything does.
fn remove(path: &Path) -> Result<()> {
    let is_folder = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let removed =
        if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", path, &error))
        }
        _ => Ok(()),
    }
}

/// Removes what a worker may have left at `name` in `folder`. Where its folder is a link to elsewhere,
/// the link goes.
fn remove_inside(folder: &Path, name: &str) -> Result<()> {
    let above = Path::new(name).parent().unwrap_or(Path::new(""));
    match std::fs::symlink_metadata(folder.join(above)) {
        Ok(found) if found.is_dir() => remove(&folder.join(name)),
        Ok(_) => remove(&folder.join(above)),
        Err(_) => Ok(()),
    }
}

/// A fresh checkout for who judges: without what its agent would run or obey if it lay there.
fn judges_checkout(
    engine: &Engine,
    run: &Run,
    (place, tree): (&Path, &ObjectId),
    agent: &AgentSpec,
) -> Result<()> {
    checkouts::make(engine, place, checkouts::synthetic(run, tree, "Handed over\n"))?;
    // What lies in the place of a verdict is of who was judged.
    remove_inside(place, VERDICT_FILE)?;
    // A fresh checkout has what its tree has, and nothing besides.
    let names = hides(agent.kind);
    let listed = engine.repository.list(tree)?;
    let hidden = |one: &Listed| -> Option<PathBuf> {
        let at = one.path.iter().position(|part| names.iter().any(|name| part == *name))?;
        Some(one.path.iter().take(at + 1).collect())
    };
    let hidden: BTreeSet<PathBuf> = listed.iter().filter_map(hidden).collect();
    hidden.iter().try_for_each(|path| remove(&place.join(path)))
}

/// Reserves what a verifier may spend and fixes its prompt.
pub(super) fn launch_verifier(
    engine: &mut Engine,
    run: &Run,
    attempt: u32,
    verifier: u32,
) -> Result<RunEvent> {
    let id = reservation(run, Role::Verifier, verifier);
    if let Err(over) = reserve(engine, verifier_of(run, verifier)?, id)? {
        return Ok(RunEvent::Ruled(Ruling::over_budget(run, &over)));
    }
    let patch = engine.run_patch(run)?;
    let mut patch = String::from_utf8_lossy(&patch).into_owned();
    let is_cut = patch.len() > MOST_SHOWN;
    if is_cut {
        let mut at = MOST_SHOWN;
        while !patch.is_char_boundary(at) {
            at -= 1;
        }
        patch.truncate(at);
    }
    let text = verifier_assignment(run, &Shown { patch: &patch, is_cut, verifier });
    let prompt = engine.store.blobs().put(text.as_bytes())?;
    let fingerprint = outside::before(engine, run)?;
    Ok(RunEvent::VerifierLaunched { attempt, verifier, prompt, fingerprint })
}

/// Runs a verifier on a fresh checkout, and looks whether it left the files alone.
pub(super) fn verify(
    engine: &mut Engine,
    run: &Run,
    (verifier, prompt): (u32, &Digest),
    tree: ObjectId,
) -> Result<RunEvent> {
    let attempt = run.attempt;
    let agent = verifier_of(run, verifier)?.clone();
    let id = reservation(run, Role::Verifier, verifier);
    let limit = reserve(engine, &agent, id)?.unwrap_or_default();
    let text = engine.store.blobs().read(prompt)?;
    let place = verifier_place(engine, run, verifier);
    judges_checkout(engine, run, (&place, &tree), &agent)?;
    let job = Job {
        spec: &agent,
        id,
        prompt: &text,
        folder: place.clone(),
        name: format!("verify-{attempt}-{verifier}"),
        seconds: run.opened.limits.worker_seconds,
        max_cost: limit.money,
        max_tokens: limit.tokens,
    };
    let (execution, heard) = agent::start(engine, run, &job)?;
    settle_ended(engine, id, &agent, (&execution, &heard))?;
    let file = regular::read(&place.join(VERDICT_FILE), MOST_HANDED_IN);
    let outside = outside::after(engine, run, &place)?;
    let touched = touched(engine, run, (&place, &tree), &agent)?;
    checkouts::retire(engine, &place)?;
    let handed_in = file.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let said =
        verdict_in(run, handed_in.as_deref().unwrap_or(&heard.said), heard.end.is_finished());
    let execution = Box::new(execution);
    let done =
        Verified { attempt, verifier, tree, agent, execution, heard, said, touched, outside };
    Ok(RunEvent::Verified(Box::new(done)))
}

pub(super) fn verifier_place(engine: &Engine, run: &Run, verifier: u32) -> PathBuf {
    let name = format!("verifier-{}-{verifier}-{}", run.attempt, run.interruptions + run.restarts);
    engine.run_folder(run.id()).join(name)
}

fn verdict_in(run: &Run, said: &str, is_finished: bool) -> Said {
    if !is_finished {
        return Said::Unfit { faults: vec!["it did not come to its end".to_owned()] };
    }
    let story = run.opened.crew.as_ref().and_then(|crew| crew.story.as_ref());
    let receipts = run.examined.as_ref().map_or(0, |examined| examined.receipts.len());
    let receipts: Vec<String> = (1..=receipts).map(|number| format!("r{number}")).collect();
    let due = Expectation {
        story: story.map(|story| story.story.as_str()),
        criteria: story.map(|story| &story.criteria[..]).unwrap_or_default(),
        receipts: &receipts,
    };
    match verdict::read(said, &due) {
        Ok(verdict) => Said::Verdict { verdict: Box::new(verdict) },
        Err(faults) => Said::Unfit { faults },
    }
}

fn tree_of(engine: &Engine, run: &Run, place: &Path) -> Result<ObjectId> {
    let scratch = engine.run_folder(run.id()).join("scratch");
    std::fs::create_dir_all(&scratch).map_err(|error| Error::io("create", &scratch, &error))?;
    Ok(engine.repository.snapshot(place, &scratch)?.tree)
}

/// Files of a judge's checkout of `tree` that are no longer what they were. What a test run leaves
/// behind is no change of them.
fn touched(
    engine: &Engine,
    run: &Run,
    (place, tree): (&Path, &ObjectId),
    agent: &AgentSpec,
) -> Result<Vec<String>> {
    if !checkouts::is_there(engine, run, place) {
        return Ok(vec!["the whole checkout".to_owned()]);
    }
    if engine.repository.is_as_left(place) {
        return Ok(Vec::new());
    }
    checkouts::remove_special_files(place)?;
    let after = tree_of(engine, run, place)?;
    if after == *tree {
        return Ok(Vec::new());
    }
    // A fresh checkout need not come back as the tree it was made of: something may be hidden in it,
    // and filters may read files otherwise than they were written.
    let mut fresh = place.as_os_str().to_owned();
    fresh.push("-again");
    let fresh = PathBuf::from(fresh);
    judges_checkout(engine, run, (&fresh, tree), agent)?;
    let before = tree_of(engine, run, &fresh)?;
    checkouts::retire(engine, &fresh)?;
    let changes = engine.repository.diff(&before, &after)?;
    let known = changes.into_iter().filter(|change| change.old.is_some());
    Ok(known.take(20).map(|change| change.path.to_string_lossy().into_owned()).collect())
}
