//! The turns and phases of a session: how they begin and end.

use super::super::ended::{Ended, Outcome};
use super::super::opened::Judgement;
use super::steps::Step;
use super::{SKIPPED_SUMMARY, Session};

impl Session {
    /// Work of ours was left out. Without its summary a phase is over all the same.
    pub(super) fn skip(&mut self, what: String) {
        self.skipped += 1;
        if what.starts_with(SKIPPED_SUMMARY) {
            self.next_phase();
        } else {
            self.left_out.push(what);
        }
    }

    pub(super) fn next_phase(&mut self) {
        self.budget = self.budget.next();
        self.left_out.clear();
    }

    pub(super) fn prompt(&mut self, text: String, judged: &Judgement) {
        self.prompts.push(text);
        self.step(Step::Prompted);
        if judged.overridden {
            self.tier = judged.tier;
            self.opened.judged.overridden = true;
        } else if !self.opened.judged.overridden {
            // Words alone never lower a check.
            self.tier = self.tier.max(judged.tier);
        }
        self.ended = None;
        self.stopped = None;
        self.said_before = self.said.len();
    }

    /// The agent stopped, and nothing is decided about it yet.
    pub(super) fn stop(&mut self, known: Option<(Outcome, String)>, is_final: bool) {
        let stopped = self.stopped.get_or_insert_default();
        stopped.in_peace |= known.is_none() && !is_final;
        stopped.is_final |= is_final;
        stopped.known = known.or_else(|| stopped.known.take());
    }

    pub(super) fn end(&mut self, ended: Ended) {
        self.ended = Some(ended);
        self.stopped = None;
    }
}
