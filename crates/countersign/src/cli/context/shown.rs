//! How contexts look.

use countersign_domain::context::RoleStatus;
use countersign_domain::snapshot::Drift;
use countersign_engine::context::{
    ContextDiff, ContextRow, ContextView, Exported, HandedOver, OpenedContext, PurgedContext,
    RebuiltContext, Restored, Results, Swept, Verification,
};
use countersign_engine::{Error, Kind};
use serde_json::json;

use crate::ui::{self, Reply};

/// How many files a list shows a person.
const MOST: usize = 30;

pub fn restored(restored: Restored) -> Result<Reply, Error> {
    let folder = ui::printable(&restored.folder);
    let mut text = format!("the files as {} left them are in {folder}", restored.step);
    for warning in &restored.warnings {
        let warning = ui::printable(warning);
        text.push_str(&format!("\n{}: {warning}", ui::paint(ui::BAD, "warning")));
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
    text.push_str(&roles(view));
    text.push_str(&steps(view));
    for step in &view.steps {
        for words in &step.unfinished {
            let (name, words) = (ui::printable(&step.name), ui::printable(words));
            text.push_str(&format!("{} {name}: {words}\n", ui::paint(ui::BAD, "finding")));
        }
    }
    if view.drift_budget > 0 {
        let times = ui::count(u64::from(view.drift_budget), "time");
        text.push_str(&format!(
            "{}: found {times}; nothing starts until: countersign context resolve-drift {} --note \
             \"WHY\"\n",
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

pub fn verified(verified: &Verification) -> Result<Reply, Error> {
    let mut text = String::new();
    let mut problem = None;
    if let Some(role) = &verified.at_work {
        let what = if verified.so_far.is_empty() { "nothing" } else { "this" };
        text.push_str(&format!("{role} is at work, and has changed {what} up to now\n"));
        for line in &verified.so_far {
            text.push_str(&format!("  {}\n", ui::printable(line)));
        }
    }
    match &verified.drift {
        None if verified.at_work.is_some() => {}
        None => text.push_str(&format!(
            "{}: the working tree is what {} left\n",
            ui::paint(ui::GOOD, "same"),
            named(&verified.expected)
        )),
        Some(drift) => {
            text.push_str(&format!(
                "{}: the working tree is not what {} left\n",
                ui::paint(ui::BAD, "drift"),
                named(&verified.expected)
            ));
            text.push_str(&drift_text(drift, &verified.attributed));
            for remedy in &verified.remedies {
                let remedy = ui::printable(remedy);
                text.push_str(&format!("{}: {remedy}\n", ui::paint(ui::BOLD, "to undo it")));
            }
            let message =
                format!("the working tree is not what {} left", named(&verified.expected));
            let hint = format!(
                "undo it, or take it as it is: countersign context resolve-drift {} --note \"WHY\"",
                verified.task
            );
            problem = Some(Error::new(Kind::Drift, message).hint(hint));
        }
    }
    if verified.drift_budget > 0 {
        text.push_str(&format!(
            "drift is on record: nothing starts until countersign context resolve-drift {} --note \
             \"WHY\"\n",
            verified.task
        ));
    }
    for note in &verified.notes {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(note)));
    }
    if let Some(hunks) = &verified.hunks {
        text.push_str(&ui::printable(hunks));
    }
    Ok(Reply::new(verified, text)?.problem(problem))
}

fn drift_text(drift: &Drift, attributed: &[String]) -> String {
    let mut text = String::new();
    for line in drift.lines() {
        text.push_str(&format!("  {}\n", ui::printable(&line)));
    }
    for line in attributed {
        text.push_str(&format!("  {}\n", ui::paint(ui::DIM, ui::printable(line))));
    }
    text
}

pub fn diff(diff: &ContextDiff, wants_stat: bool) -> Result<Reply, Error> {
    let mut text = String::new();
    if wants_stat {
        for file in &diff.files {
            text.push_str(&format!(
                "{:<9} {}\n",
                file.status,
                ui::printable(&file.path.to_string())
            ));
        }
        text.push_str(&format!(
            "{} changed from {} to {}, +{} -{}\n",
            ui::count(diff.files.len() as u64, "file"),
            diff.from,
            diff.to,
            diff.insertions,
            diff.deletions
        ));
    } else if diff.patch.is_empty() {
        ui::say(&format!("nothing is different between {} and {}", diff.from, diff.to));
    } else {
        text = ui::printable(&diff.patch);
    }
    Reply::new(diff, text)
}

pub fn measured(results: &Results) -> Result<Reply, Error> {
    let mut text = format!("{}: {}\n", results.role, ui::printable(&results.words));
    if results.is_baseline {
        text.push_str("later results are compared with these\n");
    }
    for finding in &results.findings {
        text.push_str(&format!("  {}\n", ui::printable(finding)));
    }
    Reply::new(results, text)
}

pub fn rebuilt(rebuilt: &RebuiltContext) -> Result<Reply, Error> {
    let mut text = String::new();
    for change in &rebuilt.changed {
        text.push_str(&format!("  {}\n", ui::printable(change)));
    }
    text.push_str(&match (rebuilt.is_new, rebuilt.dry_run) {
        (false, _) => "nothing has changed: the account is what it was\n".to_owned(),
        (true, true) => "the account would be made anew\n".to_owned(),
        (true, false) => format!(
            "the account was made anew: {} → {}\n",
            short(&rebuilt.before),
            short(&rebuilt.after)
        ),
    });
    for warning in &rebuilt.warnings {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(warning)));
    }
    Reply::new(rebuilt, text)
}

pub fn purged(purged: &PurgedContext) -> Result<Reply, Error> {
    let human = match &purged.kept_until {
        Some(until) => format!("purged: {}; its trees can be restored until {until}", purged.task),
        None => format!("{} has nothing to purge", purged.task),
    };
    Reply::new(purged, human)
}

pub fn swept(swept: &Swept) -> Result<Reply, Error> {
    let would = if swept.dry_run { "would be " } else { "" };
    let mut text = String::new();
    for (names, what) in [
        (&swept.purged, "purged"),
        (&swept.released, "let go"),
        (&swept.orphans, "removed, as it belongs to no context"),
    ] {
        for name in names {
            text.push_str(&format!("{}: {would}{what}\n", ui::printable(name)));
        }
    }
    if text.is_empty() {
        text.push_str("there is nothing to sweep\n");
    }
    Reply::new(swept, text)
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

fn named(step: &str) -> &str {
    match step {
        "start" => "the start",
        "resolution" => "the resolution",
        role => role,
    }
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
