//! `countersign ledger`: the record itself.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

use countersign_domain::ledger::PublicKey;
use countersign_engine::ledger::{Verification, verify_file};
use countersign_engine::record::Note;
use countersign_engine::{Error, Kind};
use serde_json::json;

use super::Context;
use crate::fast;
use crate::ui::{self, Format, Reply};

/// Verify, seal, export and keep the record that everything is on.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Verify(Verify),
    Export(Export),
    /// Sign a seal over everything up to now.
    Seal,
    /// Remake all views by replaying the events.
    Rebuild,
    Retain(Retain),
    Append(Append),
    /// Print the public key that seals are signed with.
    Key,
}

/// Check every event, seal, anchor, blob and view; name what is not as it was.
#[derive(Debug, clap::Args)]
struct Verify {
    /// Check an exported file instead; - is standard input. Needs no repository.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// The public key to trust, in hexadecimal; without it, your own.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

/// Write the whole ledger as JSON Lines.
#[derive(Debug, clap::Args)]
struct Export {
    /// Write here instead of to standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Remove the bodies of old events. Their hashes stay, and a signed record says so.
#[derive(Debug, clap::Args)]
struct Retain {
    /// Remove what is older than this time (2026-11-01T00:00:00Z).
    #[arg(long, value_name = "TIME")]
    before: String,

    /// Only streams whose name begins with this, such as note/ or run/.
    #[arg(long, value_name = "PREFIX", default_value = "")]
    stream: String,

    /// Why; it goes on the record.
    #[arg(long, default_value = "retention time is over")]
    reason: String,
}

/// Record one JSON value from standard input in a stream of notes.
#[derive(Debug, clap::Args)]
struct Append {
    /// The stream, below note/.
    #[arg(long)]
    stream: String,

    /// What sort of entry it is.
    #[arg(long)]
    kind: String,

    /// Who says so.
    #[arg(long, default_value = "user")]
    actor: String,

    /// Record every line of standard input as an entry, and print each one's id once it is
    /// durable.
    #[arg(long)]
    lines: bool,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    match args.verb {
        Verb::Verify(args) => verify(cx, &args),
        Verb::Export(args) => export(cx, &args),
        Verb::Seal => seal(cx),
        Verb::Rebuild => {
            let rows = cx.engine()?.rebuild()?;
            Reply::new(
                json!({ "rows": rows }),
                format!("{} remade from the events", ui::count(rows, "row")),
            )
        }
        Verb::Retain(args) => retain(cx, &args),
        Verb::Append(args) => append(cx, &args),
        Verb::Key => {
            let key = cx.engine()?.key()?.public();
            Reply::new(json!({ "key": key }), key.to_string())
        }
    }
}

fn verify(cx: &Context, args: &Verify) -> Result<Reply, Error> {
    let wrong = |error| Error::new(Kind::Usage, format!("--key: {error}"));
    let key: Option<PublicKey> = args.key.as_deref().map(str::parse).transpose().map_err(wrong)?;
    let verification = match &args.file {
        None => cx.engine()?.verify(key)?,
        Some(path) if path.as_os_str() == "-" => verify_file(&mut std::io::stdin().lock(), key)?,
        Some(path) => {
            let file = File::open(path).map_err(|error| {
                Error::new(Kind::NotFound, format!("can't read {}: {error}", path.display()))
            })?;
            verify_file(&mut BufReader::with_capacity(1 << 20, file), key)?
        }
    };
    let human = describe(&verification);
    let problem = (!verification.intact).then(|| {
        let count = verification.report.findings_total;
        let message = format!("the ledger is not what was written; findings: {count}");
        Error::new(Kind::Tampered, message).hint("keep a copy before anything else is done")
    });
    Ok(Reply::new(verification, human)?.problem(problem))
}

fn describe(verification: &Verification) -> String {
    let report = &verification.report;
    let mut text = if verification.intact {
        ui::paint(ui::GOOD.bold(), "intact")
    } else {
        ui::paint(
            ui::BAD.bold(),
            format!("NOT INTACT: {}", ui::count(report.findings_total, "finding")),
        )
    };
    text += &format!(
        "\n  {} in {}, {}, {}\n",
        ui::count(report.events, "event"),
        ui::count(report.streams, "stream"),
        ui::count(report.seals, "seal"),
        ui::count(verification.blobs, "blob")
    );
    text += &match report.unsealed_events {
        0 => "  everything is sealed\n".to_owned(),
        n => format!(
            "  newer than the last seal, with nothing to vouch for it yet: {}\n",
            ui::count(n, "event")
        ),
    };
    if verification.lost_events > 0 {
        text +=
            &format!("  {} events were lost with a damaged database\n", verification.lost_events);
    }
    if report.retained_bodies > 0 {
        text += &format!(
            "  removed by retention: the bodies of {}\n",
            ui::count(report.retained_bodies, "event")
        );
    }
    for notice in &report.notices {
        text += &format!("  note: {}\n", ui::printable(notice));
    }
    for finding in &report.findings {
        let place = match (&finding.stream, finding.sequence) {
            (Some(stream), Some(sequence)) => format!(" {stream} #{sequence}"),
            (Some(stream), None) => format!(" {stream}"),
            _ => String::new(),
        };
        text += &format!(
            "  {}{place}: {}\n",
            ui::paint(ui::BAD, finding.kind),
            ui::printable(&finding.message)
        );
    }
    let listed = report.findings.len() as u64;
    if report.findings_total > listed {
        text += &format!("  and {} more\n", report.findings_total - listed);
    }
    text
}

fn export(cx: &Context, args: &Export) -> Result<Reply, Error> {
    if args.out.is_none() && cx.format == Format::Json {
        let message = "an export and a reply don't fit on one standard output";
        return Err(Error::new(Kind::Usage, message).hint("add --out FILE, or leave --format out"));
    }
    let mut engine = cx.engine()?;
    let Some(out) = &args.out else {
        let exported = engine.export(&mut BufWriter::new(std::io::stdout().lock()))?;
        // The export itself is the answer on standard output.
        ui::say(&format!(
            "{}, {}",
            ui::count(exported.events, "event"),
            ui::count(exported.seals, "seal")
        ));
        return Ok(Reply::streamed(None));
    };
    let file = File::create(out).map_err(|error| {
        Error::new(Kind::Unavailable, format!("can't write {}: {error}", out.display()))
    })?;
    let exported = engine.export(&mut BufWriter::new(file))?;
    let human = format!(
        "{} and {} in {}\ncheck it with: countersign ledger verify --file {} --key {}\n",
        ui::count(exported.events, "event"),
        ui::count(exported.seals, "seal"),
        out.display(),
        out.display(),
        exported.key
    );
    Reply::new(exported, human)
}

fn seal(cx: &Context) -> Result<Reply, Error> {
    let seal = cx.engine()?.seal()?;
    let human = match &seal {
        Some(seal) => format!(
            "seal {} over {} in {}",
            seal.statement.number,
            ui::count(seal.statement.events, "event"),
            ui::count(seal.statement.streams, "stream")
        ),
        None => "nothing new to seal".into(),
    };
    Reply::new(json!({ "seal": seal }), human)
}

fn retain(cx: &Context, args: &Retain) -> Result<Reply, Error> {
    let before = args.before.parse().map_err(|_| {
        Error::new(Kind::Usage, format!("'{}' is not a time", args.before))
            .hint("write it like 2026-11-01T00:00:00Z")
    })?;
    let retired = cx.engine()?.retain(before, &args.stream, &args.reason)?;
    let human = format!(
        "removed: the bodies of {}, and {}",
        ui::count(retired.bodies, "event"),
        ui::count(retired.blobs, "blob")
    );
    Reply::new(retired, human)
}

fn append(cx: &Context, args: &Append) -> Result<Reply, Error> {
    let (stream, kind, actor) = (&args.stream, &args.kind, &args.actor);
    if !args.lines {
        let id = fast::append(&cx.host, (stream, kind, actor))?;
        return Reply::new(json!({ "id": id }), id);
    }
    let mut engine = cx.engine()?;
    let mut ids = Vec::new();
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| {
            Error::new(Kind::Usage, format!("can't read standard input: {error}"))
        })?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let id = engine.append_note(&Note { stream, kind, actor, body: &line })?;
        match cx.format {
            // Each id is an acknowledgement: it must not wait for the others.
            Format::Human | Format::Markdown | Format::Html => {
                let _ = writeln!(std::io::stdout(), "{id}");
            }
            Format::Json => ids.push(id),
        }
    }
    Reply::new(json!({ "ids": ids }), "")
}
