//! A plan of ten stories in a repository of ten thousand files, carried out by a worker and a verifier
//! that take no time: what is left is our own.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use countersign_testkit::NamesPlan;
use serde_json::Value;

use super::super::arena::Arena;
use super::super::measure::{median, time_and_peak};
use super::super::report::{Bar, Figure, Row};
use super::super::tree::Tree;

const FILES: usize = 10_000;
const STORIES: usize = 10;
/// How long an agent takes that our own time is held against.
const AGENT: Duration = Duration::from_secs(30);
/// What our own time may be of a run with such an agent.
const SHARE: f64 = 0.05;

/// Writes the script of its story and a test of it, and claims them.
const WORKER: &str = r#"command:prompt=$(cat)
story=$(printf '%s' "$prompt" | sed -n 's/^# \(US-...\): Print .*/\1/p' | head -n 1)
name=$(printf '%s' "$prompt" | sed -n 's/^# US-...: Print //p' | head -n 1)
echo "echo $name" > $name.sh
echo "test \"\$(sh $name.sh)\" = $name" > tests/$name.sh
mkdir -p .countersign
echo "{\"us_id\":\"$story\",\"execution_steps\":[{\"step\":\"implement\",\"ac_id\":\"AC1\"}]}" > .countersign/claim.json"#;

/// Passes every criterion that it is told of.
const VERIFIER: &str = r#"command:prompt=$(cat)
for name in $(printf '%s' "$prompt" | sed -n 's/.*riteria: \(.*\)\.$/\1/p' | head -n 1 | tr ' ' _ | tr ',' ' ')
do name=$(printf '%s' "$name" | sed 's/^_//' | tr _ ' ')
seen="$seen,{\"criterion\":\"$name\",\"met\":true,\"evidence\":\"r1\"}"; done
for look in 'evidence gate' 'layer enforcement' 'test sufficiency' 'anti-gaming' 'worker process audit'
do looks="$looks,{\"check\":\"$look\",\"decision\":\"pass\",\"basis\":\"r1\"}"; done
echo "{\"verdict\":\"pass\",\"summary\":\"-\",\"criteria\":[${seen#,}],\"reasoning\":[${looks#,}],\"missing_evidence\":[],\"receipts\":[\"r1\"],\"issues\":[]}""#;

/// The time of a story that neither an agent nor a check took.
pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let tree = Tree::new(arena, "stories", FILES)?;
    let stories = if arena.quick { 3 } else { STORIES };
    write_plan(&tree, stories)?;
    tree.commit(arena)?;
    let mut run = arena.ours(&tree.path, &["run", "--plan", "names", "--no-input"]);
    let (taken, _) = time_and_peak(run.args(["--worker", WORKER, "--verifier", VERIFIER]))?;
    let times = own_times(arena, &tree.path)?;
    ensure!(times.len() > stories, "{} of {stories} stories were carried out", times.len());
    eprintln!("  the plan took {:.1} s; each story of our own:", taken.as_secs_f64());
    for time in &times {
        eprintln!("  {:.0} ms", time.as_secs_f64() * 1e3);
    }
    arena.remove("stories")?;
    // The last one is the judging of all of them together; the first pays for cold caches.
    let own = median(times[..stories].to_vec());
    let what = format!("our own time for a story in {FILES} files: a plan of {stories}");
    let most = AGENT.mul_f64(SHARE / (1.0 - SHARE));
    let share = own.as_secs_f64() / (own + AGENT).as_secs_f64() * 100.0;
    let part = format!("the same of a run with a {} s agent: {share:.1} %", AGENT.as_secs());
    let bar = Bar::TimeAtMost(Duration::from_secs(1));
    Ok(vec![
        Row::alone(what, Figure::Time(own), bar, stories),
        Row::alone(part, Figure::Time(own), Bar::TimeAtMost(most), stories),
    ])
}

/// Between the start of each leg of the newest relay and the next: the time less that of agents and
/// checks.
fn own_times(arena: &Arena, at: &Path) -> anyhow::Result<Vec<Duration>> {
    let relay = arena.ask(at, &["log", "latest"])?;
    let mut legs: Vec<(Duration, String)> = Vec::new();
    let mut times = Vec::new();
    for entry in entries(&relay) {
        let time = entry["time"].as_str().and_then(time_of_day).context("an entry has no time")?;
        let kind = entry["kind"].as_str().unwrap_or_default();
        if matches!(kind, "relay.started" | "relay.closed")
            && let Some((begun, run)) = legs.pop()
        {
            times.push(time.saturating_sub(begun).saturating_sub(elsewhere(arena, at, &run)?));
        }
        if kind == "relay.started" {
            let run = entry["event"]["body"]["run"].as_str().context("a leg has no run")?;
            legs.push((time, run.to_owned()));
        }
    }
    Ok(times)
}

/// What agents and checks of a run took. A receipt that was reused took nothing.
fn elsewhere(arena: &Arena, at: &Path, run: &str) -> anyhow::Result<Duration> {
    let journal = arena.ask(at, &["log", run])?;
    let (mut sum, mut receipts) = (0, BTreeSet::new());
    for entry in entries(&journal) {
        let body = &entry["event"]["body"];
        sum += body["execution"]["duration_ms"].as_u64().unwrap_or(0);
        let verification = body["verification"].as_str().unwrap_or_default();
        for proof in body["receipts"].as_array().into_iter().flatten() {
            let ids = proof["receipts"].as_array().into_iter().flatten().filter_map(Value::as_str);
            receipts.extend(ids.map(|id| (verification.to_owned(), id.to_owned())));
        }
    }
    for (verification, receipt) in receipts {
        let shown = arena.ask(at, &["show", &receipt])?;
        let shown = &shown["data"];
        if shown["run"] == verification.as_str() {
            let taken = shown["execution"]["duration_ms"].as_u64();
            sum += taken.context("a receipt has no duration")?;
        }
    }
    Ok(Duration::from_millis(sum))
}

fn entries(journal: &Value) -> impl Iterator<Item = &Value> {
    journal["data"]["entries"].as_array().into_iter().flatten()
}

/// How long after midnight a time such as `2026-11-17T07:37:01.149624Z` is.
fn time_of_day(text: &str) -> Option<Duration> {
    let (_, time) = text.trim_end_matches('Z').split_once('T')?;
    let mut parts = time.split(':');
    let mut next = || parts.next()?.parse::<f64>().ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    Some(Duration::from_secs_f64(hours * 3600.0 + minutes * 60.0 + seconds))
}

fn write_plan(tree: &Tree, stories: usize) -> anyhow::Result<()> {
    let names: Vec<String> = (1..=stories).map(|number| format!("name{number}")).collect();
    for (name, content) in NamesPlan::of(&names).files() {
        tree.write(name, content)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_day_is_read() {
        let read = time_of_day("2026-11-17T08:00:01.250000Z");
        assert_eq!(read, Some(Duration::from_millis(8 * 3_600_000 + 1_250)));
        assert_eq!(time_of_day("yesterday"), None);
    }
}
