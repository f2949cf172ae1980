//! What an agent could do to its own record, and how it is found out. The pointer lies where the
//! agent can write, and anybody can call a hook: so the ledger is believed before the pointer, and
//! the transcript, which the agent's program keeps, before what a hook was told.

use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

use countersign_domain::canonical;
use countersign_domain::worklog::{Agent, AgentProcess, Session, SessionEvent};
use countersign_domain::{Digest, classify::Tier};
use countersign_exec::agents::dialect::{self, Transcript};

use super::hook::Call;
use super::opening;
use super::pointer::Pointer;
use super::transcripts::{MOST, Transcripts};
use crate::config::WorklogConfig;
use crate::error::Result;
use crate::regular;
use crate::{Engine, Host};

/// A prompt is on the record a moment before its pointer is: who looks in between sees no crime.
const SECONDS: i64 = 10;
/// How long a transcript may take that is read for its flags alone.
const READING: Duration = Duration::from_secs(2);

/// What a session's policy is known by in the ledger.
pub(super) fn policy_digest(policy: &WorklogConfig) -> Option<Digest> {
    canonical::to_string(policy).ok().map(|text| Digest::of(text.as_bytes()))
}

/// The pointer as the ledger has it. One that is laxer was changed by another hand, and that goes
/// on the record.
pub(super) fn checked(
    engine: &mut Engine,
    session: &mut Session,
    found: Option<&Pointer>,
) -> Result<Pointer> {
    let mut right = opening::pointer(&engine.settings.config, &session.opened, session.id);
    right.tier = session.tier;
    let Some(found) = found else { return Ok(right) };
    let fixed = session.opened.policy;
    let has_policy = fixed.is_none() || policy_digest(&found.policy) == fixed;
    if has_policy {
        right.policy = found.policy.clone();
    }
    (right.durability, right.publishes) = (found.durability, found.publishes);
    let is_fresh = engine.host.now().as_second() - session.prompted_at.as_second() < SECONDS;
    let mut changed = Vec::new();
    if found.session != session.id {
        changed.push("its session");
    }
    if found.tier < session.tier && !is_fresh {
        changed.push("its tier");
    }
    if !found.flags.is_subset(&session.opened.flags.set) && !is_fresh {
        changed.push("its flags");
    }
    if !has_policy {
        changed.push("its policy");
    }
    if !changed.is_empty() {
        let why = format!("another hand changed the session's pointer: {}", changed.join(", "));
        note(engine, session, why)?;
    }
    Ok(right)
}

/// Looks in the transcript for the flags that lower the record: those that nobody said are
/// doubted. Agents write a little later than they call hooks, so a transcript that ends before the
/// newest prompt says nothing.
pub(super) fn compare_flags(
    engine: &mut Engine,
    session: &mut Session,
    transcripts: &Transcripts,
) -> Result<()> {
    let Some(main) = transcripts.main() else { return Ok(()) };
    if main.newest().is_none_or(|newest| newest < session.prompted_at) {
        return Ok(());
    }
    let flags = unsaid_flags(&engine.host, session, &main.transcript);
    if flags.is_empty() {
        return Ok(());
    }
    note(engine, session, format!("no prompt in the transcript has {}", flags.join(", ")))
}

/// As [`compare_flags`], for a session of which nothing else is on the record.
pub(super) fn compare_flags_alone(engine: &mut Engine, session: &mut Session) -> Result<()> {
    let transcripts = Transcripts::read(session, Some(Instant::now() + READING));
    compare_flags(engine, session, &transcripts)
}

/// Marks the sessions here that go on without hooks, as those in `file` were taken out. Only
/// Claude Code reads its settings anew midway. What can't be noted now, the transcript tells later.
pub(crate) fn note_uninstalled(host: &Host, agent: Agent, file: &Path) {
    let Ok(layout) = countersign_git::discover(&host.cwd) else { return };
    if agent != Agent::Claude || !crate::state_folder(&layout).is_dir() {
        return;
    }
    let Ok(mut engine) = Engine::open(host.clone()) else { return };
    let file = super::hook::brief(&file.to_string_lossy(), 300);
    for row in engine.unfinished(u32::MAX).unwrap_or_default() {
        let is_alive = |agent: AgentProcess| countersign_exec::is_alive(agent.pid, agent.born);
        if row.agent != agent || !row.process.is_some_and(is_alive) {
            continue;
        }
        if let Ok(Some(mut session)) = engine.live_session(row.session) {
            let event = SessionEvent::Silenced { file: file.clone(), refused: false };
            let _ = engine.append_facts(&mut session, "engine", vec![event]);
        }
    }
}

/// Once is enough.
fn note(engine: &mut Engine, session: &mut Session, why: String) -> Result<()> {
    if session.incomplete.as_ref().is_some_and(|before| before.contains(&why)) {
        return Ok(());
    }
    let event = SessionEvent::Incomplete { missing: 0, why };
    engine.append_facts(session, "engine", vec![event])
}

/// What the agent was asked to do, for a session that is met in its middle.
pub(super) fn first_prompt(call: &Call<'_>) -> Option<String> {
    let transcript = read(call.agent, call.report.transcript.as_deref())?;
    transcript.prompts().next().map(str::to_owned)
}

fn read(agent: Agent, path: Option<&str>) -> Option<Transcript> {
    let path = path?;
    let (file, length) = regular::open(Path::new(path))?;
    if length > MOST {
        return None;
    }
    let transcript = dialect::transcript(agent, BufReader::new(file)).ok()?;
    let is_whole = transcript.damaged == 0 && transcript.prompts().next().is_some();
    is_whole.then_some(transcript)
}

/// Flags that lower the record and that neither a prompt nor the user's environment has.
fn unsaid_flags(host: &Host, session: &Session, transcript: &Transcript) -> Vec<String> {
    let flags = &session.opened.flags;
    let lowered = flags.set.iter().filter(|flag| flag.skips()).map(|flag| flag.name());
    let tier = flags.tier.filter(|tier| *tier < Tier::Strict).map(|_| "--tier");
    let given = opening::flags_of_environment(host);
    let is_said = |name: &str| {
        given.contains(name) || transcript.prompts().any(|prompt| prompt.contains(name))
    };
    lowered.chain(tier).filter(|name| !is_said(name)).map(str::to_owned).collect()
}
