//! `countersign verify`: any agent's work, verified as it lies there.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use countersign_domain::classify::{Overrides, Risk, Tier};
use countersign_domain::verify::{Example, Verdict};
use countersign_engine::verify::{Moment, Request, Verification};
use countersign_engine::{Error, Kind};

use super::Context;
use super::classify::label;
use crate::ui::{self, Format, Reply};
use crate::verified;

/// Verify work that is done: the files as they are now against what was there before.
///
/// Needs no preparation. Uncommitted and new files are included. The commands are those that the
/// base's own files name, unless you name some; each runs in a fresh checkout of the recorded tree,
/// and again with the base's tests on the new code and with the new tests on the base's code, so
/// that weakening a test gains nothing. Ends with 0 if the work is accepted, 3 if it is refused, 4
/// if a person must look. `contract schema verification` describes what --format json says.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What was to be done, in words; - reads it from standard input.
    #[arg(long, value_name = "TEXT", required_unless_present = "contract")]
    task: Option<String>,

    /// Verify against this contract, which says what was to be done: its id, a beginning of it, or
    /// latest.
    #[arg(long, value_name = "CONTRACT")]
    #[arg(conflicts_with_all = ["task", "checks", "examples", "tier", "risk"])]
    contract: Option<String>,

    /// Also run what the contract defers to the end of a batch.
    #[arg(long, requires = "contract")]
    deferred: bool,

    /// Who did the work, for the record of the contract.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// What the work began with. Without: the last commit, or where this branch left its trunk.
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,

    /// A shell command that must succeed, instead of those that are found; may be repeated.
    #[arg(long = "check", value_name = "CMD")]
    checks: Vec<String>,

    /// A shell command and what it must print: 'CMD => OUTPUT'; may be repeated. The output is
    /// compared by countersign, where the code under test can't reach.
    #[arg(long = "example", value_name = "EXAMPLE", value_parser = example)]
    examples: Vec<Example>,

    /// What you know better: STRICT, STANDARD, LIGHT or EXEMPT.
    #[arg(long, value_parser = label::<Tier>)]
    tier: Option<Tier>,

    /// What you know better: LOW, MEDIUM, HIGH or CRITICAL.
    #[arg(long, value_parser = label::<Risk>)]
    risk: Option<Risk>,

    /// How long one command may take, in seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,

    /// Run everything, also what was run before on the same tree in the same way.
    #[arg(long)]
    fresh: bool,

    /// Append a report in Markdown to this file, such as "$GITHUB_STEP_SUMMARY".
    #[arg(long, value_name = "FILE", value_parser = file)]
    summary: Option<PathBuf>,

    /// Write the findings to this file in SARIF, for code scanning.
    #[arg(long, value_name = "FILE", value_parser = file)]
    sarif: Option<PathBuf>,
}

/// A file to write: what goes to standard output is the verdict.
fn file(text: &str) -> Result<PathBuf, String> {
    if text == "-" {
        return Err("name a file; standard output has the verdict".to_owned());
    }
    if text.is_empty() {
        return Err("the name of the file is empty".to_owned());
    }
    Ok(PathBuf::from(text))
}

/// Whether a file can be made.
fn made_and_removed(file: &Path) -> std::io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(_) => std::fs::remove_file(file),
        // A link to what is not there yet.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Refuses a file that can't be written, before anything runs for it. A file that is not there yet is
/// not made: a verification that is stopped leaves nothing.
fn expect_writable(option: &str, file: Option<&Path>) -> Result<(), Error> {
    let Some(file) = file else { return Ok(()) };
    let wrong = |why: String| {
        Err(Error::new(Kind::Usage, format!("{option} {}: {why}", file.display()))
            .hint("name a file in a folder that is there"))
    };
    if file.is_dir() {
        return wrong("it is a folder".to_owned());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    // A pipe is only opened to be written, and what is not a file is nobody's to try.
    let tried = match std::fs::metadata(file) {
        Ok(found) if found.is_file() => OpenOptions::new().append(true).open(file).map(drop),
        Ok(_) => Ok(()),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Err(_) if !folder.is_dir() => {
            return wrong(format!("there is no folder {}", folder.display()));
        }
        Err(_) => made_and_removed(file),
    };
    tried.or_else(|error| wrong(format!("it can't be written: {error}")))
}

pub fn example(text: &str) -> Result<Example, String> {
    let (command, prints) =
        text.split_once("=>").ok_or("write 'CMD => OUTPUT': a command, and what it must print")?;
    if command.trim().is_empty() {
        return Err("there is no command before =>".to_owned());
    }
    Ok(Example::new(command.trim(), prints.trim()))
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let task = match args.task {
        Some(task) if task == "-" => super::classify::read_text()?,
        task => task.unwrap_or_default(),
    };
    let request = Request {
        task,
        contract: args.contract,
        runs_deferred: args.deferred,
        agent: args.agent,
        base: args.base,
        checks: args.checks,
        examples: args.examples,
        said: Overrides { tier: args.tier, contract: None, risk: args.risk },
        seconds: args.timeout,
        is_fresh: args.fresh,
        ..Request::default()
    };
    expect_writable("--summary", args.summary.as_deref())?;
    expect_writable("--sarif", args.sarif.as_deref())?;
    let mut engine = cx.engine_for_verification()?;
    let done = engine.verify_work(&request, &mut |moment| tell(cx.format, moment))?;
    super::tell_notices(&mut engine);
    let markdown = verified::markdown(&done);
    let written = write_reports(args.summary.as_deref(), args.sarif.as_deref(), &done, &markdown);
    let problem = match done.judgement.verdict {
        Verdict::Accepted => None,
        Verdict::Refused => Some(Error::new(Kind::NotAccepted, "refused")),
        Verdict::Human => Some(waiting("a human must look", &done)),
        Verdict::Advisory => Some(waiting("advice: somebody must read it", &done)),
    };
    // A report that can't be written must not swallow the verdict, nor a verdict that.
    if let Err(error) = &written {
        ui::show_error(Format::Human, error);
    }
    let problem = problem.or(written.err());
    Ok(Reply::new(&done, verified::human(&done))?.markdown(markdown).problem(problem))
}

/// Writes what a CI step and a code scanner read.
fn write_reports(
    summary: Option<&Path>,
    sarif: Option<&Path>,
    done: &Verification,
    markdown: &str,
) -> Result<(), Error> {
    if let Some(file) = summary {
        let mut options = OpenOptions::new();
        let opened = options.create(true).append(true).open(file);
        let written = opened.and_then(|mut file| file.write_all(markdown.as_bytes()));
        written.map_err(|error| unwritten(file, &error))?;
    }
    if let Some(file) = sarif {
        let text = serde_json::to_string_pretty(&verified::sarif(done))?;
        std::fs::write(file, text).map_err(|error| unwritten(file, &error))?;
    }
    Ok(())
}

fn waiting(what: &str, done: &Verification) -> Error {
    let hint = format!("after a look: countersign review accept {} --note WHY, or reject", done.id);
    Error::new(Kind::Human, what).hint(hint)
}

fn unwritten(file: &std::path::Path, error: &std::io::Error) -> Error {
    Error::new(Kind::Unavailable, format!("can't write {}: {error}", file.display()))
}

fn tell(format: Format, moment: &Moment<'_>) {
    if format == Format::Human {
        ui::say(&verified::moment(moment));
    }
}
