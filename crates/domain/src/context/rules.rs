//! What may happen next in a context. Pure: the engine asks, performs, and appends.

use super::event::RoleStatus;
use super::state::{Context, Expectation, Role};

/// Why something may not happen, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub message: String,
    pub hint: String,
}

impl Refusal {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// What has to be compared before a change may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparing {
    /// Files and commit must be as the step left them.
    Everything,
    /// A role is at work: only the commit must be.
    OnlyTheCommit,
}

/// The role `name`, in a context that still works.
pub fn role<'c>(context: &'c Context, name: &str) -> Result<&'c Role, Refusal> {
    alive(context)?;
    context.role(name).ok_or_else(|| {
        let names: Vec<&str> = context.roles.iter().map(|role| role.name.as_str()).collect();
        Refusal::new(
            format!("task {} has no role '{name}'", context.task),
            format!("its roles are {}", names.join(", ")),
        )
    })
}

/// Whether the context still works.
pub fn alive(context: &Context) -> Result<(), Refusal> {
    match &context.purged {
        None => Ok(()),
        Some((at, because)) => Err(Refusal::new(
            format!("the context of {} was purged at {at:.0} ({because})", context.task),
            format!("make a new one: countersign context init {}", context.task),
        )),
    }
}

/// Whether coordination may change at all: drift that nobody explained stops everything.
pub fn unhindered(context: &Context) -> Result<(), Refusal> {
    alive(context)?;
    if context.drift_budget == 0 {
        return Ok(());
    }
    let times = if context.drift_budget == 1 { "once" } else { "more than once" };
    Err(Refusal::new(
        format!(
            "the working tree of {} was found to have drifted ({times}); nothing starts until a \
             person has said why",
            context.task
        ),
        format!("countersign context resolve-drift {} --note \"WHY\"", context.task),
    ))
}

/// What has to be compared before coordination changes.
pub fn comparing(context: &Context) -> Comparing {
    match context.expectation() {
        Expectation::AtWork(..) => Comparing::OnlyTheCommit,
        Expectation::AsLeft(_) => Comparing::Everything,
    }
}

/// Whether `name` may begin to work, or to work again.
pub fn may_begin(context: &Context, name: &str) -> Result<(), Refusal> {
    let role = role(context, name)?;
    unhindered(context)?;
    if role.status == RoleStatus::InProgress {
        return Ok(());
    }
    if let Some(other) = context.roles.iter().find(|other| other.status == RoleStatus::InProgress) {
        return Err(Refusal::new(
            format!("{name} can't begin while {} is at work", other.name),
            format!(
                "{} hands over with: countersign context snapshot {} --role {}",
                other.name, context.task, other.name
            ),
        ));
    }
    let before = context.roles.iter().take_while(|other| other.name != name);
    for earlier in before {
        if earlier.status != RoleStatus::Done {
            return Err(Refusal::new(
                format!("{name} can't begin: {} is {}", earlier.name, earlier.status.name()),
                match earlier.status {
                    RoleStatus::Pending => format!(
                        "{} begins with: countersign context update {} --role {} --status in_progress",
                        earlier.name, context.task, earlier.name
                    ),
                    _ => format!("countersign context show {}", context.task),
                },
            ));
        }
        not_blocked(context, earlier)?;
    }
    not_blocked(context, role)
}

fn not_blocked(context: &Context, role: &Role) -> Result<(), Refusal> {
    match role.open_findings().next() {
        None => Ok(()),
        Some(finding) => Err(Refusal::new(
            format!("{} is blocked by finding {}: {}", role.name, finding.number, finding.text),
            format!(
                "when it is dealt with: countersign context unblock {} --role {} --finding {} \
                 --note \"HOW\"",
                context.task, role.name, finding.number
            ),
        )),
    }
}

/// Whether `name` may put a finding on the record that stops the work: only whose turn it is.
pub fn may_block(context: &Context, name: &str) -> Result<(), Refusal> {
    let role = role(context, name)?;
    unhindered(context)?;
    match context.current() {
        Some(current) if current.name == role.name => Ok(()),
        Some(current) => Err(Refusal::new(
            format!("it is the turn of {}, not of {name}", current.name),
            format!("countersign context block {} --role {} …", context.task, current.name),
        )),
        None => Err(Refusal::new(
            "all roles are done".to_owned(),
            format!(
                "{name} looks again with: countersign context update {} --role {name} --status \
                 in_progress",
                context.task
            ),
        )),
    }
}

/// Whether `name` may hand over.
pub fn may_hand_over(context: &Context, name: &str) -> Result<(), Refusal> {
    let role = role(context, name)?;
    unhindered(context)?;
    match role.status {
        RoleStatus::InProgress => Ok(()),
        RoleStatus::Blocked => {
            let open = role.findings.iter().find(|finding| finding.cleared.is_none());
            let number = open.map_or(1, |finding| finding.number);
            Err(Refusal::new(
                format!("{name} is blocked, so there is nothing for it to hand over"),
                format!(
                    "deal with what blocks it: countersign context unblock {} --role {name} \
                     --finding {number} --note \"HOW\"",
                    context.task
                ),
            ))
        }
        status => Err(Refusal::new(
            format!("{name} is {}, so there is nothing for it to hand over", status.name()),
            format!(
                "it begins with: countersign context update {} --role {name} --status in_progress",
                context.task
            ),
        )),
    }
}

/// Whether `name` may be given `status` by a plain update.
pub fn may_become(context: &Context, name: &str, status: RoleStatus) -> Result<(), Refusal> {
    let known = role(context, name)?;
    match status {
        RoleStatus::InProgress => may_begin(context, name),
        RoleStatus::Done if known.status == RoleStatus::Done => Ok(()),
        RoleStatus::Done => Err(Refusal::new(
            format!("{name} is done when it has handed its work over"),
            format!("countersign context snapshot {} --role {name}", context.task),
        )),
        RoleStatus::Blocked => Err(Refusal::new(
            format!("{name} is blocked by a finding, and this names none"),
            format!("countersign context block {} --role {name} --finding \"WHAT\"", context.task),
        )),
        RoleStatus::Pending if known.status == RoleStatus::Pending => Ok(()),
        RoleStatus::Pending => Err(Refusal::new(
            format!("{name} has begun; what it did can't be taken back"),
            format!(
                "let it work again: --status in_progress; see countersign context show {}",
                context.task
            ),
        )),
    }
}

/// Whether a drift may be explained now.
pub fn may_resolve(context: &Context, note: &str) -> Result<(), Refusal> {
    alive(context)?;
    if note.trim().is_empty() {
        return Err(Refusal::new("a resolution needs a note that says why", "--note \"WHY\""));
    }
    if context.drift_budget == 0 {
        return Err(Refusal::new(
            format!("no drift of {} is on record", context.task),
            format!("countersign context verify {} looks for one", context.task),
        ));
    }
    Ok(())
}

/// Whether `name` may record results: who is at work; and while nobody is, who has worked, as the
/// tree is still what was left. Only while the task file is as it was, as results of another task
/// compare with nothing.
pub fn may_measure(
    context: &Context,
    name: &str,
    task_file_is_unchanged: bool,
) -> Result<(), Refusal> {
    let role = role(context, name)?;
    let at_work = context.roles.iter().find(|role| role.status == RoleStatus::InProgress);
    let task = &context.task;
    match (at_work, role.status) {
        (Some(other), _) if other.name != name => {
            return Err(Refusal::new(
                format!("{} is at work, so only it can record results, and not {name}", other.name),
                format!("countersign context record-qa {task} --role {} --from FILE", other.name),
            ));
        }
        (None, RoleStatus::Pending) => {
            let worked = context.last_worker();
            let others = worked.map_or_else(String::new, |worker| {
                format!("; results on what {worker} left are recorded with --role {worker}")
            });
            return Err(Refusal::new(
                format!("{name} has not begun, so it has no results to record"),
                format!(
                    "it begins with: countersign context update {task} --role {name} --status \
                     in_progress{others}"
                ),
            ));
        }
        _ => {}
    }
    if task_file_is_unchanged {
        return Ok(());
    }
    Err(Refusal::new(
        format!(
            "{} changed since the context of {} was made",
            context.opened.task_file, context.task
        ),
        format!("countersign context rebuild {} takes the change in", context.task),
    ))
}
