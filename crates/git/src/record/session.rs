//! What one recording, or one comparison, works with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use countersign_domain::id::Digest;
use countersign_domain::snapshot::{Ground, PathText, Setting, Watch};

use super::raw::KeptRaw;
use super::{Record, Trust};
use crate::discover::{self, Layout};
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::marks;
use crate::position::Stood;
use crate::repository::Repository;
use crate::scratch::{Purpose, Scratch};
use crate::settings::{Config, keep_said};
use crate::tree::cache::{self, Known};
use crate::tree::ignored::Ignored;
use crate::tree::stat::Stat;

/// What a recording believes without reading.
#[derive(Debug)]
pub(crate) enum Trusted {
    Index,
    Earlier(Vec<Earlier>),
    Nothing,
}

/// The files of one repository as they were recorded earlier.
#[derive(Debug)]
pub(crate) struct Earlier {
    pub(crate) known: Known,
    /// The bytes of converted files that were kept; `None` if none were.
    pub(crate) raw: Option<KeptRaw>,
}

impl From<Trust<'_>> for Trusted {
    fn from(trust: Trust<'_>) -> Self {
        match trust {
            Trust::Index => Self::Index,
            Trust::Nothing => Self::Nothing,
            Trust::Earlier { cache, recorded } => {
                let Some(known) = cache::read(cache, &recorded.cache) else {
                    return Self::Nothing;
                };
                let raw = |known: &Known| {
                    let mut grounds = recorded.grounds.iter();
                    let same = grounds.find(|ground| ground.path.as_bytes() == known.path);
                    let kept = |ground: &Ground| KeptRaw {
                        tree: ground.raw.clone(),
                        lfs: ground.lfs.clone(),
                    };
                    same.filter(|_| recorded.is_exact).map(kept)
                };
                let earlier = |known: Known| Earlier { raw: raw(&known), known };
                Self::Earlier(known.into_iter().map(earlier).collect())
            }
        }
    }
}

/// Everything that one recording, or one comparison, works with.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) layout: Layout,
    /// That of `layout` if it is our repository's; settings of others are not obeyed.
    pub(crate) own_git_dir: PathBuf,
    /// Our own configuration, once somebody has asked for it.
    config: OnceLock<Option<Config>>,
    pub(crate) ignored: Ignored<'a>,
    pub(crate) watch: &'a Watch,
    pub(crate) trust: Trusted,
    /// Where the bytes of converted files are kept.
    pub(crate) raw: Option<PathBuf>,
    /// Git's store turned out not to have what its index names.
    is_lossy: AtomicBool,
    /// Removed in the end.
    _private: Scratch,
    pub(crate) scratch: PathBuf,
}

impl<'a> Session<'a> {
    pub(crate) fn begin(
        repository: &'a Repository,
        record: &Record<'a>,
        trust: Trust<'_>,
    ) -> Result<Self, Error> {
        let worktree = record.worktree;
        let worktree = fs::canonicalize(worktree).map_err(Error::io("open", worktree))?;
        let private = Scratch::create(record.scratch, Purpose::Record)?;
        let scratch = private.path().to_owned();
        let layout = repository.layout_of(&worktree);
        let is_own = layout.common_dir == repository.layout().common_dir;
        let own = if is_own { &layout } else { repository.layout() };
        let own_git_dir = own.git_dir.clone();
        Ok(Self {
            repository,
            config: OnceLock::new(),
            own_git_dir,
            layout,
            ignored: Ignored::new(repository, record.rules, &scratch),
            watch: record.watch,
            trust: Trusted::from(trust),
            raw: record.raw.map(Path::to_owned),
            is_lossy: AtomicBool::new(false),
            _private: private,
            scratch,
        })
    }

    pub(super) fn is_lossy(&self) -> bool {
        self.is_lossy.load(Ordering::Relaxed)
    }

    pub(super) fn set_lossy(&self) {
        self.is_lossy.store(true, Ordering::Relaxed);
    }

    /// Takes our own configuration as it was read a moment ago.
    pub(crate) fn knowing(self, config: &Config) -> Self {
        let is_ours = self.own_git_dir == self.repository.layout().git_dir;
        if is_ours {
            // It is set once, and nobody has asked yet.
            self.config.set(Some(config.clone())).ok();
        }
        self
    }

    /// Our own configuration. Whoever asks while it is being read waits for it.
    pub(crate) fn config(&self) -> Result<&Config, Error> {
        let read = || self.repository.config(&self.own_git_dir);
        self.config.get_or_init(|| read().ok()).as_ref().ok_or_else(|| {
            // Asked again for the reason.
            let failed = io::Error::other("git could not, and then could; try again");
            read().err().unwrap_or_else(|| Error::io("configure", &self.own_git_dir)(failed))
        })
    }

    pub(crate) fn position(&self) -> Result<Stood, Error> {
        self.repository.position(&self.layout.git_dir)
    }

    /// What the system says about git's own index.
    pub(crate) fn index_stat(&self) -> Option<Stat> {
        let found = rustix::fs::lstat(self.layout.git_dir.join("index")).ok()?;
        Some(Stat::of(&found))
    }

    /// What is obeyed in the working tree; `marks` are those in git's index. What is the same as in
    /// `before` need not be told.
    pub(crate) fn settings(
        &self,
        replaced: Vec<Setting>,
        marks: Option<Digest>,
        before: &[Setting],
    ) -> Result<Vec<Setting>, Error> {
        let theirs = if self.own_git_dir == self.layout.git_dir {
            None
        } else {
            Some(self.repository.config(&self.layout.git_dir)?)
        };
        let config = match &theirs {
            Some(theirs) => theirs,
            None => self.config()?,
        };
        let mut settings = self.repository.settings(&self.layout, config, self.watch);
        settings.extend(replaced);
        let name = PathText::from("marks in the index");
        settings.extend(marks.map(|digest| Setting { name, digest, said: Vec::new() }));
        settings.sort_by(|a, b| a.name.cmp(&b.name));
        let is_known = |setting: &Setting| {
            before.iter().any(|b| b.name == setting.name && b.digest == setting.digest)
        };
        keep_said(&mut settings, |setting| !is_known(setting));
        let marked = settings.iter_mut().find(|setting| Some(setting.digest) == marks);
        if let Some(marked) = marked.filter(|marked| !is_known(marked)) {
            marked.said = marks::said(&self.index()?);
        }
        Ok(settings)
    }

    /// Git's index as it is now.
    pub(crate) fn index(&self) -> Result<IndexFile, Error> {
        let bytes = discover::read(&self.layout.git_dir.join("index"))?.unwrap_or_default();
        Ok(IndexFile::new(bytes, SystemTime::UNIX_EPOCH, self.repository.hash_len()?))
    }

    /// Whether a repository inside is kept by that of the working tree.
    pub(crate) fn is_submodule(&self, folder: &Path) -> bool {
        let modules = self.layout.common_dir.join("modules");
        let found = discover::at(folder).ok().flatten();
        found.is_some_and(|found| found.worktree == folder && found.git_dir.starts_with(modules))
    }
}

impl Repository {
    /// Where the git directory of a working tree is: one of ours, or its own.
    fn layout_of(&self, worktree: &Path) -> Layout {
        if worktree == self.layout().worktree {
            return self.layout().clone();
        }
        match discover::at(worktree) {
            Ok(Some(layout)) if layout.worktree == worktree => layout,
            // A plain folder stands where we stand.
            _ => Layout { worktree: worktree.to_owned(), ..self.layout().clone() },
        }
    }
}
