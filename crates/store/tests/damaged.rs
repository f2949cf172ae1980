//! Damaged database files: the bytes are kept, what can be read is carried over, what can't is
//! counted and told, and the ledger goes on.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use countersign_domain::ledger::FindingKind as Kind;
use countersign_store::{Notice, SetAside, Store, Unavailable};
use rusqlite::Connection;
use support::{Random, Sealer, assert_once, counts, fill, kinds, open, temp};
use tempfile::TempDir;
use uuid::Uuid;

/// Enough for many pages.
const MANY: usize = 400;
/// Few enough for all of them to be in the log.
const FEW: usize = 24;

/// A sealed ledger that nobody has open, about to be damaged.
struct Scene {
    dir: TempDir,
    ids: Vec<Uuid>,
    sealer: Sealer,
}

impl Scene {
    /// With everything in the database file, or everything in the write-ahead log.
    fn new(in_database: bool) -> Self {
        let dir = temp();
        let mut store = open(dir.path());
        let mut sealer = Sealer::new(1);
        let mut ids = Vec::new();
        let count = if in_database { MANY } else { FEW };
        for n in 0..count / 4 {
            ids.extend(fill(&mut store, &format!("s/{}", n % 5), 4));
        }
        sealer.seal(&mut store);
        drop(store);
        let scene = Self { dir, ids, sealer };
        if in_database {
            let plain = Connection::open(scene.file("ledger.db")).unwrap();
            plain.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        }
        scene
    }

    fn total(&self) -> u64 {
        self.ids.len() as u64
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("ledger").join(name)
    }

    fn overwrite(&self, name: &str, at: u64, bytes: &[u8]) {
        let file = File::options().write(true).open(self.file(name)).unwrap();
        file.write_all_at(bytes, at).unwrap();
    }

    fn cut(&self, name: &str, length: u64) {
        File::options().write(true).open(self.file(name)).unwrap().set_len(length).unwrap();
    }

    fn length(&self, name: &str) -> u64 {
        fs::metadata(self.file(name)).unwrap().len()
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        read_files(&self.file(""))
    }

    /// Opens the damaged ledger, which must be set aside.
    #[track_caller]
    fn expect_set_aside(&self) -> SetAside {
        let before = self.bytes();
        let mut store = open(self.dir.path());
        let aside = take_aside(&mut store);
        self.check_aside(&mut store, &aside, &before);
        aside
    }

    /// What is here and what is lost adds up; the bytes are kept; the ledger goes on.
    #[track_caller]
    fn check_aside(&self, store: &mut Store, aside: &SetAside, before: &[Vec<u8>]) {
        let found = counts(store);
        let present = self.ids.iter().filter(|id| found.get(id) == Some(&1)).count();
        assert_eq!(present as u64, aside.salvaged, "{aside:?}");
        assert_eq!(aside.salvaged + aside.lost, self.total(), "{aside:?}");
        let kept = read_files(&self.file(&aside.kept_in));
        assert!(kept == before, "the bytes are kept as they were");
        assert_eq!(store.set_asides().last(), Some(aside));

        fill(store, "s/after", 3);
        let mut again = open(self.dir.path());
        assert_eq!(again.take_notices(), [], "told once, and whole again");
        let report = support::verify(&again, self.sealer.public(), &[self.sealer.anchor()]);
        let honest = [Kind::EventsRemoved, Kind::TailCut, Kind::StreamDropped, Kind::SealRemoved];
        for kind in kinds(&report) {
            assert!(honest.contains(&kind), "{kind:?}: {:#?}", report.findings);
        }
        assert_eq!(report.is_intact(), aside.lost == 0, "{aside:?} {:#?}", report.findings);
    }
}

/// The files of a database; one that isn't there is as good as an empty one.
fn read_files(dir: &Path) -> Vec<Vec<u8>> {
    ["ledger.db", "ledger.db-wal"].map(|name| fs::read(dir.join(name)).unwrap_or_default()).to_vec()
}

#[track_caller]
fn take_aside(store: &mut Store) -> SetAside {
    let mut notices = store.take_notices();
    match (notices.pop(), notices.len()) {
        (Some(Notice::SetAside(aside)), 0) => aside,
        (last, _) => panic!("{notices:?} {last:?}"),
    }
}

/// RELIABILITY: a database cut to nothing; its log, if it has one, still gives events back.
#[test]
fn cut_to_nothing() {
    let scene = Scene::new(true);
    scene.cut("ledger.db", 0);
    assert_eq!(scene.expect_set_aside().salvaged, 0);
    let scene = Scene::new(false);
    scene.cut("ledger.db", 0);
    assert_eq!(scene.expect_set_aside().salvaged, FEW as u64);
}

/// RELIABILITY: a database cut in the middle gives back what is before the cut.
#[test]
fn cut_in_the_middle() {
    for (part, least) in [(2, 100), (4, 10)] {
        let scene = Scene::new(true);
        scene.cut("ledger.db", scene.length("ledger.db") / 4096 / part * 4096);
        let mut store = open(scene.dir.path());
        let aside = take_aside(&mut store);
        assert!(aside.salvaged >= least, "{aside:?}");
        assert_eq!(aside.salvaged + aside.lost, MANY as u64);
        assert_eq!(counts(&store).len() as u64, aside.salvaged);
        fill(&mut store, "s/after", 1);
    }
}

/// RELIABILITY: the first page overwritten: it is the same in every ledger, so nothing is lost.
#[test]
fn first_page_overwritten() {
    for bytes in [vec![0xa5; 4096], vec![0; 4096], vec![0; 100]] {
        let scene = Scene::new(true);
        scene.overwrite("ledger.db", 0, &bytes);
        let aside = scene.expect_set_aside();
        assert_eq!(aside.salvaged, MANY as u64);
        assert_eq!(aside.previous.unwrap(), open(scene.dir.path()).id());
    }
}

/// RELIABILITY: a file that is no database at all.
#[test]
fn not_a_database() {
    let scene = Scene::new(true);
    fs::write(scene.file("ledger.db"), "this is a letter, not a database\n".repeat(300)).unwrap();
    assert_eq!(scene.expect_set_aside().salvaged, 0);
}

/// RELIABILITY: the database removed, with and without its log.
#[test]
fn removed() {
    let scene = Scene::new(true);
    fs::remove_file(scene.file("ledger.db")).unwrap();
    assert_eq!(scene.expect_set_aside().salvaged, 0);
    // Even if someone removed the marker, too.
    let scene = Scene::new(true);
    fs::remove_file(scene.file("ledger.db")).unwrap();
    fs::remove_file(scene.file("ledger.id")).unwrap();
    assert_eq!(scene.expect_set_aside().lost, MANY as u64);
}

/// RELIABILITY: the marker alone removed or garbled is no damage, and it comes back.
#[test]
fn marker_removed() {
    let scene = Scene::new(false);
    let id = open(scene.dir.path()).id();
    fs::remove_file(scene.file("ledger.id")).unwrap();
    let mut store = open(scene.dir.path());
    assert_eq!((store.id(), store.take_notices()), (id, vec![]));
    assert_once(&store, &scene.ids, "without a marker");
    assert_eq!(fs::read_to_string(scene.file("ledger.id")).unwrap().trim(), id.to_string());
}

/// RELIABILITY: SQLite takes a lost log for an older, sound database; we don't.
#[test]
fn log_lost() {
    let scene = Scene::new(false);
    fs::remove_file(scene.file("ledger.db-wal")).unwrap();
    scene.expect_set_aside();
    let scene = Scene::new(false);
    scene.cut("ledger.db-wal", 0);
    scene.expect_set_aside();
}

/// RELIABILITY: a log cut or overwritten in the middle gives back what is before that.
#[test]
fn log_damaged() {
    let scene = Scene::new(false);
    let middle = scene.length("ledger.db-wal") / 2;
    scene.cut("ledger.db-wal", middle);
    assert!(scene.expect_set_aside().salvaged > 0);
    let scene = Scene::new(false);
    scene.overwrite("ledger.db-wal", middle, &[0xa5; 5000]);
    assert!(scene.expect_set_aside().salvaged > 0);
    let scene = Scene::new(false);
    scene.overwrite("ledger.db-wal", 0, &[0xa5; 32]);
    scene.expect_set_aside();
}

/// RELIABILITY: a shared-memory file of garbage is no damage.
#[test]
fn shared_memory_damaged() {
    let scene = Scene::new(false);
    fs::write(scene.file("ledger.db-shm"), vec![0xa5; 32768]).unwrap();
    let mut store = open(scene.dir.path());
    assert_eq!(store.take_notices(), []);
    assert_once(&store, &scene.ids, "shm");
    fill(&mut store, "s/0", 1);
}

/// RELIABILITY: any page overwritten, found at opening, reading or writing: nothing is lost
/// without a word, and what can be read behind the page is carried over.
#[test]
fn any_page_overwritten() {
    let model = Scene::new(true);
    let pages = model.length("ledger.db") / 4096;
    let (whole, mut random) = (fs::read(model.file("ledger.db")).unwrap(), Random(99));
    for page in 1..pages {
        let mut bytes = whole.clone();
        let place = usize::try_from(page * 4096).unwrap();
        let fill_with = match page % 3 {
            0 => vec![0; 4096],
            1 => (0..4096).map(|_| random.below(256).to_le_bytes()[0]).collect(),
            _ => vec![0xff; 4096],
        };
        bytes[place..place + 4096].copy_from_slice(&fill_with);
        check_page(&model, &bytes, page);
    }
}

fn check_page(model: &Scene, bytes: &[u8], page: u64) {
    // The same ledger again, but for the bytes of its database.
    let dir = temp();
    let scene = Scene { dir, ids: model.ids.clone(), sealer: Sealer::new(1) };
    let ledger = scene.dir.path().join("ledger");
    fs::create_dir_all(&ledger).unwrap();
    fs::write(ledger.join("ledger.db"), bytes).unwrap();
    fs::write(ledger.join("ledger.id"), support::options(&ledger).new_id.to_string()).unwrap();
    let mut store = open(scene.dir.path());
    let mut seen = 0;
    let read = store.scan(0, |_| {
        seen += 1;
        Ok(())
    });
    if let Err(error) = &read {
        assert_eq!(error.unavailable(), Some(Unavailable::Corrupt), "{error}");
    }
    // Whatever was met by now, the next append sets aside; and goes on where it is sound.
    for n in 0..5 {
        fill(&mut store, &format!("s/{n}"), 1);
    }
    let aside = store.take_notices().into_iter().find_map(|notice| match notice {
        Notice::SetAside(aside) => Some(aside),
        _ => None,
    });
    let found = counts(&store);
    let lost = scene.ids.iter().filter(|id| !found.contains_key(id)).count();
    assert!(aside.is_some() || lost == 0, "page {page}: {lost} lost without a word");
    // The page that holds the places of all others can't be made up for.
    assert!(lost <= 60 || seen == 0, "page {page}: {lost} lost");
    assert_eq!(found.len(), scene.ids.len() - lost + 5, "page {page}");
    drop(open(scene.dir.path()));
}

/// RELIABILITY: any flipped bit of the database is found, or changes no event.
#[test]
fn any_bit_flipped() {
    let scene = Scene::new(true);
    let bytes = fs::read(scene.file("ledger.db")).unwrap();
    let mut random = Random(4242);
    for _ in 0..150 {
        let place = random.below(bytes.len() as u64);
        let bit = 1 << random.below(8);
        let byte = bytes[usize::try_from(place).unwrap()];
        scene.overwrite("ledger.db", place, &[byte ^ bit]);
        let options = support::options(scene.dir.path());
        let found = Store::open(options).is_ok_and(|store| {
            let set_aside = !store.set_asides().is_empty();
            let mut verifier = countersign_domain::ledger::Verifier::new(
                store.id(),
                scene.sealer.public(),
                store.seals().unwrap_or_default(),
                &[scene.sealer.anchor()],
            );
            let read = store.scan(0, |placed| {
                verifier.event(placed.position, &placed.event);
                Ok(())
            });
            let intact = read.is_ok() && verifier.finish().is_intact();
            if intact && !set_aside {
                assert_once(&store, &scene.ids, &format!("bit {bit} at {place}"));
            }
            true
        });
        assert!(found, "bit {bit} at {place}");
        // Back to how it was.
        for n in 1.. {
            if fs::remove_dir_all(scene.file(&format!("damaged-{n}"))).is_err() {
                break;
            }
        }
        for name in ["ledger.db-wal", "ledger.db-shm"] {
            let _ = fs::remove_file(scene.file(name));
        }
        fs::write(scene.file("ledger.db"), &bytes).unwrap();
    }
}

/// RELIABILITY: damage that only a reader meets is told as such; `set_aside` deals with it at
/// once.
#[test]
fn damage_met_by_reading() {
    let scene = Scene::new(true);
    // All that holds events but the first pages; opening looks at none of them.
    let mut store = open(scene.dir.path());
    let length = scene.length("ledger.db");
    for page in length / 4096 / 3..length / 4096 / 2 {
        scene.overwrite("ledger.db", page * 4096, &[0xa5; 4096]);
    }
    let before = scene.bytes();
    let Err(error) = store.scan(0, |_| Ok(())) else { panic!("it reads") };
    assert_eq!(error.unavailable(), Some(Unavailable::Corrupt));
    assert!(error.to_string().contains("damaged"), "{error}");
    store.set_aside(&error).unwrap();
    let aside = take_aside(&mut store);
    assert!(aside.salvaged > 0 && aside.lost > 0, "{aside:?}");
    scene.check_aside(&mut store, &aside, &before);
}

/// RELIABILITY: without that, the next append does.
#[test]
fn damage_met_by_reading_and_then_writing() {
    let scene = Scene::new(true);
    let mut store = open(scene.dir.path());
    let length = scene.length("ledger.db");
    for page in length / 4096 / 3..length / 4096 / 2 {
        scene.overwrite("ledger.db", page * 4096, &[0; 4096]);
    }
    let before = scene.bytes();
    assert!(store.scan(0, |_| Ok(())).is_err());
    let ids = fill(&mut store, "s/after", 1);
    let aside = take_aside(&mut store);
    assert_once(&store, &ids, "written after");
    scene.check_aside(&mut store, &aside, &before);
}
