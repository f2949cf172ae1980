//! What programs obey besides the files, and what becomes of a lost cache.

use std::fs;

use countersign_domain::snapshot::How;
use countersign_git::Look;

use crate::common::put;
use crate::scene::{Scene, told};

#[track_caller]
fn check(script: &str, expected: &[&str]) {
    let scene = Scene::recorded();
    scene.sh(script);
    let drift = scene.drift();
    assert_eq!(told(&drift), expected, "{script}");
    assert!(!drift.is_none(), "{script}");
    assert!(drift.settings.iter().all(|setting| !setting.words().is_empty()));
}

/// CX-10: hooks and configuration that were planted.
#[test]
fn planted_settings_are_told() {
    check(
        "mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
        &["setting hooks/pre-commit"],
    );
    check(
        "mkdir ../h && echo x > ../h/post-checkout && git config core.hooksPath ../h",
        &["setting config core.hookspath", "setting hooks/post-checkout"],
    );
    check("git config diff.external /bin/true", &["setting config diff.external"]);
    check("git config include.path ../../evil", &["setting config include.path"]);
    check("git config --global core.fsmonitor true", &["setting config core.fsmonitor"]);
    check("mkdir ../w && git config core.worktree ../../w", &["setting config core.worktree"]);
    check("echo '* -diff' > .git/info/attributes", &["setting info/attributes"]);
    check(
        "mkdir -p ~/.config/git && echo '* -diff' > ~/.config/git/attributes",
        &["setting the user's attributes"],
    );
    check("git update-index --assume-unchanged b.txt", &["setting marks in the index"]);
    check(
        "mkdir ../o && echo \"$PWD/../o\" > .git/objects/info/alternates",
        &["setting objects/info/alternates"],
    );
}

/// CX-10: a file outside of the repository that Python reads at every start.
#[test]
fn planted_files_at_home_are_told() {
    let site = "~/.local/lib/python3.11/site-packages";
    check(
        &format!("mkdir -p {site} && echo 'import evil' > {site}/x.pth"),
        &["setting ~/.local/lib/python3.11/site-packages/x.pth"],
    );
}

/// CX-10: objects that were replaced change nothing that we see, and are told.
#[test]
fn replaced_objects_are_told() {
    let scene = Scene::recorded();
    let old = scene.git(&["rev-parse", "HEAD:b.txt"]);
    scene.sh("echo other | git hash-object -w --stdin > ../new");
    let new = fs::read_to_string(scene.lab.path("new")).unwrap();
    scene.git(&["replace", &old, new.trim()]);
    assert_eq!(scene.told(), [format!("setting replaced {old}")]);
}

/// CX-10: a cache that is lost or was changed is never a pass: everything is read instead.
#[test]
fn a_lost_cache_means_a_full_look() {
    for forged in [None, Some(&b"nonsense"[..])] {
        let scene = Scene::recorded();
        match forged {
            None => fs::remove_file(scene.cache()).unwrap(),
            Some(bytes) => fs::write(scene.cache(), bytes).unwrap(),
        }
        assert_eq!(scene.told(), ["note cache lost"]);
        scene.sh("echo x >> b.txt; rm new.txt; echo 1 > c; echo 2 > .env; ln -sfn b.txt link; chmod +x a.txt");
        let found = scene.try_compare(Look::Cached).unwrap();
        assert_eq!(found.how, How::CacheLost { beside_same: false });
        let expected = [
            "edited .env",
            "chmod a.txt",
            "edited b.txt",
            "added c",
            "edited link",
            "removed new.txt",
            "note beside changed",
        ];
        assert_eq!(scene.told(), expected);
        let left = fs::read(scene.cache()).ok();
        assert_eq!(left.as_deref(), forged, "the cache was touched");
    }
}

/// CX-10: without the cache, what git does not record is known to have changed, not where.
#[test]
fn a_lost_cache_still_knows_of_permissions() {
    let scene = Scene::recorded();
    fs::remove_file(scene.cache()).unwrap();
    scene.sh("chmod 600 b.txt");
    assert_eq!(scene.told(), ["note beside changed"]);
    assert!(!scene.drift().is_none());
}

/// CX-10: an old cache with another content is not believed, even if it is a real one.
#[test]
fn a_cache_of_another_moment_is_not_believed() {
    let mut scene = Scene::recorded();
    let old = fs::read(scene.cache()).unwrap();
    scene.write("b.txt", "later\n");
    scene.record();
    put(&scene.cache(), old);
    assert_eq!(scene.told(), ["note cache lost"]);
}
