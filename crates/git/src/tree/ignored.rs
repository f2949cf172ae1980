//! Asks git which paths are ignored, by frozen rules.
//!
//! Git always reads `info/exclude` of the repository that it works on. So it works on one that
//! is made for the question: nothing in it but the frozen rules.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::snapshot::{IgnoreRules, PathText};

use crate::command::Git;
use crate::discover;
use crate::error::Error;
use crate::repository::Repository;
use crate::settings::Config;

/// What holds outside of the tree when a context begins.
#[derive(Debug)]
pub struct Frozen {
    pub rules: IgnoreRules,
    /// Spares [`Repository::record_first`] the question.
    pub(crate) config: Config,
}

/// Answers which paths of one working tree are ignored.
#[derive(Debug)]
pub(crate) struct Ignored<'a> {
    repository: &'a Repository,
    rules: &'a IgnoreRules,
    /// A folder of our own, for the repository that is asked.
    folder: PathBuf,
}

impl<'a> Ignored<'a> {
    pub(crate) fn new(repository: &'a Repository, rules: &'a IgnoreRules, scratch: &Path) -> Self {
        Self { repository, rules, folder: scratch.join("rules") }
    }

    /// Those of `paths`, which are relative to `worktree`, that are ignored.
    pub(crate) fn among<'p>(
        &self,
        worktree: &Path,
        paths: impl Iterator<Item = &'p [u8]>,
    ) -> Result<HashSet<Vec<u8>>, Error> {
        // A name that begins with a colon would mean something else to git.
        let asked: Vec<u8> = paths.flat_map(|path| [b"./", path, b"\0"].concat()).collect();
        if asked.is_empty() {
            return Ok(HashSet::new());
        }
        self.lay_out()?;
        let git = self.git(worktree).args(["check-ignore", "--no-index", "-z", "--stdin"]);
        let outcome = git.input(asked).outcome()?;
        match outcome.status.code() {
            // 1 says that none is.
            Some(0 | 1) => {
                let said = outcome.stdout.split(|byte| *byte == 0);
                Ok(said.filter_map(|path| path.strip_prefix(b"./")).map(<[u8]>::to_vec).collect())
            }
            _ => Err(outcome.into_error()),
        }
    }

    fn git(&self, worktree: &Path) -> Git {
        self.repository
            .git_at(&self.folder)
            .env("GIT_WORK_TREE", worktree)
            .env("GIT_OBJECT_DIRECTORY", self.repository.layout().common_dir.join("objects"))
            // Not with `-c`: the path need not be text.
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "core.excludesFile")
            .env("GIT_CONFIG_VALUE_0", self.folder.join("global"))
            .within(worktree)
    }

    fn lay_out(&self) -> Result<(), Error> {
        if self.folder.exists() {
            return Ok(());
        }
        let write = |name: &str, bytes: &[u8]| {
            let path = self.folder.join(name);
            fs::write(&path, bytes).map_err(Error::io("write", &path))
        };
        for name in ["info", "refs", "objects"] {
            let path = self.folder.join(name);
            fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        }
        write("HEAD", b"ref: refs/heads/none\n")?;
        write("info/exclude", self.rules.exclude.as_bytes())?;
        write("global", self.rules.global.as_bytes())?;
        let common = &self.repository.layout().common_dir;
        let config = discover::read(&common.join("config"))?.unwrap_or_default();
        let folded = discover::setting(&config, "core", "ignorecase");
        let folded = folded.is_some_and(|value| discover::is_true(&value));
        let format: &str = if self.repository.hash_len()? == 32 {
            "\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
        } else {
            "\trepositoryFormatVersion = 0\n"
        };
        write("config", format!("[core]\n\tignoreCase = {folded}\n{format}").as_bytes())
    }
}

impl Repository {
    /// The ignore rules outside of the tree, as they are now: to be frozen when a context begins.
    pub fn freeze(&self) -> Result<Frozen, Error> {
        let config = self.config(&self.layout().git_dir)?;
        Ok(Frozen { rules: self.rules_by(&config)?, config })
    }

    pub(crate) fn rules_by(&self, config: &Config) -> Result<IgnoreRules, Error> {
        let exclude = self.layout().common_dir.join("info/exclude");
        let exclude = discover::read(&exclude)?.unwrap_or_default();
        let global = self.user_file(config.last("core.excludesfile"), "ignore");
        Ok(IgnoreRules { exclude: PathText::new(exclude), global: PathText::new(global) })
    }

    /// The content of a file of the user's: the one that is `set`, or else `name` in the user's
    /// folder for git. Empty when there is none.
    pub(crate) fn user_file(&self, set: Option<&[u8]>, name: &str) -> Vec<u8> {
        // Git says nothing about a file that it can't read, and goes on without it.
        let path = self.user_path(set, name);
        path.and_then(|path| discover::read(&path).ok().flatten()).unwrap_or_default()
    }

    /// Where that file lies, or would.
    pub(crate) fn user_path(&self, set: Option<&[u8]>, name: &str) -> Option<PathBuf> {
        match set {
            Some([]) => None,
            Some([b'~', b'/', rest @ ..]) => {
                self.variable("HOME").map(|home| home.join(discover::as_path(rest)))
            }
            // Git takes a relative path from where it stands: the top of the working tree.
            Some(path) => Some(self.layout().worktree.join(discover::as_path(path))),
            None => self.config_home().map(|folder| folder.join("git").join(name)),
        }
    }

    /// Where programs keep a user's settings.
    fn config_home(&self) -> Option<PathBuf> {
        let set = self.variable("XDG_CONFIG_HOME").filter(|path| !path.as_os_str().is_empty());
        set.or_else(|| Some(self.variable("HOME")?.join(".config")))
    }
}
