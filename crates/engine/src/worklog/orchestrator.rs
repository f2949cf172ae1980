//! The orchestrator: what follows from a report for the session as a whole. It knows five
//! events; what is done at each is done by parts that know nothing of each other.

use std::path::Path;
use std::time::Duration;

use countersign_domain::worklog::phase::Moment;
use countersign_domain::worklog::session::is_foreign;
use countersign_domain::worklog::{
    Answer, Decision, Deed, Listener, News, Operation, Outcome, SessionEvent, Source, Subject,
};

use super::desk::Desk;
use super::ending::{self, end};
use super::hook::{Call, brief};
use super::opening::{self, Asked};
use super::pointer::{self, Pointer};
use super::{compare, gate, publish, settings_guard, summaries, tamper, verify};
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// How long a hook waits for others who write: agents wait for it.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// The most of a further prompt that is kept.
pub(super) const PROMPT_BYTES: usize = 2_000;

/// Does what follows from `call` for its session.
pub(super) fn dispatch(call: &Call<'_>, pointer: Option<&Pointer>) -> Result<Answer> {
    let news = &call.report.news;
    // A pointer that is gone doesn't let an agent go: the ledger may know its session.
    if pointer.is_none() && !opens(news) && !(ends(news) && call.state.is_dir()) {
        return Ok(Answer::default());
    }
    let (mut engine, wrong) = Engine::open_for_hook(call.host.clone(), PATIENCE)?;
    if engine.store.is_behind() {
        // Whoever decides now would decide without what was told last.
        let why = "what was told before can't be taken in now";
        return Err(Error::new(Kind::Unavailable, why));
    }
    let mut told = engine.take_notices();
    if matches!(call.report.news, News::Prompted { .. }) {
        told.extend(wrong);
    }
    let mut answer = with_engine(&mut engine, call, pointer)?;
    told.extend(answer.to_user.take());
    answer.to_user = (!told.is_empty()).then(|| told.join("\n"));
    Ok(answer)
}

fn with_engine(engine: &mut Engine, call: &Call<'_>, pointer: Option<&Pointer>) -> Result<Answer> {
    let Some((mut desk, answer)) = Desk::find_or_open(engine, call, pointer)? else {
        return Ok(Answer::default());
    };
    if let Some(why) = call.trouble.as_ref().filter(|_| !desk.pointer.is_off()) {
        desk.troubled(engine, call, why)?;
    }
    let is_over = desk.pointer.is_off() && ends(&call.report.news);
    if is_over && desk.let_go(engine, call)? {
        return Ok(Answer::default());
    }
    let answer = match answer {
        Some(answer) => return Ok(answer),
        None => desk.take_in(engine, call)?,
    };
    // What was told is on the record by now: publishing it can wait.
    let published = publish::flush(engine, &mut desk.session, &desk.pointer, answer.clone());
    let _ = engine.note_slow_appends(&mut desk.session);
    Ok(published.unwrap_or(answer))
}

/// Whether a turn or a session ends with such news.
pub(super) fn ends(news: &News) -> bool {
    matches!(news, News::Stopping { .. } | News::Closed { .. })
}

/// Whether a session begins with such news, if there is none yet.
pub(super) fn opens(news: &News) -> bool {
    matches!(news, News::Prompted { .. } | News::Operated(_) | News::Began(_))
}

impl Desk {
    fn take_in(&mut self, engine: &mut Engine, call: &Call<'_>) -> Result<Answer> {
        let actor = call.agent.name();
        match &call.report.news {
            News::Prompted { text } => self.task_goes_on(engine, call, text),
            News::Started { source } => {
                let event = match source {
                    Source::Compact => SessionEvent::Compacted,
                    source => SessionEvent::Resumed { source: *source },
                };
                engine.append_facts(&mut self.session, actor, vec![event])?;
                Ok(Answer::default())
            }
            News::Operated(operation) => self.operation(engine, call, operation),
            News::Stopping { .. } => self.task_complete(engine),
            News::Broke { why } => self.error(engine, call, (Outcome::Failure, why)),
            News::Interrupted => self.error(engine, call, (Outcome::Aborted, "interrupted")),
            News::Closed { .. } => self.closed(engine),
            News::SettingsChanged { file, .. } => self.settings_changed(engine, call, file),
            News::Began(operation) => {
                let event = call.logged(&self.pointer, &self.policy, operation)?;
                engine.append_facts(&mut self.session, actor, vec![event])?;
                Ok(Answer::default())
            }
            // Of a compaction, agents tell again when they start anew with the summary.
            News::Compacted
            | News::Batch(_)
            | News::Notified { .. }
            | News::Delegated
            | News::Returned { .. }
            | News::Compacting
            | News::Other => Ok(Answer::default()),
        }
    }

    /// A further prompt: its words can make the session stricter, never laxer.
    fn task_goes_on(&mut self, engine: &mut Engine, call: &Call<'_>, text: &str) -> Result<Answer> {
        let asked = Asked::read(&engine.host, text);
        let judged = asked.judge_further(&engine.settings.config, self.session.tier);
        let process = opening::agent_process(&engine.host);
        let text = brief(&asked.text, PROMPT_BYTES);
        let flags = asked.flags.clone();
        let event = SessionEvent::Prompted { text, judged, flags, process };
        engine.append_facts(&mut self.session, call.agent.name(), vec![event])?;
        let before = self.pointer.clone();
        self.pointer.tier = self.session.tier;
        self.pointer.flags.extend(&asked.flags.set);
        if before != self.pointer {
            let folders = pointer::folders(&engine.home, &engine.state);
            let written = self.pointer.write(&folders, call.agent, &call.report.agent_session);
            if let Err(error) = written {
                let _ = self.troubled(engine, call, &error.message);
            }
        }
        Ok(Answer::default())
    }

    /// An operation that concerns the whole session.
    fn operation(
        &mut self,
        engine: &mut Engine,
        call: &Call<'_>,
        operation: &Operation,
    ) -> Result<Answer> {
        let event = call.logged(&self.pointer, &self.policy, operation)?;
        engine.append_facts(&mut self.session, call.agent.name(), vec![event])?;
        // It is on the record: what fails from here on must not put it there once more.
        self.after_operation(engine, operation).or_else(|error| {
            let _ = self.troubled(engine, call, &error.message);
            Ok(Answer::default())
        })
    }

    fn after_operation(&mut self, engine: &mut Engine, operation: &Operation) -> Result<Answer> {
        let is_todo = matches!(&operation.deed, Deed::Todo { .. }) && !is_foreign(operation);
        let verifies =
            self.policy.verifies(self.session.tier) && !self.pointer.skips_verification();
        let answer = if is_todo && verifies && operation.end.ran() {
            verify::verify(engine, &mut self.session, Some(operation))?
        } else {
            Answer::default()
        };
        self.phase_complete(engine, Moment::Working)?;
        Ok(answer)
    }

    /// Makes the summaries that are due now.
    fn phase_complete(&mut self, engine: &mut Engine, moment: Moment) -> Result<()> {
        if self.pointer.skips_summaries() {
            return Ok(());
        }
        summaries::make_due(engine, &mut self.session, moment)
    }

    /// The agent wants to stop: what it did is compared with its transcript, and the gate is
    /// asked.
    fn task_complete(&mut self, engine: &mut Engine) -> Result<Answer> {
        // The transcript has this time to catch up.
        summaries::snapshot(engine, &mut self.session)?;
        compare::compare(engine, &mut self.session, (&self.policy, compare::Moment::STOPPING))?;
        self.phase_complete(engine, Moment::Stopping)?;
        let (pointer, policy) = (&self.pointer, &self.policy);
        let mut words = None;
        engine.append_decision(&mut self.session, |session| {
            words = gate::words(session, pointer, policy);
            if let Some(text) = &words {
                let (to, about) = (Listener::Agent, Subject::Gate);
                return vec![SessionEvent::Told { to, about, text: text.clone() }];
            }
            end(session, None, false).into_iter().collect()
        })?;
        if let Some(text) = words {
            let decision = Decision::Block;
            return Ok(Answer { decision, to_agent: Some(text), to_user: None });
        }
        Ok(Answer::default())
    }

    /// A person wanted no worklog: nothing but the end is kept. `false` if it was somebody else;
    /// then nothing is switched off.
    fn let_go(&mut self, engine: &mut Engine, call: &Call<'_>) -> Result<bool> {
        tamper::compare_flags_alone(engine, &mut self.session)?;
        if self.session.incomplete.is_some() {
            self.pointer.flags.clear();
            return Ok(false);
        }
        let is_final = matches!(call.report.news, News::Closed { .. });
        let because = "its worklog was switched off".to_owned();
        engine.append_decision(&mut self.session, |session| {
            let given = (Outcome::Success, because.clone());
            end(session, Some(given), is_final).into_iter().collect()
        })?;
        Ok(true)
    }

    /// The turn ended because something went wrong.
    fn error(
        &mut self,
        engine: &mut Engine,
        call: &Call<'_>,
        (outcome, why): (Outcome, &str),
    ) -> Result<Answer> {
        let _ = call;
        compare::compare(engine, &mut self.session, (&self.policy, compare::Moment::LEAVING))?;
        let why = brief(why, 300);
        engine.append_decision(&mut self.session, |session| {
            end(session, Some((outcome, why.clone())), false).into_iter().collect()
        })?;
        Ok(Answer::default())
    }

    /// The agent's session is over.
    fn closed(&mut self, engine: &mut Engine) -> Result<Answer> {
        compare::compare(engine, &mut self.session, (&self.policy, compare::Moment::LEAVING))?;
        engine.append_decision(&mut self.session, |session| {
            let outcome = match &session.ended {
                Some(ended) => ending::as_known_now(session, ended),
                None => ending::undecided(session).unwrap_or_else(ending::cut_off),
            };
            end(session, Some(outcome), true).into_iter().collect()
        })?;
        // What was done is beyond denying from here on. A key beside the ledger, where the user
        // has no folder of his own, would prove nothing, and look like a forger's later.
        if !engine.home.key().starts_with(&engine.state) {
            engine.seal()?;
        }
        Ok(Answer::default())
    }

    /// A settings file changed under the agent: it may not switch us off midway.
    fn settings_changed(
        &mut self,
        engine: &mut Engine,
        call: &Call<'_>,
        file: &str,
    ) -> Result<Answer> {
        let hook = format!("hook {}", call.agent);
        let had_hooks = crate::hooks::has_ours(&engine.home, Path::new(file));
        let Some(why) = settings_guard::silences(Path::new(file), &hook, had_hooks) else {
            return Ok(Answer::default());
        };
        let text = format!("countersign keeps its hooks for this session: {why}");
        let events = vec![
            SessionEvent::Silenced { file: brief(file, 300), refused: true },
            SessionEvent::Told { to: Listener::User, about: Subject::Settings, text: text.clone() },
        ];
        engine.append_facts(&mut self.session, "engine", events)?;
        let to_agent = Some(text.clone());
        Ok(Answer { decision: Decision::Block, to_agent, to_user: Some(text) })
    }
}
