//! Operations as a session takes them in: each call once, however often it is told of.

use jiff::Timestamp;

use super::super::event::Logged;
use super::super::operation::{End, Seen};
use super::steps::Step;
use super::{At, Session};

impl Session {
    pub(super) fn correct(&mut self, time: Timestamp, call: &str, end: End) {
        let Some(at) = self.by_call.get(call).copied() else { return };
        let operation = &mut self.operations[at].what.operation;
        let before = std::mem::replace(&mut operation.end, end);
        if before == End::Initiated {
            self.notified.insert(at, time);
            self.step(Step::Ended(at));
        } else {
            self.retell();
        }
    }

    /// Pairs what is told of one call several times: as it begins, as it ends, and afterwards.
    pub(super) fn operate(&mut self, time: Timestamp, logged: Logged) {
        let is_from_transcript = logged.operation.seen == Seen::Transcript;
        let known = match &logged.operation.call {
            Some(call) => self.by_call.get(call).copied(),
            // Agents that name no calls make one after the other.
            None => self.operations.iter().rposition(|before| {
                let (before, now) = (&before.what.operation, &logged.operation);
                before.call.is_none()
                    && before.end == End::Initiated
                    && before.tool == now.tool
                    && before.deed.is_like(&now.deed)
            }),
        };
        // What the transcript has under an id is the call; hooks can be told anything.
        let is_another =
            |at: &usize| is_from_transcript && logged.is_another(&self.operations[*at].what);
        let Some(at) = known.filter(|at| !is_another(at)) else {
            if let Some(call) = &logged.operation.call {
                self.by_call.insert(call.clone(), self.operations.len());
            }
            let is_open = logged.operation.end == End::Initiated;
            let at = self.operations.len();
            self.operations.push(At { time, what: logged });
            self.step(if is_open { Step::Began(at) } else { Step::Ended(at) });
            return;
        };
        let before = &mut self.operations[at].what;
        let was_open = before.operation.end == End::Initiated;
        let is_end = logged.operation.end != End::Initiated;
        // The first end that is told counts; a transcript only fills what was left open.
        if was_open && is_end {
            let seen = before.operation.seen.min(logged.operation.seen);
            *before = logged;
            before.operation.seen = seen;
            self.step(Step::Ended(at));
        } else if !is_from_transcript && logged.operation.end.belies(&before.operation.end) {
            // Agents tell one end of a call: of two, the worse is believed.
            before.operation.end = logged.operation.end;
            self.retell();
            self.doubt("hooks told of two ends of one call".to_owned());
        }
    }
}
