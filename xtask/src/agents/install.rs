//! Puts a pinned version of an agent into a folder: all of it or nothing.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// One version of an agent, as the test kit names it.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) folder: String,
    package: String,
    /// Where its program may be, machine by machine.
    programs: Vec<String>,
}

impl Pinned {
    pub(super) fn read(root: &Path) -> anyhow::Result<Vec<Self>> {
        let path = root.join("crates/testkit/src/agents/pinned.json");
        let text = fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
        let rows: Vec<Value> = serde_json::from_slice(&text)?;
        rows.iter().map(|row| Self::from(row).context("a row of pinned.json is odd")).collect()
    }

    fn from(row: &Value) -> Option<Self> {
        let names = row["programs"].as_array()?.iter();
        Some(Self {
            folder: row["folder"].as_str()?.to_owned(),
            package: row["package"].as_str()?.to_owned(),
            programs: names.filter_map(Value::as_str).map(str::to_owned).collect(),
        })
    }

    fn is_in(&self, folder: &Path) -> bool {
        self.programs.iter().any(|name| folder.join(name).is_file())
    }
}

/// Installs `agent` below `cache`, unless it is there. One process at a time installs, and the
/// folder gets its name when it is complete.
pub(super) fn provide(agent: &Pinned, cache: &Path) -> anyhow::Result<()> {
    let folder = cache.join(&agent.folder);
    if agent.is_in(&folder) {
        return Ok(());
    }
    fs::create_dir_all(cache).with_context(|| format!("{} can't be made", cache.display()))?;
    let lock = File::create(cache.join("lock")).context("the cache can't be locked")?;
    lock.lock().context("the cache can't be locked")?;
    if agent.is_in(&folder) {
        return Ok(());
    }
    let half = cache.join(format!("{}.part", agent.folder));
    for leftover in [&half, &folder] {
        if leftover.exists() {
            fs::remove_dir_all(leftover).context("what is left of an earlier try can't go")?;
        }
    }
    let done = npm(&agent.package, &half).and_then(|()| {
        anyhow::ensure!(agent.is_in(&half), "the package has no program for this machine");
        fs::rename(&half, &folder).context("the finished folder can't be given its name")
    });
    if done.is_err() {
        // The reason that is told is the first one; what is left goes at the next try.
        let _ = fs::remove_dir_all(&half);
    }
    done
}

fn npm(package: &str, folder: &Path) -> anyhow::Result<()> {
    // Without `--force` npm takes an older version when Node is older than the package wishes;
    // the programs themselves don't mind.
    let words = ["install", "--no-audit", "--no-fund", "--force", "--fetch-retries=1", "--prefix"];
    fs::create_dir(folder).context("the folder can't be made")?;
    println!("installing {package}");
    let output = Command::new("npm")
        .args(words)
        .arg(folder)
        .arg(package)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .context("npm can't be started; it comes with Node (https://nodejs.org)")?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let says = text.lines().find(|line| line.contains("error")).unwrap_or("it says nothing");
    bail!("npm could not install {package}: {says}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_agents_are_read() {
        let agents = Pinned::read(&crate::root::find().unwrap()).unwrap();
        assert!(agents.len() >= 3);
        for agent in agents {
            let version = agent.folder.rsplit('-').next().unwrap();
            assert!(agent.package.ends_with(&format!("@{version}")), "{agent:?}");
            assert!(!agent.programs.is_empty(), "{agent:?}");
        }
    }

    #[test]
    fn an_agent_that_is_there_is_left_alone() {
        let cache = std::env::temp_dir().join(format!("xtask-agents-{}", std::process::id()));
        let program = "bin/agent".to_owned();
        let agent =
            Pinned { folder: "agent-1".into(), package: "no@1".into(), programs: vec![program] };
        fs::create_dir_all(cache.join("agent-1/bin")).unwrap();
        fs::write(cache.join("agent-1/bin/agent"), "").unwrap();
        provide(&agent, &cache).unwrap();
        assert!(!cache.join("lock").exists(), "nothing was locked, so nothing was installed");
        fs::remove_dir_all(&cache).unwrap();
    }
}
