//! The command line: one file per verb.

mod accept;
mod budget;
mod cancel;
mod checkpoint;
mod classify;
mod completions;
mod config;
mod context;
mod contract;
mod demo;
mod doctor;
mod hook;
mod hooks;
mod init;
mod ledger;
mod log;
mod man;
mod mcp;
mod memory;
mod plan;
mod project;
mod resume;
mod review;
mod run;
mod show;
mod status;
mod task;
mod verify;
mod watch;
mod worklog;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use countersign_engine::{Engine, Error, Host, Kind};

use crate::exit;
use crate::ui::{self, Format, Reply};

/// Makes autonomous coding agents accountable.
///
/// What will be checked is fixed before the work. The worker's word is only a claim: the
/// checks are run by countersign itself, in a fresh checkout of exactly the tree that was
/// handed over, and every step is on a signed record.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, after_help = exit::HELP, max_term_width = 100)]
pub struct Cli {
    /// How to show the result.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    #[arg(help_heading = "Options of all verbs")]
    format: Format,

    /// Act as if started in this folder.
    #[arg(short = 'C', long = "directory", global = true, value_name = "FOLDER")]
    #[arg(help_heading = "Options of all verbs")]
    directory: Option<PathBuf>,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(Box<run::Args>),
    Accept(accept::Args),
    Verify(Box<verify::Args>),
    Review(review::Args),
    Checkpoint(checkpoint::Args),
    Budget(budget::Args),
    Resume(resume::Args),
    Cancel(cancel::Args),
    Status(status::Args),
    Watch(watch::Args),
    Log(log::Args),
    Show(show::Args),
    Worklog(worklog::Args),
    Task(task::Args),
    Context(Box<context::Args>),
    Contract(Box<contract::Args>),
    Plan(plan::Args),
    Classify(classify::Args),
    Project(project::Args),
    Init(init::Args),
    Hooks(hooks::Args),
    #[command(hide = true)]
    Hook(hook::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Ledger(ledger::Args),
    Memory(memory::Args),
    Mcp(mcp::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Verb {
    fn has_markdown(&self) -> bool {
        matches!(self, Self::Verify(_))
            || matches!(self, Self::Context(args) if args.has_markdown())
            || matches!(self, Self::Run(args) if args.is_report())
    }

    fn has_html(&self) -> bool {
        matches!(self, Self::Run(args) if args.is_report())
    }
}

/// What a verb works with.
#[derive(Debug)]
pub struct Context {
    pub host: Host,
    pub format: Format,
    /// Where we were started, whatever `-C` says.
    pub shell: PathBuf,
    /// Whether the phases of runs are told too.
    pub debug: bool,
}

impl Context {
    /// Opens the repository and tells a person what there is to tell.
    pub fn engine(&self) -> Result<Engine, Error> {
        Ok(self.told(Engine::open(self.host.clone())?))
    }

    /// As [`Context::engine`], where settings that make no sense are the work's to answer for.
    pub fn engine_for_verification(&self) -> Result<Engine, Error> {
        Ok(self.told(Engine::open_for_verification(self.host.clone())?))
    }

    fn told(&self, mut engine: Engine) -> Engine {
        engine.tell_person(self.shell.clone(), tell);
        tell_notices(&mut engine);
        engine
    }
}

/// Tells a person what the engine noticed.
pub fn tell_notices(engine: &mut Engine) {
    for notice in engine.take_notices() {
        tell(&notice);
    }
}

fn tell(notice: &str) {
    ui::say(&format!("{}: {}", ui::paint(ui::BOLD, "note"), ui::printable(notice)));
}

/// Parses, runs the verb, shows the reply.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(show_usage(&error)),
    };
    let format = cli.format;
    let code = match dispatch(cli) {
        Ok(reply) => ui::show(format, &reply),
        Err(error) => ui::show_error(format, &error),
    };
    ExitCode::from(code)
}

fn dispatch(cli: Cli) -> Result<Reply, Error> {
    let mut host = Host::of_process()?;
    let shell = host.cwd.clone();
    if let Some(directory) = cli.directory {
        host.cwd = host.cwd.join(directory);
        if !host.cwd.is_dir() {
            let message = format!("{} is not a folder", host.cwd.display());
            return Err(Error::new(Kind::Usage, message));
        }
    }
    if cli.format == Format::Markdown && !cli.verb.has_markdown() {
        return Err(Error::new(Kind::Usage, "this verb has no Markdown form")
            .hint("`countersign context export TASK --role ROLE` has one"));
    }
    if cli.format == Format::Html && !cli.verb.has_html() {
        return Err(Error::new(Kind::Usage, "this verb has no HTML form")
            .hint("`countersign run report` has one"));
    }
    let debug = match &cli.verb {
        Verb::Run(args) => args.debug,
        Verb::Resume(args) => args.debug,
        _ => false,
    };
    let cx = Context { host, format: cli.format, shell, debug };
    match cli.verb {
        Verb::Run(args) => run::run(&cx, *args),
        Verb::Accept(args) => accept::run(&cx, args),
        Verb::Verify(args) => verify::run(&cx, *args),
        Verb::Review(args) => review::run(&cx, args),
        Verb::Checkpoint(args) => checkpoint::run(&cx, args),
        Verb::Budget(args) => budget::run(&cx, args),
        Verb::Resume(args) => resume::run(&cx, &args),
        Verb::Cancel(args) => cancel::run(&cx, &args),
        Verb::Status(args) => status::run(&cx, &args),
        Verb::Watch(args) => watch::run(&cx, &args),
        Verb::Log(args) => log::run(&cx, &args),
        Verb::Show(args) => show::run(&cx, &args),
        Verb::Worklog(args) => worklog::run(&cx, args),
        Verb::Task(args) => task::run(&cx, args),
        Verb::Context(args) => context::run(&cx, *args),
        Verb::Contract(args) => contract::run(&cx, *args),
        Verb::Plan(args) => plan::run(&cx, args),
        Verb::Classify(args) => classify::run(&cx, args),
        Verb::Project(args) => project::run(&cx, &args),
        Verb::Init(args) => init::run(&cx, &args),
        Verb::Hooks(args) => hooks::run(&cx, args),
        Verb::Hook(args) => hook::run(&args),
        Verb::Doctor(args) => doctor::run(&cx, &args),
        Verb::Config(args) => config::run(&cx, &args),
        Verb::Ledger(args) => ledger::run(&cx, args),
        Verb::Memory(args) => memory::run(&cx, args),
        Verb::Mcp(args) => mcp::run(&cx, &args),
        Verb::Demo(args) => demo::run(&cx, args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    }
}

/// The whole command, for completions and manual pages.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Help goes to standard output as it is; a wrong command line is an error like any other,
/// also for programs.
fn show_usage(error: &clap::Error) -> u8 {
    let wants_json = std::env::args_os()
        .collect::<Vec<_>>()
        .windows(2)
        .any(|pair| pair[0] == "--format" && pair[1] == "json")
        || std::env::args_os().any(|word| word == "--format=json");
    if !error.use_stderr() || !wants_json {
        // A closed pipe is no error of ours.
        let _ = error.print();
        return if error.use_stderr() { exit::USAGE } else { exit::DONE };
    }
    let text = error.to_string();
    // The first paragraph says what is wrong, over several lines where it lists things.
    let said = text.trim_start_matches("error: ").lines().take_while(|line| !line.is_empty());
    let message = said.map(str::trim).collect::<Vec<_>>().join(" ");
    let usage = Error::new(Kind::Usage, message).hint("countersign --help");
    ui::show_error(Format::Json, &usage)
}
