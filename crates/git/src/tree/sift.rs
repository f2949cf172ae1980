//! What the paths are that nobody knows yet: content, ignored, a repository, a pipe.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use countersign_domain::snapshot::{Beyond, PathText, SpecialKind, Watch, Why};
use rustix::fs::FileType;

use super::disk::{self, Listing};
use super::ignored::Ignored;
use super::stat::Stat;
use super::table::{folder_of, join, name_of};
use super::walk::Sight;
use crate::discover;
use crate::error::Error;

/// Paths that were not known, by what they are. Relative to the top of the repository's files.
#[derive(Debug, Default)]
pub(crate) struct Sifted {
    /// Files and links that git would add.
    pub(crate) content: Vec<Found>,
    pub(crate) special: Vec<(Vec<u8>, SpecialKind)>,
    /// Folders with a repository of their own.
    pub(crate) repositories: Vec<Vec<u8>>,
    /// Ignored files that are not the output of tools.
    pub(crate) watched: Vec<Found>,
    /// Ignored folders and files that tools fill, or that are beyond the bounds.
    pub(crate) passed: Vec<Vec<u8>>,
    pub(crate) beyond: Vec<Beyond>,
}

/// A path, and what the system says about it.
type Found = (Vec<u8>, Stat);

/// What it takes to find out.
#[derive(Debug)]
pub(crate) struct Sieve<'a> {
    pub(crate) top: &'a OwnedFd,
    pub(crate) worktree: &'a Path,
    /// Where our own repository keeps its objects and branches.
    pub(crate) common_dir: &'a Path,
    pub(crate) ignored: &'a Ignored<'a>,
    pub(crate) watch: &'a Watch,
}

/// Ignored files that came together: of one folder, or a single one.
struct Group {
    path: Vec<u8>,
    files: Vec<Found>,
}

impl Sieve<'_> {
    pub(crate) fn sift(&self, unknown: Vec<Sight>) -> Result<Sifted, Error> {
        let mut sifted = Sifted::default();
        let mut groups = Vec::new();
        let mut open = unknown;
        // A second round asks about what is in new folders; more are needed only where a folder
        // that is called like output turns out not to be ignored.
        while !open.is_empty() {
            open.iter().try_for_each(|sight| refuse(&sight.path, sight.kind))?;
            let paths = open.iter().map(|sight| sight.path.as_slice());
            let ignored = self.ignored.among(self.worktree, paths)?;
            let mut inside = Vec::new();
            for sight in open {
                match (ignored.contains(&sight.path), sight.kind) {
                    (true, _) => self.take_ignored(sight, &mut sifted, &mut groups)?,
                    (false, FileType::Directory) => {
                        self.enter(&sight.path, &mut sifted, &mut inside)?;
                    }
                    (false, kind) => match (special(kind), sight.stat) {
                        (Some(special), _) => sifted.special.push((sight.path, special)),
                        (None, Some(stat)) => sifted.content.push((sight.path, stat)),
                        (None, None) => {}
                    },
                }
            }
            open = inside;
        }
        self.bound(groups, &mut sifted);
        Ok(sifted)
    }

    /// Names what is in a new folder that is not ignored, and in the folders in it.
    fn enter(&self, top: &[u8], sifted: &mut Sifted, inside: &mut Vec<Sight>) -> Result<(), Error> {
        let mut waiting = vec![top.to_vec()];
        while let Some(folder) = waiting.pop() {
            let Some(listing) = disk::list(self.top, &folder)? else {
                continue;
            };
            if listing.has_dot_git {
                if is_repository(&self.worktree.join(OsStr::from_bytes(&folder))) {
                    sifted.repositories.push(folder);
                    continue;
                }
                sifted.special.push((join(&folder, b".git"), SpecialKind::DotGit));
            }
            for (name, kind) in listing.names {
                let path = join(&folder, &name);
                if kind != FileType::Directory {
                    if let Some(stat) = disk::stat(self.top, &path)? {
                        inside.push(Sight { path, kind: stat.kind(), stat: Some(stat) });
                    }
                } else if self.watch.is_output_folder(&name) {
                    inside.push(Sight { path, kind, stat: None });
                } else {
                    waiting.push(path);
                }
            }
        }
        Ok(())
    }

    fn take_ignored(
        &self,
        sight: Sight,
        sifted: &mut Sifted,
        groups: &mut Vec<Group>,
    ) -> Result<(), Error> {
        let Sight { path, kind, stat } = sight;
        match (kind, stat) {
            _ if self.is_output(&path, kind) => sifted.passed.push(path),
            (FileType::Directory, _) => {
                let files = self.ignored_files(&path, sifted)?;
                groups.extend(files.map(|files| Group { path, files }));
            }
            (kind, Some(stat)) => match special(kind) {
                Some(special) => sifted.special.push((path, special)),
                None => groups.push(Group { path: path.clone(), files: vec![(path, stat)] }),
            },
            (_, None) => {}
        }
        Ok(())
    }

    /// Whether something ignored is what tools fill or write: by its name, or because it lies in
    /// such a folder, in which git knows other files.
    fn is_output(&self, path: &[u8], kind: FileType) -> bool {
        let name = name_of(path);
        if match kind {
            FileType::Directory => self.watch.is_output_folder(name),
            _ => self.watch.is_output_file(name),
        } {
            return true;
        }
        let mut above = folder_of(path);
        while !above.is_empty() {
            if self.watch.is_output_folder(name_of(above)) {
                let inside = &path[above.len() + 1..];
                return !self.watch.planted_in(name_of(above)).any(|pattern| fits(pattern, inside));
            }
            above = folder_of(above);
        }
        false
    }

    /// Whether a folder is another working tree of this very repository: somebody else's place.
    fn is_linked(&self, folder: &[u8]) -> bool {
        let layout = discover::at(&self.worktree.join(OsStr::from_bytes(folder)));
        matches!(layout, Ok(Some(layout)) if layout.common_dir == *self.common_dir)
    }

    /// The files in an ignored folder, without the output of tools; `None` when there are too
    /// many, or they can't be listed, which is noted.
    fn ignored_files(&self, top: &[u8], sifted: &mut Sifted) -> Result<Option<Vec<Found>>, Error> {
        let mut files = Vec::new();
        let mut waiting = vec![top.to_vec()];
        while let Some(folder) = waiting.pop() {
            let listing = match disk::list(self.top, &folder) {
                Ok(listing) => listing.unwrap_or_default(),
                Err(Error::Unreadable { .. }) => {
                    sifted.leave(&folder, Why::Unreadable);
                    Listing::default()
                }
                Err(error) => return Err(error),
            };
            if listing.has_dot_git && self.is_linked(&folder) {
                sifted.passed.push(folder);
                continue;
            }
            for (name, kind) in listing.names {
                let path = join(&folder, &name);
                if self.is_output(&path, kind) {
                    sifted.passed.push(path);
                } else if kind == FileType::Directory {
                    waiting.push(path);
                } else if let Some(stat) = disk::stat(self.top, &path)?
                    && special(kind).is_none()
                {
                    files.push((path, stat));
                }
                if files.len().max(waiting.len()) > self.watch.max_files_per_folder {
                    sifted.leave(top, Why::TooMany);
                    return Ok(None);
                }
            }
        }
        Ok(Some(files))
    }

    /// Keeps the number of watched files within bounds: the largest groups go first.
    fn bound(&self, mut groups: Vec<Group>, sifted: &mut Sifted) {
        groups.sort_by(|a, b| a.files.len().cmp(&b.files.len()).then_with(|| a.path.cmp(&b.path)));
        let mut total = 0;
        for group in groups {
            total += group.files.len();
            if total > self.watch.max_files {
                sifted.leave(&group.path, Why::TooMany);
            } else {
                sifted.watched.extend(group.files);
            }
        }
        // What lies in a folder that was given up need not be named.
        let given_up: HashSet<&[u8]> =
            sifted.beyond.iter().map(|beyond| beyond.path.as_bytes()).collect();
        let is_above = |path: &[u8]| {
            (1..path.len()).any(|at| path[at] == b'/' && given_up.contains(&path[..at]))
        };
        sifted.passed.retain(|path| !is_above(path));
        sifted.watched.sort_by(|a, b| a.0.cmp(&b.0));
        sifted.passed.sort();
    }
}

impl Sifted {
    fn leave(&mut self, path: &[u8], why: Why) {
        self.passed.push(path.to_vec());
        self.beyond.push(Beyond { path: PathText::new(path), why });
    }
}

/// Whether a path fits a pattern, part by part.
fn fits(pattern: &str, path: &[u8]) -> bool {
    let (mut parts, mut names) = (pattern.split('/'), path.split(|byte| *byte == b'/'));
    loop {
        match (parts.next(), names.next()) {
            (None, None) => return true,
            (Some(part), Some(name)) if Watch::fits(part, name) => {}
            _ => return false,
        }
    }
}

/// Refuses what git would open to see what it says, and then wait for whoever writes into it.
pub(crate) fn refuse(path: &[u8], kind: FileType) -> Result<(), Error> {
    let is_opened = matches!(name_of(path), b".gitignore" | b".gitattributes");
    if is_opened && special(kind).is_some() {
        return Err(Error::Blocking { path: discover::as_path(path) });
    }
    Ok(())
}

/// What git can't record, if it is that.
pub(crate) fn special(kind: FileType) -> Option<SpecialKind> {
    match kind {
        FileType::Fifo => Some(SpecialKind::Pipe),
        FileType::Socket => Some(SpecialKind::Socket),
        FileType::CharacterDevice | FileType::BlockDevice => Some(SpecialKind::Device),
        _ => None,
    }
}

/// Whether git would take the folder for a repository of its own, usable or not.
pub(crate) fn is_repository(folder: &Path) -> bool {
    !matches!(discover::at(folder), Ok(None))
}
