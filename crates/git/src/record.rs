//! Records a working tree so that it can be compared and restored later.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::id::{Digest, ObjectId};
use countersign_domain::snapshot::{
    Beyond, Ground, IgnoreRules, PathText, Position, Recorded, Setting, Special, Watch, Watched,
};

use crate::discover::{self, Layout};
use crate::error::Error;
use crate::repository::Repository;
use crate::settings::Config;
use crate::tree::cache::{self, Known};
use crate::tree::ignored::Ignored;
use crate::tree::row::{Row, What};
use crate::tree::stat::Stat;
use crate::tree::table::join;

mod plan;
mod take;

pub(crate) use take::{Place, Taken};

/// What recording and comparing need.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The working tree: this repository's own, a linked one, or any other folder.
    pub worktree: &'a Path,
    /// For temporary files; outside of the working tree, or in its git folder.
    pub scratch: &'a Path,
    /// The stat cache: written by [`Repository::record`], read by [`Repository::compare`].
    pub cache: &'a Path,
    /// Frozen when the context began: [`Repository::ignore_rules`].
    pub rules: &'a IgnoreRules,
    pub watch: &'a Watch,
}

/// Everything that one recording, or one comparison, works with.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) layout: Layout,
    /// That of `layout` if it is our repository's; settings of others are not obeyed.
    pub(crate) own_git_dir: PathBuf,
    pub(crate) config: Config,
    pub(crate) ignored: Ignored<'a>,
    pub(crate) watch: &'a Watch,
    /// Removed in the end.
    _private: tempfile::TempDir,
    pub(crate) scratch: PathBuf,
}

impl Repository {
    /// Records the working tree: everything in it that git does not ignore, the content of
    /// repositories inside of it too, and digests of what else is obeyed there.
    ///
    /// Its content is kept by nothing: see [`Repository::keep_all`].
    pub fn record(&self, record: &Record<'_>) -> Result<Recorded, Error> {
        Session::begin(self, record)?.record(record)
    }

    /// Keeps everything that was recorded alive under `name`: `name/head`, `name/0`, `name/1`, ….
    /// Keeping it twice is fine.
    pub fn keep_all(&self, name: &str, recorded: &Recorded) -> Result<(), Error> {
        let grounds = recorded.grounds.iter().enumerate();
        let trees = grounds.map(|(number, ground)| (format!("{name}/{number}"), &ground.tree));
        let mut kept: Vec<_> = trees.collect();
        let head = recorded.position.head.as_ref();
        kept.extend(head.map(|head| (format!("{name}/head"), head)));
        if self.keep_new(&kept)? {
            return Ok(());
        }
        // Some are kept already; or the commit is that of a separate repository, and not ours.
        let is_ours = |object: &ObjectId| {
            let known = self.peel(&format!("{object}^{{object}}"));
            matches!(known, Ok(Some(_))) || Some(object) != head
        };
        let ours = kept.iter().filter(|(_, object)| is_ours(object));
        ours.into_iter().try_for_each(|(name, object)| self.keep(name, object))
    }

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

impl<'a> Session<'a> {
    pub(crate) fn begin(repository: &'a Repository, record: &Record<'a>) -> Result<Self, Error> {
        let worktree = record.worktree;
        let worktree = fs::canonicalize(worktree).map_err(Error::io("open", worktree))?;
        fs::create_dir_all(record.scratch).map_err(Error::io("create", record.scratch))?;
        let private = tempfile::Builder::new().prefix("record-").tempdir_in(record.scratch);
        let private = private.map_err(Error::io("create a directory in", record.scratch))?;
        // Git changes its directory, so a relative path would mean another place to it.
        let scratch =
            fs::canonicalize(private.path()).map_err(Error::io("open", record.scratch))?;
        let layout = repository.layout_of(&worktree);
        let is_own = layout.common_dir == repository.layout().common_dir;
        let own = if is_own { &layout } else { repository.layout() };
        let own_git_dir = own.git_dir.clone();
        Ok(Self {
            repository,
            config: repository.config(&own_git_dir)?,
            own_git_dir,
            layout,
            ignored: Ignored::new(repository, record.rules, &scratch),
            watch: record.watch,
            _private: private,
            scratch,
        })
    }

    pub(crate) fn record(&self, record: &Record<'_>) -> Result<Recorded, Error> {
        let (parts, position) = std::thread::scope(|scope| {
            // Git answers while we look.
            let position = scope.spawn(|| self.position());
            (self.take_all(), position.join())
        });
        let mut parts = parts?;
        let (position, replaced) = position.unwrap_or_else(|_| self.position())?;
        let cache = cache::write(record.cache, &parts.known)?;
        if let Some(own) = parts.grounds.first_mut() {
            own.head = position.head.clone();
        }
        let marks = parts.known.first().and_then(|own| own.index.1);
        Ok(Recorded {
            position,
            settings: self.settings(replaced, marks)?,
            rules: record.rules.digest(),
            beside: parts.beside(),
            cache,
            grounds: parts.grounds,
            watched: parts.watched,
            special: parts.special,
            beyond: parts.beyond,
        })
    }

    pub(crate) fn position(&self) -> Result<(Position, Vec<Setting>), Error> {
        self.repository.position(&self.layout.git_dir)
    }

    /// Records every repository, each after the one that it was found in.
    fn take_all(&self) -> Result<Parts, Error> {
        let mut parts = Parts::default();
        let mut waiting = vec![Vec::new()];
        while let Some(path) = waiting.pop() {
            let taken = self.take(&path)?;
            waiting.extend(taken.inside.iter().map(|inside| join(&path, inside)));
            parts.add(path, taken);
        }
        parts.sort();
        Ok(parts)
    }

    /// What the system says about git's own index.
    pub(crate) fn index_stat(&self) -> Option<Stat> {
        let found = rustix::fs::lstat(self.layout.git_dir.join("index")).ok()?;
        Some(Stat::of(&found))
    }

    /// What is obeyed in the working tree; `marks` are those in git's index.
    pub(crate) fn settings(
        &self,
        replaced: Vec<Setting>,
        marks: Option<Digest>,
    ) -> Result<Vec<Setting>, Error> {
        let theirs = if self.own_git_dir == self.layout.git_dir {
            None
        } else {
            Some(self.repository.config(&self.layout.git_dir)?)
        };
        let config = theirs.as_ref().unwrap_or(&self.config);
        let mut settings = self.repository.settings(&self.layout, config, self.watch);
        settings.extend(replaced);
        let name = PathText::from("marks in the index");
        settings.extend(marks.map(|digest| Setting { name, digest }));
        settings.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(settings)
    }
}

/// What was recorded of all repositories, put together.
#[derive(Default)]
struct Parts {
    known: Vec<Known>,
    grounds: Vec<Ground>,
    watched: Vec<Watched>,
    special: Vec<Special>,
    beyond: Vec<Beyond>,
}

impl Parts {
    fn add(&mut self, path: Vec<u8>, taken: Taken) {
        let whole = |inside: &[u8]| PathText::new(join(&path, inside));
        for row in taken.table.rows.iter().filter(|row| row.what == What::Watched) {
            self.watched.push(Watched {
                path: whole(taken.table.path(row)),
                mode: row.stat.mode,
                size: row.stat.size,
                digest: row.raw.as_deref().copied().unwrap_or_else(|| Digest::of(b"")),
            });
        }
        for (planted, stat, digest) in &taken.planted {
            let (mode, size, digest) = (stat.mode, stat.size, *digest);
            self.watched.push(Watched { path: whole(planted), mode, size, digest });
        }
        for (special, kind) in &taken.special {
            self.special.push(Special { path: whole(special), kind: *kind });
        }
        for beyond in &taken.beyond {
            let path = whole(beyond.path.as_bytes());
            self.beyond.push(Beyond { path, why: beyond.why });
        }
        let text = PathText::new(path.clone());
        self.grounds.push(Ground {
            path: text,
            head: taken.head.clone(),
            tree: taken.tree.clone(),
        });
        let Taken { begun, index, table, .. } = taken;
        self.known.push(Known { path, begun, index, table });
    }

    fn sort(&mut self) {
        self.grounds.sort_by(|a, b| a.path.cmp(&b.path));
        self.known.sort_by(|a, b| a.path.cmp(&b.path));
        self.watched.sort_by(|a, b| a.path.cmp(&b.path));
        self.special.sort_by(|a, b| a.path.cmp(&b.path));
        self.beyond.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// The digest of what git does not record of the files that it records.
    fn beside(&self) -> Digest {
        let mut bytes = Vec::new();
        for known in &self.known {
            let files = known.table.rows.iter().filter(|row| row.what == What::File);
            let mut files: Vec<(&[u8], &Row)> = files
                .filter(|row| !row.is_hidden)
                .map(|row| (known.table.path(row), row))
                .collect();
            files.sort_by_key(|(path, _)| *path);
            for (path, row) in files {
                bytes.extend_from_slice(&known.path);
                bytes.push(0);
                bytes.extend_from_slice(path);
                bytes.push(0);
                bytes.extend(row.stat.permissions().to_le_bytes());
                row.raw.iter().for_each(|raw| bytes.extend_from_slice(raw.as_bytes()));
            }
        }
        Digest::of(&bytes)
    }
}
