//! Files of which git recorded other bytes than they had. What git puts back, it converts, so these
//! are copied from a folder in which everything was restored as it was.

use std::collections::{BTreeMap, BTreeSet};

use super::files::MOST_PATHS;
use super::shell::quoted;
use super::{Here, Remedies};
use crate::snapshot::PathText;

/// The files that git would not bring back as they were, and the step that has them.
#[derive(Debug, Clone, Default)]
pub struct Exact<'a> {
    /// From the top of the working tree.
    pub paths: BTreeSet<PathText>,
    pub task: &'a str,
    pub step: &'a str,
    /// The name of a folder next to the working tree that is not there yet.
    pub folder: &'a str,
}

impl Exact<'_> {
    /// The folder next to the working tree that has everything, from its top.
    fn folder(&self) -> PathText {
        PathText::new(format!("../{}", self.folder))
    }

    fn restore(&self, here: &Here) -> String {
        let word = |text: &str| quoted(&PathText::from(text));
        format!(
            "{} context restore {} --role {} --into {}",
            here.countersign(),
            word(self.task),
            word(self.step),
            quoted(&self.folder())
        )
    }
}

/// Those of them that are to be copied.
#[derive(Default)]
pub(super) struct Copies<'r> {
    exact: Option<&'r Exact<'r>>,
    paths: BTreeSet<PathText>,
}

impl<'r> Copies<'r> {
    pub(super) fn new(exact: &'r Exact<'r>) -> Self {
        Self { exact: Some(exact), paths: BTreeSet::new() }
    }

    /// Whether git would not bring back `path` as it was.
    pub(super) fn is_for(&self, path: &PathText) -> bool {
        self.exact.is_some_and(|exact| exact.paths.contains(path))
    }

    /// Takes `path` in, if it is one to copy.
    pub(super) fn take(&mut self, path: &PathText) -> bool {
        let is_one = self.is_for(path);
        if is_one {
            self.paths.insert(path.clone());
        }
        is_one
    }

    /// The same for everything in `folder`.
    pub(super) fn take_all(&mut self, folder: &PathText) {
        let all = self.exact.iter().flat_map(|exact| &exact.paths);
        self.paths.extend(all.filter(|path| path.is_within(folder)).cloned());
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &PathText> {
        self.paths.iter()
    }

    /// The command that makes the folder to copy from. It comes before anything is removed.
    pub(super) fn write_source(&self, here: &Here, remedies: &mut Remedies) {
        if let Some(exact) = self.exact.filter(|_| !self.paths.is_empty()) {
            remedies.command(exact.restore(here));
        }
    }

    /// The commands that copy, a folder at a time.
    pub(super) fn write(&self, here: &Here, remedies: &mut Remedies) {
        let Some(exact) = self.exact else { return };
        let source = exact.folder();
        let mut by_folder: BTreeMap<PathText, Vec<PathText>> = BTreeMap::new();
        for path in &self.paths {
            let kept = PathText::new([source.as_bytes(), b"/", path.as_bytes()].concat());
            by_folder.entry(above(path)).or_default().push(kept);
        }
        for (folder, kept) in &by_folder {
            let into = here.folder(folder);
            // It may have gone with the files.
            let made =
                if folder.is_empty() { String::new() } else { format!("mkdir -p -- {into} && ") };
            for some in kept.chunks(MOST_PATHS) {
                remedies.command(format!("{made}cp -- {} {into}", here.paths(some)));
            }
        }
    }
}

/// The folder that a path lies in; empty at the top.
fn above(path: &PathText) -> PathText {
    let end = path.as_bytes().iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    PathText::new(&path.as_bytes()[..end])
}
