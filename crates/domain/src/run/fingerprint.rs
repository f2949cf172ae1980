//! What the user's own repository is like at one moment, and what differs at another.
//!
//! It is taken before an agent starts and again when it has ended. The first is on the record with the start,
//! so that whoever goes on after a crash compares with the same.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::outside::{Outside, Sort};
use crate::id::Digest;

/// `HEAD` among the references.
pub const HEAD: &str = "HEAD";
/// The most differences that are kept of either kind.
const MOST: usize = 30;
/// How many files are named.
const NAMED: usize = 5;

/// Sections of git's configuration that commands of its users write, and that make nothing run.
const HARMLESS: &[&str] = &[
    "advice",
    "author",
    "blame",
    "branch",
    "color",
    "column",
    "commit",
    "committer",
    "completion",
    "fetch",
    "format",
    "gc",
    "grep",
    "gui",
    "help",
    "index",
    "init",
    "log",
    "maintenance",
    "notes",
    "pack",
    "pull",
    "push",
    "rebase",
    "remote",
    "repack",
    "rerere",
    "safe",
    "showbranch",
    "stash",
    "submodule",
    "svn-remote",
    "tag",
    "user",
    "versionsort",
];

/// The same in the section `core`.
const HARMLESS_CORE: &[&str] = &[
    "abbrev",
    "bigfilethreshold",
    "commentchar",
    "commitgraph",
    "compression",
    "deltabasecachelimit",
    "logallrefupdates",
    "loosecompression",
    "multipackindex",
    "notesref",
    "packedgitlimit",
    "packedgitwindowsize",
    "preloadindex",
    "quotepath",
    "splitindex",
    "untrackedcache",
    "warnambiguousrefs",
    "whitespace",
];

/// What names a program, or hides changes, in a section that is harmless else.
const TELLING: &[&str] =
    &["uploadpack", "receivepack", "vcs", "proxy", "update", "ignore", "recentobjectshook"];

/// What git-lfs notes for itself.
const OF_LFS: &[&str] = &["access", "locksverify", "repositoryformatversion"];

/// References that come and go with what git does for its user.
const PASSING: &[&str] =
    &["refs/remotes/", "refs/prefetch/", "refs/bisect/", "refs/rewritten/", "refs/worktree/"];
/// Branches that runs make.
pub const OUR_BRANCHES: &str = "refs/heads/countersign/";
/// What a run keeps of an attempt that was cut off or cancelled.
const OF_CUT_OFF: &[&str] = &["/interrupted-", "/cancelled"];
/// The file that says where a history is cut off.
pub const SHALLOW: &str = "shallow";

/// What a reference says whose file git can't read; the file comes after it.
pub const UNREADABLE: &str = "something that git can't read; put back what it was, or remove ";

/// What the user's repository is like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// What git obeys, and what only we may change.
    pub obeyed: Vec<Obeyed>,
    /// What each reference names, `HEAD` among them.
    pub refs: BTreeMap<String, String>,
    /// Files that the index tells git not to look at; nothing where there are too many to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<BTreeSet<String>>,
    /// What is staged; nothing where that can't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Digest>,
    /// Tracked files that are not as git last saw them, with what the system says of each; nothing where
    /// there are too many to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, String>>,
}

/// Something that is obeyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obeyed {
    pub sort: Sort,
    pub name: String,
    pub digest: Digest,
    /// What it says, in short and without secrets.
    pub said: String,
}

/// A reference that is not where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved<'f> {
    pub name: &'f str,
    pub before: Option<&'f str>,
    pub after: Option<&'f str>,
}

/// Whether a setting of git makes programs run, or changes what git sees. Names are as git lists them.
pub fn is_obeyed(key: &str) -> bool {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let last = key.rsplit('.').next().unwrap_or_default();
    match section {
        "core" => !HARMLESS_CORE.contains(&rest),
        "lfs" => !OF_LFS.contains(&last),
        _ => !HARMLESS.contains(&section) || TELLING.contains(&last),
    }
}

/// The references that are not where they were.
pub fn moved<'f>(before: &'f Fingerprint, after: &'f Fingerprint) -> Vec<Moved<'f>> {
    let names: BTreeSet<&String> = before.refs.keys().chain(after.refs.keys()).collect();
    let one = |name: &'f String| Moved {
        name,
        before: before.refs.get(name).map(String::as_str),
        after: after.refs.get(name).map(String::as_str),
    };
    names.into_iter().map(one).filter(|moved| moved.before != moved.after).collect()
}

/// What differs. `pushed` are references that came to a commit of the agent's making.
pub fn compare(before: &Fingerprint, after: &Fingerprint, pushed: &[String]) -> Vec<Outside> {
    let mut asked = obeyed(before, after);
    if let (Some(old), Some(new)) = (&before.hidden, &after.hidden) {
        let fresh: Vec<&str> = new.difference(old).map(String::as_str).collect();
        asked.extend(named(&fresh).map(|name| plain(Sort::Hidden, name)));
    }
    let (mut asked, mut told): (Vec<Outside>, Vec<Outside>) =
        asked.into_iter().partition(|one| one.sort.is_asked_about());
    for one in moved(before, after) {
        if pushed.iter().any(|name| name == one.name) {
            asked.push(of_reference(Sort::Pushed, one));
        } else if is_told(one) {
            told.push(of_reference(Sort::Reference, one));
        }
    }
    if before.index.is_some() && after.index.is_some() && before.index != after.index {
        told.push(plain(Sort::Index, "the index".to_owned()));
    }
    if let (Some(old), Some(new)) = (&before.files, &after.files) {
        let changed = new.iter().filter(|(path, stat)| old.get(*path) != Some(*stat));
        let changed: Vec<&str> = changed.map(|(path, _)| path.as_str()).collect();
        told.extend(named(&changed).map(|name| plain(Sort::Files, name)));
    }
    cut(&mut asked);
    cut(&mut told);
    asked.extend(told);
    asked
}

fn obeyed(before: &Fingerprint, after: &Fingerprint) -> Vec<Outside> {
    let mut all: BTreeMap<(Sort, &str), [Option<&Obeyed>; 2]> = BTreeMap::new();
    for (side, print) in [before, after].into_iter().enumerate() {
        for one in &print.obeyed {
            all.entry((one.sort, &one.name)).or_default()[side] = Some(one);
        }
    }
    let differs = |sides: &[Option<&Obeyed>; 2]| {
        sides[0].map(|one| one.digest) != sides[1].map(|one| one.digest)
    };
    let is_no_news = |sort: Sort, name: &str, sides: &[Option<&Obeyed>; 2]| match sort {
        // A driver that was killed may have kept what was cut off and not come to say so.
        Sort::Own => sides[0].is_none() && OF_CUT_OFF.iter().any(|own| name.contains(own)),
        // Whoever fetches the rest of a history hides nothing, and a lock that is gone bars nobody.
        Sort::File if name == SHALLOW => sides[1].is_none(),
        Sort::Lock => sides[0].is_some(),
        Sort::Unreadable => sides[1].is_none(),
        _ => false,
    };
    let said = |one: Option<&Obeyed>| one.map(|one| one.said.clone());
    let each = all
        .into_iter()
        .filter(|((sort, name), sides)| differs(sides) && !is_no_news(*sort, name, sides));
    each.map(|((sort, name), [old, new])| {
        let (before, mut after) = (said(old), said(new));
        if before == after {
            // What is told of both is the same: of what is long or secret, only that it is another.
            after = after.map(|said| format!("another: {said}"));
        }
        Outside { sort, name: name.to_owned(), before, after, during: None }
    })
    .collect()
}

/// Whether people want to know of it. What git fetches, and branches that other runs make, is no news.
fn is_told(moved: Moved<'_>) -> bool {
    let is_passing = PASSING.iter().any(|prefix| moved.name.starts_with(prefix));
    let is_ours = moved.name.starts_with(OUR_BRANCHES) && moved.before.is_none();
    let is_unreadable = |side: Option<&str>| side.is_some_and(|said| said.starts_with(UNREADABLE));
    is_unreadable(moved.after) || !is_passing && !is_ours && !is_unreadable(moved.before)
}

fn of_reference(sort: Sort, moved: Moved<'_>) -> Outside {
    let said = |name: &str| match name.strip_prefix("ref: ") {
        Some(name) => name.to_owned(),
        None if name.starts_with(UNREADABLE) => name.to_owned(),
        None => cut_id(name),
    };
    let (before, after) = (moved.before.map(said), moved.after.map(said));
    Outside { sort, name: moved.name.to_owned(), before, after, during: None }
}

fn cut_id(id: &str) -> String {
    id.chars().take(12).collect()
}

fn plain(sort: Sort, name: String) -> Outside {
    Outside { sort, name, before: None, after: None, during: None }
}

/// Some of the names, and how many more there are; nothing if there are none.
fn named(names: &[&str]) -> Option<String> {
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        many if many > NAMED => Some(format!("{shown} and {} more", many - NAMED)),
        _ => Some(shown),
    }
}

fn cut(all: &mut Vec<Outside>) {
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    if let (Some(last), true) = (all.last_mut(), more > 0) {
        last.name += &format!(" (and {more} more)");
    }
}

#[cfg(test)]
mod tests;
