//! What an agent's call pays for being on the record: from the start of the hook to its answer.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::arena::Arena;
use super::measure::{Pair, in_turns, median, time};
use super::report::{Bar, Figure, Row};

const HOOK: &[&str] = &["hook", "claude"];
/// Sessions that are stored when earlier work is looked for.
const SESSIONS: usize = 10_000;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let repository = arena.repository("hook")?;
    tell(arena, &repository, &prompt(&repository, "bench", "--tier STRICT measure"))?;
    let mut rows = small(arena, &repository)?;
    rows.push(large(arena, &repository)?);
    rows.push(earlier_work(arena)?);
    Ok(rows)
}

/// A report of about 3 kB, against the least that a process can cost with the same input.
fn small(arena: &Arena, repository: &Path) -> anyhow::Result<Vec<Row>> {
    let report = arena.write("hook.json", &edit(repository, 17).to_string())?;
    let floor = || time(arena.command("/bin/true", repository).stdin(File::open(&report)?));
    let ours = || time(arena.ours(repository, HOOK).stdin(File::open(&report)?));
    let pair = in_turns(arena.runs(301), |_| floor(), |_| ours())?;
    let what = "`hook claude` on a PostToolUse of 3 kB, on the record; survives";
    let unsynced = unsynced(arena)?;
    let through_shell = {
        let command = format!("'{}' hook claude", arena.program.display());
        let shell = |command: &str| {
            let mut shell = arena.command("/bin/sh", repository);
            shell.args(["-c", command]).stdin(File::open(&report)?);
            time(&mut shell)
        };
        in_turns(arena.runs(101), |_| shell("/bin/true"), |_| shell(&command))?
    };
    let started = "the same, started by `/bin/sh -c` as agents do";
    Ok(vec![
        Row::of_pair(format!("{what} kill -9"), "`/bin/true`", unsynced, Bar::RatioAtMost(3.0)),
        Row::of_pair(format!("{what} power loss"), "`/bin/true`", pair, Bar::RatioAtMost(3.0)),
        Row::of_pair(started, "`sh -c /bin/true`", through_shell, Bar::None),
    ])
}

/// The same for a session whose entries need not survive the loss of power.
fn unsynced(arena: &Arena) -> anyhow::Result<Pair> {
    let repository = arena.repository("hook-unsynced")?;
    let opening = prompt(&repository, "bench", "--tier STRICT measure").to_string();
    let opening = arena.write("opening.json", &opening)?;
    time(arena.ours_unsynced(&repository, HOOK).stdin(File::open(&opening)?))?;
    let report = arena.write("unsynced.json", &edit(&repository, 17).to_string())?;
    let floor = |_| time(arena.command("/bin/true", &repository).stdin(File::open(&report)?));
    let ours = |_| time(arena.ours(&repository, HOOK).stdin(File::open(&report)?));
    in_turns(arena.runs(301), floor, ours)
}

/// A report of 4 MB, against reading it and parsing it as a JSON value, in a process of the same
/// kind.
fn large(arena: &Arena, repository: &Path) -> anyhow::Result<Row> {
    let report = arena.write("large.json", &write(repository, 2 * 1024 * 1024).to_string())?;
    let bytes = fs::metadata(&report)?.len();
    ensure!((3_900_000..4_600_000).contains(&bytes), "the report has {bytes} bytes");
    let floor = |_| {
        let process = time(arena.command("/bin/true", repository).stdin(File::open(&report)?))?;
        let start = Instant::now();
        let bytes = fs::read(&report)?;
        let value: Value = serde_json::from_slice(&bytes)?;
        let taken = start.elapsed();
        ensure!(value.is_object(), "it is no report");
        Ok(process + taken)
    };
    let ours = |_| time(arena.ours(repository, HOOK).stdin(File::open(&report)?));
    let pair = in_turns(arena.runs(101), floor, ours)?;
    let what = "the same on a Write of 4 MB";
    let floor = "`/bin/true` + reading and parsing it";
    Ok(Row::of_pair(what, floor, pair, Bar::RatioAtMost(1.3)))
}

/// The look for earlier work among many sessions: the part of opening a session that grows.
fn earlier_work(arena: &Arena) -> anyhow::Result<Row> {
    let few = arena.repository("few")?;
    let many = arena.repository("many")?;
    let stored = if arena.quick { SESSIONS / 20 } else { SESSIONS };
    fill(arena, &many, stored)?;
    let taken = |repository: &Path, number: usize| -> anyhow::Result<Duration> {
        let report = prompt(repository, &format!("asks-{number}"), "--tier STRICT look");
        let report = arena.write("prompt.json", &report.to_string())?;
        time(arena.ours(repository, HOOK).stdin(File::open(&report)?))
    };
    let (mut alone, mut among) = (Vec::new(), Vec::new());
    for number in 0..arena.runs(41) {
        alone.push(taken(&few, number)?);
        among.push(taken(&many, number)?);
    }
    let more = median(among).saturating_sub(median(alone));
    let what = format!("opening a session among {stored} stored ones: what that adds");
    Ok(Row::alone(what, Figure::Time(more), Bar::TimeAtMost(Duration::from_millis(5)), 41))
}

/// Makes `count` sessions that nothing has ended.
fn fill(arena: &Arena, repository: &Path, count: usize) -> anyhow::Result<()> {
    tell(arena, repository, &prompt(repository, "first", "--tier LIGHT begin"))?;
    let stored = arena.ask(repository, &["worklog", "list"])?;
    ensure!(stored["data"].as_array().is_some_and(|all| all.len() == 1), "{stored}");
    for number in 1..count {
        let name = format!("stored-{number}");
        tell(arena, repository, &prompt(repository, &name, "--tier LIGHT tidy up"))?;
    }
    Ok(())
}

fn tell(arena: &Arena, repository: &Path, report: &Value) -> anyhow::Result<()> {
    let path: PathBuf = arena.write("tell.json", &report.to_string())?;
    let mut command = arena.ours(repository, HOOK);
    let output = command.stdin(File::open(path)?).stdout(Stdio::piped()).output()?;
    ensure!(output.status.success(), "the hook failed");
    let said = String::from_utf8(output.stdout).context("the hook said no text")?;
    ensure!(!said.contains("can't be kept"), "{said}");
    Ok(())
}

fn report(repository: &Path, session: &str, event: &str) -> Value {
    json!({
        "session_id": session,
        "transcript_path": "/nowhere/projects/p/bench.jsonl",
        "cwd": repository,
        "permission_mode": "acceptEdits",
        "hook_event_name": event,
    })
}

fn prompt(repository: &Path, session: &str, text: &str) -> Value {
    let mut report = report(repository, session, "UserPromptSubmit");
    report["prompt"] = text.into();
    report
}

/// An edit of `lines` lines.
fn edit(repository: &Path, lines: usize) -> Value {
    let line = "    let total: u64 = items.iter().map(|item| item.price * item.count).sum();\n";
    let file = repository.join("src/orders/total.rs");
    let mut report = report(repository, "bench", "PostToolUse");
    report["tool_name"] = "Edit".into();
    report["tool_input"] = json!({
        "file_path": file, "old_string": line.repeat(lines), "new_string": line.repeat(lines + 1),
    });
    let patch = json!([{ "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2,
        "lines": [format!(" {line}"), format!("+{line}")] }]);
    report["tool_response"] = json!({ "filePath": file, "structuredPatch": patch });
    report["tool_use_id"] = "toolu_01".into();
    report["duration_ms"] = 12.into();
    report
}

/// A file of `bytes` bytes: agents tell its content twice.
fn write(repository: &Path, bytes: usize) -> Value {
    let line = "    let total: u64 = items.iter().map(|item| item.price * item.count).sum();\n";
    let content = line.repeat(bytes / line.len());
    let file = repository.join("data.rs");
    let mut report = report(repository, "bench", "PostToolUse");
    report["tool_name"] = "Write".into();
    report["tool_input"] = json!({ "file_path": file, "content": content });
    report["tool_response"] = json!({
        "type": "create", "filePath": file, "content": content, "structuredPatch": [],
        "originalFile": null,
    });
    report["tool_use_id"] = "toolu_02".into();
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_report_has_about_three_kilobytes() {
        let bytes = edit(Path::new("/home/alice/project"), 17).to_string().len();
        assert!((2_900..3_400).contains(&bytes), "{bytes}");
    }
}
