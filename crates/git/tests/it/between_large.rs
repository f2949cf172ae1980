//! Differences with files that are too large to be compared.

use std::fs::File;

use countersign_git::Status;

use crate::common::Lab;
use crate::scene::Scene;

fn grow(scene: &Scene, name: &str, mebibytes: u64, more: u64) {
    let file = File::create(scene.worktree.join(name)).unwrap();
    // It has a size and takes no room.
    file.set_len((mebibytes << 20) + more).unwrap();
}

/// CX-07: what is too large is told by name and size, and everything else is shown.
#[test]
fn large_files_are_told_and_not_shown() {
    let mut scene = Scene::of(Lab::new());
    grow(&scene, "moves", 20, 1);
    let first = scene.record();
    scene.sh("echo 2 >> a.txt && mv moves moved");
    grow(&scene, "large", 40, 0);
    let second = scene.record();
    let (repository, scratch) = (scene.repository(), scene.lab.path("kept/scratch"));
    let patch = repository.patch_between((&first, &second), &scratch).unwrap();
    let left_out: Vec<String> = patch.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    let text = String::from_utf8(patch.bytes).unwrap();
    assert!(
        text.contains("# large is too large to be shown (41943040 bytes): nothing to "),
        "{text}"
    );
    assert!(text.contains("+2") && text.len() < 2000, "{text}");
    let changes = repository.diff_between((&first, &second), &scratch).unwrap();
    let moved = changes.iter().find(|change| change.path.to_str() == Some("moved")).unwrap();
    assert_eq!(moved.status, Status::Renamed { from: "moves".into() });
    assert_eq!(changes.len(), 3);
    let stat = repository.stat_between((&first, &second), &scratch).unwrap();
    assert_eq!((stat.insertions, stat.deletions), (1, 0));
    // The other way round too, and what is left in the place for temporary files is nothing.
    let back = repository.patch_between((&second, &first), &scratch).unwrap();
    assert!(String::from_utf8(back.bytes).unwrap().contains("-2"));
    assert_eq!(std::fs::read_dir(scratch).unwrap().count(), 0);
}

/// CX-07: many files of which each is small enough may be too much together.
#[test]
fn many_files_are_bounded_too() {
    let mut scene = Scene::of(Lab::new());
    let first = scene.record();
    for number in 0..5 {
        grow(&scene, &format!("part-{number}"), 15, number);
    }
    let second = scene.record();
    let (repository, scratch) = (scene.repository(), scene.lab.path("kept/scratch"));
    let patch = repository.patch_between((&first, &second), &scratch).unwrap();
    let left_out: Vec<String> = patch.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(left_out, ["part-4"], "the largest");
    let text = String::from_utf8(patch.bytes).unwrap();
    assert!(text.contains("b/part-3") && !text.contains("b/part-4"));
}

/// CX-10: drift of large files is named without reading them into memory.
#[test]
fn large_files_drift() {
    let mut scene = Scene::of(Lab::new());
    grow(&scene, "large", 20, 0);
    grow(&scene, "other", 30, 0);
    scene.record();
    scene.sh("mv large renamed && mv other edited && echo 2 >> edited");
    assert_eq!(scene.told(), ["added edited", "removed other", "renamed renamed"]);
}
