//! What a run with a crew costs besides its agents and checks: our own time, the memory of its leader
//! while an agent prints a gigabyte, and whether many runs at once all come to their end.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::arena::Arena;
use super::crowd::verified;
use super::measure::{median, time_and_peak};
use super::report::{Bar, Figure, Row};
use super::tree::Tree;

const FILES: usize = 10_000;
const STORIES: usize = 10;
/// How long an agent takes that our own time is held against.
const AGENT: Duration = Duration::from_secs(30);
/// What our own time may be of a run with such an agent.
const SHARE: f64 = 0.05;
const RUNS: usize = 50;
/// What an agent prints.
const PRINTED: u64 = 1_000_000_000;

/// A verifier that passes everything.
const VERIFIER: &str = r#"command:cat > /dev/null
for look in 'evidence gate' 'layer enforcement' 'test sufficiency' 'anti-gaming' 'worker process audit'
do looks="$looks,{\"check\":\"$look\",\"decision\":\"pass\",\"basis\":\"r1\"}"; done
echo "{\"verdict\":\"pass\",\"summary\":\"-\",\"criteria\":[],\"reasoning\":[${looks#,}],\"missing_evidence\":[],\"receipts\":[\"r1\"],\"issues\":[]}""#;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let mut rows = own_time(arena)?;
    rows.extend(memory(arena)?);
    rows.push(at_once(arena)?);
    Ok(rows)
}

/// A run of one goal, with a worker and a verifier.
fn run(arena: &Arena, at: &Path, goal: &str, worker: &str) -> Command {
    let mut command = arena.ours(at, &["run", goal, "--no-input", "--check", "test -d .git"]);
    command.args(["--worker", worker, "--verifier", VERIFIER]).stderr(Stdio::null());
    command
}

/// The time of a story that neither an agent nor a check took.
fn own_time(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let tree = Tree::new(arena, "stories", FILES)?;
    let stories = if arena.quick { 3 } else { STORIES };
    let mut times = Vec::new();
    let mut parts: Vec<(String, Duration)> = Vec::new();
    for story in 0..=stories {
        let worker = format!("command:echo {story} > note{story}.txt");
        let (taken, _) = time_and_peak(&mut run(arena, &tree.path, "Write a note", &worker))?;
        let journal = arena.ask(&tree.path, &["log"])?;
        // The first one pays for cold caches.
        if story > 0 {
            times.push(taken.saturating_sub(elsewhere(arena, &tree.path, &journal)?));
            add_gaps(&journal, &mut parts);
        }
    }
    arena.remove("stories")?;
    parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    for (kind, time) in parts.iter().take(6) {
        let each = *time / u32::try_from(stories).unwrap_or(1);
        eprintln!("  until {kind}: {:.0} ms a story", each.as_secs_f64() * 1e3);
    }
    let own = median(times);
    let what = format!("our own time for a story in {FILES} files");
    let most = AGENT.mul_f64(SHARE / (1.0 - SHARE));
    let share = own.as_secs_f64() / (own + AGENT).as_secs_f64() * 100.0;
    let part = format!("the same of a run with a {} s agent: {share:.1} %", AGENT.as_secs());
    let bar = Bar::TimeAtMost(Duration::from_secs(1));
    Ok(vec![
        Row::alone(what, Figure::Time(own), bar, stories),
        Row::alone(part, Figure::Time(own), Bar::TimeAtMost(most), stories),
    ])
}

/// What agents and checks of a run took.
fn elsewhere(arena: &Arena, at: &Path, journal: &Value) -> anyhow::Result<Duration> {
    let mut sum = 0;
    for entry in entries(journal) {
        let body = &entry["event"]["body"];
        sum += body["execution"]["duration_ms"].as_u64().unwrap_or(0);
        let proofs = body["receipts"].as_array().into_iter().flatten();
        let receipts = proofs.flat_map(|proof| proof["receipts"].as_array().into_iter().flatten());
        for receipt in receipts.filter_map(Value::as_str) {
            let shown = arena.ask(at, &["show", receipt])?;
            let execution = &shown["data"]["receipt"]["execution"];
            sum += execution["duration_ms"].as_u64().context("a receipt has no duration")?;
        }
    }
    Ok(Duration::from_millis(sum))
}

fn entries(journal: &Value) -> impl Iterator<Item = &Value> {
    journal["data"]["entries"].as_array().into_iter().flatten()
}

/// Adds the time before each event to that of its kind.
fn add_gaps(journal: &Value, parts: &mut Vec<(String, Duration)>) {
    let mut before = None;
    for entry in entries(journal) {
        let kind = entry["kind"].as_str().unwrap_or_default();
        let Some(time) = entry["time"].as_str().and_then(time_of_day) else { continue };
        if let Some(before) = before {
            let gap = time.saturating_sub(before);
            match parts.iter_mut().find(|(known, _)| known == kind) {
                Some((_, sum)) => *sum += gap,
                None => parts.push((kind.to_owned(), gap)),
            }
        }
        before = Some(time);
    }
}

/// How long after midnight a time such as `2026-11-17T07:37:01.149624Z` is.
fn time_of_day(text: &str) -> Option<Duration> {
    let (_, time) = text.trim_end_matches('Z').split_once('T')?;
    let mut parts = time.split(':');
    let mut next = || parts.next()?.parse::<f64>().ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    Some(Duration::from_secs_f64(hours * 3600.0 + minutes * 60.0 + seconds))
}

/// The most memory of the leader while its worker prints a gigabyte: in lines, and in one.
fn memory(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let printed = if arena.quick { PRINTED / 20 } else { PRINTED };
    let (tree, mut rows) = (Tree::new(arena, "printing", 10)?, Vec::new());
    let line = "{\\\"type\\\": \\\"assistant\\\", \\\"message\\\": {\\\"content\\\": []}}";
    let ways = [
        ("in lines", format!("yes \"{line}\" | head -c {printed}")),
        ("in one line", format!("head -c {printed} /dev/zero | tr '\\0' x")),
    ];
    for (number, (way, print)) in ways.into_iter().enumerate() {
        let worker = format!("command:{print}; echo > printed{number}.txt");
        let (_, peak) = time_and_peak(&mut run(arena, &tree.path, "Print", &worker))?;
        let what =
            format!("memory of a leader whose worker prints {} MB {way}", printed / 1_000_000);
        rows.push(Row::alone(what, Figure::Bytes(peak), Bar::BytesAtMost(100_000_000), 1));
    }
    arena.remove("printing")?;
    Ok(rows)
}

/// Many runs at once in one repository.
fn at_once(arena: &Arena) -> anyhow::Result<Row> {
    let tree = Tree::new(arena, "at-once", 100)?;
    let start = |number: usize| -> anyhow::Result<Child> {
        let worker = format!("command:echo > note{number}.txt");
        Ok(run(arena, &tree.path, "Write a note", &worker).spawn()?)
    };
    let started: Vec<Child> = (0..RUNS).map(start).collect::<anyhow::Result<_>>()?;
    let mut accepted = 0;
    for mut child in started {
        accepted += u64::from(child.wait()?.success());
    }
    verified(arena, &tree.path)?;
    let runs = arena.ask(&tree.path, &["status"])?;
    let listed = runs["data"].as_array().map_or(0, Vec::len);
    ensure!(listed == RUNS, "{listed} runs are on the record");
    arena.remove("at-once")?;
    let what = format!("{RUNS} runs at once: accepted, and the ledger verifies");
    Ok(Row::alone(what, Figure::Count(accepted), Bar::CountIs(RUNS as u64), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_before_an_event_is_its_own() {
        let entry = |kind: &str, time: &str| serde_json::json!({"kind": kind, "time": time});
        let entries = [
            entry("a", "2026-11-17T07:59:59.500000Z"),
            entry("b", "2026-11-17T08:00:01.250000Z"),
            entry("b", "2026-11-17T08:00:01.500000Z"),
        ];
        let mut parts = Vec::new();
        add_gaps(&serde_json::json!({"data": {"entries": entries}}), &mut parts);
        assert_eq!(parts, [("b".to_owned(), Duration::from_secs(2))]);
        assert_eq!(time_of_day("yesterday"), None);
    }
}
