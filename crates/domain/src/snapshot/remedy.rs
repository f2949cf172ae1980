//! The command that puts right what became of a tree.
//!
//! Commands are for a shell in the top folder of the working tree. None of them loses anything
//! that is not recorded or named in it.

use std::collections::BTreeSet;

use super::drift::{FileDrift, Kind, Moved};
use super::path_text::PathText;
use super::recorded::{Ground, Recorded, SpecialKind, State};
use super::words::mode;
use crate::id::ObjectId;

/// The files of which git recorded other bytes than they had, and how to get those.
#[derive(Debug, Clone, Default)]
pub struct Exact<'a> {
    pub paths: BTreeSet<PathText>,
    /// The command that puts all recorded files into `folder`.
    pub restore: &'a str,
    pub folder: &'a str,
}

impl Exact<'_> {
    /// The command that puts one of the files right, after `restore`.
    pub(super) fn remedy(&self, file: &FileDrift) -> Option<String> {
        let was = match &file.kind {
            Kind::Chmod => return None,
            Kind::Renamed { from } => from,
            _ => &file.path,
        };
        if file.before.is_none() || !self.paths.contains(was) {
            return None;
        }
        let kept = PathText::new([self.folder.as_bytes(), b"/", was.as_bytes()].concat());
        let copy = format!("cp -- {} {}", quoted(&kept), quoted(was));
        let copy = match was.as_bytes().iter().rposition(|byte| *byte == b'/') {
            Some(end) if file.after.is_none() || was != &file.path => {
                let above = PathText::new(&was.as_bytes()[..end]);
                format!("mkdir -p -- {} && {copy}", quoted(&above))
            }
            _ => copy,
        };
        Some(match &file.kind {
            Kind::Renamed { .. } => format!("{copy} && rm -f -- {}", quoted(&file.path)),
            Kind::Retyped => format!("rm -rf -- {} && {copy}", quoted(&file.path)),
            _ => copy,
        })
    }
}

impl Moved {
    /// The command that puts it right.
    pub fn remedy(&self, recorded: &Recorded) -> String {
        let reset = |to: &ObjectId| format!("git reset --soft {to}");
        match self {
            Self::Committed { from: Some(from), .. } | Self::Amended { from, .. } => reset(from),
            Self::Committed { from: None, .. } => "git update-ref -d HEAD".to_owned(),
            Self::Rebased { from, .. }
            | Self::Merged { from, .. }
            | Self::FastForwarded { from, .. }
            | Self::CherryPicked { from, .. }
            | Self::Reverted { from, .. }
            | Self::Reset { from, .. }
            | Self::Unknown { from, .. } => {
                format!("{} && {}", reset(from), restore_all(recorded))
            }
            Self::Switched { from_branch: Some(branch), .. } => {
                format!("git switch {}", quoted(branch))
            }
            Self::Switched { from: Some(from), .. } | Self::Orphaned { from } => {
                format!("git switch --detach {from}")
            }
            Self::Stashed { .. } => "git stash pop".to_owned(),
            Self::Switched { .. } | Self::Discarded | Self::Cleaned => restore_all(recorded),
        }
    }
}

impl FileDrift {
    /// The command that puts it right; `None` where only a person knows: the content of an
    /// ignored file was not stored.
    pub fn remedy(&self, recorded: &Recorded) -> Option<String> {
        let path = quoted(&self.path);
        let (ground, inside) = ground_of(recorded, &self.path)?;
        match (&self.kind, &self.before, &self.after) {
            (Kind::Renamed { from }, ..) => {
                let (ground, from) = ground_of(recorded, from)?;
                Some(format!("{} && rm -f -- {path}", restore(ground, &from)))
            }
            (Kind::Added | Kind::RepositoryAdded, _, after) => {
                let folder = matches!(after, Some(State::Repository { .. }))
                    || matches!(after, Some(State::Special { kind: SpecialKind::DotGit }));
                let how = if folder { "-rf" } else { "-f" };
                Some(format!("rm {how} -- {path}"))
            }
            (Kind::Chmod, Some(before), _) => Some(format!("chmod {} -- {path}", mode(before))),
            (_, Some(State::File { .. } | State::Link { .. }), _) => Some(restore(ground, &inside)),
            (_, Some(State::Repository { head: Some(head) }), Some(State::Repository { .. })) => {
                Some(format!("git -C {path} checkout {head}"))
            }
            (_, Some(State::Special { kind: SpecialKind::Pipe }), _) => {
                Some(format!("mkfifo -- {path}"))
            }
            _ => None,
        }
    }
}

/// The repository that a path lies in, and the path from its top.
fn ground_of<'r>(recorded: &'r Recorded, path: &PathText) -> Option<(&'r Ground, PathText)> {
    let above = recorded.grounds.iter().filter(|ground| path.is_within(&ground.path));
    let ground = above.max_by_key(|ground| ground.path.as_bytes().len())?;
    let inside = &path.as_bytes()[ground.path.as_bytes().len()..];
    Some((ground, PathText::new(inside.strip_prefix(b"/").unwrap_or(inside))))
}

/// Takes one path of a recorded tree back into the files, and leaves the index alone.
fn restore(ground: &Ground, inside: &PathText) -> String {
    // To git, some letters in a path mean more than themselves.
    let is_plain = !inside.as_bytes().iter().any(|byte| b"*?[:\\".contains(byte));
    let literal = if is_plain { "" } else { " --literal-pathspecs" };
    let path = quoted(inside);
    let from = format!("restore --source={} --worktree -- {path}", ground.tree);
    if ground.path.is_empty() {
        return format!("git{literal} {from}");
    }
    // The tree lies in the outer repository, which can write it anywhere.
    format!("git{literal} --work-tree={} {from}", quoted(&ground.path))
}

fn restore_all(recorded: &Recorded) -> String {
    let own = recorded.grounds.first().map(|ground| &ground.tree);
    own.map_or_else(String::new, |tree| format!("git restore --source={tree} --worktree -- :/"))
}

/// A path as one word of a shell.
fn quoted(path: &PathText) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/+@%,=".contains(byte);
    let bytes = path.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return path.to_string();
    }
    if str::from_utf8(bytes).is_ok() && !bytes.iter().any(u8::is_ascii_control) {
        return format!("'{}'", String::from_utf8_lossy(bytes).replace('\'', "'\\''"));
    }
    // Escapes as PathText writes them mean the same to a shell that knows $'…'.
    format!("$'{}'", path.to_string().replace('\'', "\\'"))
}

#[cfg(test)]
mod tests;
