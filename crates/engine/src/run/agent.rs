//! One agent from its start to its end: the program under its supervisor, its words read as they
//! come, ended at its budget or when it has gone silent.

use std::fs::DirEntry;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::agent::{AgentEnd, AgentSpec, Heard, Kind, Money, Usage};
use countersign_domain::budget::ReservationId;
use countersign_domain::receipt::{Execution, Output};
use countersign_domain::run::Run;
use countersign_domain::secret::Scanner;
use countersign_exec::agents::{Login, Moment, Prices, Reader, Start, launch, login_variables};
use countersign_exec::{Cancel, Environment, Spec, find_program};

use super::effects::{environment, prompt_variable, supervisor, write_afresh};
use super::live::{Live, LiveFile, Pulse};
use super::watch::Watch;
use crate::error::{Error, Kind as ErrorKind, Result};
use crate::query::stream_of;
use crate::{Engine, store_options};

/// How the folder of a start is named.
const PLACE: &str = "agent-";

/// One start of an agent.
pub(super) struct Job<'a> {
    pub spec: &'a AgentSpec,
    /// Its run, its attempt, its role, and which start of that.
    pub id: ReservationId,
    pub prompt: &'a [u8],
    /// The checkout that it works in.
    pub folder: PathBuf,
    /// A name for what belongs to this start, such as `work-1-0`.
    pub name: String,
    pub seconds: u64,
    pub max_cost: Option<Money>,
    pub max_tokens: Option<u64>,
}

/// Runs an agent to its end.
pub(super) fn start(engine: &Engine, run: &Run, job: &Job<'_>) -> Result<(Execution, Heard)> {
    let own = engine.run_folder(run.id()).join(format!("{PLACE}{}", job.name));
    let file = own.join("prompt.md");
    std::fs::create_dir_all(&own).map_err(|error| Error::io("create", &own, &error))?;
    write_afresh(&file, job.prompt)?;
    let prompt = String::from_utf8_lossy(job.prompt);
    let program = program_of(engine, job.spec)?;
    let env = variables(engine, run, job, &file);
    let agents = &engine.settings.config.agents;
    let role = agents.role(job.id.role);
    let launched = launch(&Start {
        spec: job.spec,
        role: job.id.role,
        program: &program,
        prompt: &prompt,
        prompt_file: &file,
        folder: &job.folder,
        home: &own,
        max_cost: job.max_cost,
        max_turns: None,
        extra_args: &role.args,
        login: Login::read(job.spec.kind, &env),
        env,
        permissions: role.permissions.into(),
    })
    .map_err(|unfit| Error::new(ErrorKind::MissingTool, unfit.to_string()).hint(unfit.hint()))?;
    for (path, bytes) in &launched.files {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, &error))?;
        }
        write_afresh(path, bytes)?;
    }
    let argv: Vec<String> =
        launched.argv.iter().map(|word| shown(&word.to_string_lossy(), &own)).collect();
    let environment = launched.env.digest_without(&own);
    let spec = Spec {
        argv: launched.argv,
        cwd: job.folder.clone(),
        env: launched.env,
        stdin: launched.stdin,
        deadline: Duration::from_secs(job.seconds),
        grace: Duration::from_secs(engine.settings.config.exec.grace_seconds),
        max_output: run.opened.limits.output_bytes,
    };
    // They were looked at when the settings were read.
    let prices = agents.prices().unwrap_or_else(|_| Prices::shipped());
    let reader = Reader::new(job.spec).assuming(launched.model).priced(prices);
    let done = listen(engine, run, (job, &spec), reader);
    let removed = match std::fs::remove_dir_all(&own) {
        // The agent may have done so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    let (execution, heard) = done?;
    removed.map_err(|error| Error::io("remove", &own, &error))?;
    Ok((Execution { argv, environment, ..execution }, heard))
}

/// The places of agents in the folder of a run: of those that are at work, or were when their driver
/// died.
pub(super) fn places(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with(PLACE);
    entries.filter(is_one).map(|entry| entry.path()).collect()
}

/// A word of a command line as it is recorded: without the folder that was made for the start.
fn shown(word: &str, own: &Path) -> String {
    word.replace(&*own.to_string_lossy(), "{place}").chars().take(4_000).collect()
}

/// Runs the program, hearing what it prints.
fn listen(
    engine: &Engine,
    run: &Run,
    (job, spec): (&Job<'_>, &Spec),
    reader: Reader,
) -> Result<(Execution, Heard)> {
    let cancel = Cancel::new();
    let options = store_options(&engine.home, &engine.state, &engine.settings.config.ledger);
    let watch = Watch::start(options, stream_of(run.id())?, run.sequence, cancel.clone());
    let stale = run.opened.crew.as_ref().map_or(u64::MAX, |crew| crew.policy.stale_seconds);
    let started_at = engine.host.now();
    let live = Live::new(job.id, job.spec).beginning(started_at);
    let file = LiveFile::of(engine, run.id())?;
    let pulse = Pulse::start(live, file, Duration::from_secs(stale), cancel.clone());
    let mut ear = Ear {
        out: engine.store.blobs().writer()?,
        reader,
        pulse: &pulse,
        caps: (job.max_cost, job.max_tokens),
        is_over: false,
        ended_with: None,
        cancel: &cancel,
    };
    let loose = engine.repository.let_loose();
    let finished = countersign_exec::run(&supervisor(engine)?, spec, &cancel, &mut ear)?;
    drop((watch, loose));
    engine.repository.read_ahead(&engine.spares_folder());
    let Ear { out, reader, is_over, .. } = ear;
    let is_stale = pulse.stop();
    let mut heard = reader.finish(&finished.ended);
    if is_over {
        heard.end = AgentEnd::BudgetReached;
        heard.usage.is_partial = true;
    } else if is_stale {
        let why = format!("it said nothing for {stale} s");
        heard.end = AgentEnd::Stopped { why };
        heard.usage.is_partial = true;
    }
    // What it prints is kept as it is; what is told of it everywhere is told without secrets.
    let scanner = Scanner::builtin();
    heard.said = scanner.redact(&heard.said).into_owned();
    let (blob, bytes) = out.finish()?;
    let execution = Execution {
        argv: Vec::new(),
        cwd: ".".into(),
        environment: countersign_domain::Digest::of(b""),
        started_at,
        duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
        ended: finished.ended,
        output: Output {
            blob,
            bytes,
            excerpt: scanner.redact(&finished.excerpt.text()).into_owned(),
        },
        stragglers: finished.stragglers,
        sandbox: "none".into(),
        report: None,
        used: finished.used,
        tools: Vec::new(),
    };
    Ok((execution, heard))
}

/// Keeps what an agent prints, and hears it.
pub(super) struct Ear<'e, W> {
    out: W,
    reader: Reader,
    pulse: &'e Pulse,
    caps: (Option<Money>, Option<u64>),
    is_over: bool,
    /// What it had used when it told its end, if that was more than it may.
    ended_with: Option<Usage>,
    cancel: &'e Cancel,
}

impl<'e, W> Ear<'e, W> {
    /// One that only hears: what it hears of may use what it likes.
    pub(super) fn of(out: W, reader: Reader, pulse: &'e Pulse, cancel: &'e Cancel) -> Self {
        Self { out, reader, pulse, caps: (None, None), is_over: false, ended_with: None, cancel }
    }

    /// An agent at its cap is ended; what the call that is under way costs is more than that. One that has
    /// told the end of its work by then is left to end by itself: nothing more is spent, and its work is paid
    /// for.
    fn bound(&mut self, usage: Usage) {
        let (money, tokens) = self.caps;
        let is_dear = money.is_some_and(|most| usage.cost.is_some_and(|cost| cost > most));
        let is_long = tokens.is_some_and(|most| usage.tokens() > most);
        if !(is_dear || is_long) || self.is_over {
            return;
        }
        let is_more = self.ended_with.is_some_and(|known| known != usage);
        if self.reader.has_told_end() && !is_more {
            self.ended_with = Some(usage);
            return;
        }
        self.is_over = true;
        self.cancel.cancel();
    }
}

impl<W: Write> Write for Ear<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        let (reader, pulse) = (&mut self.reader, self.pulse);
        reader.feed(bytes, &mut |moment: Moment| pulse.take(&moment));
        pulse.beat();
        let used = self.reader.usage();
        self.pulse.used(used);
        self.bound(used);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The program of an agent; empty for those that have none of their own.
pub(crate) fn program_of(engine: &Engine, spec: &AgentSpec) -> Result<PathBuf> {
    match spec.kind {
        Kind::Command => Ok(PathBuf::new()),
        Kind::Acp => {
            let command = spec.command.as_deref().unwrap_or_default();
            let name = command.split_whitespace().next().unwrap_or_default();
            if !name.contains(['\'', '"', '\\']) {
                expect_program(engine, name)?;
            }
            Ok(engine.host.supervisor.first().map(PathBuf::from).unwrap_or_default())
        }
        kind => expect_program(engine, kind.name()),
    }
}

fn expect_program(engine: &Engine, name: &str) -> Result<PathBuf> {
    find_program(name, engine.host.path_variable()).ok_or_else(|| {
        let message = format!("{name} is not on the PATH");
        Error::new(ErrorKind::MissingTool, message)
            .hint("install it, or take another agent; `countersign doctor` shows which are here")
    })
}

/// What an agent gets of the environment: what workers may have, with what it needs to log in, and
/// where it is.
fn variables(engine: &Engine, run: &Run, job: &Job<'_>, file: &Path) -> Environment {
    let mut variables = environment(engine);
    let config = &engine.settings.config;
    let everything = Environment::from_allow_list(engine.host.variables(), &["*".to_owned()]);
    let mut names = config.exec.worker_env.clone();
    names.extend(config.agents.role(job.id.role).env.iter().cloned());
    names.extend(login_variables(job.spec.kind));
    names.extend(Login::read(job.spec.kind, &everything).variables());
    for (name, value) in Environment::from_allow_list(engine.host.variables(), &names).iter() {
        variables.set(name, value);
    }
    variables.set("COUNTERSIGN_RUN", run.id().to_string());
    variables.set("COUNTERSIGN_ATTEMPT", job.id.attempt.to_string());
    variables.set("COUNTERSIGN_ROLE", job.id.role.to_string());
    if job.spec.kind == Kind::Command {
        variables.set("COUNTERSIGN_PROMPT_FILE", file);
        variables.set("COUNTERSIGN_PROMPT", prompt_variable(job.prompt, file));
    }
    variables
}
