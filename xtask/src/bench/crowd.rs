//! Many processes at once: nothing is lost, nothing is refused, and how many get through.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use super::arena::Arena;
use super::measure::{median, time};
use super::report::{Bar, Figure, Row};
use super::start::APPEND;

const PROCESSES: usize = 64;
const WORKERS: usize = 16;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let each = if arena.quick { 50 } else { 500 };
    let mut rows = direct(arena, each)?;
    rows.extend(spooled(arena, each)?);
    Ok(rows)
}

/// Processes that append one entry after the other, straight into the ledger.
fn direct(arena: &Arena, each: usize) -> anyhow::Result<Vec<Row>> {
    let repository = arena.repository("crowd")?;
    let lines: String = (0..each).map(|n| format!("{{\"n\":{n},\"what\":\"crowd\"}}\n")).collect();
    let lines = arena.write("crowd.jsonl", &lines)?;
    let start = Instant::now();
    let crowd: Vec<Member> = (0..PROCESSES)
        .map(|number| Member::start(arena, &repository, &lines, number))
        .collect::<anyhow::Result<_>>()?;
    let acknowledged: usize =
        crowd.into_iter().map(Member::finish).sum::<anyhow::Result<usize>>()?;
    let rate = per_second(acknowledged, start.elapsed());
    let found = verified(arena, &repository)?;
    let expected = (PROCESSES * each) as u64;
    ensure!(acknowledged as u64 == expected, "only {acknowledged} appends were acknowledged");
    let what = format!("{PROCESSES} processes × {each} appends, survive power loss");
    Ok(vec![
        Row::alone(format!("{what}: intact in the ledger"), found, Bar::CountIs(expected), 1),
        Row::alone(format!("{what}: throughput"), Figure::PerSecond(rate), Bar::None, 1),
    ])
}

/// One of many processes.
struct Member {
    child: Child,
    said: PathBuf,
    complained: PathBuf,
}

impl Member {
    fn start(arena: &Arena, at: &Path, lines: &Path, number: usize) -> anyhow::Result<Self> {
        // Streams that several share: the hardest case for a chain.
        let stream = format!("crowd{}", number % 8);
        let words = ["ledger", "append", "--lines", "--kind", "k", "--stream", &stream];
        let said = arena.path(&format!("crowd{number}.out"));
        let complained = arena.path(&format!("crowd{number}.err"));
        let child = arena
            .ours(at, &words)
            .stdin(File::open(lines)?)
            .stdout(File::create(&said)?)
            .stderr(File::create(&complained)?)
            .spawn()?;
        Ok(Self { child, said, complained })
    }

    /// Waits for the end; how many appends were acknowledged.
    fn finish(mut self) -> anyhow::Result<usize> {
        let status = self.child.wait()?;
        let complaint = fs::read_to_string(&self.complained)?;
        ensure!(status.success() && complaint.is_empty(), "{status}: {complaint}");
        Ok(fs::read_to_string(&self.said)?.lines().count())
    }
}

/// One process for every append, as agents start them.
fn spooled(arena: &Arena, each: usize) -> anyhow::Result<Vec<Row>> {
    const ROUNDS: usize = 5;
    let repository = arena.repository("spooled")?;
    let entry = arena.write("crowd.json", "{\"n\":1,\"what\":\"crowd\"}")?;
    let (mut floors, mut all_ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        floors.push(storm(each / ROUNDS, || {
            time(arena.command("/bin/true", &repository).stdin(File::open(&entry)?)).map(drop)
        })?);
        all_ours.push(storm(each / ROUNDS, || {
            time(arena.ours(&repository, APPEND).stdin(File::open(&entry)?)).map(drop)
        })?);
    }
    let expected = (WORKERS * each) as u64;
    let found = verified(arena, &repository)?;
    let rate = |all| Figure::PerSecond(per_second(WORKERS * each / ROUNDS, median(all)));
    let what = format!("{WORKERS} workers × {each} processes of one append");
    Ok(vec![
        Row::alone(format!("{what}: intact in the ledger"), found, Bar::CountIs(expected), 1),
        Row {
            what: format!("{what}, survive power loss: throughput"),
            floor: Some(("`/bin/true`".to_owned(), rate(floors))),
            ours: rate(all_ours),
            bar: Bar::None,
            runs: ROUNDS,
        },
    ])
}

/// Runs `work` `each` times in every worker at once; how long that takes.
fn storm(each: usize, work: impl Fn() -> anyhow::Result<()> + Sync) -> anyhow::Result<Duration> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let work = &work;
        let worker = || scope.spawn(move || (0..each).try_for_each(|_| work()));
        let workers: Vec<_> = (0..WORKERS).map(|_| worker()).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => bail!("a worker panicked"),
        })
    })?;
    Ok(start.elapsed())
}

/// How many events `ledger verify` finds, if it finds nothing wrong.
pub(super) fn verified(arena: &Arena, repository: &Path) -> anyhow::Result<Figure> {
    let answer = arena.ask(repository, &["ledger", "verify"])?;
    ensure!(answer["data"]["intact"] == true, "the ledger is not intact: {answer}");
    let events = answer["data"]["events"].as_u64();
    events.map(Figure::Count).with_context(|| format!("no number of events in {answer}"))
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
pub(super) fn per_second(count: usize, taken: Duration) -> f64 {
    count as f64 / taken.as_secs_f64()
}
