//! Changing where roles stand: only typed changes, and only from a tree that is what was left.

use countersign_domain::ObjectId;
use countersign_domain::context::{Context, ContextEvent, RoleStatus, Updated, rules};
use countersign_store::Lease;

use super::screen::Screened;
use super::view::ContextView;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The longest finding or note.
const MAX_TEXT: usize = 2048;

/// A change of where a role stands.
#[derive(Debug, Clone)]
pub struct Update {
    pub task: String,
    pub role: String,
    pub status: Option<RoleStatus>,
    pub session: Option<String>,
    pub qa_log: Option<String>,
    pub force_secrets: bool,
    pub actor: String,
}

/// A finding that stops the work.
#[derive(Debug, Clone)]
pub struct Blocking {
    pub task: String,
    pub role: String,
    pub finding: String,
    pub force_secrets: bool,
    pub actor: String,
}

/// A context that nobody else changes as long as this is held.
pub(super) struct Held {
    _lease: Lease,
    pub(super) context: Context,
}

impl From<rules::Refusal> for Error {
    fn from(refusal: rules::Refusal) -> Self {
        Self::new(Kind::Refused, refusal.message).hint(refusal.hint)
    }
}

impl Engine {
    /// Takes hold of a context that works: its files are looked after first.
    pub(super) fn hold_context(&mut self, task: &str) -> Result<Held> {
        let lease = self.lock_task(task)?;
        let mut context = self.load_context(task)?;
        rules::alive(&context)?;
        self.attend_files(&mut context)?;
        Ok(Held { _lease: lease, context })
    }

    /// Says where a role stands. A role that begins does so from exactly what was left.
    pub fn update_context(&mut self, update: &Update) -> Result<ContextView> {
        let forced = self.screen(
            &[("session", update.session.as_deref()), ("qa log", update.qa_log.as_deref())],
            update.force_secrets,
        )?;
        let mut held = self.hold_context(&update.task)?;
        let Held { context, .. } = &mut held;
        if update.status.is_none() && update.session.is_none() && update.qa_log.is_none() {
            return Err(Error::new(Kind::Usage, "nothing is to be changed")
                .hint("give --status, --session or --qa-log"));
        }
        rules::role(context, &update.role)?;
        rules::unhindered(context)?;
        if let Some(id) = &update.qa_log
            && !context.evidence.iter().any(|attached| attached.evidence.id == *id)
        {
            let message = format!("no evidence '{id}' is attached to {}", context.task);
            return Err(Error::new(Kind::NotFound, message)
                .hint(format!("countersign context attach {} FILE --kind log", context.task)));
        }
        if let Some(status) = update.status {
            rules::may_become(context, &update.role, status)?;
        }
        let verified = self.expect_no_drift(context, &update.actor)?;
        if update.status == Some(RoleStatus::InProgress) {
            self.refuse_stale(context, &self.account_of(context)?)?;
        }
        self.append_update(context, update, verified, forced)?;
        self.view_of(context)
    }

    fn append_update(
        &mut self,
        context: &mut Context,
        update: &Update,
        verified: Option<ObjectId>,
        forced: Screened,
    ) -> Result<()> {
        let is_at_work =
            context.role(&update.role).is_some_and(|role| role.status == RoleStatus::InProgress);
        // Who is at work already does not begin again.
        let status = update.status.filter(|s| !(is_at_work && *s == RoleStatus::InProgress));
        let holder = context.role(&update.role).and_then(|role| role.session.clone());
        let other = holder.filter(|held| is_at_work && update.session.as_ref() != Some(held));
        if let (Some(holder), Some(session)) = (other, &update.session) {
            self.notices.push(format!(
                "{} was held by session {holder}; now it is {session}: if both work, each undoes \
                 what the other does; both are on the record",
                update.role
            ));
        }
        let changed = ContextEvent::Updated(Updated {
            role: update.role.clone(),
            status,
            qa_log: update.qa_log.clone(),
            session: update.session.clone(),
            verified,
            forced_secrets: forced.rules,
        });
        self.append_context(context, &update.actor, vec![changed])
    }

    /// Puts a finding on the record that stops the work. What the role has changed by then is
    /// recorded with it.
    pub fn block_context(&mut self, blocking: &Blocking) -> Result<ContextView> {
        let finding = bounded("finding", &blocking.finding)?;
        let forced = self.screen(&[("finding", Some(finding))], blocking.force_secrets)?;
        let mut held = self.hold_context(&blocking.task)?;
        let Held { context, .. } = &mut held;
        rules::may_block(context, &blocking.role)?;
        let role = rules::role(context, &blocking.role)?.clone();
        self.expect_no_drift(context, &blocking.actor)?;
        let mut events = Vec::new();
        if role.status == RoleStatus::InProgress {
            events.extend(self.left_so_far(context, (&role.name, blocking.force_secrets))?);
        }
        events.push(ContextEvent::Blocked {
            role: role.name,
            finding: finding.to_owned(),
            forced_secrets: forced.rules,
        });
        self.append_context(context, &blocking.actor, events)?;
        self.view_of(context)
    }

    /// Says how a finding was dealt with.
    pub fn unblock_context(
        &mut self,
        task: &str,
        (role, number): (&str, u32),
        note: &str,
        actor: &str,
    ) -> Result<ContextView> {
        let note = bounded("note", note)?;
        self.screen(&[("note", Some(note))], false)?;
        let mut held = self.hold_context(task)?;
        let Held { context, .. } = &mut held;
        let known = rules::role(context, role)?;
        let is_open = known.open_findings().any(|finding| finding.number == number);
        if !is_open {
            let message = format!("{role} has no open finding {number}");
            return Err(Error::new(Kind::NotFound, message)
                .hint(format!("countersign context show {task} lists the findings")));
        }
        let (role, note) = (role.to_owned(), note.to_owned());
        let cleared = ContextEvent::Cleared { role, finding: number, note };
        self.append_context(context, actor, vec![cleared])?;
        self.view_of(context)
    }
}

/// A text of a length that others can be asked to read.
pub(super) fn bounded<'t>(what: &str, text: &'t str) -> Result<&'t str> {
    let text = text.trim();
    if text.is_empty() {
        return Err(
            Error::new(Kind::Usage, format!("the {what} is empty")).hint("say in words what it is")
        );
    }
    if text.len() > MAX_TEXT {
        let message = format!("the {what} has {} bytes; {MAX_TEXT} is the most", text.len());
        return Err(Error::new(Kind::Usage, message)
            .hint("attach the long text as evidence and name it here"));
    }
    Ok(text)
}
