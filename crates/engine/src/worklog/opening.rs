//! Opening a session: classify the prompt, note where the work starts, look for earlier work.

use std::path::Path;
use std::time::{Duration, Instant};

use countersign_domain::classify::{Classification, Origin, Overrides, Tier, classify};
use countersign_domain::worklog::flags::{self, Flags};
use countersign_domain::worklog::{
    AgentProcess, Answer, Judgement, Listener, Opened, Place, Session, SessionEvent, Subject,
};
use countersign_domain::{Digest, ObjectId, Stamp};
use countersign_store::Expected;

use super::hook::{Call, brief};
use super::pointer::{self, Pointer};
use super::{detect, journal, rows, tamper};
use crate::config::{Config, MemoryBackend};
use crate::error::Result;
use crate::names::new_stamp;
use crate::{Engine, Host};

/// The most of a prompt that is kept.
const TASK_BYTES: usize = 4_000;
/// The most of a prompt that is read for its meaning.
const READ_BYTES: usize = 256 * 1024;
/// An index of this size (about 40,000 files) takes longer to snapshot than a prompt may wait.
const INDEX_BYTES: u64 = 4 * 1024 * 1024;
/// How long the snapshot may take before the agent gets its prompt.
const PATIENCE: Duration = Duration::from_millis(400);
/// A further prompt whose tier is less sure than this says nothing of its own.
const SURE: f64 = 0.5;
/// How long sessions are left alone after they were looked after.
const CARE_AFTER: Duration = Duration::from_mins(1);
/// The variable that gives flags to every session of an agent.
const FLAGS_VARIABLE: &str = "COUNTERSIGN_FLAGS";

/// What the user's environment says about every session.
pub(super) fn flags_of_environment(host: &Host) -> &str {
    host.variable(FLAGS_VARIABLE).and_then(|given| given.to_str()).unwrap_or_default()
}

/// What a person asked for, flags apart.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) text: String,
    pub(super) flags: Flags,
}

impl Asked {
    pub(super) fn read(host: &Host, prompt: &str) -> Self {
        let (flags, text) = flags::parse(prompt);
        let (mut all, _) = flags::parse(flags_of_environment(host));
        all.add(flags);
        Self { text, flags: all }
    }

    /// What the words ask for, with what the person said of it.
    pub(super) fn judge(&self, config: &Config) -> Judgement {
        let config = &config.classify;
        let said = Overrides { tier: self.flags.tier, ..Overrides::default() };
        let read = brief(&self.text, READ_BYTES);
        // Settings that make no sense were refused when they were resolved.
        let knowledge = crate::classify::extend(config).unwrap_or_default();
        judgement(&classify(&knowledge, &read).with_overrides(&said))
    }

    /// As [`Asked::judge`], for a session that may have been met in its middle.
    pub(super) fn judge_prompt(&self, config: &Config, prompt: Option<&str>) -> Judgement {
        if prompt.is_some() { self.judge(config) } else { unknown() }
    }

    /// The opening of a session in which this was asked for, with nothing taken over.
    pub(super) fn opened(&self, call: &Call<'_>, place: Place) -> Opened {
        Opened {
            agent: call.agent,
            agent_session: call.report.agent_session.clone(),
            task: brief(self.text.trim(), TASK_BYTES),
            task_hash: Digest::of(self.text.trim().as_bytes()),
            judged: unknown(),
            flags: self.flags.clone(),
            place,
            transcript: call.report.transcript.clone(),
            process: agent_process(&call.host),
            taken_over: Vec::new(),
            from: None,
            policy: None,
        }
    }
}

fn judgement(found: &Classification) -> Judgement {
    let effective = found.effective();
    let reasons = found.tier.reasons.iter().take(3).map(|reason| reason.text.clone());
    Judgement {
        tier: effective.tier,
        confidence: found.tier.confidence,
        contract: effective.contract,
        risk: effective.risk,
        reversibility: effective.reversibility,
        overridden: found.tier.origin == Origin::User,
        reasons: reasons.collect(),
    }
}

impl Asked {
    /// What a further prompt asks for. Where its words leave that open ("go on"), it is what the
    /// session is about.
    pub(super) fn judge_further(&self, config: &Config, before: Tier) -> Judgement {
        let mut judged = self.judge(config);
        if judged.confidence < SURE && !judged.overridden {
            judged.tier = before;
            judged.reasons = vec!["its words don't tell: the session goes on as it was".to_owned()];
        }
        judged
    }
}

/// What is known of a session that was met in its middle: nothing, so it is taken seriously.
fn unknown() -> Judgement {
    Judgement {
        tier: Tier::Standard,
        confidence: 0.0,
        contract: countersign_domain::classify::ContractType::Verifiable,
        risk: countersign_domain::classify::Risk::Medium,
        reversibility: countersign_domain::classify::Reversibility::Partial,
        overridden: false,
        reasons: vec!["the session was met in its middle: its task is not known".to_owned()],
    }
}

/// Opens a session for the agent behind `call`. `prompt` is `None` if no prompt was seen;
/// `again` is the session whose beginning the ledger has lost.
pub(super) fn open(
    engine: &mut Engine,
    call: &Call<'_>,
    (prompt, again): (Option<&str>, Option<&Pointer>),
) -> Result<(Session, Pointer, Answer)> {
    // Met in its middle, a session has told its transcript what it is about.
    let told = if prompt.is_none() { tamper::first_prompt(call) } else { None };
    let prompt = prompt.or(told.as_deref());
    let asked = Asked::read(&engine.host, prompt.unwrap_or_default());
    let mut judged = asked.judge_prompt(&engine.settings.config, prompt);
    // What was asked for at first may be lost: how closely it was to be looked at is not.
    judged.tier = again.map_or(judged.tier, |again| judged.tier.max(again.tier));
    let tier = judged.tier;
    let start = Instant::now();
    let mut extra = Vec::new();
    let place = place(engine, &call.worktree, tier, &mut extra);
    let carried = detect::take_carried(engine);
    let opened = Opened {
        judged,
        taken_over: carried.as_ref().map(|carried| carried.todos.clone()).unwrap_or_default(),
        from: carried.as_ref().map(|carried| carried.from),
        policy: tamper::policy_digest(&engine.settings.config.worklog),
        ..asked.opened(call, place)
    };
    let id = match again {
        Some(again) => again.session,
        None => new_id(&engine.host, &engine.state)?,
    };
    let pointer = pointer(&engine.settings.config, &opened, id);
    let mut session = begin(engine, call, id, opened)?;
    let folders = pointer::folders(&engine.home, &engine.state);
    pointer.write(&folders, call.agent, &call.report.agent_session)?;
    // From here on the session is on the record: no failure may put it there once more.
    if let Some(carried) = carried {
        // What is not noted now is offered once more, which is no harm.
        let _ = detect::hand_over(engine, carried.from, id);
    }
    let mut answer = Answer::default();
    if !pointer.is_off() && detect::looks(tier) {
        let looked = detect::earlier_work(engine, &session, start.elapsed());
        let (events, told) = looked.unwrap_or_else(|error| {
            let why = brief(&format!("earlier work: {error}"), 300);
            (
                vec![SessionEvent::Troubled { event: call.report.event.clone(), why }],
                Answer::default(),
            )
        });
        extra.extend(events);
        answer = told;
    }
    let answer = aftercare(engine, answer, &mut extra);
    let _ = engine.append_facts(&mut session, "engine", extra);
    Ok((session, pointer, answer))
}

/// A new id. Where the user's folder can't be written, it is unique in this repository alone.
pub(super) fn new_id(host: &Host, state: &Path) -> Result<Stamp> {
    new_stamp(host).or_else(|error| {
        let mut host = host.clone();
        host.environment.insert("COUNTERSIGN_HOME".into(), state.join("home").into());
        new_stamp(&host).map_err(|_| error)
    })
}

/// Puts the beginning of a session on the record; what was told of it before counts as well.
fn begin(engine: &mut Engine, call: &Call<'_>, id: Stamp, opened: Opened) -> Result<Session> {
    let stream = journal::stream_of(id)?;
    let event = SessionEvent::Opened(Box::new(opened));
    let draft = journal::draft(&engine.host, call.agent.name(), &event)?;
    let early = engine.store.read(&stream, 0)?;
    let at = early.last().map_or(0, |last| last.sequence);
    let events = journal::decoded(&early).unwrap_or_default();
    let told = events.into_iter().chain([(draft.time, event)]);
    let mut session = Session::replay(id, told).ok_or_else(|| {
        crate::Error::new(crate::Kind::Bug, "a session that begins with its opening has none")
    })?;
    session.sequence = at + 1;
    let changes = rows::of_session(&session)?;
    let appended = engine.store.append(&stream, Expected::Preferred(at), &[draft], &changes)?;
    engine.follow(&mut session, &appended);
    Ok(session)
}

/// Has what is over put away by a process of its own, and warns when too much is at hand. None
/// of it is worth a failure.
fn aftercare(engine: &Engine, mut answer: Answer, extra: &mut Vec<SessionEvent>) -> Answer {
    // Others may have been cut off, silenced or forgotten: that is looked after aside.
    if care_is_due(engine) {
        // If it can't be started, the next session looks after them.
        let _ = engine.start_aside(&["worklog", "retire"]);
    }
    let most = engine.settings.config.worklog.sessions;
    let at_hand = engine.sessions_at_hand(most).map_or(0, |rows| rows.len());
    if at_hand * 5 >= most as usize * 4 {
        let text = format!("countersign: {at_hand} of at most {most} worklogs are at hand");
        let (to, about) = (Listener::User, Subject::Retention);
        extra.push(SessionEvent::Told { to, about, text: text.clone() });
        let before = answer.to_user.take();
        answer.to_user = Some(before.map_or(text.clone(), |before| format!("{before}\n{text}")));
    }
    answer
}

/// Whether nobody looked after sessions lately: once in a while is enough.
fn care_is_due(engine: &Engine) -> bool {
    let mark = engine.state.join("sessions").join("care");
    let age = std::fs::metadata(&mark).and_then(|found| found.modified());
    let is_fresh = age.is_ok_and(|then| then.elapsed().is_ok_and(|age| age < CARE_AFTER));
    // A mark that can't be made makes for more care than needed, which is no harm.
    let _ = (!is_fresh).then(|| std::fs::write(&mark, ""));
    !is_fresh
}

/// The process of the agent that calls us.
pub(super) fn agent_process(host: &Host) -> Option<AgentProcess> {
    let told = host.variable("CLAUDE_PID").and_then(|pid| pid.to_str()?.parse().ok());
    let (pid, born) = countersign_exec::caller(told)?;
    Some(AgentProcess { pid, born })
}

/// What the hot path is to know.
pub(super) fn pointer(config: &Config, opened: &Opened, id: Stamp) -> Pointer {
    Pointer {
        session: id,
        tier: opened.judged.tier,
        flags: opened.flags.set.clone(),
        durability: config.ledger.durability,
        policy: config.worklog.clone(),
        publishes: config.memory.backend != MemoryBackend::Local,
    }
}

/// Where the session starts from.
fn place(engine: &Engine, worktree: &Path, tier: Tier, extra: &mut Vec<SessionEvent>) -> Place {
    let head = engine.repository.head().ok().flatten();
    let (tree, skipped) =
        if tier >= Tier::Standard { snapshot(engine, worktree, PATIENCE) } else { (None, None) };
    extra.extend(skipped);
    Place {
        worktree: worktree.to_string_lossy().into_owned(),
        commit: head.as_ref().map(|head| head.commit.clone()),
        tree,
        branch: head.and_then(|head| head.branch),
    }
}

/// The tree as it is, unless finding out would take too long or fails: then why not.
pub(super) fn snapshot(
    engine: &Engine,
    worktree: &Path,
    patience: Duration,
) -> (Option<ObjectId>, Option<SessionEvent>) {
    let skipped = |why: String| {
        (None, Some(SessionEvent::Skipped { what: "snapshot".into(), why: brief(&why, 200) }))
    };
    let index = engine.repository.layout().git_dir.join("index");
    if std::fs::metadata(&index).is_ok_and(|index| index.len() > INDEX_BYTES) {
        return skipped("the repository is too large for the time of a hook".into());
    }
    let scratch = engine.home.work(&engine.state);
    match engine.repository.within(patience).snapshot(worktree, &scratch) {
        Ok(snapshot) => (Some(snapshot.tree), None),
        Err(error) => skipped(error.to_string()),
    }
}
