//! Operations that hooks told of and that no transcript has. Anybody can call a hook; only the
//! agent's program writes its transcript.
//!
//! Agents may write a little later than they call hooks: what a transcript lacks is missed only
//! if it has something newer, and after a while.

use std::collections::BTreeSet;

use countersign_domain::worklog::session::At;
use countersign_domain::worklog::{Deed, End, Logged, Operation, Seen, Session};
use countersign_exec::agents::dialect;
use jiff::{SignedDuration, Timestamp};

use super::memories::NOTE_TODO;
use super::policy::Policy;
use super::transcripts::Transcripts;

/// What was told so recently may still be on its way into the transcript.
const GRACE: SignedDuration = SignedDuration::from_millis(250);

/// Operations without a trace in any transcript, by their place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    /// They were never made.
    pub(super) unmade: BTreeSet<usize>,
    /// They may still come.
    pub(super) late: BTreeSet<usize>,
}

/// Looks for every operation that hooks told of.
pub(super) fn look(
    session: &Session,
    transcripts: &Transcripts,
    (policy, now): (&Policy, Timestamp),
) -> Missed {
    let mut missed = Missed::default();
    let Some(main) = transcripts.main() else { return missed };
    let agent = session.opened.agent;
    let known = transcripts.calls();
    let mut nameless = Nameless::of(session, transcripts);
    for (at, logged) in session.operations.iter().enumerate() {
        let operation = &logged.what.operation;
        if !is_told(operation) {
            continue;
        }
        let is_there = match operation.call.as_deref().and_then(|call| known.get(call)) {
            Some(written) if is_another(policy, (session, written), &logged.what) => {
                missed.unmade.insert(at);
                continue;
            }
            Some(_) => true,
            None => operation.call.is_none() && nameless.take(operation),
        };
        if is_there {
            continue;
        }
        let own = operation.lane.as_deref().and_then(|lane| transcripts.of_lane(lane));
        if own.is_none() && !dialect::would_tell(agent, &main.transcript, operation) {
            continue;
        }
        let newest = own.unwrap_or(main).newest();
        if is_settled(logged, newest, now) {
            missed.unmade.insert(at);
        } else {
            missed.late.insert(at);
        }
    }
    missed
}

/// Whether a hook told of an end that somebody could have made up.
fn is_told(operation: &Operation) -> bool {
    let is_ours = operation.call.is_none() && operation.tool == NOTE_TODO;
    operation.end != End::Initiated && operation.seen != Seen::Transcript && !is_ours
}

/// Whether the transcript has another deed under the id of what was told.
fn is_another(policy: &Policy, (session, written): (&Session, &Operation), told: &Logged) -> bool {
    let is_list = matches!(told.operation.deed, Deed::Todo { .. });
    if !is_list && written.deed.is_like(&told.operation.deed) {
        return false;
    }
    policy.log(written.clone(), session.tier).is_another(told)
}

fn is_settled(logged: &At<Logged>, newest: Option<Timestamp>, now: Timestamp) -> bool {
    newest.is_some_and(|newest| newest >= logged.time) && now.duration_since(logged.time) >= GRACE
}

/// What transcripts tell of calls that the record has no id for. Each is found once.
struct Nameless<'a>(Vec<&'a Operation>);

impl<'a> Nameless<'a> {
    /// The calls in `transcripts` that the record doesn't know by their ids.
    fn of(session: &Session, transcripts: &'a Transcripts) -> Self {
        let all = transcripts.sources.iter().flat_map(|source| source.transcript.operations());
        let is_known = |call: &String| {
            session.by_call(call).is_some_and(|known| known.operation.seen != Seen::Transcript)
        };
        Self(all.filter(|operation| !operation.call.as_ref().is_some_and(is_known)).collect())
    }

    /// Whether there is one like `told` that is not taken; with the same end, if possible.
    fn take(&mut self, told: &Operation) -> bool {
        let is_like = |known: &Operation| known.tool == told.tool && known.deed.is_like(&told.deed);
        let same = self.0.iter().position(|known| is_like(known) && known.end == told.end);
        let found = same.or_else(|| {
            // One that failed is not the one that is said to have passed.
            self.0.iter().position(|known| is_like(known) && !known.end.belies(&told.end))
        });
        found.map(|at| self.0.remove(at)).is_some()
    }
}
