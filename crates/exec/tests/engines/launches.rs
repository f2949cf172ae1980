//! How agents are started: what is on their command lines, and what is not.

use std::path::Path;

use countersign_domain::agent::{Kind, Money, Role};
use countersign_exec::Environment;
use countersign_exec::agents::{Launch, Login, Permissions, Start, Unfit, hides, launch};

use crate::heard::spec;

fn started(agent: &str, role: Role, change: impl FnOnce(&mut Start<'_>)) -> Result<Launch, Unfit> {
    started_with(agent, role, &[], change)
}

fn started_with(
    agent: &str,
    role: Role,
    extra_args: &[String],
    change: impl FnOnce(&mut Start<'_>),
) -> Result<Launch, Unfit> {
    let spec = spec(agent);
    let mut env = Environment::new();
    env.set("PATH", "/bin");
    let mut start = Start {
        spec: &spec,
        role,
        program: Path::new("/bin/agent"),
        prompt: "Do it; $(touch x)",
        prompt_file: Path::new("/place/prompt.md"),
        folder: Path::new("/repo"),
        home: Path::new("/place/home"),
        max_cost: Some(Money(1_500_000)),
        max_turns: Some(7),
        extra_args,
        env,
        permissions: Permissions::of(role),
        login: Login::default(),
    };
    change(&mut start);
    launch(&start)
}

fn words(launch: &Launch) -> String {
    let words = launch.argv.iter().map(|word| word.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}

/// LP-18: the command lines of all agents, for who works and who judges. The prompt is in none.
#[test]
fn command_lines_are_known() {
    let mut all = String::new();
    let agents = [
        "claude:opus@high",
        "codex:gpt-5.5@high",
        "gemini:gemini-3.1-pro-preview",
        "opencode:openai/gpt-5.5@high",
        "goose:gpt-5.5",
        "acp:some-agent --acp",
        "command:make fix",
    ];
    for agent in agents {
        for role in [Role::Worker, Role::Verifier] {
            let launch = started(agent, role, |_| {}).unwrap();
            let line = words(&launch);
            assert!(!line.contains("Do it"), "{line}");
            assert_eq!(launch.stdin.as_deref(), Some(Path::new("/place/prompt.md")));
            assert!(launch.files.iter().all(|(path, _)| path.starts_with("/place/home")));
            all += &format!("{agent} as {role}\n  {line}\n");
            for (name, value) in launch.env.iter() {
                all += &format!("  {}={}\n", name.display(), value.display());
            }
            for note in launch.notes {
                all += &format!("  # {note}\n");
            }
        }
    }
    insta::assert_snapshot!(all);
}

/// LP-18: what a user adds comes last, so that it stands above what we say.
#[test]
fn a_users_arguments_come_last() {
    let extra = ["--model".to_owned(), "other".to_owned()];
    let launch = started_with("claude", Role::Worker, &extra, |_| {}).unwrap();
    assert!(words(&launch).ends_with("--model other"));
    let launch = started_with("codex", Role::Worker, &extra, |_| {}).unwrap();
    assert!(words(&launch).ends_with("--model other -"));
}

/// LP-18: who asks for everything gets it, also as root.
#[test]
fn full_permissions_are_full() {
    let full = |agent| {
        let launch = started(agent, Role::Worker, |start| start.permissions = Permissions::Full);
        launch.unwrap()
    };
    let claude = full("claude");
    assert!(words(&claude).contains("--permission-mode bypassPermissions"));
    assert_eq!(claude.env.value("IS_SANDBOX").unwrap(), "1");
    assert!(words(&full("codex")).contains("--dangerously-bypass-approvals-and-sandbox"));
}

/// LP-18: a folder can have any name, and it stays one value.
#[test]
fn names_are_quoted() {
    let folder = Path::new("/a b\"'] = x");
    let launch = started("codex", Role::Verifier, |start| start.folder = folder).unwrap();
    let setting = launch.argv.iter().find(|word| word.to_string_lossy().starts_with("projects="));
    let setting = setting.unwrap().to_string_lossy().into_owned();
    let read: toml_edit::DocumentMut = setting.parse().unwrap();
    assert_eq!(read["projects"]["/a b\"'] = x"]["trust_level"].as_str(), Some("untrusted"));
}

/// LP-18: a missing program and a command that is none are refused before anything starts.
#[test]
fn what_cannot_start_is_refused() {
    let none = |agent| started(agent, Role::Worker, |start| start.program = Path::new(""));
    assert_eq!(none("claude").unwrap_err(), Unfit::NoProgram("claude"));
    assert!(none("claude").unwrap_err().hint().contains("doctor"));
    assert!(none("command:true").is_ok());
    assert!(none("acp:agent").is_ok());
    let wrong = started("acp:it's not", Role::Worker, |_| {}).unwrap_err();
    assert_eq!(wrong, Unfit::Command("it's not".into()));
    for kind in Kind::ALL {
        assert!(hides(kind).iter().all(|name| !name.contains('/')));
    }
}
