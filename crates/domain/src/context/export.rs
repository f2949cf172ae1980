//! What one role reads: only what it needs, as JSON for programs or Markdown for agents.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::immutable::Immutable;
use super::measured::Measured;
use super::state::Context;
use super::step::Step;
use crate::snapshot::PathText;
use crate::standards::Citation;
use crate::task::QaCommand;

/// How many files or lines a list shows an agent before it says how many more there are.
pub const MARKDOWN_LIMIT: usize = 40;

/// The part of the immutable account that a role needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    pub role: String,
    #[serde(flatten)]
    pub account: Slice,
}

/// The account without what a role has no use for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    pub version: u32,
    pub task_id: String,
    pub git: super::GitFacts,
    pub task: super::TaskFacts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standards_citations: Option<Vec<Citation>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_commands: Option<Vec<QaCommand>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_paths: Option<Vec<String>>,
}

impl Export {
    /// What `role` needs of `account`. A role that we don't know needs everything.
    pub fn of(account: &Immutable, role: &str) -> Self {
        // A reviewer judges the work against the standards and leaves the commands to others; a
        // validator runs the commands and judges no style.
        let (standards, commands) = match role {
            "reviewer" => (true, false),
            "validator" => (false, true),
            _ => (true, true),
        };
        let account = account.clone();
        Self {
            role: role.to_owned(),
            account: Slice {
                version: account.version,
                task_id: account.task_id,
                git: account.git,
                task: account.task,
                standards_citations: standards.then_some(account.standards_citations),
                validation_commands: commands.then_some(account.validation_baseline.commands),
                repo_paths: (role != "reviewer").then_some(account.repo_paths),
            },
        }
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        super::manifest::serialized(self)
    }
}

/// What happened before a role begins.
#[derive(Debug, Clone, Copy)]
pub struct Handover<'c> {
    pub context: &'c Context,
}

/// What an agent in `role` reads: the task, what binds it, what was done before, and the
/// commands by which it takes part.
pub fn markdown(export: &Export, handover: Handover<'_>) -> String {
    let mut text = String::new();
    task(&mut text, export);
    standards(&mut text, export);
    commands(&mut text, export);
    so_far(&mut text, export, handover.context);
    findings(&mut text, handover.context);
    taking_part(&mut text, export, handover.context);
    text
}

fn task(text: &mut String, export: &Export) {
    let Slice { task_id, task, git, .. } = &export.account;
    let head = git.head.as_ref().map_or("before the first commit", |head| head.short());
    let _ = writeln!(text, "# {task_id}: {}\n", task.title);
    let _ = writeln!(
        text,
        "Role: {} · priority {} · area {} · base {head}\n",
        export.role, task.priority, task.area
    );
    let _ = writeln!(text, "{}\n", task.description.trim_end());
    list(text, "Acceptance criteria", &task.acceptance_criteria, true);
    list(text, "In scope", &task.scope_in, false);
    list(text, "Out of scope", &task.scope_out, false);
    if let Some(paths) = &export.account.repo_paths {
        list(text, "Files of the scope", paths, false);
    }
}

fn list(text: &mut String, title: &str, items: &[String], is_whole: bool) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    let most = if is_whole { items.len() } else { MARKDOWN_LIMIT };
    for item in items.iter().take(most) {
        let mut lines = item.trim_end().lines();
        let _ = writeln!(text, "- {}", lines.next().unwrap_or_default());
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
    }
    if items.len() > most {
        let _ = writeln!(text, "- and {} more", items.len() - most);
    }
    text.push('\n');
}

fn standards(text: &mut String, export: &Export) {
    let Some(citations) = export.account.standards_citations.as_deref() else { return };
    if citations.is_empty() {
        return;
    }
    text.push_str(
        "## Standards\n\nRead the cited lines before you work; the digest is theirs.\n\n",
    );
    for citation in citations {
        let _ = writeln!(
            text,
            "- {}#{} ({}, {}): {}",
            citation.file,
            citation.section,
            citation.line_span,
            citation.content_sha.short(),
            citation.requirement
        );
    }
    text.push('\n');
}

fn commands(text: &mut String, export: &Export) {
    let Some(commands) = export.account.validation_commands.as_deref() else { return };
    if commands.is_empty() {
        return;
    }
    text.push_str("## Checks\n\n");
    for command in commands {
        let _ = writeln!(text, "- `{}`", command.command);
    }
    text.push('\n');
}

fn so_far(text: &mut String, export: &Export, context: &Context) {
    text.push_str("## So far\n\n");
    let before = std::iter::once(None).chain(context.steps.iter().map(Some));
    for (step, before) in context.steps.iter().zip(before) {
        let _ = writeln!(text, "- {}", told(step, before));
        for words in step.unfinished() {
            let _ = writeln!(text, "  - finding: {words}");
        }
    }
    let last = context.last_step();
    let changed = last.handed.as_ref().map(|handed| &handed.files[..]).unwrap_or_default();
    for file in changed.iter().take(MARKDOWN_LIMIT) {
        let outside = if file.is_out_of_scope { " (outside of the scope)" } else { "" };
        let _ = writeln!(text, "  - {} {}{outside}", file.status, shown(&file.path));
    }
    if changed.len() > MARKDOWN_LIMIT {
        let _ = writeln!(text, "  - and {} more", changed.len() - MARKDOWN_LIMIT);
    }
    // A reviewer leaves the checks to others, but a test that is gone is a change to be judged.
    let is_told = |measured: &&Measured| export.role != "reviewer" || !measured.findings.is_empty();
    if let Some(measured) = context.measured.last().filter(is_told) {
        let _ = writeln!(text, "- checks of {}: {}", measured.role, measured.words());
        for finding in &measured.findings {
            let _ = writeln!(text, "  - **{finding}**");
        }
        for improvement in &measured.improvements {
            let _ = writeln!(text, "  - {improvement}");
        }
    }
    text.push('\n');
}

fn told(step: &Step, before: Option<&Step>) -> String {
    let tree_of = |step: &Step| step.recorded.grounds.first().map(|root| root.tree.clone());
    let tree = tree_of(step);
    let is_same = before.is_some_and(|before| tree_of(before) == tree);
    let tree = tree.as_ref().map_or("none", |tree| tree.short());
    match (&step.handed, &step.note) {
        (Some(handed), _) => format!(
            "{} handed over tree {tree}: {} changed, +{} -{} since the start",
            step.name,
            count(handed.files.len(), "file"),
            handed.insertions,
            handed.deletions
        ),
        (None, Some(note)) if is_same => {
            format!("drift was resolved by a person, in the same tree: {}", first_line(note))
        }
        (None, Some(note)) => format!("a person changed the tree to {tree}: {}", first_line(note)),
        (None, None) => format!("the work began from tree {tree}"),
    }
}

fn findings(text: &mut String, context: &Context) {
    let open: Vec<String> = context
        .roles
        .iter()
        .flat_map(|role| {
            role.open_findings()
                .map(move |finding| format!("{} {}: {}", role.name, finding.number, finding.text))
        })
        .collect();
    list(text, "Open findings", &open, true);
}

fn taking_part(text: &mut String, export: &Export, context: &Context) {
    let (task, role) = (&context.task, &export.role);
    text.push_str(
        "## Taking part\n\nDon't commit, stash or switch branches while the task runs.\n\n",
    );
    for (what, command) in [
        ("what others changed", format!("context diff {task} --role ROLE")),
        (
            "results of checks",
            format!("context record-qa {task} --role {role} --from FILE --exit-code N"),
        ),
        (
            "a finding that stops the work",
            format!("context block {task} --role {role} --finding \"WHAT\""),
        ),
        ("hand over when you are done", format!("context snapshot {task} --role {role}")),
    ] {
        let _ = writeln!(text, "- {what}: `countersign {command}`");
    }
}

fn shown(path: &PathText) -> String {
    path.to_string()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
