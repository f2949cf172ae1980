//! What a run with a crew costs besides its agents and checks: our own time, the memory of its leader
//! while an agent prints a gigabyte, and whether many runs at once all come to their end.

mod stories;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::ensure;

use super::arena::Arena;
use super::crowd::verified;
use super::measure::time_and_peak;
use super::report::{Bar, Figure, Row};
use super::tree::Tree;

const RUNS: usize = 50;
/// What an agent prints.
const PRINTED: u64 = 1_000_000_000;

/// A verifier that passes everything.
const VERIFIER: &str = r#"command:cat > /dev/null
for look in 'evidence gate' 'layer enforcement' 'test sufficiency' 'anti-gaming' 'worker process audit'
do looks="$looks,{\"check\":\"$look\",\"decision\":\"pass\",\"basis\":\"r1\"}"; done
echo "{\"verdict\":\"pass\",\"summary\":\"-\",\"criteria\":[],\"reasoning\":[${looks#,}],\"missing_evidence\":[],\"receipts\":[\"r1\"],\"issues\":[]}""#;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let mut rows = stories::measure(arena)?;
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
    let runs = arena.ask(&tree.path, &["status", "--most", "1000"])?;
    let listed = runs["data"].as_array().map_or(0, Vec::len);
    ensure!(listed == RUNS, "{listed} runs are on the record");
    arena.remove("at-once")?;
    let what = format!("{RUNS} runs at once: accepted, and the ledger verifies");
    Ok(Row::alone(what, Figure::Count(accepted), Bar::CountIs(RUNS as u64), 1))
}
