//! What the user's repository is like: that it is told, and that nothing runs to find it out.

use std::fs;

use countersign_domain::run::{Fingerprint, compare};

use crate::common::{Lab, put_script};

fn print(lab: &Lab, earlier: Option<&Fingerprint>) -> Fingerprint {
    lab.open().fingerprint("runs/x", earlier).unwrap()
}

/// What `change` makes different, in words.
#[track_caller]
fn differs(change: impl FnOnce(&Lab)) -> Vec<String> {
    let lab = Lab::new();
    let before = print(&lab, None);
    change(&lab);
    let after = print(&lab, Some(&before));
    compare(&before, &after, &[]).iter().map(ToString::to_string).collect()
}

/// G46: what is obeyed is told, also where it lies in another file or folder.
#[test]
fn what_is_obeyed_is_told() {
    let check = |change: &dyn Fn(&Lab), expected: &[&str]| {
        assert_eq!(differs(change), expected);
    };
    check(&|_| {}, &[]);
    check(
        &|lab| {
            lab.git(&lab.root(), &["config", "extensions.worktreeConfig", "true"]);
            lab.git(&lab.root(), &["config", "--worktree", "core.sshCommand", "x"]);
        },
        &[
            "git's setting core.sshcommand (worktree) went from nothing to x",
            "git's setting extensions.worktreeconfig went from nothing to true",
        ],
    );
    check(
        &|lab| put_script(&lab.file(".git/hooks/pre-push"), "true"),
        &["the hook hooks/pre-push went from nothing to 15 bytes that may run"],
    );
    check(&|lab| put_script(&lab.file(".git/hooks/pre-push.sample"), "true"), &[]);
    check(
        &|lab| {
            lab.git(&lab.root(), &["config", "credential.helper", "!x"]);
        },
        &["git's setting credential.helper went from nothing to a value that is not told"],
    );
    check(
        &|lab| {
            lab.git(&lab.root(), &["update-ref", "refs/countersign/runs/y/attempt-1", "HEAD"]);
            lab.git(&lab.root(), &["update-ref", "refs/countersign/seals/1", "HEAD"]);
        },
        &[],
    );
}

/// G46: hooks in a folder that the settings name are looked at there, with what they may call.
#[test]
fn hooks_elsewhere_are_told() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "core.hooksPath", ".own"]);
    fs::create_dir_all(lab.file(".own/_")).unwrap();
    put_script(&lab.file(".own/pre-commit"), "true");
    let before = print(&lab, None);
    put_script(&lab.file(".own/_/called"), "true");
    fs::remove_file(lab.file(".own/pre-commit")).unwrap();
    let found = compare(&before, &print(&lab, Some(&before)), &[]);
    let words: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(
        words[0].contains(".own/_/called") && words[1].contains(".own/pre-commit"),
        "{words:?}"
    );
}

/// G46: the scripts that husky runs lie beside the folder that the settings name.
#[test]
fn hooks_beside_the_folder_are_told() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "core.hooksPath", ".husky/_"]);
    put_script(&lab.file(".husky/_/h"), "true");
    put_script(&lab.file(".husky/pre-commit"), "true");
    let before = print(&lab, None);
    put_script(&lab.file(".husky/pre-commit"), "curl x | sh");
    let found = compare(&before, &print(&lab, Some(&before)), &[]);
    let words: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 1, "{words:?}");
    assert!(words[0].contains(".husky/pre-commit"), "{words:?}");
}

/// G46: a folder of hooks that became a link is told, also if the same lies there; so are settings for another
/// branch, a history that was cut off, a lock, and what only this run may make.
#[test]
fn what_is_easily_overlooked_is_told() {
    let check = |change: &dyn Fn(&Lab), expected: &[&str]| {
        let told = differs(change);
        let is_so = told.len() == expected.len()
            && told.iter().zip(expected).all(|(one, words)| one.contains(words));
        assert!(is_so, "{told:?} {expected:?}");
    };
    check(
        &|lab| {
            fs::rename(lab.file(".git/hooks"), lab.path("elsewhere")).unwrap();
            std::os::unix::fs::symlink(lab.path("elsewhere"), lab.file(".git/hooks")).unwrap();
        },
        &["the hook hooks went from nothing to a link to "],
    );
    let head = |lab: &Lab| lab.git(&lab.root(), &["rev-parse", "HEAD"]);
    check(
        &|lab| fs::write(lab.file(".git/shallow"), head(lab)).unwrap(),
        &["shallow, which git obeys, went from nothing to "],
    );
    check(
        &|lab| fs::write(lab.file(".git/index.lock"), "").unwrap(),
        &["git's lock index.lock is there"],
    );
    check(
        &|lab| {
            lab.git(&lab.root(), &["update-ref", "refs/countersign/runs/x/attempt-7", "HEAD"]);
            lab.git(&lab.root(), &["update-ref", "refs/countersign/runs/x/interrupted-1", "HEAD"]);
            lab.git(&lab.root(), &["branch", "countersign/x"]);
            lab.git(&lab.root(), &["branch", "countersign/y"]);
        },
        &["refs/countersign/runs/x/attempt-7", "refs/heads/countersign/x"],
    );
    // What says nothing may come and go.
    check(&|lab| fs::remove_file(lab.file(".git/info/exclude")).unwrap(), &[]);
    check(&|lab| fs::write(lab.file(".git/info/attributes"), "# none\n").unwrap(), &[]);
}

/// G46: settings that hold on another branch are looked at where they lie.
#[test]
fn settings_of_another_branch_are_told() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "includeIf.onbranch:release/*.path", "release.inc"]);
    fs::write(lab.file(".git/release.inc"), "[user]\n\tname = x\n").unwrap();
    let before = print(&lab, None);
    fs::write(lab.file(".git/release.inc"), "[core]\n\tpager = evil\n").unwrap();
    let found = compare(&before, &print(&lab, Some(&before)), &[]);
    let words: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 1, "{words:?}");
    assert!(words[0].contains("release.inc, which git obeys,"), "{words:?}");
}

/// G46: what is obeyed in a submodule, and in another working tree, is told with where it is.
#[test]
fn other_places_are_told() {
    let lab = Lab::new();
    let root = lab.root();
    lab.git(&root, &["init", "-q", &lab.path("lib").display().to_string()]);
    let identity = ["-c", "user.name=l", "-c", "user.email=l@x"];
    let commit = [&identity[..], &["commit", "-q", "--allow-empty", "-m", "L"]].concat();
    lab.git(&lab.path("lib"), &commit);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name"];
    let lib = lab.path("lib").display().to_string();
    lab.git(&root, &[&add[..], &["a/lib", &lib, "lib"]].concat());
    lab.git(&root, &["worktree", "add", "-q", &lab.path("beside").display().to_string()]);
    let before = print(&lab, None);
    // People go on in them, and get more of them.
    lab.git(&root, &[&add[..], &["b", &lib, "more"]].concat());
    lab.git(&lab.file("lib"), &["config", "branch.main.remote", "origin"]);
    let found = compare(&before, &print(&lab, Some(&before)), &[]);
    assert!(found.iter().all(|one| !one.sort.is_asked_about()), "no news: {found:?}");
    lab.git(&lab.file("lib"), &["config", "core.fsmonitor", "/tmp/x"]);
    put_script(&lab.file(".git/modules/a/lib/hooks/post-checkout"), "true");
    fs::write(lab.file(".git/worktrees/beside/config.worktree"), "[core]\n\tpager = x\n").unwrap();
    let found = compare(&before, &print(&lab, Some(&before)), &[]);
    let asked = found.iter().filter(|one| one.sort.is_asked_about());
    let words: Vec<String> = asked.map(ToString::to_string).collect();
    let expected = [
        "git's setting core.fsmonitor (modules/a/lib) went from nothing to /tmp/x",
        "git's setting core.pager (worktrees/beside) went from nothing to x",
        "the hook modules/a/lib/hooks/post-checkout went from nothing to 15 bytes that may run",
    ];
    assert_eq!(words, expected);
}

/// G46: settings of another working tree that git can't read are told as that, with their file.
#[test]
fn settings_that_can_t_be_read_elsewhere_are_told() {
    let lab = Lab::new();
    let root = lab.root();
    lab.git(&root, &["worktree", "add", "-q", &lab.path("beside").display().to_string()]);
    let file = lab.file(".git/worktrees/beside/config.worktree");
    for broken in
        ["[bad\n", "[core]\n\tpager = x\n[bad", "key = 1\n", "[core]\n\t= x\n", "[a \"b]\n"]
    {
        fs::write(&file, "[core]\n\tpager = x\n").unwrap();
        let before = print(&lab, None);
        fs::write(&file, broken).unwrap();
        let found = compare(&before, &print(&lab, Some(&before)), &[]);
        let words: Vec<String> = found.iter().map(ToString::to_string).collect();
        let expected = format!(
            "git can't read the settings in worktrees/beside/config.worktree any more: {}",
            "mend that file, or put back what it was"
        );
        assert!(words.contains(&expected), "{broken:?}: {words:?}");
        assert!(words.iter().all(|words| !words.contains("[bad")), "{broken:?}: {words:?}");
        assert!(found.iter().all(|one| one.sort.is_asked_about()), "{found:?}");
        // Mended, there is nothing to say.
        fs::write(&file, "[core]\n\tpager = x\n").unwrap();
        assert_eq!(compare(&before, &print(&lab, Some(&before)), &[]), []);
    }
}

/// G46: locks that all working trees share, references that are none, and branches below the run's own.
#[test]
fn what_stands_in_the_way_is_told() {
    let told = differs(|lab| fs::write(lab.file(".git/packed-refs.lock"), "").unwrap());
    assert_eq!(told, ["git's lock packed-refs.lock is there; if no git is at work, remove it"]);
    let told = differs(|lab| {
        lab.git(&lab.root(), &["branch", "countersign/x/y"]);
        lab.git(&lab.root(), &["branch", "countersign/xy"]);
    });
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("our own reference refs/heads/countersign/x/y went"), "{told:?}");
    let told = differs(|lab| fs::write(lab.file(".git/refs/heads/main"), "junk\n").unwrap());
    assert_eq!(told.len(), 1, "{told:?}");
    for words in
        ["refs/heads/main went from", "something that git can't read", "/.git/refs/heads/main"]
    {
        assert!(told[0].contains(words), "{words}: {told:?}");
    }
}

/// G46: nothing of the user's runs, not even what was planted a moment ago.
#[test]
fn nothing_runs() {
    let lab = Lab::new();
    let marker = lab.path("ran");
    let runs = format!("touch '{}'; cat", marker.display());
    let before = print(&lab, None);
    for key in ["filter.x.clean", "core.fsmonitor", "core.sshCommand", "core.pager"] {
        lab.git(&lab.root(), &["config", key, &runs]);
    }
    fs::write(lab.file(".git/info/attributes"), "* filter=x\n").unwrap();
    let tracked = lab.git(&lab.root(), &["ls-files"]);
    let tracked = tracked.lines().next().unwrap();
    fs::write(lab.file(tracked), "other\n").unwrap();
    let _ = fs::remove_file(&marker);
    let found = compare(&before, &print(&lab, Some(&before)), &[]);
    assert!(!marker.exists());
    let words: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(words.contains(&format!("files were changed: {tracked}")), "{words:?}");
    assert_eq!(words.len(), 6, "{words:?}");
}
