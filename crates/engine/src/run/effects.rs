//! Performing effects. Each may be performed again after a crash: checkouts are made afresh,
//! commits come out the same, blobs are named by their content.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::agent::{AgentSpec, Kind as AgentKind, Role};
use countersign_domain::budget::ReservationId;
use countersign_domain::contract::Check;
use countersign_domain::receipt::{Execution, Output, Receipt};
use countersign_domain::run::{
    Decision, Effect, Outcome, RefusedBecause, Run, RunEvent, assignment, escalation, rule,
};
use countersign_domain::secret::Scanner;
use countersign_domain::verify::Level;
use countersign_domain::{Digest, ObjectId, Stamp};
use countersign_exec::agents::Reader;
use countersign_exec::{Cancel, Environment, Spec, Supervisor};
use countersign_git::{Identity, NewCommit, is_directory};

use super::agent::Ear;
use super::live::{Live, LiveFile, Pulse};
use super::open::worker_command;
use super::watch::Watch;
use super::{asking, checkouts, crew, examine, outside, waiting};
use crate::error::{Error, Kind, Result};
use crate::query::stream_of;
use crate::verify::{Walls, around};
use crate::{Engine, store_options};

/// The most bytes of a prompt that fit in one environment variable.
const PROMPT_VARIABLE_BYTES: usize = 100 * 1024;

pub(super) fn perform(engine: &mut Engine, run: &Run, effect: Effect) -> Result<RunEvent> {
    let has_crew = run.opened.crew.is_some();
    match effect {
        Effect::Prepare { attempt, tree } => checkouts::prepare(engine, run, attempt, tree),
        Effect::Review { attempt } => crew::review(engine, run, attempt),
        Effect::Launch { attempt } if has_crew => crew::launch(engine, run, attempt),
        Effect::Launch { attempt } => {
            let prompt = engine.store.blobs().put(assignment(run).as_bytes())?;
            let fingerprint = outside::before(engine, run)?;
            Ok(RunEvent::Launched { attempt, prompt, agent: None, fingerprint })
        }
        Effect::Await { attempt, prompt } if has_crew => crew::work(engine, run, attempt, &prompt),
        Effect::Await { attempt, prompt } => work(engine, run, attempt, &prompt),
        Effect::Interrupt { attempt } => {
            crew::settle_interrupted(engine, run)?;
            checkouts::interrupt(engine, run, attempt)
        }
        Effect::Claim { attempt } => crew::claim(engine, run, attempt),
        Effect::Snapshot { attempt } => checkouts::hand_over(engine, run, attempt),
        Effect::Check { .. } | Effect::Examine { .. } if outside::is_due(engine, run) => {
            outside::before_checks(engine, run)
        }
        Effect::Look { .. } => outside::look(engine, run),
        Effect::Check { attempt, check, tree } => {
            let receipt = run_check(engine, run, (attempt, check), tree)?;
            Ok(RunEvent::Checked(Box::new(receipt)))
        }
        Effect::Examine { attempt, tree } => examine::examine(engine, run, attempt, tree),
        Effect::LaunchVerifier { attempt, verifier } => {
            crew::launch_verifier(engine, run, attempt, verifier)
        }
        Effect::Verify { verifier, prompt, tree, .. } => {
            crew::verify(engine, run, (verifier, &prompt), tree)
        }
        Effect::InterruptVerifier { attempt, verifier } => {
            crew::settle_interrupted(engine, run)?;
            let outside = outside::after_cut_off(engine, run)?;
            Ok(RunEvent::VerifierInterrupted { attempt, verifier, outside })
        }
        Effect::Rule => decide(engine, run),
        Effect::Wait { attempt, until } => waiting::wait(engine, run, attempt, until),
        Effect::Ask { number, ask_for } => asking::ask(engine, run, number, ask_for),
        Effect::Commit { tree } => commit(engine, run, &tree),
        Effect::Close { outcome } => close(engine, run, outcome),
    }
}

/// Decides, and writes down what was tried where a person is asked about that.
fn decide(engine: &Engine, run: &Run) -> Result<RunEvent> {
    let mut ruling = rule(run, &run.opened.limits, engine.host.now());
    if let Decision::Ask { ask_for } = ruling.decision {
        let mut told = run.clone();
        told.rulings.push(ruling.clone());
        ruling.report = Some(engine.store.blobs().put(escalation(&told, ask_for).as_bytes())?);
    }
    Ok(RunEvent::Ruled(ruling))
}

/// Runs the worker to its end.
fn work(engine: &Engine, run: &Run, attempt: u32, prompt: &Digest) -> Result<RunEvent> {
    let text = engine.store.blobs().read(prompt)?;
    let folder = engine.run_folder(run.id());
    let file = folder.join(format!("prompt-{attempt}.md"));
    write_afresh(&file, &text)?;
    let mut environment = environment(engine);
    let names = &engine.settings.config.exec.worker_env;
    for (name, value) in Environment::from_allow_list(engine.host.variables(), names).iter() {
        environment.set(name, value);
    }
    environment.set("COUNTERSIGN_RUN", run.id().to_string());
    environment.set("COUNTERSIGN_ATTEMPT", attempt.to_string());
    environment.set("COUNTERSIGN_PROMPT_FILE", &file);
    environment.set("COUNTERSIGN_PROMPT", prompt_variable(&text, &file));
    let command = worker_command(&run.opened.worker)?;
    let program = Program {
        command,
        cwd: checkouts::workshop(engine, run, attempt),
        environment,
        stdin: Some(file),
        seconds: run.opened.limits.worker_seconds,
        within: None,
        heard_as: Some(ReservationId { run: run.id(), attempt, role: Role::Worker, start: 1 }),
    };
    let execution = Box::new(execute(engine, run, program)?);
    let outside = outside::after(engine, run, &checkouts::workshop(engine, run, attempt))?;
    Ok(RunEvent::Worked { attempt, execution, heard: None, outside })
}

/// Writes `file` in place of whatever is there: an earlier attempt may have left a pipe, which
/// nobody would read, or a link to a file of the user's.
pub(super) fn write_afresh(file: &Path, bytes: &[u8]) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("replace", file, &error));
        }
        _ => {}
    }
    let written = File::create_new(file).and_then(|mut opened| opened.write_all(bytes));
    written.map_err(|error| Error::io("write", file, &error))
}

/// The prompt as an environment variable: whole if it fits, else its beginning and where the
/// rest is. NUL can't be in a variable.
pub(super) fn prompt_variable(text: &[u8], file: &Path) -> String {
    let text = String::from_utf8_lossy(text).replace('\0', "\u{fffd}");
    if text.len() <= PROMPT_VARIABLE_BYTES {
        return text;
    }
    let mut cut = PROMPT_VARIABLE_BYTES;
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    format!("{}\n\n(cut; the whole text is in {})\n", &text[..cut], file.display())
}

/// Runs one check of the contract in a fresh checkout of exactly `tree`.
fn run_check(
    engine: &Engine,
    run: &Run,
    (attempt, check): (u32, u32),
    tree: ObjectId,
) -> Result<Receipt> {
    let contract = &run.opened.contract;
    let Some(due) = contract.checks.get(check as usize) else {
        return Err(Error::new(Kind::Bug, format!("the contract has no check {check}")));
    };
    let name = format!("check-{attempt}-{check}");
    let execution = run_command(engine, run, (&name, due), &tree)?;
    let receipt = Receipt {
        run: run.id(),
        attempt,
        contract: run.opened.contract_hash,
        tree,
        check,
        execution,
        level: Some(Level::ExitCode),
        outside: outside::after_checks(engine, run)?,
        signature: None,
    };
    let signature = engine.key()?.sign(Receipt::PURPOSE, &receipt);
    Ok(Receipt { signature: Some(signature), ..receipt })
}

/// Runs a command in a fresh checkout of exactly `tree`, in a place of the given name.
pub(super) fn run_command(
    engine: &Engine,
    run: &Run,
    (name, check): (&str, &Check),
    tree: &ObjectId,
) -> Result<Execution> {
    let place = engine.run_folder(run.id()).join(name);
    checkouts::clear_place(&place)?;
    let into = place.join("tree");
    let message = format!("Attempt {}\n", run.attempt);
    checkouts::make(engine, &into, checkouts::synthetic(run, tree, &message))?;
    let walls = Walls::find(engine);
    let most = run.opened.limits.check_seconds;
    let program = Program {
        command: &check.command,
        cwd: into,
        environment: around(engine, &place, &place)?,
        stdin: None,
        seconds: check.seconds.map_or(most, |own| own.min(most)),
        within: Some(Within { place: &place, walls: &walls }),
        heard_as: None,
    };
    let tree = program.cwd.clone();
    let execution = execute(engine, run, program)?;
    checkouts::retire(engine, &tree)?;
    checkouts::clear_place(&place)?;
    Ok(execution)
}

/// What workers get of the environment. Checks get no more of it, and a home of their own: the less
/// code under test knows of the run, the less it can adapt.
pub(super) fn environment(engine: &Engine) -> Environment {
    Environment::from_allow_list(engine.host.variables(), &engine.settings.config.exec.env)
}

struct Program<'a> {
    command: &'a str,
    cwd: PathBuf,
    environment: Environment,
    stdin: Option<PathBuf>,
    seconds: u64,
    /// Where a check is at home, and what is around it.
    within: Option<Within<'a>>,
    /// The start of a worker that is heard while it works, for who looks on.
    heard_as: Option<ReservationId>,
}

struct Within<'a> {
    place: &'a Path,
    walls: &'a Walls,
}

/// Runs a shell command within its bounds, its whole output going to a blob.
fn execute(engine: &Engine, run: &Run, program: Program<'_>) -> Result<Execution> {
    let argv = ["/bin/sh", "-c", program.command];
    let within = program.within.as_ref();
    let environment = match within {
        Some(within) => program.environment.digest_without(within.place),
        None => program.environment.digest(),
    };
    let words: Vec<OsString> = argv.iter().map(OsString::from).collect();
    let walls = within.and_then(|within| within.walls.around(within.place, within.place));
    let sandbox = within.map_or_else(|| "none".to_owned(), |within| within.walls.words());
    let spec = Spec {
        argv: walls.map_or_else(|| words.clone(), |walls| walls.around(&words, &program.cwd)),
        cwd: program.cwd,
        env: program.environment,
        stdin: program.stdin,
        deadline: Duration::from_secs(program.seconds),
        grace: Duration::from_secs(engine.settings.config.exec.grace_seconds),
        max_output: run.opened.limits.output_bytes,
    };
    let cancel = Cancel::new();
    let options = store_options(&engine.home, &engine.state, &engine.settings.config.ledger);
    let watch = Watch::start(options, stream_of(run.id())?, run.sequence, cancel.clone());
    let is_held = within.is_some_and(|within| within.walls.are_filtered());
    let loose = (!is_held).then(|| engine.repository.let_loose());
    let started_at = engine.host.now();
    let mut output = engine.store.blobs().writer()?;
    let supervisor = supervisor(engine)?;
    let finished = match program.heard_as {
        Some(id) => {
            let command = Some(program.command.to_owned());
            let agent = AgentSpec { kind: AgentKind::Command, model: None, effort: None, command };
            let live = Live::new(id, &agent).beginning(started_at);
            let file = LiveFile::of(engine, run.id())?;
            let pulse = Pulse::start(live, file, Duration::MAX, cancel.clone());
            let mut ear = Ear::of(&mut output, Reader::new(&agent), &pulse, &cancel);
            let finished = countersign_exec::run(&supervisor, &spec, &cancel, &mut ear);
            pulse.stop();
            Live::forget(&engine.run_folder(run.id()));
            finished?
        }
        None => countersign_exec::run(&supervisor, &spec, &cancel, &mut output)?,
    };
    drop((watch, loose));
    let (blob, bytes) = output.finish()?;
    Ok(Execution {
        argv: argv.iter().map(ToString::to_string).collect(),
        cwd: ".".into(),
        environment,
        started_at,
        duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
        ended: finished.ended,
        output: Output {
            blob,
            bytes,
            excerpt: Scanner::builtin().redact(&finished.excerpt.text()).into_owned(),
        },
        stragglers: finished.stragglers,
        sandbox,
        report: None,
        used: finished.used,
        tools: Vec::new(),
    })
}

pub(crate) fn supervisor(engine: &Engine) -> Result<Supervisor> {
    let Some((program, words)) = engine.host.supervisor.split_first() else {
        return Err(Error::new(Kind::Bug, "there is no supervisor"));
    };
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    Ok(Supervisor::new(program, &words).for_kin(engine.kin.clone()))
}

/// The accepted tree as a commit on a branch of its own. The same run always makes the same
/// commit.
fn commit(engine: &Engine, run: &Run, tree: &ObjectId) -> Result<RunEvent> {
    // Who worked may have changed the record of what the acceptance rests on.
    engine.load(run.id())?;
    let crew = run.opened.crew.as_deref();
    if let Some(handed) = crew.and_then(|crew| crew.handed.as_ref()) {
        engine.repository.branch(&handed.branch, &handed.commit)?;
        let (commit, branch) = (handed.commit.clone(), handed.branch.clone());
        return Ok(RunEvent::Committed { commit, branch });
    }
    let message = commit_message(run);
    let story = crew.and_then(|crew| crew.story.as_ref());
    let commit = engine.repository.commit(&NewCommit {
        tree,
        parents: std::slice::from_ref(&run.base().commit),
        message: &message,
        time_seconds: run.id().unix_seconds(),
        author: Identity::COUNTERSIGN,
        committer: Identity::COUNTERSIGN,
    })?;
    // A story's commit goes on the branch of its relay, when its turn comes.
    let branch = match story {
        Some(story) => {
            engine.repository.keep(&format!("runs/{}/accepted", run.id()), &commit)?;
            format!("countersign/{}", story.relay)
        }
        None => {
            let branch = format!("countersign/{}", run.id());
            engine.repository.branch(&branch, &commit)?;
            branch
        }
    };
    Ok(RunEvent::Committed { commit, branch })
}

/// What the commit of an accepted run says: what it is about, and what it rests on.
pub(crate) fn commit_message(run: &Run) -> String {
    let subject: String = run
        .opened
        .contract
        .goal
        .trim()
        .lines()
        .next()
        .unwrap_or_default()
        // A story begins with a heading.
        .trim_start_matches('#')
        .trim_start()
        .chars()
        .take(72)
        .collect();
    let mut message = format!("{subject}\n\nCountersign-Run: {}\n", run.id());
    message += &format!("Countersign-Contract: {}\n", run.opened.contract_hash);
    let examined = run.examined.iter().flat_map(|one| &one.receipts).flat_map(|one| &one.receipts);
    let receipts: Vec<Digest> =
        run.receipts.iter().map(Receipt::id).chain(examined.copied()).collect();
    for receipt in receipts {
        message += &format!("Countersign-Receipt: {receipt}\n");
    }
    let story = run.opened.crew.as_ref().and_then(|crew| crew.story.as_ref());
    if let Some(story) = story {
        message += &format!("Countersign-Relay: {}\n", story.relay);
        message += &format!("Countersign-Story: {}\n", story.story);
    }
    message
}

/// Removes the run's checkouts. What was handed over stays in git, what was printed in blobs.
fn close(engine: &mut Engine, run: &Run, outcome: Outcome) -> Result<RunEvent> {
    crew::settle_interrupted(engine, run)?;
    engine.withdraw_all(run.id(), run.questions, "the run has ended")?;
    let is_cancelled = outcome == (Outcome::Refused { because: RefusedBecause::Cancelled });
    if is_cancelled {
        outside::tell_cancelled(engine, run)?;
    }
    if is_cancelled && let Err(error) = checkouts::keep_cancelled(engine, run) {
        // What only has to wait is waited for; what will never do must not keep the run from its end.
        if error.kind == Kind::Unavailable {
            return Err(error);
        }
        let (id, why) = (run.id(), error.message);
        let folder = checkouts::workshop(engine, run, run.attempt);
        engine.tell_wait(&format!(
            "what the attempt left could not be kept in git: {why}; its files stay in {} until \
             `countersign run clean {id}`",
            folder.display()
        ));
        return Ok(RunEvent::Closed(outcome));
    }
    // Where an attempt was cut off, what it started may still be at work.
    if run.interruptions + run.restarts == 0 && !is_cancelled {
        for attempt in 1..=run.attempt {
            checkouts::retire(engine, &checkouts::workshop(engine, run, attempt))?;
        }
    }
    clear_run_folder(engine, run.id())?;
    Ok(RunEvent::Closed(outcome))
}

/// Removes the folder of a run with all of its checkouts.
pub(crate) fn clear_run_folder(engine: &Engine, run: Stamp) -> Result<()> {
    let folder = engine.run_folder(run);
    // What a link leads to is not ours.
    let listed = is_directory(&folder).then(|| std::fs::read_dir(&folder));
    for entry in listed.into_iter().flatten().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_checkout = ["attempt-", "verifier-", "review-"];
        if is_checkout.iter().any(|kind| name.starts_with(kind)) {
            checkouts::clear(&entry.path())?;
        } else if name.starts_with("check-") || name.starts_with("claimed-") {
            checkouts::clear_place(&entry.path())?;
        }
    }
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", &folder, &error))
        }
        _ => Ok(()),
    }
}
