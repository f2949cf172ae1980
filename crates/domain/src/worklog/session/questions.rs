//! Questions to a session.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::super::deviation::Tested;
use super::super::ended::{Totals, VerificationCounts};
use super::super::event::{Listener, Logged, Subject};
use super::super::operation::{Deed, End, Seen};
use super::super::summary::Summary;
use super::super::verification::{Outcome as Checked, Resolution};
use super::{At, Session, Verification};

impl Session {
    /// Whether a call is on the record, and how it ended.
    pub fn end_of(&self, call: &str) -> Option<&End> {
        self.by_call.get(call).map(|at| &self.operations[*at].what.operation.end)
    }

    /// What is on the record of a call.
    pub fn by_call(&self, call: &str) -> Option<&Logged> {
        self.by_call.get(call).map(|at| &self.operations[*at].what)
    }

    /// When a call in the background was told to have ended.
    pub fn notified_at(&self, call: &str) -> Option<Timestamp> {
        self.notified.get(self.by_call.get(call)?).copied()
    }

    /// Whether hooks told of the operation at this place, and nobody made it.
    pub fn is_unmade(&self, at: usize) -> bool {
        self.unmade.contains(&at)
    }

    /// The places of the operations that nobody made.
    pub fn unmade(&self) -> &BTreeSet<usize> {
        &self.unmade
    }

    /// The operations but for those that nobody made.
    pub fn made(&self) -> impl DoubleEndedIterator<Item = &At<Logged>> {
        let all = self.operations.iter().enumerate();
        all.filter(|(at, _)| !self.is_unmade(*at)).map(|(_, logged)| logged)
    }

    /// The entries of the worklog among the operations that were made.
    pub fn significant(&self) -> impl Iterator<Item = &At<Logged>> {
        self.made().filter(|logged| logged.what.significant)
    }

    /// Whether such work was left out in the present phase.
    pub fn has_skipped(&self, what: &str) -> bool {
        self.left_out.iter().any(|skipped| skipped == what)
    }

    /// The newest run of tests: what ran them, and how that ended.
    pub fn tested(&self) -> Option<(&str, Tested)> {
        self.progress.tested()
    }

    /// The command of the newest run of tests.
    pub fn test_command(&self) -> Option<&str> {
        self.made().rev().find_map(|logged| match &logged.what.operation.deed {
            Deed::Command { command, runner: Some(_), .. } => Some(command.as_str()),
            _ => None,
        })
    }

    /// The last check of the todo list, if it failed and nobody has decided what to do.
    pub fn unanswered(&self) -> Option<&At<Verification>> {
        let last = self.verifications.last()?;
        let is_answered = self.decided_after == self.verifications.len();
        (last.what.result == Checked::Mismatch && !is_answered).then_some(last)
    }

    /// How the checks of the todo list came out.
    pub fn verification_counts(&self) -> VerificationCounts {
        let count = |wanted: Checked| {
            let count = self.verifications.iter().filter(|v| v.what.result == wanted).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let accepted = self
            .resolutions
            .iter()
            .filter(|d| d.what.resolution == Resolution::UserAccepted)
            .count();
        VerificationCounts {
            passed: count(Checked::Pass),
            failed: count(Checked::Mismatch),
            skipped: count(Checked::Skipped) + count(Checked::Timeout),
            user_accepted: u32::try_from(accepted).unwrap_or(u32::MAX),
        }
    }

    /// What was said to the model since the newest prompt, about `subject`.
    pub fn told_this_turn(&self, subject: Subject) -> usize {
        let said = self.said.iter().skip(self.said_before);
        said.filter(|s| s.what.to == Listener::Agent && s.what.about == subject).count()
    }

    /// The words that were put into the agent's context.
    pub fn words_to_agent(&self) -> impl Iterator<Item = &str> {
        let said = self.said.iter().filter(|said| said.what.to == Listener::Agent);
        said.map(|said| said.what.text.as_str())
    }

    /// The files that operations changed, each once, in order.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for logged in self.made() {
            let operation = &logged.what.operation;
            let (Deed::Edit { files: changed } | Deed::Write { files: changed }) = &operation.deed
            else {
                continue;
            };
            if !operation.end.ran() || matches!(operation.end, End::Failed { .. }) {
                continue;
            }
            for file in changed {
                if !files.contains(&file.path) {
                    files.push(file.path.clone());
                }
            }
        }
        files
    }

    /// What the session amounts to by now.
    pub fn totals(&self) -> Totals {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let seconds = self.updated_at.as_second() - self.opened_at.as_second();
        let counts = self.todos.counts();
        let adjustments = self.summaries.iter().filter(|summary| summary.needs_adjustment());
        Totals {
            seconds: u64::try_from(seconds).unwrap_or(0),
            operations: number(self.made().count()),
            entries: number(self.significant().count()),
            files: self.files(),
            todos_completed: number(counts.completed),
            todos_open: number(counts.open()),
            verified: self.verification_counts(),
            summaries: number(self.summaries.len()),
            adjustments: number(adjustments.count()),
            corrected: number(self.corrected()),
        }
    }

    /// Summaries that asked for a change of course, after which something was put right.
    fn corrected(&self) -> usize {
        let is_corrected = |(at, summary): &(usize, &Summary)| {
            let mut later = self.summaries[at + 1..].iter();
            summary.needs_adjustment() && later.any(|later| later.corrects(summary))
        };
        self.summaries.iter().enumerate().filter(is_corrected).count()
    }

    /// How many calls only the transcript told of.
    pub fn only_in_transcript(&self) -> usize {
        let seen = |logged: &&At<Logged>| logged.what.operation.seen == Seen::Transcript;
        self.operations.iter().filter(seen).count()
    }
}
