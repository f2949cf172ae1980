//! `countersign hooks`: have agents tell us what they do.

use countersign_engine::hooks::{self, Agent, Fate, Report, Request, Scope, Status, Trust};
use countersign_engine::{Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Reply};

/// Have coding agents tell countersign what they do.
///
/// Hooks are entries in an agent's settings. Nothing else in there changes, and `uninstall` brings
/// back what was there before, to the byte.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Register with agents. Doing it again changes nothing.
    Install(Install),
    /// Say where hooks are, what is missing, and what keeps them from being called.
    Status {
        /// claude, codex, gemini or opencode; all if left out.
        #[arg(value_name = "AGENT")]
        agents: Vec<Agent>,
    },
    /// Take out what was registered; what was changed since stays.
    Uninstall {
        /// claude, codex, gemini or opencode; all if left out.
        #[arg(value_name = "AGENT")]
        agents: Vec<Agent>,

        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Debug, clap::Args)]
struct Install {
    /// claude, codex, gemini or opencode; those that are on the PATH if left out.
    #[arg(value_name = "AGENT")]
    agents: Vec<Agent>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Have the agent ask before every call. Where it can, it stops when nobody answers.
    #[arg(long)]
    guard: bool,

    /// The agent's version, where its program can't be asked.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
}

#[derive(Debug, clap::Args)]
struct ScopeArgs {
    /// In the user's settings, for all repositories (default).
    #[arg(long, conflicts_with = "project")]
    user: bool,

    /// In the settings of this repository.
    #[arg(long)]
    project: bool,
}

impl ScopeArgs {
    fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { Scope::User }
    }
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    match args.verb {
        Verb::Install(args) => {
            let scope = args.scope.scope();
            let Install { agents, guard, agent_version: version, .. } = args;
            let reports = hooks::install(&cx.host, &Request { agents, scope, version, guard })?;
            let human = reports.iter().map(told).collect::<String>();
            Reply::new(json!({ "agents": reports }), human)
        }
        Verb::Uninstall { agents, scope } => {
            let request = Request { agents, scope: scope.scope(), version: None, guard: false };
            let reports = hooks::uninstall(&cx.host, &request)?;
            let human = reports.iter().map(told).collect::<String>();
            Reply::new(json!({ "agents": reports }), human)
        }
        Verb::Status { agents } => {
            let all = hooks::status(&cx.host, &agents)?;
            let wrong = all.iter().any(Status::is_wrong);
            let reply = Reply::new(json!({ "healthy": !wrong, "agents": all }), shown(&all))?;
            let problem =
                wrong.then(|| Error::new(Kind::Refused, "something is wrong with the hooks"));
            Ok(reply.problem(problem))
        }
    }
}

fn told(report: &Report) -> String {
    let mut text = String::new();
    for change in &report.changes {
        let word = match change.fate {
            Fate::Wrote => "wrote",
            Fate::Kept => "kept",
            Fate::Restored => "restored",
            Fate::Cleaned => "cleaned",
            Fate::Removed => "removed",
        };
        let path = ui::printable(&change.path.display().to_string());
        text += &format!("{:<8}  {word:<8}  {path}\n", report.agent);
    }
    if !report.events.is_empty() {
        let version = report.version.as_deref().unwrap_or("of unknown version");
        let count = ui::count(report.events.len() as u64, "event");
        text += &format!("{:<8}  {count} for {} {version}\n", report.agent, report.agent);
    }
    for note in &report.notes {
        let note = format!("{}: {}", ui::paint(ui::BOLD, "note"), ui::printable(note));
        text += &format!("{:<8}  {note}\n", report.agent);
    }
    text
}

fn shown(all: &[Status]) -> String {
    let mut text = String::new();
    for status in all {
        let here = match (&status.program, &status.version) {
            (Some(program), Some(version)) => format!("{version} at {program}"),
            (Some(program), None) => format!("at {program}, version not known"),
            (None, _) => "not on the PATH".to_owned(),
        };
        let agent = ui::paint(ui::BOLD, status.agent);
        text += &format!("{agent}  {}\n", ui::printable(&here));
        if status.places.is_empty() {
            text += "  no hooks\n";
        }
        for place in &status.places {
            let scope = match place.scope {
                Scope::User => "user",
                Scope::Project => "project",
            };
            let count = ui::count(place.events.len() as u64, "event");
            let guard = if place.is_guard { ", guard" } else { "" };
            let trust = match place.trust {
                Some(Trust::Given) => ", trusted",
                Some(Trust::Missing) => ", not trusted",
                Some(Trust::Unknown) => ", trust not known",
                None => "",
            };
            let path = ui::printable(&place.path.display().to_string());
            text += &format!("  {scope:<7}  {path}: {count}{guard}{trust}\n");
            let events = ui::paint(ui::DIM, ui::printable(&place.events.join(" ")));
            text += &format!("           {events}\n");
        }
        for finding in &status.findings {
            let mark = if finding.is_wrong {
                ui::paint(ui::BAD, "BAD ")
            } else {
                ui::paint(ui::BOLD, "note")
            };
            text += &format!("  {mark}  {}\n", ui::printable(&finding.text));
        }
    }
    text
}
