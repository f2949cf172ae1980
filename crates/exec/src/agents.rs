//! The coding agents we know by name, and whether they are here.

pub mod acp;
pub mod claude;
pub mod codex;
mod command;
mod deeds;
pub mod dialect;
pub mod gemini;
mod goose;
pub mod hook_entries;
mod json;
mod login;
pub mod opencode;
mod patch;
mod payload;
pub mod plan;
mod prices;
mod ready;
mod said;
mod start;
mod stream;
mod transcript;
pub mod version;
mod words;

pub use login::Login;
pub use prices::{Price, Prices};
pub use ready::{Readiness, login_variables, readiness, tested};
pub use start::{Launch, Permissions, Start, Unfit, hides, launch};
pub use stream::{Listener, Moment, Reader};

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cancel::Cancel;
use crate::environment::Environment;
use crate::find::find_program;
use crate::leader::run;
use crate::spec::{Ended, Error, Spec, Supervisor};

/// An agent's command line program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAgent {
    /// The program's name, which is also how configuration and reports call the agent.
    pub name: &'static str,
    /// What its makers call it.
    pub title: &'static str,
}

/// In the order in which they are offered.
pub const KNOWN: &[KnownAgent] = &[
    KnownAgent { name: "claude", title: "Claude Code" },
    KnownAgent { name: "codex", title: "Codex CLI" },
    KnownAgent { name: "gemini", title: "Gemini CLI" },
    KnownAgent { name: "opencode", title: "OpenCode" },
    KnownAgent { name: "goose", title: "Goose" },
];

/// What a program said when asked for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub ended: Ended,
    /// The first line that says anything; absent unless the program passed.
    pub version: Option<String>,
}

/// The known agents that `path_var` leads to.
pub fn installed(path_var: &OsStr) -> Vec<(KnownAgent, PathBuf)> {
    KNOWN.iter().filter_map(|agent| Some((*agent, find_program(agent.name, path_var)?))).collect()
}

/// Runs `program --version`, for at most five seconds.
pub fn probe(
    supervisor: &Supervisor,
    program: &Path,
    environment: &Environment,
) -> Result<Probe, Error> {
    let spec = Spec {
        argv: vec![program.as_os_str().to_owned(), OsString::from("--version")],
        cwd: std::env::temp_dir(),
        env: environment.clone(),
        stdin: None,
        deadline: Duration::from_secs(5),
        grace: Duration::from_secs(1),
        max_output: 64 * 1024,
    };
    let finished = run(supervisor, &spec, &Cancel::new(), &mut std::io::sink())?;
    let version = if finished.ended.passed() { first_line(&finished.excerpt.head) } else { None };
    Ok(Probe { ended: finished.ended, version })
}

fn first_line(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_short_and_printable() {
        let check = |output: &[u8], expected: Option<&str>| {
            assert_eq!(first_line(output).as_deref(), expected);
        };
        check(b"2.1.3 (Claude Code)\nmore", Some("2.1.3 (Claude Code)"));
        check(b"\n\r\n  codex 1.0\r\n", Some("codex 1.0"));
        check(b"\x1b[1mbold\x1b[0m", Some("[1mbold[0m"));
        check(b"", None);
        check(b" \n \n", None);
        assert_eq!(first_line(&[b'x'; 9000]).map(|line| line.len()), Some(200));
    }
}
