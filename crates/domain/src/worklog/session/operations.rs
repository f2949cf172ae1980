//! Operations as a session takes them in: each call once, however often it is told of.

use jiff::Timestamp;

use super::super::event::Logged;
use super::super::operation::{Deed, End};
use super::super::phase::Noted;
use super::{At, Session};

impl Session {
    pub(super) fn correct(&mut self, call: &str, end: End) {
        let Some(at) = self.by_call.get(call) else { return };
        let logged = &mut self.operations[*at].what;
        logged.operation.end = end;
        // It was counted when it was first told.
        let noted = Noted { significant: false, exit_counts: logged.exit_counts };
        self.progress.operated(&logged.operation, noted);
    }

    /// Pairs what is told of one call several times: as it begins, as it ends, and afterwards.
    pub(super) fn operate(&mut self, time: Timestamp, logged: Logged) {
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
        let Some(at) = known else {
            if let Some(call) = &logged.operation.call {
                self.by_call.insert(call.clone(), self.operations.len());
            }
            self.follow(&logged);
            self.operations.push(At { time, what: logged });
            return;
        };
        let before = &mut self.operations[at].what;
        let was_open = before.operation.end == End::Initiated;
        let is_end = logged.operation.end != End::Initiated;
        // The first end that is told counts; a transcript only fills what was left open.
        if was_open && is_end {
            let seen = before.operation.seen.min(logged.operation.seen);
            *before = logged.clone();
            before.operation.seen = seen;
            self.follow(&logged);
        }
    }

    fn follow(&mut self, logged: &Logged) {
        let Logged { operation, significant, exit_counts, .. } = logged;
        if operation.end == End::Initiated {
            self.progress.began(operation);
        } else {
            let noted = Noted { significant: *significant, exit_counts: *exit_counts };
            self.progress.operated(operation, noted);
        }
        if let (Deed::Todo { update }, End::Completed { .. }) =
            (&logged.operation.deed, &logged.operation.end)
        {
            self.todos.apply(update);
        }
    }
}
