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
const OUR_BRANCHES: &str = "refs/heads/countersign/";

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
    let mut told = Vec::new();
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
    // A driver that was killed may have kept something and not come to say so.
    let is_kept =
        |sort: Sort, sides: &[Option<&Obeyed>; 2]| sort == Sort::Own && sides[0].is_none();
    let said = |one: Option<&Obeyed>| one.map(|one| one.said.clone());
    let each =
        all.into_iter().filter(|((sort, _), sides)| differs(sides) && !is_kept(*sort, sides));
    each.map(|((sort, name), [old, new])| {
        let (before, mut after) = (said(old), said(new));
        if before == after {
            // What is told of both is the same: of what is long or secret, only that it is another.
            after = after.map(|said| format!("another: {said}"));
        }
        Outside { sort, name: name.to_owned(), before, after }
    })
    .collect()
}

/// Whether people want to know of it. What git fetches, and branches that other runs make, is no news.
fn is_told(moved: Moved<'_>) -> bool {
    let is_passing = PASSING.iter().any(|prefix| moved.name.starts_with(prefix));
    let is_ours = moved.name.starts_with(OUR_BRANCHES) && moved.before.is_none();
    !is_passing && !is_ours
}

fn of_reference(sort: Sort, moved: Moved<'_>) -> Outside {
    let said = |name: &str| name.strip_prefix("ref: ").map_or_else(|| cut_id(name), str::to_owned);
    let (before, after) = (moved.before.map(said), moved.after.map(said));
    Outside { sort, name: moved.name.to_owned(), before, after }
}

fn cut_id(id: &str) -> String {
    id.chars().take(12).collect()
}

fn plain(sort: Sort, name: String) -> Outside {
    Outside { sort, name, before: None, after: None }
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
mod tests {
    use super::*;

    fn mark(sort: Sort, name: &str, said: &str) -> Obeyed {
        let digest = Digest::of(said.as_bytes());
        Obeyed { sort, name: name.to_owned(), digest, said: said.to_owned() }
    }

    fn print(obeyed: &[Obeyed], refs: &[(&str, &str)]) -> Fingerprint {
        let refs = refs.iter().map(|(name, at)| ((*name).to_owned(), (*at).to_owned())).collect();
        Fingerprint { obeyed: obeyed.to_vec(), refs, ..Fingerprint::default() }
    }

    /// What differs, in words, each with whether a person is asked.
    #[track_caller]
    fn check(before: &Fingerprint, after: &Fingerprint, pushed: &[&str], expected: &[&str]) {
        let pushed: Vec<String> = pushed.iter().map(|name| (*name).to_owned()).collect();
        let found = compare(before, after, &pushed);
        let words = |one: &Outside| {
            format!("{} {one}", if one.sort.is_asked_about() { "ask:" } else { "tell:" })
        };
        assert_eq!(found.iter().map(words).collect::<Vec<_>>(), expected);
    }

    /// G46: settings that run programs or change what is seen count; those that commands write don't.
    #[test]
    fn settings_that_count() {
        for key in [
            "core.hookspath",
            "core.fsmonitor",
            "core.editor",
            "core.sshcommand",
            "filter.x.clean",
            "alias.st",
            "include.path",
            "includeif.gitdir:/x.path",
            "credential.helper",
            "diff.external",
            "merge.x.driver",
            "remote.origin.uploadpack",
            "submodule.a.update",
            "gc.recentobjectshook",
            "lfs.customtransfer.x.path",
            "pager.log",
            "url.https://x/.insteadof",
        ] {
            assert!(is_obeyed(key), "{key}");
        }
        for key in [
            "branch.main.remote",
            "remote.origin.url",
            "remote.origin.fetch",
            "maintenance.auto",
            "gc.auto",
            "user.name",
            "core.commitgraph",
            "submodule.a.url",
            "lfs.https://x/info/lfs.access",
        ] {
            assert!(!is_obeyed(key), "{key}");
        }
    }

    /// G46: what is obeyed is asked about, with before and after.
    #[test]
    fn what_is_obeyed_is_asked_about() {
        let hook = |said| mark(Sort::Hook, "hooks/pre-commit", said);
        let key = mark(Sort::Setting, "core.hookspath", "/x");
        let none = print(&[], &[]);
        check(&none, &none, &[], &[]);
        let words = "ask: git's setting core.hookspath went from nothing to /x";
        check(&none, &print(std::slice::from_ref(&key), &[]), &[], &[words]);
        let words = "ask: the hook hooks/pre-commit went from 3 bytes to nothing";
        check(&print(&[hook("3 bytes")], &[]), &none, &[], &[words]);
        let mut other = hook("3 bytes");
        other.digest = Digest::of(b"other");
        let words = "ask: the hook hooks/pre-commit went from 3 bytes to another: 3 bytes";
        check(&print(&[hook("3 bytes")], &[]), &print(&[other], &[]), &[], &[words]);
    }

    /// G46: what a run has kept is not moved by anybody; what is kept meanwhile is its own.
    #[test]
    fn what_a_run_kept_stays() {
        let kept = |said| print(&[mark(Sort::Own, "refs/countersign/runs/x/attempt-1", said)], &[]);
        let none = print(&[], &[]);
        check(&none, &kept("aa"), &[], &[]);
        let own = "ask: our own reference refs/countersign/runs/x/attempt-1 went from aa to";
        check(&kept("aa"), &kept("bb"), &[], &[&format!("{own} bb")]);
        check(&kept("aa"), &none, &[], &[&format!("{own} nothing")]);
    }

    /// G46: references of the user are told, unless they came to what the agent made.
    #[test]
    fn references_are_told() {
        let old = print(&[], &[("HEAD", "ref: refs/heads/main"), ("refs/heads/main", "aa")]);
        let new = print(
            &[],
            &[
                ("HEAD", "ref: refs/heads/other"),
                ("refs/heads/main", "bb"),
                ("refs/heads/countersign/x", "cc"),
                ("refs/remotes/origin/main", "dd"),
                ("refs/prefetch/remotes/origin/main", "dd"),
            ],
        );
        let head = "tell: HEAD went from refs/heads/main to refs/heads/other";
        let main = "tell: refs/heads/main went from aa to bb";
        check(&old, &new, &[], &[head, main]);
        let pushed = "ask: refs/heads/main went from aa to bb, a commit that was made in the agent's \
                      own checkout";
        check(&old, &new, &["refs/heads/main"], &[pushed, head]);
        let gone = "tell: refs/heads/main went from aa to nothing";
        check(&old, &print(&[], &[("HEAD", "ref: refs/heads/main")]), &[], &[gone]);
    }

    /// G46: what the index hides is asked about, what is staged or edited is told.
    #[test]
    fn files_and_index() {
        let set = |paths: &[&str]| Some(paths.iter().map(|path| (*path).to_owned()).collect());
        let files = |files: &[(&str, &str)]| {
            let own = |(path, stat): &(&str, &str)| ((*path).to_owned(), (*stat).to_owned());
            Some(files.iter().map(own).collect())
        };
        let old = Fingerprint {
            hidden: set(&["a"]),
            index: Some(Digest::of(b"1")),
            files: files(&[("a", "1"), ("b", "1")]),
            ..Fingerprint::default()
        };
        let new = Fingerprint {
            hidden: set(&["b"]),
            index: Some(Digest::of(b"2")),
            files: files(&[("b", "2"), ("c", "1")]),
            ..Fingerprint::default()
        };
        let words = [
            "ask: git was told not to look at b any more",
            "tell: what is staged changed",
            "tell: files were changed: b, c",
        ];
        check(&old, &new, &[], &words);
        check(&old, &Fingerprint::default(), &[], &[]);
    }

    /// PL-01: a fingerprint that was stored once can be read for ever.
    #[test]
    fn a_stored_fingerprint_is_read() {
        let digest = Digest::of(b"x");
        let stored = format!(
            r#"{{"obeyed":[{{"sort":"hook","name":"hooks/x","digest":"{digest}","said":"1 byte"}}],"refs":{{"HEAD":"ref: refs/heads/main"}},"hidden":["a"],"index":"{digest}","files":{{"a":"gone"}}}}"#
        );
        let read: Fingerprint = serde_json::from_str(&stored).unwrap();
        assert_eq!((read.obeyed.len(), read.refs.len()), (1, 1));
        assert_eq!(serde_json::to_string(&read).unwrap(), stored);
        let least = r#"{"obeyed":[],"refs":{}}"#;
        assert_eq!(serde_json::from_str::<Fingerprint>(least).unwrap(), Fingerprint::default());
    }

    /// Of very many differences, some are named and the rest is counted.
    #[test]
    fn many_are_counted() {
        let all: Vec<Obeyed> =
            (0..40).map(|n| mark(Sort::Hook, &format!("h{n:02}"), "1 byte")).collect();
        let found = compare(&print(&[], &[]), &print(&all, &[]), &[]);
        assert_eq!(found.len(), MOST);
        assert_eq!(found.last().unwrap().name, "h29 (and 10 more)");
    }
}
