//! Puts the pinned pytest into a virtual environment, and pinned packages of npm's, in the user's cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// Names the folder, and by it the version; the tests read it too.
const PINNED: &str = "crates/countersign/tests/gaming/pytest.txt";

/// The packages of npm's, a line each; the tests read them too.
const PACKAGES: &str = "crates/countersign/tests/gaming/packages.txt";

/// Installs what is missing, or says what can't be tested without it. Never fails: tests tell.
pub(crate) fn provide(root: &Path) {
    if let Err(error) = provide_pytest(root) {
        println!("\n*** NOT TESTED with pytest: {error:#} ***\n");
    }
    let packages = fs::read_to_string(root.join(PACKAGES)).unwrap_or_default();
    for name in packages.lines() {
        if let Err(error) = provide_one(name, npm) {
            println!("\n*** NOT TESTED with {name}: {error:#} ***\n");
        }
    }
}

fn provide_pytest(root: &Path) -> anyhow::Result<()> {
    let name = fs::read_to_string(root.join(PINNED)).with_context(|| format!("no {PINNED}"))?;
    provide_one(name.trim(), install)
}

fn provide_one(name: &str, install: fn(&str, &Path) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let cache = cache().context("there is no cache folder; COUNTERSIGN_RUNNERS may name one")?;
    let folder = cache.join(name);
    if is_there(&folder) {
        println!("{name} is there");
        return Ok(());
    }
    fs::create_dir_all(&cache).with_context(|| format!("{} can't be made", cache.display()))?;
    let lock = File::create(cache.join("lock")).context("the cache can't be locked")?;
    lock.lock().context("the cache can't be locked")?;
    if is_there(&folder) {
        return Ok(());
    }
    // Such an environment knows its own path, so it is made where it stays and gets its mark last.
    let done = install(name, &folder);
    if done.is_err() {
        // The reason that is told is the first one; what is left goes at the next try.
        let _ = fs::remove_dir_all(&folder);
    }
    done
}

/// Whether an environment was made to its end.
fn is_there(folder: &Path) -> bool {
    folder.join("complete").is_file()
}

/// Name and version of what is pinned, with nothing left in its folder.
fn begin<'a>(name: &'a str, folder: &Path) -> anyhow::Result<(&'a str, &'a str)> {
    println!("installing {name}");
    if folder.exists() {
        fs::remove_dir_all(folder).context("what is left of an earlier try can't go")?;
    }
    name.split_once('-').context("the pinned name has no version")
}

fn npm(name: &str, folder: &Path) -> anyhow::Result<()> {
    let (package, version) = begin(name, folder)?;
    fs::create_dir_all(folder).context("the folder can't be made")?;
    fs::write(folder.join("package.json"), "{}").context("the folder can't be written to")?;
    let pinned = format!("{package}@{version}");
    let words = ["install", "--silent", "--no-audit", "--no-fund", &pinned];
    call(Command::new("npm").args(words).current_dir(folder))?;
    fs::write(folder.join("complete"), "").context("the packages can't be marked")
}

fn install(name: &str, folder: &Path) -> anyhow::Result<()> {
    let (package, version) = begin(name, folder)?;
    call(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let pinned = format!("{package}=={version}");
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", &pinned];
    call(Command::new(folder.join("bin/python")).args(words))?;
    fs::write(folder.join("complete"), "").context("the environment can't be marked")
}

fn call(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("{program} can't be started"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    bail!("{program}: {}", text.lines().last().unwrap_or("it says nothing"))
}

fn cache() -> Option<PathBuf> {
    let given = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    given("COUNTERSIGN_RUNNERS").or_else(|| {
        let user = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
        Some(user.join("countersign-runners"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_version_is_read() {
        let root = crate::root::find().unwrap();
        let name = fs::read_to_string(root.join(PINNED)).unwrap();
        let (package, version) = name.trim().split_once('-').unwrap();
        assert_eq!(package, "pytest");
        assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
    }
}
