//! Entries: the worklog as people and agents read it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::deviation::Deviation;
use super::event::Logged;
use super::operation::FileChange;
use super::phase::Phase;
use super::session::{At, Decided, Session, Verification};
use super::significance::{Action, action_of};
use super::summary::MAX_ENTRY_TOKENS;
use super::todo::TodoStatus;
use super::tokens::tokens;
use super::verification::{Mismatch, Outcome as Checked, Resolution};

mod told;

use told::{status_of, told};

/// The longest context, in characters: about twenty tokens.
const CONTEXT: usize = 70;
/// The longest action in a line: some are names of tools.
const ACTION: usize = 20;
const ACTION_TOKENS: usize = 12;

/// How what an entry tells of went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Initiated,
    Completed,
    Failed,
    Retried,
    Skipped,
    Timeout,
}

/// One line of a worklog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub time: Timestamp,
    /// An action's name, or that of a tool that a person wants to see.
    pub action: String,
    pub status: Status,
    /// What it was about, in a few words.
    pub context: String,
    pub details: Details,
    /// The sub-agent that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// A hook was told of it, and nobody did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmade: bool,
    /// What it costs an agent to be shown it, at most; see [`Entry::line`].
    #[serde(default)]
    pub tokens: u32,
}

impl Entry {
    /// As an agent is shown it, in [`MAX_ENTRY_TOKENS`].
    pub fn line(&self) -> String {
        let status = format!("{:?}", self.status).to_lowercase();
        let mut action: Vec<char> = self.action.chars().take(ACTION).collect();
        while tokens(&action.iter().collect::<String>()) > ACTION_TOKENS {
            action.pop();
        }
        let action: String = action.into_iter().collect();
        let head = format!("{} {action} {status}:", self.time.strftime("%H:%M:%S"));
        let whole = format!("{head} {}", self.context);
        if tokens(&whole) <= MAX_ENTRY_TOKENS {
            return whole;
        }
        let letters: Vec<char> = self.context.chars().collect();
        let cut = |length: usize| {
            let kept: String = letters[..length].iter().collect();
            format!("{head} {}…", kept.trim_end())
        };
        let fits = (0..letters.len()).rev().map(cut).find(|text| tokens(text) <= MAX_ENTRY_TOKENS);
        fits.unwrap_or(head)
    }

    fn with_tokens(mut self) -> Self {
        self.tokens = u32::try_from(tokens(&self.line())).unwrap_or(u32::MAX);
        self
    }
}

/// What there is to know of an entry, by its action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Details {
    Todos { changes: Vec<TodoChange> },
    Files { files: Vec<FileChange>, summary: String },
    Command { command: String, runner: Option<String>, exit: Option<i32> },
    Verification { result: Checked, attempt: u32, mismatches: Vec<Mismatch>, source: String },
    Checkpoint { phase: Phase, operations: u32, deviations: Vec<Deviation> },
    SubAgent { agent: String, purpose: String, outcome: Status },
    Decision { decision: Resolution },
    Detection { found: usize },
    Tool { tool: String },
}

/// What became of a todo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoChange {
    pub todo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TodoStatus>,
}

/// The entries of `session`, oldest first.
pub fn entries(session: &Session) -> Vec<Entry> {
    let root = format!("{}/", session.opened.place.worktree.trim_end_matches('/'));
    let operations = session.operations.iter().enumerate();
    let significant = operations.filter(|(_, logged)| logged.what.significant);
    let mut all: Vec<Entry> =
        significant.map(|(at, logged)| of_operation(session, &root, (at, logged))).collect();
    all.extend(session.verifications.iter().map(of_verification));
    all.extend(session.resolutions.iter().map(of_decision));
    all.extend(session.summaries.iter().map(|summary| Entry {
        time: summary.at,
        action: Action::Checkpoint.name().to_owned(),
        status: Status::Completed,
        context: short(&summary.render_entry()),
        details: Details::Checkpoint {
            phase: summary.phase,
            operations: summary.operations,
            deviations: summary.deviations.clone(),
        },
        lane: None,
        unmade: false,
        tokens: 0,
    }));
    // That there was nothing to find is no news.
    let detections =
        session.detections.iter().filter(|d| d.what.timed_out || !d.what.found.is_empty());
    all.extend(detections.map(|detection| Entry {
        time: detection.time,
        action: Action::CheckpointDetection.name().to_owned(),
        status: if detection.what.timed_out { Status::Timeout } else { Status::Completed },
        context: match detection.what.found.len() {
            0 => "the look for earlier work took too long".to_owned(),
            1 => "1 earlier session was left".to_owned(),
            many => format!("{many} earlier sessions were left"),
        },
        details: Details::Detection { found: detection.what.found.len() },
        lane: None,
        unmade: false,
        tokens: 0,
    }));
    all.sort_by_key(|entry| entry.time);
    all.into_iter().map(Entry::with_tokens).collect()
}

fn of_operation(session: &Session, root: &str, (at, logged): (usize, &At<Logged>)) -> Entry {
    let operation = &logged.what.operation;
    let unmade = session.is_unmade(at);
    let status = if unmade { Status::Skipped } else { status_of(&operation.end) };
    let (mut context, details) = told(session, root, operation);
    if unmade {
        context.insert_str(0, "told of, never made: ");
    }
    Entry {
        time: logged.what.at.unwrap_or(logged.time),
        action: action_of(operation)
            .map_or_else(|| operation.tool.clone(), |a| a.name().to_owned()),
        status,
        context: short(&context),
        details,
        lane: operation.lane.clone(),
        unmade,
        tokens: 0,
    }
}

fn of_verification(verification: &At<Verification>) -> Entry {
    let what = &verification.what;
    let status = match (what.result, what.attempt) {
        (Checked::Skipped, _) => Status::Skipped,
        (Checked::Timeout, _) => Status::Timeout,
        (Checked::Pass, _) => Status::Completed,
        (Checked::Mismatch, 0 | 1) => Status::Retried,
        (Checked::Mismatch, _) => Status::Failed,
    };
    let context = match what.result {
        Checked::Pass => format!("the list matches {}", what.source),
        Checked::Mismatch => format!("{} differences to {}", what.mismatches.len(), what.source),
        Checked::Timeout => "the list could not be read in time".to_owned(),
        Checked::Skipped => what.source.clone(),
    };
    Entry {
        time: verification.time,
        action: Action::Verify.name().to_owned(),
        status,
        context: short(&context),
        details: Details::Verification {
            result: what.result,
            attempt: what.attempt,
            mismatches: what.mismatches.clone(),
            source: what.source.clone(),
        },
        lane: None,
        unmade: false,
        tokens: 0,
    }
}

fn of_decision(decided: &At<Decided>) -> Entry {
    let decision = decided.what.resolution;
    let (status, context) = match decision {
        Resolution::UserAccepted => (Status::Completed, "a person accepted the list as it is"),
        Resolution::Aborted => (Status::Failed, "a person aborted the session"),
        Resolution::Bypassed => (Status::Skipped, "a person goes on at risk with a list in doubt"),
    };
    Entry {
        time: decided.time,
        action: Action::Verify.name().to_owned(),
        status,
        context: context.to_owned(),
        details: Details::Decision { decision },
        lane: None,
        unmade: false,
        tokens: 0,
    }
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= CONTEXT {
        return line.to_owned();
    }
    let mut cut: String = line.chars().take(CONTEXT - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// WL-04: whatever an entry is about, it costs at most 30 tokens to be shown.
        #[test]
        fn a_line_is_short(action in ".*", context in ".*") {
            let entry = Entry {
                time: Timestamp::UNIX_EPOCH,
                action,
                status: Status::Completed,
                context,
                details: Details::Detection { found: 0 },
                lane: None,
                unmade: false,
                tokens: 0,
            }
            .with_tokens();
            let most = u32::try_from(MAX_ENTRY_TOKENS).unwrap();
            prop_assert!(entry.tokens <= most, "{} {}", entry.tokens, entry.line());
        }
    }
}
