//! Putting files back as they were, each kind of act for all files at once.

use std::collections::BTreeMap;

use super::super::drift::{Drift, FileDrift, Kind, Moved};
use super::super::recorded::{Ground, Recorded, SpecialKind, State};
use super::exact::Copies;
use super::shell::pathspecs;
use super::{Exact, Here, Remedies};
use crate::id::ObjectId;
use crate::snapshot::PathText;

/// So many paths are named in one command; more are several commands, or the whole tree.
pub(super) const MOST_PATHS: usize = 12;
/// The permission bits that git gives files by itself.
const USUAL: [u32; 2] = [0o644, 0o755];

/// What is to be done, by kind of act.
#[derive(Default)]
struct Acts<'r> {
    removed: Vec<PathText>,
    removed_folders: Vec<PathText>,
    /// Folders that are there and have nothing in them.
    emptied: Vec<PathText>,
    /// Commands that bring repositories inside back.
    repositories: Vec<String>,
    /// By the place of the repository that they lie in, with paths from its top.
    restored: BTreeMap<&'r PathText, (&'r Ground, Vec<PathText>)>,
    /// Repositories whose files are all restored.
    refilled: Vec<&'r Ground>,
    /// What git would not bring back as it was.
    copies: Copies<'r>,
    pipes: Vec<PathText>,
    modes: BTreeMap<u32, Vec<PathText>>,
}

pub(super) fn remedy(
    drift: &Drift,
    (recorded, exact): (&Recorded, &Exact<'_>),
    here: &Here,
    remedies: &mut Remedies,
) {
    let mut acts = Acts { copies: Copies::new(exact), ..Acts::default() };
    // What lies in the stash comes back in one go, if nothing is in its way.
    let is_stashed = matches!(drift.moved, Some(Moved::Stashed { .. }))
        && drift.files.iter().all(|file| file.follows);
    if is_stashed {
        remedies.command(format!("{} stash pop -q", here.git()));
        for file in &drift.files {
            acts.popped(file);
            acts.mode(file);
        }
    } else {
        for file in &drift.files {
            acts.take(file, recorded, here, remedies);
        }
    }
    acts.clear_folders(drift);
    acts.write(here, remedies);
}

impl<'r> Acts<'r> {
    fn take(
        &mut self,
        file: &FileDrift,
        recorded: &'r Recorded,
        here: &Here,
        remedies: &mut Remedies,
    ) {
        let path = &file.path;
        match (&file.kind, &file.before, &file.after) {
            (Kind::Renamed { from }, ..) => {
                self.removed.push(path.clone());
                self.restore(from, recorded);
                self.mode_of(from, file.before.as_ref());
            }
            (Kind::Added | Kind::RepositoryAdded, _, after) => self.remove(path, after.as_ref()),
            (Kind::Chmod, Some(before), _) => match permissions(before) {
                Some(mode) => self.modes.entry(mode).or_default().push(path.clone()),
                None => remedies.by_hand(unknown(path)),
            },
            (_, Some(State::File { .. } | State::Link { .. }), after) => {
                match after {
                    // Git puts a file in the place of anything but a repository.
                    Some(State::Repository { .. }) => self.removed_folders.push(path.clone()),
                    // A copy would go through a link, and into another name of the file.
                    Some(_) if self.copies.is_for(path) => self.remove(path, after.as_ref()),
                    _ => {}
                }
                self.restore(path, recorded);
                self.mode(file);
            }
            (_, Some(before @ State::Repository { .. }), after) => {
                self.repository((path, before, after.as_ref()), recorded, here, remedies);
            }
            (_, Some(State::Special { kind: SpecialKind::Pipe }), after) => {
                if after.is_some() {
                    self.remove(path, after.as_ref());
                }
                self.pipes.push(path.clone());
            }
            (_, Some(State::Ignored { digest, size, .. }), _) => remedies.by_hand(format!(
                "{path} is ignored by git, so its content was not stored: put it back as it was, \
                 with the size {size} and the SHA-256 {digest}"
            )),
            (_, Some(State::Special { .. }), _) => {
                remedies.by_hand(format!("{path} is no file: make it again as it was"));
            }
            _ => remedies.by_hand(unknown(path)),
        }
    }

    fn remove(&mut self, path: &PathText, what: Option<&State>) {
        match what {
            Some(State::Repository { is_submodule: true, .. }) => {
                // The folder of a submodule belongs to the tree, its content does not.
                self.removed_folders.push(path.clone());
                self.emptied.push(path.clone());
            }
            Some(State::Repository { .. } | State::Special { kind: SpecialKind::DotGit }) => {
                self.removed_folders.push(path.clone());
            }
            _ => self.removed.push(path.clone()),
        }
    }

    /// Takes in that a file comes back from the stash, as git makes it.
    fn popped(&mut self, file: &FileDrift) {
        let was = match &file.kind {
            Kind::Chmod => return,
            Kind::Renamed { from } => from,
            _ => &file.path,
        };
        if file.before.is_some() && self.copies.take(was) {
            self.removed.push(was.clone());
        }
    }

    /// Folders that lie where files are copied to.
    fn clear_folders(&mut self, drift: &Drift) {
        for path in self.copies.paths() {
            let is_inside = |file: &FileDrift| file.path != *path && file.path.is_within(path);
            if drift.files.iter().any(is_inside) && !self.removed_folders.contains(path) {
                self.removed_folders.push(path.clone());
            }
        }
    }

    fn restore(&mut self, path: &PathText, recorded: &'r Recorded) {
        if self.copies.take(path) {
            return;
        }
        if let Some((ground, inside)) = ground_of(recorded, path) {
            self.restored.entry(&ground.path).or_insert((ground, Vec::new())).1.push(inside);
        }
    }

    fn mode(&mut self, file: &FileDrift) {
        self.mode_of(&file.path, file.before.as_ref());
    }

    /// Git restores no permission but that to execute.
    fn mode_of(&mut self, path: &PathText, before: Option<&State>) {
        if let Some(State::File { mode, .. }) = before
            && !USUAL.contains(mode)
        {
            self.modes.entry(*mode).or_default().push(path.clone());
        }
    }

    fn repository(
        &mut self,
        (path, before, after): (&PathText, &State, Option<&State>),
        recorded: &'r Recorded,
        here: &Here,
        remedies: &mut Remedies,
    ) {
        let ground = recorded.grounds.iter().find(|ground| ground.path == *path);
        let (State::Repository { head: Some(head), .. }, Some(ground)) = (before, ground) else {
            return remedies.by_hand(unknown(path));
        };
        let is_there = matches!(after, Some(State::Repository { head: Some(_), .. }));
        let git = here.git();
        match (is_there, ground.is_submodule) {
            (true, _) => self.repositories.push(stand_on(here, path, head)),
            (false, true) => {
                let (literal, word) = pathspecs(std::slice::from_ref(path));
                self.repositories.push(format!(
                    "{git}{literal} submodule --quiet update --init --force -- {word} && {}",
                    stand_on(here, path, head)
                ));
                self.refilled.push(ground);
                self.copies.take_all(path);
            }
            (false, false) => remedies.by_hand(format!(
                "the repository in {path} is gone: clone it there again and check out {head}; its \
                 files are kept as tree {}",
                ground.tree
            )),
        }
    }

    fn write(self, here: &Here, remedies: &mut Remedies) {
        self.copies.write_source(here, remedies);
        for some in self.removed.chunks(MOST_PATHS) {
            remedies.command(format!("rm -f -- {}", here.paths(some)));
        }
        for some in self.removed_folders.chunks(MOST_PATHS) {
            remedies.command(format!("rm -rf -- {}", here.paths(some)));
        }
        if !self.emptied.is_empty() {
            remedies.command(format!("mkdir -p -- {}", here.paths(&self.emptied)));
        }
        for command in self.repositories {
            remedies.command(command);
        }
        for (ground, paths) in self.restored.into_values() {
            // All at once would convert files that are as they were.
            let most = if ground.raw.is_some() { MOST_PATHS } else { paths.len() };
            for some in paths.chunks(most) {
                remedies.command(restore(here, ground, some));
            }
        }
        for ground in self.refilled {
            remedies.command(restore(here, ground, &[]));
        }
        self.copies.write(here, remedies);
        for path in &self.pipes {
            remedies.command(format!("mkfifo -- {}", here.path(path)));
        }
        for (mode, paths) in &self.modes {
            for some in paths.chunks(MOST_PATHS) {
                remedies.command(format!("chmod {mode:03o} -- {}", here.paths(some)));
            }
        }
    }
}

/// Takes paths of a recorded tree back into the files, and leaves the index alone.
fn restore(here: &Here, ground: &Ground, paths: &[PathText]) -> String {
    let (literal, words) = if paths.is_empty() || paths.len() > MOST_PATHS {
        ("", ".".to_owned())
    } else {
        pathspecs(paths)
    };
    // What the tree does not have is not this command's to remove.
    let overlay = if words == "." { " --overlay" } else { "" };
    let from = format!("restore --source={} --worktree{overlay} -- {words}", ground.tree);
    if ground.path.is_empty() {
        return format!("{}{literal} {from}", here.git());
    }
    // The tree lies in the outer repository, which can write it anywhere.
    let inside = super::shell::quoted(&ground.path);
    format!("{}{literal} --work-tree={inside} {from}", here.git())
}

/// Puts `HEAD` of a repository inside where it stood, whatever its branches are.
fn stand_on(here: &Here, path: &PathText, head: &ObjectId) -> String {
    let git = format!("git -C {}", here.path(path));
    format!("{git} update-ref --no-deref HEAD {head} && {git} reset -q")
}

/// The repository that a path lies in, and the path from its top.
fn ground_of<'r>(recorded: &'r Recorded, path: &PathText) -> Option<(&'r Ground, PathText)> {
    let above = recorded.grounds.iter().filter(|ground| path.is_within(&ground.path));
    let ground = above.max_by_key(|ground| ground.path.as_bytes().len())?;
    let inside = &path.as_bytes()[ground.path.as_bytes().len()..];
    Some((ground, PathText::new(inside.strip_prefix(b"/").unwrap_or(inside))))
}

fn permissions(state: &State) -> Option<u32> {
    match state {
        State::File { mode, .. } | State::Ignored { mode, .. } | State::Unreadable { mode } => {
            Some(mode & 0o7777)
        }
        _ => None,
    }
}

fn unknown(path: &PathText) -> String {
    format!("{path} can't be put back by a command: make it again as it was")
}
