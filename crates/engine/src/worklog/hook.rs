//! One call of an agent's hook: the hot path of the product.
//!
//! Most calls only add a fact: one line goes to the spool, and nothing is said. What needs the
//! session as a whole (prompts, todos, test runs, stopping) goes the long way. Whatever fails
//! here never breaks the agent, unless the policy says that nothing may go unrecorded.

use std::path::PathBuf;
use std::time::Instant;

use countersign_domain::worklog::budget::Work;
use countersign_domain::worklog::{
    Agent, Answer, Decision, Deed, Logged, News, Operation, Report, SessionEvent,
};
use countersign_exec::agents::dialect::{self, Reading, Said};
use countersign_store::Spool;

use super::pointer::{self, Pointer};
use super::policy::Policy;
use super::spending::spent;
use super::{bounds, degraded, journal, lenient, one_by_one, orchestrator, place};
use crate::error::{Error, Result};
use crate::{Host, config, store_options};

/// What came on standard input.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    pub bytes: &'a [u8],
    /// Why it may not be all there was.
    pub trouble: Option<&'a str>,
}

/// One call of a hook, with where it belongs.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) host: Host,
    pub(super) agent: Agent,
    pub(super) report: &'a Report,
    pub(super) payload: &'a [u8],
    pub(super) trouble: Option<String>,
    pub(super) state: PathBuf,
    pub(super) worktree: PathBuf,
}

/// Takes a call in and says what the agent is to be told. Never fails.
pub fn hook(host: &Host, agent: Agent, input: &Input<'_>) -> Said {
    let Reading { mut report, trouble } = dialect::read(agent, input.bytes);
    bounds::bound_report(&mut report);
    let trouble = input.trouble.map(str::to_owned).or(trouble);
    let answer = match place::find(host, agent, &report, (input.bytes, trouble)) {
        Ok(Some(call)) => call.take_in(),
        // Outside of a repository there is nothing to keep a record of, or in.
        Ok(None) | Err(_) => Answer::default(),
    };
    dialect::answer(agent, &report.event, &answer)
}

impl Call<'_> {
    fn take_in(&self) -> Answer {
        let folders = self.host.home().map(|home| pointer::folders(&home, &self.state));
        let name = &self.report.agent_session;
        let pointer = folders.ok().and_then(|all| Pointer::read(&all, self.agent, name));
        let taken = match &pointer {
            Some(pointer) if pointer.is_off() && is_passing(&self.report.news) => {
                return Answer::default();
            }
            Some(pointer) => self.with_pointer(pointer),
            None => orchestrator::dispatch(self, None),
        };
        match taken {
            Ok(answer) => answer,
            Err(error) => self.failed(pointer.as_ref(), &error),
        }
    }

    fn with_pointer(&self, pointer: &Pointer) -> Result<Answer> {
        // A policy that makes no sense was not written by us: the ledger knows better.
        let Ok(policy) = Policy::resolve(&pointer.policy) else {
            return orchestrator::dispatch(self, Some(pointer));
        };
        match self.facts(pointer, &policy)? {
            Some(facts) => match self.spool(pointer, &facts) {
                Ok(()) => Ok(Answer::default()),
                Err(error) => one_by_one::append(self, pointer, (facts, &error)),
            },
            None => orchestrator::dispatch(self, Some(pointer)),
        }
    }

    /// The facts of this call, if facts are all there is to it; `None` if the session as a whole
    /// has to be looked at.
    fn facts(&self, pointer: &Pointer, policy: &Policy) -> Result<Option<Vec<SessionEvent>>> {
        let mut facts = match &self.report.news {
            News::Began(operation) => vec![self.logged(pointer, policy, operation)?],
            News::Operated(operation) => {
                let event = self.logged(pointer, policy, operation)?;
                if needs_session(&event, pointer, policy) {
                    return Ok(None);
                }
                vec![event]
            }
            // The others have had an event of their own.
            News::Batch(operations) => {
                let silent = operations.iter().filter(|operation| !operation.end.ran());
                let logged = silent.map(|operation| self.logged(pointer, policy, operation));
                logged.collect::<Result<_>>()?
            }
            News::Delegated => {
                let lane = self.report.lane.clone();
                let event = |lane: countersign_domain::worklog::Lane| SessionEvent::Delegated {
                    lane: lane.id,
                    agent: lane.kind,
                };
                lane.map(event).into_iter().collect()
            }
            News::Returned { .. } => {
                let lane = self.report.lane.clone();
                lane.map(|lane| SessionEvent::Returned { lane: lane.id }).into_iter().collect()
            }
            News::Notified { text, finished } => {
                let told = SessionEvent::Notified { text: brief(text, 500) };
                let ended = finished.as_ref().and_then(|finished| {
                    let (call, end) = (finished.call.clone()?, finished.end.clone());
                    Some(SessionEvent::Corrected { call, end })
                });
                std::iter::once(told).chain(ended).collect()
            }
            News::Compacting | News::Other => Vec::new(),
            News::Started { .. }
            | News::Prompted { .. }
            | News::Compacted
            | News::Stopping { .. }
            | News::Broke { .. }
            | News::Interrupted
            | News::SettingsChanged { .. }
            | News::Closed { .. } => return Ok(None),
        };
        if let Some(why) = &self.trouble {
            let event = self.report.event.clone();
            facts.push(SessionEvent::Troubled { event, why: brief(why, 300) });
        }
        Ok(Some(facts))
    }

    /// `operation` as it goes on the record.
    pub(super) fn logged(
        &self,
        pointer: &Pointer,
        policy: &Policy,
        operation: &Operation,
    ) -> Result<SessionEvent> {
        let full = if pointer.is_verbose() { Some(self.keep_payload(pointer)?) } else { None };
        let logged = Logged { full, ..policy.log(operation.clone(), pointer.tier) };
        Ok(SessionEvent::Operated(Box::new(logged)))
    }

    /// Keeps the report as it came.
    fn keep_payload(&self, pointer: &Pointer) -> Result<countersign_domain::Digest> {
        let home = self.host.home()?;
        let options = store_options(&home, &self.state, &ledger_config(pointer));
        Ok(countersign_store::Blobs::new(&options).put(self.payload)?)
    }

    pub(super) fn spool(&self, pointer: &Pointer, facts: &[SessionEvent]) -> Result<()> {
        if facts.is_empty() {
            return Ok(());
        }
        let home = self.host.home()?;
        let options = store_options(&home, &self.state, &ledger_config(pointer));
        let spool = Spool::new(&options);
        let begun = Instant::now();
        let to = (pointer.session, self.agent.name());
        journal::spool_events(&self.host, &spool, to, facts)?;
        let took = begun.elapsed();
        if took > Work::Append.limit() {
            // It is acknowledged: that it took too long is not worth a failure.
            let late = spent(Work::Append, took);
            let _ = journal::spool_events(&self.host, &spool, to, &[late]);
        }
        Ok(())
    }

    /// A failure of ours: what was told is kept aside with the reason, if that is possible at all,
    /// and by default it is no reason to stop anybody.
    fn failed(&self, pointer: Option<&Pointer>, error: &Error) -> Answer {
        let why = brief(&error.message, 300);
        let kept = degraded::keep(self, pointer, &why);
        let is_begun = matches!(self.report.news, News::Began(_));
        if is_begun && kept.is_err() && self.fails_closed(pointer) {
            let text = format!("Countersign can't keep its record ({why}), and may not go on");
            return Answer { decision: Decision::Block, to_agent: Some(text), to_user: None };
        }
        let is_seldom = matches!(
            self.report.news,
            News::Prompted { .. } | News::Stopping { .. } | News::Started { .. }
        );
        let warning = match kept {
            Ok(false) => None,
            Ok(true) => Some(format!(
                "countersign: the ledger can't be used now: {why}. What happens is kept aside and \
                 taken in later"
            )),
            Err(_) => Some(format!("countersign: the worklog can't be kept now: {why}")),
        };
        Answer { to_user: warning.filter(|_| is_seldom), ..Answer::default() }
    }

    /// Whether nothing may go unrecorded. Without a session, the settings say so.
    fn fails_closed(&self, pointer: Option<&Pointer>) -> bool {
        pointer.map_or_else(
            || {
                let settings = lenient::resolve(&self.host, &self.worktree);
                settings.is_ok_and(|(settings, _)| {
                    settings.config.worklog.on_failure == config::OnFailure::Closed
                })
            },
            Pointer::fails_closed,
        )
    }
}

/// Whether an operation asks for a look at the whole session.
fn needs_session(event: &SessionEvent, pointer: &Pointer, policy: &Policy) -> bool {
    let SessionEvent::Operated(logged) = event else { return true };
    if pointer.publishes && logged.significant {
        return true;
    }
    match &logged.operation.deed {
        Deed::Todo { .. } => {
            policy.verifies(pointer.tier) && !pointer.skips_verification()
                || !pointer.skips_summaries() && super::summaries::any_in(pointer.tier)
        }
        Deed::Command { runner: Some(_), .. } => {
            !pointer.skips_summaries() && super::summaries::any_in(pointer.tier)
        }
        _ => false,
    }
}

/// Whether a session that is off has nothing to do with such news. At its end it is found out
/// who switched it off.
fn is_passing(news: &News) -> bool {
    !matches!(news, News::Prompted { .. }) && !orchestrator::ends(news)
}

/// At most `most` bytes of `text`.
pub(super) fn brief(text: &str, most: usize) -> String {
    let mut text = text.to_owned();
    super::policy::shorten(&mut text, most);
    text
}

/// The settings of the ledger that hold for the session.
fn ledger_config(pointer: &Pointer) -> config::LedgerConfig {
    config::LedgerConfig { durability: pointer.durability, ..config::LedgerConfig::default() }
}
