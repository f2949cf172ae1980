//! What the tests of the store share: a ledger in a temporary folder, a key that seals it, and
//! children that run a part of the same test binary.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use countersign_domain::ledger::{
    Anchor, Draft, FindingKind, LedgerId, PublicKey, Report, Seal, Signature, Statement, Stream,
    Verifier, signed_bytes,
};
use countersign_store::{Appended, Durability, Entry, Expected, Options, Placed, Store};
use ed25519_dalek::{Signer as _, SigningKey};
use serde::Serialize;
use tempfile::TempDir;
use uuid::Uuid;

/// Says to a child which part it plays.
pub const ROLE: &str = "COUNTERSIGN_STORE_TEST_ROLE";
pub const DIR: &str = "COUNTERSIGN_STORE_TEST_DIR";

pub fn options(dir: &Path) -> Options {
    Options {
        dir: dir.join("ledger"),
        fallback: dir.join("elsewhere"),
        durability: Durability::ProcessDeath,
        busy: Duration::from_secs(20),
        new_id: LedgerId(Uuid::from_u128(0xfeed)),
        rows: countersign_store::no_rows,
    }
}

pub fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub fn open(dir: &Path) -> Store {
    Store::open(options(dir)).unwrap()
}

pub fn stream(name: &str) -> Stream {
    name.parse().unwrap()
}

pub fn draft(id: Uuid, body: &str) -> Draft {
    Draft {
        id,
        time: "2026-11-16T10:15:00Z".parse().unwrap(),
        actor: "tester".into(),
        kind: "note.taken".into(),
        format: 1,
        body: format!("{{\"text\":\"{body}\"}}"),
    }
}

pub fn new_draft(body: &str) -> Draft {
    draft(Uuid::now_v7(), body)
}

pub fn entry(name: &str, draft: Draft) -> Entry {
    Entry { stream: stream(name), expected: None, draft }
}

/// Appends `count` events to `name`; all must be written. Returns their ids.
pub fn fill(store: &mut Store, name: &str, count: u32) -> Vec<Uuid> {
    (0..count)
        .map(|n| {
            let draft = new_draft(&format!("{name} {n} {}", "x".repeat(60)));
            let id = draft.id;
            let done = store.append(&stream(name), Expected::Any, &[draft], &[]).unwrap();
            assert!(matches!(done, Appended::Written(_)), "{done:?}");
            id
        })
        .collect()
}

pub fn all(store: &Store) -> Vec<Placed> {
    let mut events = Vec::new();
    store
        .scan(0, |placed| {
            events.push(placed.clone());
            Ok(())
        })
        .unwrap();
    events
}

/// How often each id is in the ledger.
pub fn counts(store: &Store) -> HashMap<Uuid, u32> {
    let mut counts = HashMap::new();
    for placed in all(store) {
        *counts.entry(placed.event.id).or_default() += 1;
    }
    counts
}

/// Each of `ids` is there, exactly once.
pub fn assert_once(store: &Store, ids: &[Uuid], context: &str) {
    let counts = counts(store);
    let wrong: Vec<_> = ids.iter().filter(|id| counts.get(id).copied().unwrap_or(0) != 1).collect();
    assert!(wrong.is_empty(), "{context}: {} of {} not there once", wrong.len(), ids.len());
}

/// A key that seals.
pub struct Sealer {
    key: SigningKey,
    pub seals: Vec<Seal>,
}

impl Sealer {
    pub fn new(seed: u8) -> Self {
        Self { key: SigningKey::from_bytes(&[seed; 32]), seals: Vec::new() }
    }

    pub fn public(&self) -> PublicKey {
        PublicKey::from_bytes(self.key.verifying_key().to_bytes())
    }

    pub fn sign<T: Serialize>(&self, purpose: &str, statement: &T) -> Signature {
        Signature(self.key.sign(&signed_bytes(purpose, statement)).to_bytes())
    }

    /// The next seal of `store`, not recorded.
    pub fn next(&self, store: &Store) -> Seal {
        let last = store.last_seal().unwrap();
        let extent = store.extent(last.as_ref().map_or(0, |seal| seal.statement.position)).unwrap();
        let statement = Statement {
            ledger: store.id(),
            number: last.as_ref().map_or(1, |seal| seal.statement.number + 1),
            time: "2026-11-16T11:00:00Z".parse().unwrap(),
            position: extent.position,
            events: extent.events,
            streams: extent.heads.len() as u64,
            order: extent.order,
            root: Statement::root_over(&extent.heads),
            moved: extent.moved,
            previous: last.as_ref().map(Seal::digest),
            key: self.public(),
        };
        let signature = self.sign("seal", &statement);
        Seal { statement, signature }
    }

    /// Seals `store` and keeps the seal as an anchor would.
    pub fn seal(&mut self, store: &mut Store) {
        let seal = self.next(store);
        store.add_seal(&seal).unwrap();
        self.seals.push(seal);
    }

    pub fn anchor(&self) -> Anchor {
        Anchor { place: "the anchor".into(), seals: self.seals.clone(), is_whole: true }
    }
}

pub fn verify(store: &Store, trusted: PublicKey, anchors: &[Anchor]) -> Report {
    let mut verifier = Verifier::new(store.id(), trusted, store.seals().unwrap(), anchors);
    store
        .scan(0, |placed| {
            verifier.event(placed.position, &placed.event);
            Ok(())
        })
        .unwrap();
    verifier.finish()
}

/// The chain holds, seals aside.
pub fn assert_chain(store: &Store, context: &str) {
    let report = verify(store, Sealer::new(1).public(), &[]);
    assert!(report.is_intact(), "{context}: {:?}", report.findings);
}

pub fn kinds(report: &Report) -> Vec<FindingKind> {
    let mut kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The part that this process plays, if it is a child.
pub fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(DIR)?.into()))
}

/// This binary again, to run its test `child` in the part `role`.
pub fn play(role: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(DIR, dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// Waits for `child`, which must succeed; what it printed.
pub fn finish(mut child: Child) -> String {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success(), "{text}");
    text
}

/// Prints an acknowledgement, as one line in one write.
pub fn acknowledge(id: Uuid) {
    use std::io::Write;
    let line = format!("ack {id}\n");
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The acknowledgements in what a child printed; a cut-off last line is none.
pub fn acknowledged(text: &str) -> Vec<Uuid> {
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| line.rsplit_once("ack ")?.1.parse().ok()).collect()
}

/// Small, seeded, good enough to pick places and moments.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 20) % n
    }
}

/// Runs the part `role` in a mount namespace of its own, after `script` (which finds `dir` in
/// `$1`). `None`, said loudly, if this system doesn't let us.
pub fn play_mounted(script: &str, role: &str, dir: &Path) -> Option<String> {
    let allowed = Command::new("unshare")
        .args(["-rm", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !allowed {
        eprintln!("SKIPPED: {role}: this system doesn't allow mount namespaces (unshare -rm)");
        return None;
    }
    let script = format!("{script}\nexec \"$2\" child --exact --nocapture --test-threads=1");
    let child = Command::new("unshare")
        .args(["-rm", "sh", "-e", "-c", &script, "sh"])
        .args([dir.as_os_str(), std::env::current_exe().unwrap().as_os_str()])
        .env(ROLE, role)
        .env(DIR, dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    Some(finish(child))
}
