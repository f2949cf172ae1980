//! `countersign worklog`: what agents did, session by session.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use countersign_domain::worklog::Resolution;
use countersign_engine::worklog::{Account, SessionRow, outcome_word};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::Context;
use crate::timeline;
use crate::ui::{self, Reply};

/// Show, restore and export what agents did.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(List),
    Show(Named),
    Restore(Restore),
    Export(Export),
    /// Show figures over all sessions: capture, verification, corrections, skips, tokens.
    Stats,
    Resolve(Resolve),
    /// Read the agent's todo list back once more and compare it.
    Verify(Named),
    /// Look after sessions that could not tell, archive those that are over, and discard archives
    /// whose time is over. Every new session has this done aside.
    Retire,
}

/// List the sessions, newest first.
#[derive(Debug, clap::Args)]
struct List {
    /// How many to list.
    #[arg(long, default_value_t = 20, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..))]
    most: u32,
}

/// Show a session with all its entries.
#[derive(Debug, clap::Args)]
struct Named {
    /// The session: its id, the beginning of it, the agent's own id, or latest.
    #[arg(default_value = "latest")]
    session: String,
}

/// Take up earlier work: the next session of an agent here goes on with its open todos.
#[derive(Debug, clap::Args)]
struct Restore {
    /// The session: its id, the beginning of it, the agent's own id, or latest.
    #[arg(default_value = "latest")]
    session: String,

    /// Also put the files as the session left them into this new folder.
    #[arg(long, value_name = "FOLDER")]
    files: Option<PathBuf>,
}

/// Write sessions as JSON Lines or Markdown.
#[derive(Debug, clap::Args)]
struct Export {
    /// The session; without it, all of them.
    session: Option<String>,

    /// jsonl (a line each session, then its entries) or markdown.
    #[arg(long = "as", value_enum, default_value_t = Form::Jsonl, value_name = "FORM")]
    form: Form,

    /// Write here instead of to standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Jsonl,
    Markdown,
}

/// Decide about a todo list that doesn't match what the agent's program keeps.
#[derive(Debug, clap::Args)]
struct Resolve {
    /// The session: its id, the beginning of it, the agent's own id, or latest.
    session: String,

    /// accept the list as it is, abort the session, or continue-at-risk.
    #[arg(value_name = "accept|abort|continue-at-risk")]
    decision: String,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    match args.verb {
        Verb::List(args) => list(cx, &args),
        Verb::Show(args) => show(cx, &args),
        Verb::Restore(args) => restore(cx, &args),
        Verb::Export(args) => export(cx, &args),
        Verb::Stats => {
            let stats = cx.engine()?.worklog_stats()?;
            Reply::new(&stats, timeline::stats(&stats))
        }
        Verb::Resolve(args) => resolve(cx, &args),
        Verb::Verify(args) => {
            let mut engine = cx.engine()?;
            let id = engine.find_session(&args.session)?;
            let account = engine.verify_again(id)?;
            Reply::new(&account, timeline::session(&account))
        }
        Verb::Retire => {
            let retired = cx.engine()?.retire_sessions()?;
            let human = format!(
                "{} completed from transcripts, {} that no hook told of, {} archived, {} marked as \
                 abandoned, {} discarded",
                ui::count(retired.swept.completed.into(), "session"),
                retired.swept.unrecorded,
                retired.archived,
                retired.abandoned,
                ui::count(retired.discarded.into(), "archive"),
            );
            Reply::new(&retired, human)
        }
    }
}

fn list(cx: &Context, args: &List) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let mut sessions = engine.sessions(args.most.saturating_add(1))?;
    let is_cut = sessions.len() > args.most as usize;
    sessions.truncate(args.most as usize);
    if sessions.is_empty() {
        let human = "no session yet; `countersign hooks install` puts every session of an agent \
                     on record";
        return Reply::new(sessions, human);
    }
    let head = ["SESSION", "AGENT", "TIER", "STATE", "ENTRIES", "TASK"].map(String::from).to_vec();
    let mut rows = vec![head];
    rows.extend(sessions.iter().map(row));
    let older = if is_cut { "there are older ones: --most N lists more\n" } else { "" };
    Reply::new(&sessions, ui::table(&rows) + older)
}

fn row(session: &SessionRow) -> Vec<String> {
    let mut state = session.outcome.map_or("in progress", outcome_word).to_owned();
    if session.incomplete.is_some() {
        state.push_str(", incomplete");
    }
    let task = if session.task.is_empty() { "(not known)" } else { &session.task };
    vec![
        session.session.to_string(),
        session.agent.to_string(),
        session.tier.to_string(),
        state,
        session.entries.to_string(),
        ui::printable(task),
    ]
}

fn show(cx: &Context, args: &Named) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let id = engine.find_session(&args.session)?;
    let account = engine.account(id)?;
    Reply::new(&account, timeline::session(&account))
}

fn restore(cx: &Context, args: &Restore) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let id = engine.find_session(&args.session)?;
    let files = args.files.as_ref().map(|path| cx.host.cwd.join(path));
    let restored = engine.restore_session(id, files.as_deref())?;
    Reply::new(&restored, timeline::restored(&restored))
}

fn resolve(cx: &Context, args: &Resolve) -> Result<Reply, Error> {
    let resolution = Resolution::parse(&args.decision).ok_or_else(|| {
        Error::new(Kind::Usage, format!("'{}' is no decision", args.decision))
            .hint("accept, abort or continue-at-risk")
    })?;
    let mut engine = cx.engine()?;
    let id = engine.find_session(&args.session)?;
    let account = engine.resolve_verification(id, resolution)?;
    let human = format!("session {id}: {} is on the record", args.decision);
    Reply::new(&account, human)
}

fn export(cx: &Context, args: &Export) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let ids = match &args.session {
        Some(session) => vec![engine.find_session(session)?],
        None => engine.sessions(u32::MAX)?.iter().rev().map(|row| row.session).collect(),
    };
    let failed = |error: std::io::Error| {
        Error::new(Kind::Unavailable, format!("can't write the export: {error}"))
    };
    match &args.out {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write_all(&mut engine, &ids, args.form, &mut out)?;
            match out.flush() {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(failed(error)),
                _ => Ok(Reply::streamed(None)),
            }
        }
        Some(path) => {
            let path = cx.host.cwd.join(path);
            let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
            write_all(&mut engine, &ids, args.form, &mut out)?;
            out.flush().map_err(failed)?;
            let count = ui::count(ids.len() as u64, "session");
            let human = format!("{count} written to {}", path.display());
            Reply::new(json!({ "sessions": ids, "file": path.to_string_lossy() }), human)
        }
    }
}

fn write_all(
    engine: &mut Engine,
    ids: &[countersign_domain::Stamp],
    form: Form,
    out: &mut dyn Write,
) -> Result<(), Error> {
    for id in ids {
        let account = engine.account(*id)?;
        let written = match form {
            Form::Jsonl => write_lines(&account, out),
            Form::Markdown => out.write_all(timeline::markdown(&account).as_bytes()),
        };
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => {
                let message = format!("can't write the export: {error}");
                return Err(Error::new(Kind::Unavailable, message));
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

/// One line for the session, and one for every entry of it.
fn write_lines(account: &Account, out: &mut dyn Write) -> std::io::Result<()> {
    let mut head = serde_json::to_value(account)?;
    if let Some(fields) = head.as_object_mut() {
        fields.remove("entries");
        fields.insert("type".into(), "session".into());
    }
    writeln!(out, "{head}")?;
    for entry in &account.entries {
        let mut line = serde_json::to_value(entry)?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("type".into(), "entry".into());
            fields.insert("session".into(), account.session.to_string().into());
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}
