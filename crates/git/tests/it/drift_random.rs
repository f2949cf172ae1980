//! Random work on random trees: what is told is what differs, no more and no less.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use countersign_domain::snapshot::Kind;
use countersign_git::Look;

use crate::common::{Lab, Sight, age, files, put};
use crate::scene::Scene;

/// Numbers that look random, and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn path(&mut self) -> PathBuf {
        let names = ["a", "b", "c.txt", "d e", "ü"];
        let mut path = PathBuf::new();
        for _ in 0..self.roll(3) {
            path.push(format!("dir{}", self.roll(3)));
        }
        path.join(names[usize::try_from(self.roll(5)).unwrap()])
    }
}

fn clear(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Does one thing to the tree; what can't be done is not done.
fn act(scene: &Scene, dice: &mut Dice) {
    let name = dice.path();
    let path = scene.worktree.join(&name);
    let above = path.parent().unwrap();
    // What stands in the way goes.
    for folder in above.ancestors().take_while(|folder| *folder != scene.worktree) {
        if fs::symlink_metadata(folder).is_ok_and(|found| !found.is_dir()) {
            fs::remove_file(folder).unwrap();
        }
    }
    fs::create_dir_all(above).unwrap();
    match dice.roll(12) {
        0..=3 => {
            clear(&path);
            put(&path, format!("{}\n", dice.roll(4)));
        }
        4 => {
            clear(&path);
            put(&path, format!("{}\n", dice.roll(4)));
            age(&path);
        }
        5 => clear(&path),
        6 => {
            clear(&path);
            symlink(dice.path(), &path).unwrap();
        }
        7 if path.is_file() && !path.is_symlink() => {
            let mode = [0o644, 0o755, 0o600][usize::try_from(dice.roll(3)).unwrap()];
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        8 if path.is_file() && !path.is_symlink() => {
            let other = scene.worktree.join(format!("moved{}", dice.roll(3)));
            clear(&other);
            fs::rename(&path, other).unwrap();
        }
        9 => {
            scene.git(&["add", "-A"]);
        }
        10 => {
            let name = name.to_str().unwrap();
            let mark = ["--assume-unchanged", "--skip-worktree"][usize::from(dice.roll(2) == 0)];
            scene.lab.try_git(&scene.worktree, &["update-index", mark, name]);
        }
        _ => {
            scene.lab.try_git(&scene.worktree, &["commit", "-qam", "x"]);
        }
    }
}

/// The paths that differ between two sights.
fn differing(before: &Sight, after: &Sight) -> BTreeSet<PathBuf> {
    let paths = before.keys().chain(after.keys());
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

/// CX-10: for random work, every path that differs is told, and no other.
#[test]
fn what_differs_is_what_is_told() {
    for seed in 0..25 {
        let mut dice = Dice(seed);
        let mut scene = Scene::of(Lab::new());
        for _ in 0..dice.roll(12) {
            act(&scene, &mut dice);
        }
        let recorded = scene.record();
        let repository = scene.repository();
        let truth = repository.snapshot(&scene.worktree, &scene.scratch()).unwrap().tree;
        assert_eq!(recorded.grounds[0].tree, truth, "seed {seed}");
        let before = files(&scene.worktree);
        for _ in 0..dice.roll(6) {
            act(&scene, &mut dice);
        }
        let expected = differing(&before, &files(&scene.worktree));
        for look in [Look::Cached, Look::Thorough] {
            let drift = scene.drift_by(look);
            let mut told = BTreeSet::new();
            for file in &drift.files {
                told.insert(file.path.as_path().to_owned());
                if let Kind::Renamed { from } = &file.kind {
                    told.insert(from.as_path().to_owned());
                }
            }
            assert_eq!(told, expected, "seed {seed}, {look:?}");
        }
        // Without the cache, git's own trees tell the same, but for permission bits.
        fs::remove_file(scene.cache()).unwrap();
        let drift = scene.drift();
        for file in &drift.files {
            assert!(expected.contains(file.path.as_path()), "seed {seed}: {:?}", file.path);
        }
        let is_quiet = expected.is_empty() && drift.moved.is_none() && drift.settings.is_empty();
        assert_eq!(drift.is_none(), is_quiet, "seed {seed}: {drift:?}");
    }
}
