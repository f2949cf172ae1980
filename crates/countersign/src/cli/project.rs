//! `countersign project`: what the repository is.

use countersign_domain::project::{Part, Tool};
use countersign_engine::Error;
use countersign_engine::project::{ProjectView, show};

use super::Context;
use crate::ui::{self, Reply};

/// Show how the repository is built, checked and tested.
///
/// Found out from its files alone, so that every machine gives the same answer; the table `project` in
/// countersign.toml overrides, adds and removes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Show(Show),
}

/// Show the parts of the repository, their commands, and what speaks for each.
#[derive(Debug, clap::Args)]
struct Show {
    /// Show every command that was found, and not only the preferred ones.
    #[arg(long)]
    all: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let Verb::Show(Show { all }) = &args.verb;
    let view = show(&cx.host)?;
    let human = describe(&view, *all);
    Reply::new(view, human)
}

fn describe(view: &ProjectView, all: bool) -> String {
    let mut text = String::new();
    for part in &view.project.parts {
        let folder = if part.folder.is_empty() { "." } else { &part.folder };
        text += &ui::paint(ui::BOLD, format!("{} ({})\n", ui::printable(folder), part.stack));
        let rows: Vec<Vec<String>> = chosen(part, all).map(row).collect();
        text += &ui::table(&rows);
        text.push('\n');
    }
    if view.project.parts.is_empty() {
        text += "Nothing was found that says how this repository is checked.\n\
                 Name commands in countersign.toml, below [project.commands].\n\n";
    }
    for activity in &view.without {
        text += &format!("none, as the settings say: {activity}\n");
    }
    for missing in &view.missing {
        let commands: Vec<String> = missing.commands.iter().map(|one| ui::printable(one)).collect();
        let program = ui::printable(&missing.program);
        text += &ui::paint(ui::BAD, format!("not installed: {program}"));
        text += &format!(", needed by: {}\n", commands.join("; "));
    }
    for finding in &view.project.findings {
        text += &format!("note: {}\n", ui::printable(&finding.to_string()));
    }
    text
}

fn chosen(part: &Part, all: bool) -> impl Iterator<Item = &Tool> {
    let is_best = move |tool: &&Tool| all || part.tool(tool.activity) == Some(*tool);
    part.tools.iter().filter(is_best)
}

fn row(tool: &Tool) -> Vec<String> {
    let runner = tool.runner.map(|runner| format!(" [{runner}]")).unwrap_or_default();
    let why: Vec<String> = tool.why.iter().map(|one| ui::printable(&one.to_string())).collect();
    vec![
        format!("  {}", tool.activity),
        format!("{}{runner}", ui::printable(&tool.command.shell)),
        ui::paint(ui::DIM, why.join("; ")),
    ]
}
