//! The programs that the projects of a language need, and the surroundings they get.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::suite::Language;

/// The folder of the virtual environment with pytest; `cargo xtask gaming` makes it.
const PYTEST: &str = include_str!("pytest.txt");

/// The packages of npm's that projects may need; `cargo xtask gaming` installs them.
const PACKAGES: &str = include_str!("packages.txt");

/// What a language's projects run with.
#[derive(Debug, Clone)]
pub struct Programs {
    /// Folders before all others on the search path.
    folders: Vec<PathBuf>,
    /// The command of an agent that wants to see its tests pass.
    pub own: &'static str,
}

impl Programs {
    /// Nothing if a program is missing; the name of it is in the error.
    pub fn find(language: Language) -> Result<Self, String> {
        let there = |name: &str| {
            on_path(name).map(|_| ()).ok_or_else(|| format!("{name} is not on the search path"))
        };
        match language {
            Language::Python => {
                let folder = cache().ok_or("there is no cache folder")?.join(PYTEST.trim());
                let bin = folder.join("bin");
                if !folder.join("complete").is_file() {
                    return Err(format!(
                        "{} is not there; `cargo xtask gaming` makes it",
                        folder.display()
                    ));
                }
                Ok(Self { folders: vec![bin], own: "pytest -q" })
            }
            Language::JavaScript => {
                there("node")?;
                there("npm")?;
                Ok(Self { folders: Vec::new(), own: "npm test --silent" })
            }
            Language::Rust => {
                // Rustup's stand-ins look for the toolchain in the user's home, which projects
                // don't have; the toolchain itself needs none.
                let output = Command::new("rustc").args(["--print", "sysroot"]).output();
                let output = output.map_err(|error| format!("rustc can't be started: {error}"))?;
                let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                let bin = Path::new(&sysroot).join("bin");
                Ok(Self { folders: vec![bin], own: "cargo test --offline --quiet" })
            }
            Language::Go => {
                there("go")?;
                Ok(Self { folders: Vec::new(), own: "go test ./..." })
            }
        }
    }

    pub fn path(&self) -> OsString {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let rest: Vec<PathBuf> = std::env::split_paths(&inherited).collect();
        std::env::join_paths(self.folders.iter().chain(&rest)).unwrap()
    }
}

/// The folder of the cache with `package` installed, if it is there.
pub fn installed(package: &str) -> Result<PathBuf, String> {
    let pinned = PACKAGES
        .lines()
        .find(|line| line.strip_prefix(package).is_some_and(|rest| rest.starts_with('-')));
    let pinned = pinned.ok_or_else(|| format!("`packages: {package}` is not known"))?;
    let folder = cache().ok_or("there is no cache folder")?.join(pinned);
    if folder.join("complete").is_file() {
        return Ok(folder.join("node_modules"));
    }
    Err(format!("{} is not there; `cargo xtask gaming` makes it", folder.display()))
}

/// Puts the packages that `package` stands for into `target`.
pub fn lend(package: &str, target: &Path) {
    let source = installed(package).unwrap();
    copy(&source, target).unwrap();
}

/// A folder with the same files; where the disk allows it they are links, since packages are large.
fn copy(source: &Path, target: &Path) -> std::io::Result<()> {
    fs::create_dir(target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let (from, to) = (entry.path(), target.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&from)?, &to)?;
        } else if kind.is_dir() {
            copy(&from, &to)?;
        } else if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn cache() -> Option<PathBuf> {
    let given = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    given("COUNTERSIGN_RUNNERS").or_else(|| {
        let user = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
        Some(user.join("countersign-runners"))
    })
}
