//! What counts, what is asked about and what is only told.

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
    let named = |name: &str, said: &str| {
        print(&[mark(Sort::Own, &format!("refs/countersign/runs/x/{name}"), said)], &[])
    };
    let kept = |said: &str| named("attempt-1", said);
    let none = print(&[], &[]);
    check(&none, &named("interrupted-1", "aa"), &[], &[]);
    let own = "ask: our own reference refs/countersign/runs/x/attempt-1 went from";
    check(&none, &kept("aa"), &[], &[&format!("{own} nothing to aa")]);
    check(&kept("aa"), &kept("bb"), &[], &[&format!("{own} aa to bb")]);
    check(&kept("aa"), &none, &[], &[&format!("{own} aa to nothing")]);
}

/// G46: a lock that is left behind is told, and stops nothing; where a history is cut off is asked about,
/// and not that the rest of it came.
#[test]
fn locks_and_shallow_histories() {
    let with = |sort, name| print(&[mark(sort, name, "1 line")], &[]);
    let (none, lock) = (print(&[], &[]), with(Sort::Lock, "index.lock"));
    let words = "tell: git's lock index.lock is there; if no git is at work, remove it";
    check(&none, &lock, &[], &[words]);
    check(&lock, &none, &[], &[]);
    let shallow = with(Sort::File, "shallow");
    let words = "ask: shallow, which git obeys, went from nothing to 1 line";
    check(&none, &shallow, &[], &[words]);
    check(&shallow, &none, &[], &[]);
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
