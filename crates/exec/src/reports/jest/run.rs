//! One run of jest, as far as it has been told.

use std::collections::BTreeSet;

use countersign_domain::qa::{Case, Listed, Outcome};

use super::lines::{self, Sum};
use crate::reports::room::Room;
use crate::reports::text::Line;
use crate::reports::words::INSIDE;

#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) line: Option<u64>,
    pub(super) files: Vec<File>,
    pub(super) failed: BTreeSet<String>,
    /// The file that is being told of.
    pub(super) file: String,
    pub(super) listed: Listed,
    /// What failed, by id; it is told in the tree, in a block and again at the end.
    pub(super) blocks: BTreeSet<String>,
    /// Names of the tests that are being listed, one inside the other.
    pub(super) path: Vec<String>,
    /// Whether the tests of the last file are being listed.
    pub(super) in_tree: bool,
    /// Whose block is being read.
    pub(super) telling: Option<(String, String)>,
    pub(super) room: Room,
    pub(super) suites: Option<Sum>,
    pub(super) tests: Option<(Sum, u64)>,
}

#[derive(Debug)]
pub(super) struct File {
    pub(super) id: String,
    pub(super) has_passed: bool,
    pub(super) has_tree: bool,
}

impl Run {
    pub(super) fn begin(&mut self, id: &str, has_passed: bool, line: &Line<'_>) {
        self.flush();
        self.line = self.line.or(line.at());
        self.path.clear();
        self.in_tree = line.is_whole;
        // A file that failed is told again below the heading of all failures.
        let is_told = !has_passed && self.failed.contains(id);
        if !has_passed && !is_told && self.room.take(id) {
            self.failed.insert(id.to_owned());
        }
        self.file = id.to_owned();
        if !is_told && self.room.take(id) {
            self.files.push(File { id: id.to_owned(), has_passed, has_tree: false });
        }
    }

    /// A line of the tree: a group, or a test and its outcome.
    pub(super) fn tree(&mut self, line: &Line<'_>) {
        let text = line.trimmed();
        let (indent, name) = (line.indent(), text.trim_start());
        if name.is_empty() || indent < 2 {
            self.in_tree = false;
            return;
        }
        self.path.truncate(indent / 2 - 1);
        let Some((outcome, name, duration_ms)) = lines::test(name) else {
            self.path.push(name.to_owned());
            return;
        };
        let mut id = self.file.clone();
        for part in self.path.iter().map(String::as_str).chain([name]) {
            id.push_str(INSIDE);
            id.push_str(&part.replace(" › ", INSIDE));
        }
        let mut case = Case::new(id, line.believe(outcome));
        case.duration_ms = duration_ms;
        self.listed.push(case, line.at());
        if let Some(file) = self.files.last_mut() {
            file.has_tree = true;
        }
    }

    /// `  ● group › test`
    pub(super) fn block(&mut self, title: &str, line: &Line<'_>) {
        self.flush();
        self.in_tree = false;
        if self.file.is_empty() || title.starts_with(' ') || !line.is_whole {
            return;
        }
        let id = match title {
            "Test suite failed to run" => self.file.clone(),
            _ => format!("{}{INSIDE}{}", self.file, title.replace(" › ", INSIDE)),
        };
        self.telling = Some((id, String::new()));
    }

    pub(super) fn tell(&mut self, line: &Line<'_>) {
        if let Some((_, text)) = &mut self.telling
            && text.len() < 1024
            && !(text.is_empty() && line.trimmed().is_empty())
        {
            text.push_str(line.text.trim());
            text.push('\n');
        }
    }

    pub(super) fn flush(&mut self) {
        if let Some((id, text)) = self.telling.take()
            && self.room.take(&id)
        {
            self.listed.tell(id.clone(), text);
            self.blocks.insert(id);
        }
    }

    /// Where tests are not listed, those that failed are named by their blocks.
    pub(super) fn name_blocks(&mut self) {
        let failed: Vec<String> = {
            let known: BTreeSet<&str> = self.listed.ids().collect();
            let files: BTreeSet<&str> = self.files.iter().map(|file| file.id.as_str()).collect();
            let new = |id: &&String| !known.contains(id.as_str()) && !files.contains(id.as_str());
            self.blocks.iter().filter(new).cloned().collect()
        };
        for id in failed {
            self.listed.push(Case::new(id, Outcome::Failed), self.line);
        }
    }

    /// Files that could not be run.
    pub(super) fn broken(&self) -> Vec<Case> {
        let broken = self.files.iter().filter(|file| self.blocks.contains(&file.id));
        broken
            .map(|file| {
                let mut case = Case::new(&file.id, Outcome::Errored);
                case.message = self.listed.message(&file.id).map(str::to_owned);
                case
            })
            .collect()
    }
}
