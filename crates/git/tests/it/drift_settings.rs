//! What programs obey besides the files, and what becomes of a lost cache.

use std::fs;

use countersign_domain::secret::Scanner;
use countersign_domain::snapshot::{Exact, Here, How, SettingDrift};
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
    scene.mend(script);
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

/// CX-10: settings that were there and are others now, or gone, come back as they were.
#[test]
fn settings_come_back() {
    let before = "git config core.fileMode false && git config --add core.hooksPath ../h && \
                  git config filter.f.clean 'tr a b' && echo '*.txt -diff' > .git/info/attributes && \
                  git update-index --assume-unchanged b.txt && \
                  git replace $(git rev-parse HEAD:b.txt) $(git rev-parse HEAD:big.txt) && \
                  git config --global core.eol lf && git config --global --add filter.g.clean 'one' \
                  && git config --global --add filter.g.clean 'two words'";
    for (script, words) in [
        (
            "git config core.fileMode true",
            "the setting core.filemode was 'false' and is 'true' in ",
        ),
        ("git config --unset core.fileMode", "the setting core.filemode was 'false' in "),
        ("git config --global core.eol crlf", "the setting core.eol was 'lf' and is 'crlf' in "),
        ("git config --global --unset-all filter.g.clean", "filter.g.clean was 'one', 'two words'"),
        ("git config filter.f.smudge 'it is \\'", "filter.f.smudge is 'it is"),
        ("git config core.eol crlf", "the setting core.eol was 'lf' and is 'lf', 'crlf' in "),
        ("echo '* diff' > .git/info/attributes", ".git/info/attributes was changed; it says"),
        ("rm .git/info/attributes", ".git/info/attributes is gone"),
        (
            "git update-index --no-assume-unchanged b.txt",
            "git was told to look again at b.txt (assume-unchanged)",
        ),
        (
            "git update-index --skip-worktree big.txt a.txt",
            "git was told not to look at a.txt (skip-worktree) and big.txt (skip-worktree)",
        ),
        ("git replace -d $(git rev-parse HEAD:b.txt)", "git no longer shows '"),
        (
            "git replace -f $(git rev-parse HEAD:b.txt) $(git rev-parse HEAD:run.sh)",
            "(git replace)",
        ),
    ] {
        let mut scene = Scene::new();
        scene.sh(before);
        scene.record();
        scene.sh(script);
        let told: Vec<String> = scene.drift().settings.iter().map(SettingDrift::words).collect();
        assert!(told.iter().any(|told| told.contains(words)), "{script}: {told:?}");
        scene.mend(script);
    }
}

/// CX-10: marks that are too many to be named are taken away all the same.
#[test]
fn many_marks_are_taken_away() {
    let mut scene = Scene::new();
    scene.sh("mkdir many; for n in $(seq 90); do echo $n > \"many/a $n\"; done; git add -A; git commit -qm many");
    scene.record();
    scene.sh("git ls-files -z many | git update-index -z --skip-worktree --stdin; rm many/*1");
    let words = scene.drift().settings[0].words();
    assert!(words.contains("and many more files"), "{words}");
    scene.mend("many marks");
}

/// CX-10: what looks like a secret, or is long, is not kept, and a person is told so.
#[test]
fn secrets_in_settings_are_not_kept() {
    let mut scene = Scene::new();
    let token = Scanner::builtin().example("github-pat", 7).unwrap();
    let long = "x".repeat(1000);
    scene.sh(&format!("git config custom.token {token}; echo '{long}' > .git/info/attributes"));
    let text = serde_json::to_string(&scene.record()).unwrap();
    assert!(!text.contains(&token) && !text.contains(&long));
    scene.sh("git config --unset custom.token; rm .git/info/attributes");
    let by_hand = scene.drift().remedies(scene.last(), &Here::default(), &Exact::default()).by_hand;
    assert!(by_hand[0].starts_with("the setting custom.token in "), "{by_hand:?}");
    assert!(by_hand[1].contains("/.git/info/attributes: bring it back"), "{by_hand:?}");
    scene.mend("secrets");
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
    let words = scene.drift().settings[0].words();
    assert_eq!(words, format!("git shows '{}' for the object {old} (git replace)", new.trim()));
    scene.mend("git replace");
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
