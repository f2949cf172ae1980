//! A large ledger: appending to it, and verifying it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::arena::Arena;
use super::crowd::{per_second, verified};
use super::measure::{in_turns, time, time_and_peak};
use super::report::{Bar, Figure, Row};
use super::start::APPEND;

/// Entries of one stream in the large ledger.
const BATCH: usize = 10_000;
/// Appends that are measured together.
const FEW: usize = 2_000;
/// The small ledger that the large one is compared with.
const SMALL: usize = 1_000;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let full = if arena.quick { 80_000 } else { 1_000_000 };
    let large = Ledger::new(arena, "large")?;
    let quarter = Ledger::new(arena, "quarter")?;
    let start = Instant::now();
    large.fill(0..full / 4)?;
    let mut filling = start.elapsed();
    large.copy(&large.state(), &quarter.state())?;
    let start = Instant::now();
    large.fill(full / 4..full)?;
    filling += start.elapsed();
    let mut rows = vec![Row::alone(
        format!("appending {full} events, one transaction each"),
        Figure::PerSecond(per_second(full, filling)),
        Bar::None,
        1,
    )];
    quarter.expect(full / 4)?;
    large.expect(full)?;
    rows.extend(verification(arena, &quarter, &large, full)?);
    rows.extend(growth(arena, &large, full)?);
    Ok(rows)
}

/// Verifying the large ledger against verifying a quarter of it.
fn verification(
    arena: &Arena,
    quarter: &Ledger<'_>,
    large: &Ledger<'_>,
    full: usize,
) -> anyhow::Result<Vec<Row>> {
    let (mut small_peak, mut large_peak) = (0, 0);
    let pair = in_turns(
        arena.runs(11),
        |_| quarter.verify(&mut small_peak),
        |_| large.verify(&mut large_peak),
    )?;
    let what = format!("`ledger verify` of {full} events");
    let floor = format!("{} events", full / 4);
    let rate = Figure::PerSecond(per_second(full, pair.ours));
    Ok(vec![
        Row::alone(&what, rate, Bar::PerSecondAtLeast(200_000.0), pair.runs),
        // Linear is 4; the rest is for noise.
        Row::of_pair(format!("{what}, time"), &floor, pair, Bar::RatioAtMost(4.8)),
        Row {
            what: format!("{what}, memory"),
            floor: Some((floor, Figure::Bytes(small_peak))),
            ours: Figure::Bytes(large_peak),
            bar: Bar::RatioAtMost(1.1),
            runs: pair.runs,
        },
    ])
}

/// Appending to the large ledger against appending to a small one.
fn growth(arena: &Arena, large: &Ledger<'_>, full: usize) -> anyhow::Result<Vec<Row>> {
    let small = Ledger::new(arena, "small")?;
    small.fill(0..SMALL)?;
    let pristine = small.path.join(".git/pristine");
    small.copy(&small.state(), &pristine)?;
    let few = arena.write("few.jsonl", &lines(FEW))?;
    let runs = arena.runs(51);
    let direct = in_turns(
        runs,
        |_| {
            // It must not grow from run to run.
            std::fs::remove_dir_all(small.state())?;
            small.copy(&pristine, &small.state())?;
            small.append(&few, "few")
        },
        |_| large.append(&few, "few"),
    )?;
    let entry = arena.write("one.json", "{\"n\":1}")?;
    let one = |at: &Path| time(arena.ours_unsynced(at, APPEND).stdin(File::open(&entry)?));
    let spooled = in_turns(arena.runs(201), |_| one(&small.path), |_| one(&large.path))?;
    let floor = format!("at {SMALL} events");
    let bar = Bar::RatioAtMost(1.2);
    Ok(vec![
        Row::of_pair(format!("{FEW} appends at {full} events"), &floor, direct, bar),
        Row::of_pair(format!("an append through the spool at {full} events"), &floor, spooled, bar),
    ])
}

struct Ledger<'a> {
    arena: &'a Arena,
    path: PathBuf,
}

impl<'a> Ledger<'a> {
    fn new(arena: &'a Arena, name: &str) -> anyhow::Result<Self> {
        Ok(Self { arena, path: arena.repository(name)? })
    }

    fn state(&self) -> PathBuf {
        self.path.join(".git/countersign")
    }

    fn copy(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        time(self.arena.command("cp", &self.path).arg("-a").arg(from).arg(to)).map(drop)
    }

    /// Appends every line of the file `lines` to `stream`.
    fn append(&self, lines: &Path, stream: &str) -> anyhow::Result<Duration> {
        let words = ["ledger", "append", "--lines", "--kind", "k", "--stream", stream];
        time(self.arena.ours_unsynced(&self.path, &words).stdin(File::open(lines)?))
    }

    /// Adds the events of `range`, batch by batch, each to a stream of its own.
    fn fill(&self, range: std::ops::Range<usize>) -> anyhow::Result<()> {
        for from in range.clone().step_by(BATCH) {
            let count = BATCH.min(range.end - from);
            let batch = self.arena.write("batch.jsonl", &lines(count))?;
            self.append(&batch, &format!("batch{from}"))?;
        }
        Ok(())
    }

    /// Fails unless the ledger is intact and holds this many events.
    fn expect(&self, events: usize) -> anyhow::Result<()> {
        let found = verified(self.arena, &self.path)?;
        let is_all = matches!(found, Figure::Count(found) if found == events as u64);
        ensure!(is_all, "{found:?} instead of {events} events");
        Ok(())
    }

    /// How long a verification takes; `peak` is raised to the memory that it held.
    fn verify(&self, peak: &mut u64) -> anyhow::Result<Duration> {
        let (taken, held) =
            time_and_peak(&mut self.arena.ours_unsynced(&self.path, &["ledger", "verify"]))?;
        *peak = held.max(*peak);
        Ok(taken)
    }
}

/// `count` entries of about 200 bytes.
fn lines(count: usize) -> String {
    let rest = "\"tool\":\"Edit\",\"file\":\"src/orders/total.rs\",\"lines\":[12,31],\"why\":\
                \"the total must include the price of the wrapping when a gift is ordered\"";
    (0..count).map(|n| format!("{{\"n\":{n},{rest}}}\n")).collect()
}
