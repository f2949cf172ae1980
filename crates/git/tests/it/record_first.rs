//! The first recording of a working tree.

use countersign_domain::ObjectId;
use countersign_domain::snapshot::{PathText, Watch};
use countersign_git::Record;

use crate::common::Lab;

/// CX-05: a first recording tells what its tree holds, and what the commit below it holds, as git
/// itself would.
#[test]
fn a_first_recording_knows_its_paths() {
    let lab = Lab::new();
    let repository = lab.open();
    for (name, content) in [("a-b", "1"), ("a/b", "2"), ("a.b", "3"), ("ä", "4"), ("z", "5")] {
        lab.write(name, content);
    }
    lab.commit_all("more");
    std::fs::remove_file(lab.file("z")).unwrap();
    lab.write("new/file", "6");
    lab.write(".gitignore", "ignored\n");
    lab.write("ignored", "7");
    std::os::unix::fs::symlink("nowhere", lab.file("link")).unwrap();
    let (cache, scratch) = (lab.path("cache"), lab.path("scratch"));
    let frozen = repository.freeze().unwrap();
    let watch = Watch::shipped();
    let record = Record {
        worktree: &lab.root(),
        scratch: &scratch,
        cache: &cache,
        rules: &frozen.rules,
        watch: &watch,
        raw: None,
    };
    let check = |commit: Option<ObjectId>| {
        let first = repository.record_first(&record, &frozen).unwrap();
        let listed = repository.list(&first.recorded.grounds[0].tree).unwrap();
        let listed: Vec<PathText> =
            listed.iter().map(|listed| PathText::from(listed.path.as_path())).collect();
        assert_eq!(first.paths, listed);
        assert_eq!(first.commit, commit);
    };
    check(Some(lab.id("HEAD^{tree}")));
    lab.git(&lab.root(), &["checkout", "-q", "--detach"]);
    check(Some(lab.id("HEAD^{tree}")));
    lab.git(&lab.root(), &["checkout", "-q", "--orphan", "nothing-yet"]);
    check(None);
}
