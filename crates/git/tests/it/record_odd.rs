//! Recording files that are odd: by name, by kind, by size, by what git makes of their bytes.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use countersign_domain::snapshot::{SpecialKind, Why, explain};
use countersign_git::{Error, Look};

use crate::common::{Lab, make_pipe, os, put, unprivileged};
use crate::record::check_truth;
use crate::scene::{Scene, told};

/// CX-09: names that are no text, have new lines, are long, or look like something else.
#[test]
fn odd_names_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    let long = "l".repeat(255);
    let names: [&[u8]; 10] = [
        b"not \xff text",
        b"two\nlines",
        b"\"quoted\"",
        b"back\\slash",
        b"tab\tname",
        b":(top)magic",
        b"-dash",
        b"sp ace ",
        "grün/日本".as_bytes(),
        long.as_bytes(),
    ];
    for name in names {
        put(&scene.worktree.join(os(name)), "1\n");
    }
    check_truth(&mut scene);
    for name in names {
        put(&scene.worktree.join(os(name)), "2\n");
    }
    let drift = scene.drift();
    assert_eq!(drift.files.len(), names.len(), "{:?}", scene.told());
    for name in names {
        assert!(drift.files.iter().any(|file| file.path.as_bytes() == name), "{name:?}");
    }
    let patch = scene.repository().patch_of(&drift.files, &scene.scratch()).unwrap();
    assert_eq!(patch.windows(3).filter(|part| *part == b"\n+2").count(), names.len());
    scene.mend("odd names");
}

/// CX-09: links to nowhere, to folders, to themselves are content and are not followed.
#[test]
fn links_are_not_followed() {
    let mut scene = Scene::of(Lab::new());
    let link = |to: &str, name: &str| symlink(to, scene.worktree.join(name)).unwrap();
    link("nowhere", "dangling");
    link("dir", "folder");
    link(".", "dir/loop");
    link("self", "self");
    link("/etc", "outside");
    check_truth(&mut scene);
    scene.sh("echo x >> dir/c.txt && rm self && ln -s other self");
    assert_eq!(scene.told(), ["edited dir/c.txt", "edited self"]);
    scene.mend("links");
}

/// CX-09: pipes, sockets and devices are named and hold nobody up.
#[test]
fn special_files_are_named() {
    let mut scene = Scene::of(Lab::new());
    make_pipe(&scene.worktree.join("pipe"));
    let _socket = UnixListener::bind(scene.worktree.join("dir/socket")).unwrap();
    let recorded = check_truth(&mut scene);
    let kinds: Vec<SpecialKind> = recorded.special.iter().map(|special| special.kind).collect();
    assert_eq!(kinds, [SpecialKind::Socket, SpecialKind::Pipe]);
    scene.sh("rm pipe dir/socket && echo 1 > dir/socket");
    assert_eq!(scene.told(), ["replaced dir/socket", "removed pipe"]);
}

/// CX-09: line endings that git converts, either way.
#[test]
fn converted_line_endings_are_recorded() {
    for settings in [
        "git config core.autocrlf true",
        "git config core.autocrlf input",
        "echo '* text=auto eol=crlf' > .gitattributes",
        "echo '*.txt text' > .gitattributes",
    ] {
        let mut scene = Scene::of(Lab::new());
        scene.sh(settings);
        scene.sh("printf '1\\r\\n2\\r\\n' > crlf.txt && printf '1\\n2\\n' > lf.txt && printf '1\\r\\n2\\n' > mixed.txt");
        check_truth(&mut scene);
        scene.sh("touch crlf.txt lf.txt mixed.txt a.txt");
        assert_eq!(scene.told(), Vec::<String>::new(), "{settings}");
        scene.sh("printf '1\\n2\\n' > crlf.txt && printf '1\\r\\n2\\r\\n' > lf.txt && printf '1\\n2\\r\\n' > mixed.txt");
        let expected = ["crlf", "lf", "mixed"].map(|name| format!("line endings only {name}.txt"));
        assert_eq!(scene.told(), expected, "{settings}");
        scene.sh("echo 3 >> lf.txt");
        assert_eq!(scene.told()[1], "edited lf.txt", "{settings}");
    }
}

/// CX-09: filters, such as those of large files, keep what they replace.
#[test]
fn filtered_files_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    scene.sh(
        "git config filter.upper.clean 'tr a-z A-Z' && git config filter.upper.smudge cat && \
         echo '*.up filter=upper' > .gitattributes && echo abc > x.up && git add -A && \
         git commit -qm filtered",
    );
    check_truth(&mut scene);
    scene.sh("touch x.up");
    assert_eq!(scene.told(), Vec::<String>::new());
    scene.sh("echo aBc > x.up");
    assert_eq!(scene.told(), ["before filters only x.up"]);
    scene.sh("echo abd > x.up");
    assert_eq!(scene.told(), ["edited x.up"]);
}

/// CX-09: pointers of large files whose program is missing are files like any other.
#[test]
fn pointers_without_their_program_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    scene.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    scene.write("x.bin", pointer);
    check_truth(&mut scene);
    scene.sh("sed -i 's/size 1/size 2/' x.bin");
    assert_eq!(scene.told(), ["edited x.bin"]);
}

/// CX-09: more ignored files than can be watched are said to be so.
#[test]
fn bounds_are_told() {
    let mut scene = Scene::of(Lab::new());
    scene.write(".gitignore", "data/\nfew/\nhuge\n");
    for number in 0..600 {
        scene.write(&format!("data/{number}"), "1\n");
    }
    scene.write("few/x", "1\n");
    let huge = fs::File::create(scene.worktree.join("huge")).unwrap();
    huge.set_len(64 << 20).unwrap();
    let recorded = scene.record();
    let beyond: Vec<(String, Why)> =
        recorded.beyond.iter().map(|beyond| (beyond.path.to_string(), beyond.why)).collect();
    assert_eq!(beyond, [("data".to_owned(), Why::TooMany), ("huge".to_owned(), Why::TooLarge)]);
    assert_eq!(scene.told(), ["note beyond", "note beyond"]);
    huge.set_len(65 << 20).unwrap();
    scene.write("few/x", "2\n");
    scene.write("data/1", "2\n");
    assert_eq!(scene.told(), ["edited few/x", "edited huge", "note beyond", "note beyond"]);
}

/// CX-09: a name that git refuses is watched, and said not to be stored.
#[test]
fn refused_names_are_watched() {
    let mut scene = Scene::of(Lab::new());
    scene.write("git~1/x", "1\n");
    let recorded = scene.record();
    assert_eq!(recorded.beyond[0].why, Why::Unrecordable);
    assert_eq!(scene.told(), ["note beyond"]);
    scene.write("git~1/x", "2\n");
    assert_eq!(scene.told(), ["edited git~1/x", "note beyond"]);
}

/// CX-09: a file that can't be read is an error that names it; an ignored one is not.
#[test]
fn unreadable_files_are_named() {
    unprivileged("record_odd::unreadable_files_are_named", || {
        let mut scene = Scene::of(Lab::new());
        scene.sh("echo '.secret*' > .gitignore && echo 1 > .secret && mkdir .secrets && echo 1 > .secrets/x && \
                  chmod 000 .secret .secrets");
        scene.record_blindly();
        let told = |scene: &Scene| {
            let found = scene.try_compare(Look::Cached).unwrap();
            told(&explain(scene.last(), &found))
        };
        assert_eq!(told(&scene), ["note beyond", "note beyond"]);
        scene.sh("chmod 000 b.txt");
        assert_eq!(told(&scene)[0], "chmod b.txt");
        scene.sh("echo 1 > new && chmod 000 new");
        let refused = scene.try_record();
        assert!(matches!(refused, Err(Error::Unreadable { .. })), "{refused:?}");
        scene.sh("chmod 700 .secrets");
    });
}

/// CX-09: many files that git does not know yet, in one folder and in many.
#[test]
fn many_unknown_files_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    for number in 0..3_000 {
        scene.write(&format!("many/{number}"), "1\n");
        scene.write(&format!("dir/deep{}/{number}", number % 50), "2\n");
        scene.write(&format!("dir/x{number}"), "3\n");
    }
    check_truth(&mut scene);
    scene.write("many/1500", "2\n");
    scene.write("dir/deep7/new", "2\n");
    scene.sh("rm dir/x77");
    assert_eq!(scene.told(), ["added dir/deep7/new", "removed dir/x77", "edited many/1500"]);
}

/// CX-09: a file that never rests is named, and waited for no longer than a few times.
#[test]
fn a_restless_file_is_named() {
    let mut scene = Scene::of(Lab::new());
    // The filter itself changes the file each time that git reads it.
    scene.sh(
        "printf '#!/bin/sh\\ncat\\ndate +%%N%%s >> \"$1\"\\n' > ../restless && chmod +x ../restless && \
         git config filter.r.clean \"$PWD/../restless %f\" && echo 'r.txt filter=r' > .gitattributes && \
         echo 1 > r.txt",
    );
    let refused = scene.try_record();
    assert!(
        matches!(&refused, Err(Error::Restless { path }) if path.ends_with("r.txt")),
        "{refused:?}"
    );
    scene.sh("git config filter.r.clean cat");
    scene.record();
    scene.sh("echo 2 > r.txt && git config filter.r.clean \"$PWD/../restless %f\"");
    let refused = scene.try_compare(Look::Cached);
    assert!(matches!(&refused, Err(Error::Restless { .. })), "{refused:?}");
}

/// CX-09: a pipe that git would open and wait for is named; nobody waits.
#[test]
fn a_pipe_in_the_place_of_rules_is_refused() {
    for name in [".gitignore", "dir/.gitignore", ".gitattributes", "new/.gitattributes"] {
        let mut scene = Scene::of(Lab::new());
        scene.record();
        let path = scene.worktree.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make_pipe(&path);
        let blocking = |error: &Error| matches!(error, Error::Blocking { .. });
        assert!(scene.try_compare(Look::Cached).is_err_and(|error| blocking(&error)), "{name}");
        assert!(scene.try_record().is_err_and(|error| blocking(&error)), "{name}");
    }
    let mut scene = Scene::of(Lab::new());
    scene.write(".gitattributes", "*.txt text\n");
    scene.record();
    scene.sh("rm .gitattributes && mkfifo .gitattributes && echo x >> a.txt");
    assert!(matches!(scene.try_compare(Look::Cached), Err(Error::Blocking { .. })));
}

/// CX-09: folders that go deeper than any path can name.
#[test]
fn a_path_that_is_too_long_is_named() {
    let mut scene = Scene::of(Lab::new());
    let deeper = "for i in $(seq 25); do mkdir $n && cd $n; done; echo 1 > x";
    scene.sh(&format!("n=$(printf 'd%.0s' $(seq 200)); {deeper}"));
    let refused = scene.try_record();
    assert!(matches!(refused, Err(Error::Unreadable { .. })), "{refused:?}");
    scene.sh("echo '/ddd*' > .gitignore");
    scene.record_blindly();
    let found = scene.try_compare(Look::Cached).unwrap();
    assert_eq!(told(&explain(scene.last(), &found)), ["note beyond"]);
}
