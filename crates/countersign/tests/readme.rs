//! The README is true: every command in it is run.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of the README's blocks in `language`.
fn blocks(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == format!("```{language}");
        } else if inside {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// The first command runs the main job, the second all tests, and CI calls exactly that one.
#[test]
fn the_two_commands_are_the_first_two() {
    assert_eq!(blocks("sh"), ["cargo run --release -- demo", "cargo xtask test"]);
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line == "cargo xtask test"), "{ci}");
    let folder = tempfile::tempdir().unwrap();
    // `cargo run --release -- demo` is this program, in another profile.
    let demo = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["demo", "--into"])
        .arg(folder.path().join("demo"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&demo.stderr);
    assert!(demo.status.success(), "{told}");
    assert_eq!(told.matches("Done! Everything works and all tests pass.").count(), 3, "{told}");
    assert_eq!(told.matches("refused; the worker gets the findings").count(), 2, "{told}");
    assert_eq!(told.matches("countersigned\n").count(), 1, "{told}");
}

/// PL-06: every other command, in order, in a fresh repository, as a reader would type it.
#[test]
fn every_command_works_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let sh = |line: &str| {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(&project)
            .env("PATH", &path)
            .env("HOME", folder.path())
            .env("COUNTERSIGN_HOME", folder.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{line}\n{said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    sh(
        "git init -q -b main . && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m Start",
    );
    let commands: Vec<String> = blocks("console")
        .into_iter()
        .map(|line| line.strip_prefix("$ ").expect("a command").to_owned())
        .collect();
    assert!(commands.len() >= 15, "{commands:?}");
    for command in &commands {
        let said = sh(command);
        // What a shell does by itself says nothing when all is well.
        let is_ours = command.contains("countersign");
        assert!(!is_ours || !said.trim().is_empty(), "{command} says nothing");
    }
    // The work that the README's run accepted is really there.
    let branch = sh("git branch --list 'countersign/*' --format '%(refname:short)'");
    let greeting = sh(&format!("git show {}:greet.sh | sh -s Ada", branch.trim()));
    assert_eq!(greeting, "Hello, Ada\n");
}
