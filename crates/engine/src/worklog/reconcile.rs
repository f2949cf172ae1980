//! What transcripts tell and hooks did not: calls that no hook told of are added, ends that no
//! hook knew, or told otherwise, are corrected, and a record with holes is marked.

use std::time::Instant;

use countersign_domain::worklog::{End, Logged, Operation, Session, SessionEvent};
use countersign_exec::agents::dialect::{self, What};
use jiff::SignedDuration;

use super::compare::{Moment, POLL};
use super::policy::Policy;
use super::transcripts::{MOST, Source, Transcripts};
use crate::Engine;
use crate::error::{Kind, Result};

/// A notification is in the transcript so long after its hook was called, at the latest.
const LAG: SignedDuration = SignedDuration::from_secs(1);

/// The most that one look at transcripts adds while an agent waits, and when nobody does.
const MOST_LIVE: usize = 2_000;
const MOST_AFTERWARDS: usize = 20_000;

/// Adds to the session what its transcripts tell. If somebody else wrote meanwhile, it is found
/// out anew: a call that a hook tells of just now is not one that no hook told of. `true` if it can't
/// be told yet of some calls.
pub(super) fn reconcile(
    engine: &mut Engine,
    session: &mut Session,
    transcripts: &Transcripts,
    (policy, moment): (&Policy, Moment),
) -> Result<bool> {
    let is_behind = catch_up(engine, session, moment)?;
    let mut is_waiting = false;
    let mut decide = |session: &Session| {
        let news = News { is_behind, ..News::default() };
        let news = told(session, transcripts, (policy, moment), news);
        is_waiting = news.awaited > 0;
        news.finish()
    };
    match engine.append_decision(session, &mut decide) {
        // Whoever keeps others from being heard by writing without end keeps nothing from being said.
        Err(error) if error.kind == Kind::Unavailable => {
            let events = decide(session);
            engine.append_facts(session, "engine", events)?;
        }
        decided => drop(decided?),
    }
    Ok(is_waiting)
}

/// Takes in what hooks told while the transcripts were read. Whether some of it can't be had now:
/// a hook may be in the middle of it, on a slow disk for a while. Long after nobody is, and what still
/// can't be taken in excuses nothing.
fn catch_up(engine: &mut Engine, session: &mut Session, moment: Moment) -> Result<bool> {
    if engine.store.spool().is_empty() {
        return Ok(false);
    }
    let waiting = Instant::now() + moment.patience();
    let mut is_behind;
    loop {
        engine.store.refresh()?;
        is_behind = !engine.store.spool().is_empty();
        if !is_behind || Instant::now() >= waiting {
            break;
        }
        std::thread::sleep(POLL);
    }
    if let Some(newer) = engine.live_session(session.id)? {
        *session = newer;
    }
    Ok(is_behind && moment != Moment::Afterwards)
}

/// What the transcripts tell and the session has not.
fn told(
    session: &Session,
    transcripts: &Transcripts,
    (policy, moment): (&Policy, Moment),
    mut news: News,
) -> News {
    for (name, bytes) in &transcripts.too_large {
        if session.reconciled.get(name) != Some(bytes) {
            let why = format!("{name} has {bytes} bytes; at most {MOST} are read");
            news.events.push(SessionEvent::Skipped { what: "transcript".into(), why });
            news.events.push(SessionEvent::Reconciled { file: name.clone(), bytes: *bytes });
        }
    }
    news.room = match moment {
        Moment::Live(_) => MOST_LIVE,
        Moment::Afterwards => MOST_AFTERWARDS,
    };
    let mut nameless = Nameless::of(session);
    for source in &transcripts.sources {
        for told in &source.transcript.moments {
            if let What::Call(operation) = &told.what {
                let mut operation = operation.clone();
                operation.lane = operation.lane.or_else(|| source.lane.clone());
                let logged = policy.log(operation, session.tier);
                let at = told.at.parse().ok();
                news.take(session, source, &mut nameless, (Logged { at, ..logged }, moment));
            }
        }
        // What was left out is looked at again.
        let is_all = news.left_out == 0 && news.awaited == 0;
        if is_all && session.reconciled.get(&source.name) != Some(&source.bytes) {
            let (file, bytes) = (source.name.clone(), source.bytes);
            news.events.push(SessionEvent::Reconciled { file, bytes });
        }
    }
    news
}

/// What transcripts tell and hooks did not.
#[derive(Default)]
struct News {
    events: Vec<SessionEvent>,
    /// Calls that hooks should have told of.
    missing: u32,
    /// Calls that hooks told another end of.
    belied: u32,
    /// How many more are taken in, and how many were not.
    room: usize,
    left_out: u32,
    /// Whether hooks told of something that is not on the record yet, and the calls that may be
    /// it.
    is_behind: bool,
    awaited: u32,
}

impl News {
    fn take(
        &mut self,
        session: &Session,
        source: &Source,
        nameless: &mut Nameless<'_>,
        (logged, moment): (Logged, Moment),
    ) {
        if self.events.len() >= self.room {
            self.left_out += 1;
            return;
        }
        let operation = &logged.operation;
        let Some(call) = operation.call.clone() else { return };
        let known = session.by_call(&call);
        match known.map(|known| &known.operation.end) {
            None if nameless.take(operation) => {}
            // A hook told of another deed under its id.
            Some(_) if known.is_some_and(|known| logged.is_another(known)) => {
                self.events.push(SessionEvent::Operated(Box::new(logged)));
            }
            None => {
                let is_open = operation.end == End::Initiated && moment != Moment::Afterwards;
                let is_expected = dialect::expects_hook(session.opened.agent, operation);
                if self.is_behind && is_expected {
                    self.awaited += 1;
                    return;
                }
                self.missing += u32::from(is_expected && !is_open);
                self.events.push(SessionEvent::Operated(Box::new(logged)));
            }
            Some(known) => {
                let is_belied =
                    operation.end.belies(known) || is_made_up(session, source, operation);
                // Where hooks don't say how it ended, nothing was told otherwise.
                self.belied += u32::from(is_belied && *known != End::Completed { exit: None });
                if is_belied || knows_better(known, &operation.end) {
                    self.events.push(SessionEvent::Corrected { call, end: operation.end.clone() });
                }
            }
        }
    }

    fn finish(mut self) -> Vec<SessionEvent> {
        let calls = |count: u32, one: &str, many: &str| {
            if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
        };
        if self.left_out > 0 {
            let why = format!("{} of its calls are left for later", self.left_out);
            self.events.push(SessionEvent::Skipped { what: "transcript".into(), why });
        }
        if self.missing > 0 {
            let one = "call in the transcript was never reported by a hook";
            let many = "calls in the transcript were never reported by a hook";
            let why = calls(self.missing, one, many);
            self.events.push(SessionEvent::Incomplete { missing: self.missing, why });
        }
        if self.belied > 0 {
            let which = calls(self.belied, "call", "calls");
            let why = format!("the transcript tells of another end of {which} than hooks did");
            self.events.push(SessionEvent::Incomplete { missing: 0, why });
        }
        self.events
    }
}

/// Whether the end of a background command was told that the transcript knows nothing of, though
/// it goes on well after that.
fn is_made_up(session: &Session, source: &Source, operation: &Operation) -> bool {
    let call = operation.call.as_deref().unwrap_or_default();
    let is_ended = session.end_of(call).is_some_and(|known| *known != End::Initiated);
    let told = session.notified_at(call).filter(|_| is_ended && operation.end == End::Initiated);
    told.zip(source.newest()).is_some_and(|(told, newest)| newest.duration_since(told) >= LAG)
}

/// Operations on the record that their agent gave no id. A transcript that does give ids tells
/// of the same ones: each is found once.
struct Nameless<'a>(Vec<&'a Operation>);

impl<'a> Nameless<'a> {
    fn of(session: &'a Session) -> Self {
        let operations = session.operations.iter().map(|logged| &logged.what.operation);
        Self(operations.filter(|operation| operation.call.is_none()).collect())
    }

    fn take(&mut self, told: &Operation) -> bool {
        let is_same =
            |known: &&Operation| known.tool == told.tool && known.deed.is_like(&told.deed);
        let found = self.0.iter().position(is_same);
        found.map(|at| self.0.remove(at)).is_some()
    }
}

/// Whether the transcript tells more of an end than we know.
fn knows_better(known: &End, told: &End) -> bool {
    match known {
        End::Initiated => *told != End::Initiated,
        End::Completed { exit: None } => told.exit().is_some() || !told.ran(),
        _ => false,
    }
}

/// Whether the transcript grew after it was compared last.
pub(super) fn is_newer(session: &Session) -> bool {
    let Some(main) = &session.opened.transcript else { return false };
    let known = session.reconciled.get(main).copied().unwrap_or(0);
    std::fs::metadata(main).is_ok_and(|found| found.is_file() && found.len() > known)
}
