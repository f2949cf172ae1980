//! Where the measuring happens: a folder of its own on the disk of the build, the programs to
//! measure, and an environment with hardly anything in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;

pub(super) struct Arena {
    /// The workspace.
    pub(super) root: PathBuf,
    /// `countersign`, built for release.
    pub(super) program: PathBuf,
    pub(super) quick: bool,
    folder: PathBuf,
}

impl Arena {
    pub(super) fn new(root: &Path, quick: bool) -> anyhow::Result<Self> {
        // Not in the system's temporary folder, which may be in memory: nothing is durable there.
        let folder = root.join(format!("target/bench-{}", std::process::id()));
        fs::create_dir_all(folder.join("home"))
            .with_context(|| format!("{} can't be made", folder.display()))?;
        let program = build(root, &["--package", "countersign", "--bin", "countersign"])?;
        Ok(Self { root: root.to_owned(), program, quick, folder })
    }

    /// `full` runs, or a few when it has to be quick.
    pub(super) fn runs(&self, full: usize) -> usize {
        if self.quick { (full / 5).max(3) } else { full }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file for programs to read from.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.path(name);
        fs::write(&path, text).with_context(|| format!("{} can't be written", path.display()))?;
        Ok(path)
    }

    /// A new, empty repository.
    pub(super) fn repository(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.path(name);
        fs::create_dir_all(&path)?;
        let status = self.command("git", &path).args(["init", "--quiet"]).status()?;
        ensure!(status.success(), "git init failed");
        Ok(path)
    }

    /// Removes what a measurement no longer needs; trees of 100k files are large.
    pub(super) fn remove(&self, name: &str) -> anyhow::Result<()> {
        fs::remove_dir_all(self.path(name)).with_context(|| format!("{name} can't be removed"))
    }

    /// A process that is silent, reads nothing and has hardly any environment.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>, within: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", self.path("home")).env("COUNTERSIGN_HOME", self.path("home"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).current_dir(within);
        command
    }

    /// `countersign` in `repository` as it comes: what it acknowledges survives power loss.
    pub(super) fn ours(&self, repository: &Path, words: &[&str]) -> Command {
        let mut command = self.command(&self.program, repository);
        command.args(words);
        command
    }

    /// As [`Arena::ours`], but what it acknowledges survives `kill -9` only.
    pub(super) fn ours_unsynced(&self, repository: &Path, words: &[&str]) -> Command {
        let mut command = self.ours(repository, words);
        command.env("COUNTERSIGN_LEDGER_DURABILITY", "process-death");
        command
    }

    /// What `countersign … --format json` answers.
    pub(super) fn ask(&self, repository: &Path, words: &[&str]) -> anyhow::Result<Value> {
        let mut command = self.ours(repository, words);
        let output = command.args(["--format", "json"]).stdout(Stdio::piped()).output()?;
        let answer: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
        ensure!(output.status.success(), "{words:?} says {answer}");
        Ok(answer)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // What can't be removed is only in the way.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Builds what `words` name for release; where the executable is.
pub(super) fn build(root: &Path, words: &[&str]) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(crate::root::cargo());
    command.args(["build", "--release", "--message-format=json-render-diagnostics"]);
    let output = command.args(words).current_dir(root).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{words:?} can't be built");
    let text = String::from_utf8(output.stdout)?;
    let executable = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .next_back();
    executable.context("Cargo does not say where the executable is")
}
