//! Which programs a command uses, in which versions. A program that was exchanged is another one,
//! even under the same name and version.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::Digest;
use countersign_domain::receipt::ToolVersion;
use countersign_exec::{Cancel, Spec, find_program};
use jiff::Timestamp;

use super::{Work, packages, surroundings};
use crate::error::{Error, Result};
use crate::regular;
use crate::run::supervisor;

/// Programs that say their version without doing anything else, and the word that makes them.
const KNOWN: [(&str, &str); 30] = [
    ("cargo", "--version"),
    ("rustc", "--version"),
    ("go", "version"),
    ("node", "--version"),
    ("npm", "--version"),
    ("npx", "--version"),
    ("pnpm", "--version"),
    ("yarn", "--version"),
    ("bun", "--version"),
    ("deno", "--version"),
    ("python", "--version"),
    ("python3", "--version"),
    ("pytest", "--version"),
    ("uv", "--version"),
    ("poetry", "--version"),
    ("ruff", "--version"),
    ("mypy", "--version"),
    ("ruby", "--version"),
    ("bundle", "--version"),
    ("php", "--version"),
    ("composer", "--version"),
    ("java", "-version"),
    ("mvn", "--version"),
    ("gradle", "--version"),
    ("dotnet", "--version"),
    ("make", "--version"),
    ("just", "--version"),
    ("cmake", "--version"),
    ("gcc", "--version"),
    ("clang", "--version"),
];

/// What works behind a program that is named.
const BEHIND: [(&str, &str); 8] = [
    ("cargo", "rustc"),
    ("npm", "node"),
    ("npx", "node"),
    ("pnpm", "node"),
    ("yarn", "node"),
    ("pytest", "python3"),
    ("mvn", "java"),
    ("gradle", "java"),
];

/// The most programs of one command that are looked at.
const MOST: usize = 8;
/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest line that is kept of what it says, in characters.
const LONGEST: usize = 1000;

/// What was asked already in this verification; `None` for programs that are not here.
pub(super) type Asked = BTreeMap<String, Option<ToolVersion>>;

impl Work<'_> {
    /// The programs that `command` names, as far as they are found.
    pub(super) fn tools(&mut self, command: &str) -> Result<Vec<ToolVersion>> {
        let mut tools = Vec::new();
        for program in programs(command) {
            if !self.asked.contains_key(&program) {
                let tool = self.look_at(&program)?;
                self.asked.insert(program.clone(), tool);
            }
            tools.extend(self.asked.get(&program).cloned().flatten());
        }
        Ok(tools)
    }

    fn look_at(&mut self, program: &str) -> Result<Option<ToolVersion>> {
        let path = self.engine.host.variable("PATH").unwrap_or_default();
        let Some(path) = find_program(program, path) else { return Ok(None) };
        let Ok(meta) = path.metadata() else { return Ok(None) };
        let nanoseconds = i32::try_from(meta.ctime_nsec()).unwrap_or(0);
        let changed_at = Timestamp::new(meta.ctime(), nanoseconds).unwrap_or_default();
        let word = KNOWN.iter().find(|(name, _)| *name == program).map(|(_, word)| *word);
        let is_python = program.starts_with("python");
        let version = match word {
            Some(_) if is_python => None,
            Some(word) => self.ask(&path, &[word])?.into_iter().next(),
            None => None,
        };
        let python = if is_python { Some(path.clone()) } else { interpreter(&path) };
        let (own, packages) = match python {
            Some(python) => self.packages_of(&python)?,
            None => (None, None),
        };
        let version = version.or(own.filter(|_| is_python)).unwrap_or_default();
        let path = path.to_string_lossy().into_owned();
        let program = program.to_owned();
        Ok(Some(ToolVersion { program, path, version, changed_at, packages }))
    }

    /// The version of the Python at `path`, and what is installed for it.
    fn packages_of(&mut self, path: &Path) -> Result<(Option<String>, Option<Digest>)> {
        let mut lines = self.ask(path, &["-c", SITES])?.into_iter();
        let version = lines.next();
        let root = self.engine.repository.layout().worktree.clone();
        let mut found = Vec::new();
        for site in lines.map(PathBuf::from) {
            found.push(format!("{} {}", site.display(), packages::listing(&site, &root)));
            self.sites.insert(site);
        }
        let digest = Digest::of(found.join("\n").as_bytes());
        Ok((version, (!found.is_empty()).then_some(digest)))
    }

    /// What the program at `path` says to `words`, in the surroundings that checks have, by lines.
    fn ask(&self, path: &Path, words: &[&str]) -> Result<Vec<String>> {
        let place = self.folders.own.join("tools");
        std::fs::create_dir_all(&place).map_err(|error| Error::io("create", &place, &error))?;
        let words = words.iter().map(OsString::from);
        let argv: Vec<OsString> =
            std::iter::once(path.as_os_str().to_owned()).chain(words).collect();
        let walls = self.walls.around(&place, &place);
        let spec = Spec {
            argv: walls.map_or_else(|| argv.clone(), |walls| walls.around(&argv, &place)),
            cwd: place.clone(),
            env: surroundings::environment(self, &place, &place)?,
            stdin: None,
            deadline: PATIENCE,
            grace: Duration::from_secs(1),
            max_output: 64 * 1024,
        };
        let mut output = Vec::new();
        let ran =
            countersign_exec::run(&supervisor(self.engine)?, &spec, &Cancel::new(), &mut output)?;
        if !ran.ended.passed() {
            return Ok(Vec::new());
        }
        let text = String::from_utf8_lossy(&output);
        Ok(text.trim().lines().map(|line| line.chars().take(LONGEST).collect()).collect())
    }
}

/// What makes a Python say its version, and where packages are installed for it.
const SITES: &str = "import sys; print('Python', sys.version.split()[0]); \
    [print(p) for p in sys.path if p.endswith(('site-packages', 'dist-packages'))]";

/// The Python that a program is written for, if its first line names one.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let bytes = regular::read(path, 1 << 20)?;
    let first = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let first = PathBuf::from(std::str::from_utf8(first).ok()?.trim());
    let name = first.file_name()?.to_str()?;
    (first.is_absolute() && name.starts_with("python") && first.is_file()).then_some(first)
}

/// The programs that a shell command names: the first word, and every word that is a known tool,
/// with what works behind it.
fn programs(command: &str) -> Vec<String> {
    let is_between = |letter: char| letter.is_whitespace() || ";|&()\"'`".contains(letter);
    let words = || command.split(is_between).filter(|word| !word.is_empty());
    let is_known = |word: &str| KNOWN.iter().any(|(name, _)| *name == word);
    let first = words().find(|word| !word.contains('='));
    let mut found: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if found.len() < MOST && !word.contains('/') && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    };
    for word in first.into_iter().chain(words().filter(|word| is_known(word))) {
        add(word);
        for (_, behind) in BEHIND.iter().filter(|(name, _)| *name == word) {
            add(behind);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_use() {
        let check = |command: &str, expected: &[&str]| {
            assert_eq!(programs(command), expected, "{command}");
        };
        check("cargo test --workspace", &["cargo", "rustc"]);
        check("sh tests/greets.sh", &["sh"]);
        check("./check.sh", &[]);
        check("RUST_LOG=1 make test", &["make"]);
        check("python3 -m pytest -q", &["python3", "pytest"]);
        check("( cd web && npm test ) | cat", &["cd", "npm", "node"]);
        check("", &[]);
    }
}
