//! What the tools for tasks and contexts answer, in as few lines as will do.

use countersign_domain::context::step_words;
use countersign_engine::context::{ContextView, HandedOver, Verification};
use countersign_engine::task::TaskRow;
use countersign_engine::{Engine, Error, Kind};

use super::super::call::Answer;
use crate::ui;

/// The tasks, a line each.
pub(super) fn tasks(engine: &Engine) -> Result<Answer, Error> {
    let list = engine.tasks()?;
    let line = |task: &TaskRow| {
        let turn = task.context.as_ref().map(|turn| format!(" [{turn}]")).unwrap_or_default();
        format!("{} {} {}{turn}: {}", task.id, task.priority, task.status, task.title)
    };
    let mut lines: Vec<String> = list.tasks.iter().map(line).collect();
    lines.extend(list.mistakes.iter().map(ToString::to_string));
    if lines.is_empty() {
        lines.push("there is no task".to_owned());
    }
    Ok((lines.join("\n"), None))
}

/// Where a context stands, in a few lines.
pub(super) fn shown(view: &ContextView) -> Answer {
    let mut lines = vec![format!("{}: {}", view.task, view.title)];
    for role in &view.roles {
        lines.push(format!("{}: {}", role.name, role.status.name()));
        let open = role.open_findings();
        lines.extend(open.map(|finding| format!("  finding {}: {}", finding.number, finding.text)));
    }
    if let Some(drift) = view.drift.as_ref().filter(|_| view.drift_budget > 0) {
        lines.push("the working tree has drifted; a person has to say why:".to_owned());
        lines.extend(drift.lines().into_iter().map(|line| format!("  {line}")));
    }
    lines.extend(view.results.iter().map(|words| format!("checks: {words}")));
    lines.extend(view.checked.findings.iter().map(|words| format!("  {words}")));
    lines.extend(view.warnings.iter().map(|warning| format!("note: {warning}")));
    (lines.join("\n"), None)
}

pub(super) fn handed(handed: &HandedOver) -> Answer {
    let mut lines = vec![format!(
        "handed over: {} changed since the start, +{} -{}",
        ui::count(handed.files.len() as u64, "file"),
        handed.insertions,
        handed.deletions
    )];
    lines.extend(handed.warnings.iter().map(|warning| format!("note: {warning}")));
    lines.extend(handed.next.iter().map(|next| format!("next: {next}")));
    (lines.join("\n"), None)
}

/// A tree that is not what it should be is an error, so that no agent takes it for a yes.
pub(super) fn verified(verified: &Verification) -> Result<Answer, Error> {
    let expected = step_words(&verified.expected);
    if let Some(drift) = &verified.drift {
        let lines = drift.lines().into_iter().chain(verified.attributed.iter().cloned());
        let lines: Vec<String> = lines.map(|line| format!("\n  {line}")).collect();
        let message = format!("the working tree is not what {expected} left:{}", lines.concat());
        return Err(Error::new(Kind::Drift, message).hint(format!(
            "a person has to say why: countersign context resolve-drift {} --note \"WHY\"",
            verified.task
        )));
    }
    let mut lines = match &verified.at_work {
        None => vec![format!("the working tree is what {expected} left")],
        Some(role) if verified.so_far.is_empty() => {
            vec![format!("{role} is at work, and has changed nothing up to now")]
        }
        Some(role) => vec![format!("{role} is at work, and has changed this up to now")],
    };
    lines.extend(verified.so_far.iter().map(|line| format!("  {line}")));
    lines.extend(verified.checked.findings.iter().map(|words| format!("checks: {words}")));
    Ok((lines.join("\n"), None))
}
