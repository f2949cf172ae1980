//! Programs that some tests drive and that a bare machine lacks. A test without its program says
//! SKIPPED, which proves nothing; so they are installed where that can be done without asking
//! anyone: by the administrator of a Debian-like system, as CI machines and containers are.

use std::path::Path;
use std::process::{Command, Stdio};

/// Program, Debian package, and what it is for.
const TOOLS: &[(&str, &str, &str)] = &[
    ("strace", "strace", "recording the system calls that the loss of power is replayed from"),
    ("sqlite3", "sqlite3", "changing the database behind the program's back"),
    ("bwrap", "bubblewrap", "confining checks"),
    ("go", "golang-go", "verifying projects in Go"),
];

/// Installs what is missing, or says what is left out without it. Never fails: tests tell.
pub(super) fn provide() {
    let missing: Vec<_> = TOOLS.iter().filter(|(name, ..)| !is_there(name)).collect();
    if missing.is_empty() {
        return;
    }
    let names: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    if is_there("apt-get") && is_root() {
        println!("installing {}", names.join(", "));
        let update = apt(&["update", "-qq"]);
        let install = [&["install", "-y", "-qq", "--no-install-recommends"], &names[..]].concat();
        if update && apt(&install) {
            return;
        }
    }
    for (name, _, purpose) in missing {
        println!("{name} is not installed: tests that need it are SKIPPED ({purpose})");
    }
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).unwrap_or_default();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uid.and_then(|ids| ids.split_whitespace().next()) == Some("0")
}

fn apt(words: &[&str]) -> bool {
    Command::new("apt-get")
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(is_there("sh"));
        assert!(!is_there("no-such-program-anywhere"));
    }
}
