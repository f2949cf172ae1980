//! Paths of a working tree, and commits with what they changed.

use crate::common::Lab;

/// VC-05: what git tracks or would track, and nothing that is ignored.
#[test]
fn paths_are_those_that_git_would_track() {
    let lab = Lab::new();
    lab.write(".gitignore", "*.log\n");
    lab.write("new file.txt", "x");
    lab.write("a.log", "x");
    let paths = lab.open().paths().unwrap();
    assert_eq!(paths, [".gitignore", "a.txt", "b.txt", "dir/c.txt", "new file.txt"]);
}

/// VC-04: commits with what they were about and what they changed, the newest first.
#[test]
fn history_tells_what_was_changed() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "log.showSignature", "true"]);
    let first = lab.id("HEAD");
    lab.write("dir/c.txt", "other\n");
    lab.write("ä ö.txt", "x\n");
    lab.commit_all("dir: change c");
    let repository = lab.open();
    let told = |since: Option<&countersign_domain::ObjectId>, most| -> Vec<String> {
        let past = repository.history(&lab.id("HEAD"), since, most).unwrap();
        past.iter().map(|past| format!("{}: {}", past.subject, past.files.join(" "))).collect()
    };
    let newest = "dir: change c: dir/c.txt ä ö.txt";
    assert_eq!(told(None, 10), [newest, "first: a.txt b.txt dir/c.txt"]);
    assert_eq!(told(None, 1), [newest]);
    assert_eq!(told(Some(&first), 10), [newest]);
    assert!(told(Some(&lab.id("HEAD")), 10).is_empty());
}
