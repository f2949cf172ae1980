//! How contexts look.

mod drift;
mod ended;

use countersign_domain::context::RoleStatus;
use countersign_engine::Error;
use countersign_engine::context::{
    Checked, ContextRow, ContextView, Exported, HandedOver, OpenedContext, Restored, Results,
};
use serde_json::json;

use crate::ui::{self, Reply};
use drift::drift_text;
pub use drift::{diff, verified};
pub use ended::{purged, rebuilt, swept};

/// How many files a list shows a person.
const MOST: usize = 30;

pub fn restored(restored: Restored) -> Result<Reply, Error> {
    let folder = ui::printable(&restored.folder);
    let mut text = format!("the files as {} left them are in {folder}", restored.step);
    for warning in &restored.warnings {
        let warning = ui::printable(warning);
        text.push_str(&format!("\n{}: {warning}", ui::paint(ui::BAD, "warning")));
    }
    for left in restored.left_out_words.iter().take(MOST) {
        text.push_str(&format!("\nleft out, as no tree can hold it: {}", ui::printable(left)));
    }
    if restored.left_out.len() > MOST {
        text.push_str(&format!("\nand {} more", restored.left_out.len() - MOST));
    }
    Reply::new(restored, text)
}

pub fn opened(opened: &OpenedContext) -> Result<Reply, Error> {
    let view = &opened.view;
    let mut text = format!(
        "{} {}: {}\n",
        ui::paint(ui::GOOD, "context"),
        view.task,
        ui::printable(&view.title)
    );
    let rows = [
        ("account", short(&view.context).to_owned()),
        ("file", ui::printable(&view.path)),
        ("criteria", opened.criteria.to_string()),
        ("checks", opened.commands.to_string()),
        ("citations", opened.citations.to_string()),
        ("files in scope", opened.repo_paths.to_string()),
        ("made from", join(opened.sources.iter().map(|source| source.path.as_str()))),
        ("roles", join(view.roles.iter().map(|role| role.name.as_str()))),
    ];
    text.push_str(&table(&rows));
    for note in &opened.notes {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(note)));
    }
    if let Some(first) = view.roles.first() {
        text.push_str(&format!(
            "{} is at work. It reads: countersign context export {} --role {}\n",
            first.name, view.task, first.name
        ));
    }
    Reply::new(opened, text)
}

pub fn context(view: &ContextView) -> Result<Reply, Error> {
    let mut text = format!("{} {}\n", ui::paint(ui::BOLD, &view.task), ui::printable(&view.title));
    let mut rows = vec![
        ("account", short(&view.context).to_owned()),
        ("worktree", ui::printable(&view.worktree)),
    ];
    if let Some(purged) = &view.purged {
        rows.push(("purged", ui::printable(purged)));
    }
    if let Some(results) = &view.results {
        rows.push(("checks", ui::printable(results)));
    }
    text.push_str(&table(&rows));
    text.push_str(&checked(&view.checked));
    text.push_str(&roles(view));
    text.push_str(&steps(view));
    for step in &view.steps {
        for words in &step.unfinished {
            let (name, words) = (ui::printable(&step.name), ui::printable(words));
            text.push_str(&format!("{} {name}: {words}\n", ui::paint(ui::BAD, "finding")));
        }
    }
    text.push_str(&attached(view));
    if view.drift_budget > 0 {
        let times = ui::count(u64::from(view.drift_budget), "time");
        text.push_str(&format!(
            "{}: found {times}; nothing starts until a person has said why: countersign context \
             resolve-drift {} --note \"WHY\"\n",
            ui::paint(ui::BAD, "drift"),
            view.task
        ));
        if let Some(drift) = &view.drift {
            text.push_str(&drift_text(drift, &view.attributed));
        }
    }
    for warning in &view.warnings {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(warning)));
    }
    Reply::new(view, text)
}

fn roles(view: &ContextView) -> String {
    let mut text = String::new();
    for role in &view.roles {
        let (mark, style) = match role.status {
            RoleStatus::Done => ("✓", ui::GOOD),
            RoleStatus::InProgress => ("▸", ui::BOLD),
            RoleStatus::Blocked => ("✗", ui::BAD),
            RoleStatus::Pending => ("·", ui::DIM),
        };
        text.push_str(&format!(
            "{} {} {}\n",
            ui::paint(style, mark),
            ui::printable(&role.name),
            ui::paint(ui::DIM, role.status.name())
        ));
        for finding in &role.findings {
            let how = match &finding.cleared {
                Some(note) => ui::paint(ui::DIM, format!(" (dealt with: {})", indented(note))),
                None => String::new(),
            };
            text.push_str(&format!(
                "    finding {}: {}{how}\n",
                finding.number,
                indented(&finding.text)
            ));
        }
    }
    text
}

fn steps(view: &ContextView) -> String {
    let rows: Vec<Vec<String>> = view
        .steps
        .iter()
        .map(|step| {
            let what = match (step.files, &step.note) {
                (Some(files), _) => format!(
                    "{} changed, +{} -{}",
                    ui::count(files as u64, "file"),
                    step.insertions.unwrap_or(0),
                    step.deletions.unwrap_or(0)
                ),
                (None, Some(note)) => indented(note),
                (None, None) => String::new(),
            };
            let at = step.at.get(..19).unwrap_or(&step.at).replace('T', " ");
            vec![format!("  {at}"), ui::printable(&step.name), short(&step.tree).to_owned(), what]
        })
        .collect();
    ui::table(&rows)
}

fn attached(view: &ContextView) -> String {
    let mut text = String::new();
    for attached in view.evidence.iter().take(MOST) {
        let evidence = &attached.evidence;
        let lines = evidence.lines.as_ref().map(|lines| format!(" {lines}")).unwrap_or_default();
        let about = evidence.description.as_ref().map(|about| format!(": {}", indented(about)));
        text.push_str(&format!(
            "  attached {} {} {}{lines}{}\n",
            evidence.id,
            evidence.kind.name(),
            ui::printable(&evidence.path),
            about.unwrap_or_default()
        ));
    }
    more(&mut text, view.evidence.len());
    text
}

pub fn list(rows: &[ContextRow]) -> Result<Reply, Error> {
    let table: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let state = match (&row.role, row.is_purged) {
                (_, true) => "purged".to_owned(),
                (Some(role), _) => format!("{role} {}", row.status),
                (None, _) => "all roles done".to_owned(),
            };
            let drift = if row.drift_budget > 0 { "drift" } else { "" };
            vec![row.task.clone(), state, drift.to_owned(), ui::printable(&row.worktree)]
        })
        .collect();
    let human = if table.is_empty() {
        "there is no context here; `countersign context init TASK` makes one".to_owned()
    } else {
        ui::table(&table)
    };
    Reply::new(json!({ "contexts": rows }), human)
}

pub fn export(exported: &Exported) -> Result<Reply, Error> {
    ui::say(&format!(
        "{}: at most {} tokens as Markdown, {} as JSON",
        ui::paint(ui::BOLD, "size"),
        exported.markdown_tokens,
        exported.account_tokens
    ));
    let text = ui::printable(&exported.markdown);
    Ok(Reply::new(exported, text.clone())?.markdown(text))
}

pub fn handed(handed: &HandedOver) -> Result<Reply, Error> {
    let mut text = format!(
        "{} handed over tree {}: {} changed since the start, +{} -{}\n",
        handed.role,
        short(&handed.tree),
        ui::count(handed.files.len() as u64, "file"),
        handed.insertions,
        handed.deletions
    );
    for file in handed.files.iter().take(MOST) {
        let outside = if file.is_out_of_scope { "  (outside of the scope)" } else { "" };
        text.push_str(&format!(
            "  {:<9} {}{outside}\n",
            file.status,
            ui::printable(&file.path.to_string())
        ));
    }
    more(&mut text, handed.files.len());
    for warning in &handed.warnings {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(warning)));
    }
    text.push_str(&match &handed.next {
        Some(next) => format!(
            "next: countersign context update {} --role {next} --status in_progress\n",
            handed.task
        ),
        None => format!("all roles are done: countersign task complete {}\n", handed.task),
    });
    Reply::new(handed, text)
}

pub fn measured(results: &Results) -> Result<Reply, Error> {
    let mut text = format!("{}: {}\n", results.role, ui::printable(&results.words));
    if results.is_baseline {
        text.push_str("later results are compared with these\n");
    }
    if results.runs > 1 {
        text.push_str(&format!("{} runs on this tree count together\n", results.runs));
    }
    let (findings, improvements) = (results.findings.clone(), results.improvements.clone());
    text.push_str(&checked(&Checked { findings, improvements }));
    Reply::new(results, text)
}

/// How results compare with the baseline: what is worse stands out.
fn checked(checked: &Checked) -> String {
    let line = |style, mark, words: &String| {
        format!("  {} {}\n", ui::paint(style, mark), ui::paint(style, ui::printable(words)))
    };
    let worse = checked.findings.iter().map(|words| line(ui::BAD, "✗", words));
    let better = checked.improvements.iter().map(|words| line(ui::GOOD, "✓", words));
    worse.chain(better).collect()
}

fn more(text: &mut String, all: usize) {
    if all > MOST {
        text.push_str(&format!("  and {} more\n", all - MOST));
    }
}

/// Text of others over several lines, so that none of them looks like one of ours.
fn indented(text: &str) -> String {
    ui::printable(text).replace('\n', "\n      | ")
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

fn join<'s>(names: impl Iterator<Item = &'s str>) -> String {
    ui::printable(&names.collect::<Vec<_>>().join(", "))
}

fn table(rows: &[(&str, String)]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(name, value)| vec![format!("  {name}"), value.clone()]).collect();
    ui::table(&rows)
}
