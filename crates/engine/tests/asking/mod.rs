//! What tests of checkpoints and budgets share: a project, and children that run a part of the same
//! test binary.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

use countersign_domain::checkpoint::{Offer, Question, Standard, Subject, Trigger, Urgency};
use countersign_engine::{Clock, Engine, Host};
use countersign_testkit::Project;

/// Says to a child which part it plays, and who it is.
const ROLE: &str = "ENGINE_TEST_ROLE";
const WHO: &str = "ENGINE_TEST_WHO";
/// How lines of a child begin that are meant for its parent.
const MARK: &str = "said: ";

pub struct Scene {
    pub project: Project,
    /// Added to the user's environment; of two with the same name the later counts.
    pub variables: Vec<(&'static str, String)>,
}

impl Scene {
    pub fn new() -> Self {
        // Many processes on a busy machine wait for each other, and don't give up.
        let variables = vec![("COUNTERSIGN_LEDGER_BUSY_SECONDS", "100".to_owned())];
        Self { project: Project::new(""), variables }
    }

    pub fn with(variables: &[(&'static str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let mut scene = Self::new();
        scene.variables.extend(variables);
        scene
    }

    pub fn host(&self, clock: Clock) -> Host {
        let known = self.project.environment().into_iter();
        let known = known.map(|(name, value)| (name.into(), value));
        let path = ("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
        let more = self.variables.iter().map(|(name, value)| ((*name).into(), value.into()));
        Host {
            clock,
            environment: known.chain([path]).chain(more).collect(),
            cwd: self.project.root(),
            supervisor: Vec::new(),
        }
    }

    pub fn engine_at(&self, clock: Clock) -> Engine {
        Engine::open(self.host(clock)).unwrap()
    }

    pub fn engine(&self) -> Engine {
        self.engine_at(Clock::System)
    }

    /// Has `count` processes play `role`, all at once; gives what each of them said.
    pub fn play_at_once(&self, role: &str, count: usize) -> Vec<String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let children: Vec<_> = (0..count)
            .map(|n| {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["--exact", "child", "--nocapture"]).current_dir(self.project.root());
                command.env_clear().env("PATH", &path).envs(self.project.environment());
                command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
                command.env(ROLE, role).env(WHO, format!("p{n}"));
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        // Each says that it is there, and then they all begin.
        let mut started: Vec<_> = children
            .into_iter()
            .map(|mut child| {
                let mut out = BufReader::new(child.stdout.take().unwrap());
                let mut line = String::new();
                while !line.starts_with(MARK) {
                    line.clear();
                    assert!(out.read_line(&mut line).unwrap() > 0, "a child ended early");
                }
                (child, out)
            })
            .collect();
        for (child, _) in &mut started {
            drop(child.stdin.take());
        }
        let said = started.into_iter().map(|(mut child, mut out)| {
            let mut rest = String::new();
            out.read_to_string(&mut rest).unwrap();
            assert!(child.wait().unwrap().success(), "{rest}");
            let said = rest.lines().find_map(|line| line.strip_prefix(MARK)).unwrap_or_default();
            said.to_owned()
        });
        said.collect()
    }
}

/// Plays the part that a parent gave us, if one did.
pub fn play(part: impl Fn(&str, &str, &mut Engine) -> String) {
    let (Ok(role), Ok(who)) = (std::env::var(ROLE), std::env::var(WHO)) else { return };
    let mut host = Host::of_process().unwrap();
    if let Ok(time) = std::env::var("ENGINE_TEST_TIME") {
        // Half of them are a little ahead.
        let ahead = i64::from(who.ends_with(['1', '3', '5', '7', '9'])) * 2;
        let time: jiff::Timestamp = time.parse().unwrap();
        let time = jiff::Timestamp::from_second(time.as_second() + ahead).unwrap();
        host.clock = Clock::Set(std::sync::Arc::new(std::sync::Mutex::new(time)));
    }
    let mut engine = Engine::open(host).unwrap();
    println!("\n{MARK}ready");
    std::io::stdout().flush().unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    println!("\n{MARK}{}", part(&role, &who, &mut engine).replace('\n', " "));
}

/// A question with its standard options.
pub fn question(number: u32, trigger: Trigger) -> Question {
    let Standard { options, why } = Standard::of(trigger, &Offer::default());
    let run = "20261116_101500_001".parse().unwrap();
    Question {
        trigger,
        subject: Subject { run, attempt: 1, number },
        context: "The same check failed three times.".into(),
        progress: "Two of five stories are accepted.".into(),
        risk: "Another attempt may fail alike.".into(),
        question: "How should it go on?".into(),
        options,
        why_recommended: why,
        urgency: Urgency::Normal,
        expires_at: None,
    }
}

/// Expects the ledger and its views to be what was written.
#[track_caller]
pub fn expect_intact(engine: &Engine) {
    let verification = engine.verify(None).unwrap();
    assert!(verification.intact, "{:?}", verification.report);
}
