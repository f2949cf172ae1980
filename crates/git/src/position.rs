//! Where a working tree stands in the history: commit, branch, stash, an unfinished operation.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use countersign_domain::id::{Digest, ObjectId};
use countersign_domain::snapshot::{Operation, PathText, Position, Said, Setting, Step};

use crate::discover::{as_path, read};
use crate::error::Error;
use crate::repository::Repository;

/// No more than this of a reflog is looked at: the newest part.
const MOST_LOG: u64 = 1 << 20;

/// What `HEAD` stands for.
enum Stand {
    Branch(PathText),
    Commit(ObjectId),
}

impl Stand {
    fn branch(&self) -> Option<&PathText> {
        match self {
            Self::Branch(name) => Some(name),
            Self::Commit(_) => None,
        }
    }
}

/// Where a working tree stood.
pub(crate) struct Stood {
    pub(crate) position: Position,
    /// What the commit holds, where that was told along with it.
    pub(crate) tree: Option<ObjectId>,
    pub(crate) replaced: Vec<Setting>,
}

impl Repository {
    /// Where the working tree with this git directory stands, and which objects are replaced.
    pub(crate) fn position(&self, git_dir: &Path) -> Result<Stood, Error> {
        let stand = self.stand(git_dir)?;
        let reference = stand.branch().map(|name| [b"refs/heads/", name.as_bytes()].concat());
        let ask = |format: &str| {
            let git = self.git_at(git_dir).args(["for-each-ref", format, "refs/stash"]);
            git.arg("refs/replace/").args(reference.iter().map(|name| as_path(name))).output()
        };
        // Where an object is missing, git does not look into any.
        let said = ask("--format=%(objectname) %(refname)%00%(tree)")
            .or_else(|_| ask("--format=%(objectname) %(refname)"))?;
        let (mut head, mut tree, mut stash, mut replaced) = (None, None, None, Vec::new());
        for line in said.split(|byte| *byte == b'\n') {
            let (line, its_tree) = line.split_once_byte(0).unwrap_or((line, b""));
            let Some((object, name)) = line.split_once_byte(b' ') else { continue };
            if name == b"refs/stash" {
                stash = as_object(object);
            } else if Some(name) == reference.as_deref() {
                head = as_object(object);
                tree = as_object(its_tree);
            } else if let Some(name) = name.strip_prefix(b"refs/replace/") {
                let name = PathText::new([b"replaced ", name].concat());
                let by = Said { at: None, text: Some(PathText::new(object)) };
                replaced.push(Setting { name, digest: Digest::of(object), said: vec![by] });
            }
        }
        let (head, branch) = match stand {
            Stand::Commit(commit) => (Some(commit), None),
            Stand::Branch(name) if head.is_some() => (head, Some(name)),
            // Before the first commit; or is the branch broken?
            Stand::Branch(name) => (self.peel_at(git_dir, "HEAD^{commit}")?, Some(name)),
        };
        let operation = operation(git_dir);
        let log = log_lines(git_dir).last().map(|line| Digest::of(line));
        let position = Position { head, branch, stash, operation, log };
        Ok(Stood { position, tree, replaced })
    }

    fn stand(&self, git_dir: &Path) -> Result<Stand, Error> {
        let text = read(&git_dir.join("HEAD"))?.unwrap_or_default();
        if let Some(branch) = text.trim_ascii_end().strip_prefix(b"ref: refs/heads/")
            // What stands there where references are kept in another way.
            && branch != b".invalid"
        {
            return Ok(Stand::Branch(PathText::new(branch)));
        }
        let outcome = self.git_at(git_dir).args(["symbolic-ref", "--quiet", "HEAD"]).outcome()?;
        let name = outcome.stdout.trim_ascii_end();
        if let Some(branch) = name.strip_prefix(b"refs/heads/") {
            return Ok(Stand::Branch(PathText::new(branch)));
        }
        let asked = ["rev-parse", "--verify", "HEAD^{commit}"];
        self.git_at(git_dir).args(asked).object().map(Stand::Commit)
    }

    /// The commit that a repository inside of the working tree stands on, if any. What it is
    /// configured to run does not run because of this question.
    pub(crate) fn head_inside(&self, folder: &Path) -> Option<ObjectId> {
        let layout = crate::discover::at(folder).ok()??;
        let asked = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        self.git_at(&layout.git_dir).args(asked).object().ok()
    }

    /// The tree of the commit that the repository in `folder` stands on; `None` if there is none.
    pub fn committed_inside(&self, folder: &Path) -> Option<ObjectId> {
        let layout = crate::discover::at(folder).ok()??;
        let asked = ["rev-parse", "--verify", "--quiet", "HEAD^{tree}"];
        self.git_at(&layout.git_dir).args(asked).object().ok()
    }
}

/// What git is in the middle of, told from the files that it leaves for itself.
pub(crate) fn operation(git_dir: &Path) -> Option<Operation> {
    let is_there = |name: &str| fs::symlink_metadata(git_dir.join(name)).is_ok();
    [
        ("rebase-merge", Operation::Rebase),
        ("rebase-apply/applying", Operation::Apply),
        ("rebase-apply", Operation::Rebase),
        ("MERGE_HEAD", Operation::Merge),
        ("CHERRY_PICK_HEAD", Operation::CherryPick),
        ("REVERT_HEAD", Operation::Revert),
        ("BISECT_LOG", Operation::Bisect),
    ]
    .into_iter()
    .find(|(name, _)| is_there(name))
    .map(|(_, operation)| operation)
}

/// The newest lines of the reflog of `HEAD`, oldest first; none when there is no such file.
fn log_lines(git_dir: &Path) -> Vec<Vec<u8>> {
    let path = git_dir.join("logs/HEAD");
    if !fs::metadata(&path).is_ok_and(|found| found.is_file()) {
        return Vec::new();
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let len = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(len.saturating_sub(MOST_LOG)))?;
        file.take(MOST_LOG).read_to_end(&mut bytes)
    });
    if read.is_err() {
        return Vec::new();
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// What the reflog of `HEAD` says since the recorded position; `None` when it does not know it.
pub(crate) fn steps_since(git_dir: &Path, recorded: &Position) -> Option<Vec<Step>> {
    let lines = log_lines(git_dir);
    let known = |line: &Vec<u8>| recorded.log == Some(Digest::of(line));
    let at_head = |line: &Vec<u8>| step(line).is_some_and(|step| Some(step.to) == recorded.head);
    let at = lines.iter().rposition(known).or_else(|| {
        // Old lines go away with time; the commit itself is the next best mark.
        recorded.log.and_then(|_| lines.iter().rposition(at_head))
    });
    match (at, recorded.log) {
        (Some(at), _) => Some(lines[at + 1..].iter().filter_map(|line| step(line)).collect()),
        // There was no reflog line yet: everything is new.
        (None, None) if recorded.head.is_none() => {
            Some(lines.iter().filter_map(|line| step(line)).collect())
        }
        _ => None,
    }
}

/// Reads `<old> <new> <who> <when> <zone>\t<message>`.
fn step(line: &[u8]) -> Option<Step> {
    let (facts, message) = line.split_once_byte(b'\t').unwrap_or((line, b""));
    let mut parts = facts.split(|byte| *byte == b' ');
    let (from, to) = (parts.next()?, parts.next()?);
    let is_nothing = |object: &[u8]| object.iter().all(|byte| *byte == b'0');
    // A branch that is renamed under `HEAD` goes and comes back.
    if is_nothing(to) {
        return None;
    }
    let from = if is_nothing(from) { None } else { Some(as_object(from)?) };
    Some(Step { from, to: as_object(to)?, message: PathText::new(message) })
}

pub(crate) fn as_object(text: &[u8]) -> Option<ObjectId> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// Splitting bytes as texts can be split.
pub(crate) trait SplitOnce {
    fn split_once_byte(&self, at: u8) -> Option<(&[u8], &[u8])>;
}

impl SplitOnce for [u8] {
    fn split_once_byte(&self, at: u8) -> Option<(&[u8], &[u8])> {
        let at = self.iter().position(|byte| *byte == at)?;
        Some((&self[..at], &self[at + 1..]))
    }
}
