//! Accounts: everything a person wants to know of a session, ready to be shown or exported.

use countersign_domain::classify::Tier;
use countersign_domain::worklog::entry::{Entry, entries};
use countersign_domain::worklog::flags::Flags;
use countersign_domain::worklog::{
    Agent, Ended, Session, Summary, Todo, Totals, VerificationCounts,
};
use countersign_domain::{ObjectId, Stamp};
use serde::{Deserialize, Serialize};

use super::tokens;

/// A session, told whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    pub session: Stamp,
    pub agent: Agent,
    pub agent_session: String,
    pub tier: Tier,
    pub confidence: f64,
    /// Whether a person chose the tier.
    pub overridden: bool,
    pub task: String,
    pub prompts: Vec<String>,
    pub flags: Vec<String>,
    pub worktree: String,
    pub branch: Option<String>,
    pub opened_at: String,
    pub updated_at: String,
    /// `None` while it goes on.
    pub ended: Option<Ended>,
    /// Why the record has holes, or says what did not happen, if so.
    pub incomplete: Option<String>,
    /// Why nothing but hooks tells what is on the record, if so.
    #[serde(default)]
    pub unconfirmed: Option<String>,
    /// Settings files that were changed so that its hooks would be called no more.
    #[serde(default)]
    pub silenced: Vec<String>,
    pub resumed: u32,
    pub compacted: u32,
    pub troubles: u32,
    pub todos: Vec<Todo>,
    /// Those that were open and vanished from the list.
    #[serde(default)]
    pub dropped: Vec<Todo>,
    pub totals: Totals,
    pub verified: VerificationCounts,
    pub summaries: Vec<Summary>,
    pub entries: Vec<Entry>,
    /// What was put into the agent's context, in tokens.
    pub tokens: u32,
    pub max_tokens: u32,
    /// The tree at the end of the last turn.
    pub tree: Option<ObjectId>,
    /// The session whose todos were taken over.
    pub from: Option<Stamp>,
}

impl Account {
    pub(crate) fn of(session: &Session) -> Self {
        let opened = &session.opened;
        Self {
            session: session.id,
            agent: opened.agent,
            agent_session: opened.agent_session.clone(),
            tier: session.tier,
            confidence: opened.judged.confidence,
            overridden: opened.judged.overridden,
            task: opened.task.clone(),
            prompts: session.prompts.clone(),
            flags: flag_names(&opened.flags),
            worktree: opened.place.worktree.clone(),
            branch: opened.place.branch.clone(),
            opened_at: session.opened_at.to_string(),
            updated_at: session.updated_at.to_string(),
            ended: session.ended.clone(),
            incomplete: session.incomplete.clone(),
            unconfirmed: session.unconfirmed.clone(),
            silenced: session.silenced.clone(),
            resumed: session.resumed,
            compacted: session.compacted,
            troubles: session.troubles,
            todos: session.todos.todos().to_vec(),
            dropped: session.todos.dropped().to_vec(),
            totals: session.totals(),
            verified: session.verification_counts(),
            summaries: session.summaries.clone(),
            entries: entries(session),
            tokens: session.words_to_agent().map(tokens::count).sum(),
            max_tokens: tokens::bound(session.tier),
            tree: session.tree.clone(),
            from: opened.from,
        }
    }
}

/// The flags as they are written in a prompt.
fn flag_names(flags: &Flags) -> Vec<String> {
    let tier = flags.tier.map(|tier| format!("--tier {tier}"));
    let set = flags.set.iter().map(|flag| flag.name().to_owned());
    tier.into_iter().chain(set).collect()
}
