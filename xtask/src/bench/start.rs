//! From the start of the process to an acknowledged entry: what every operation of an agent
//! pays.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::arena::Arena;
use super::measure::{in_turns, memory, time};
use super::report::{Bar, Figure, Row};

pub(super) const APPEND: &[&str] = &["ledger", "append", "--stream", "bench", "--kind", "edited"];
/// As much as a pipe takes before its writer has to wait.
const PIPE: usize = 64 * 1024;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let repository = arena.repository("start")?;
    let entry = arena.write("entry.json", &entry())?;
    let runs = arena.runs(201);
    let plain = in_turns(
        runs,
        |_| floor(arena, &repository, &entry),
        |_| time(arena.ours_unsynced(&repository, APPEND).stdin(File::open(&entry)?)),
    )?;
    let mut log = OpenOptions::new().create(true).append(true).open(arena.path("floor.log"))?;
    let durable = in_turns(
        runs,
        |_| {
            let taken = floor(arena, &repository, &entry)?;
            let start = Instant::now();
            log.write_all(&[b'x'; 200])?;
            log.sync_data()?;
            Ok(taken + start.elapsed())
        },
        |_| time(arena.ours(&repository, APPEND).stdin(File::open(&entry)?)),
    )?;
    let size = fs::metadata(&arena.program)?.len();
    let peak = peak(arena, &repository, &entry)?;
    let what = "start, parse 3 kB of JSON, append; survives";
    let synced = "`/bin/true` + 200 bytes and fdatasync";
    Ok(vec![
        Row::of_pair(format!("{what} kill -9"), "`/bin/true`", plain, Bar::RatioAtMost(2.5)),
        Row::of_pair(format!("{what} power loss"), synced, durable, Bar::RatioAtMost(2.0)),
        Row::alone("size of the executable", Figure::Bytes(size), Bar::BytesAtMost(16_000_000), 1),
        Row::alone("memory of an append", Figure::Bytes(peak), Bar::BytesAtMost(8_000_000), 1),
    ])
}

/// About 3 kB of JSON, of the kind that agents send.
fn entry() -> String {
    let line = "    let total: u64 = items.iter().map(|item| item.price * item.count).sum();\n";
    serde_json::json!({
        "session_id": "6f0a3c1e-7f7e-4a43-9d57-0b6f9a3f2c11",
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {
            "file_path": "src/orders/total.rs",
            "old_string": line.repeat(17),
            "new_string": line.repeat(18),
        },
        "tool_response": { "success": true, "lines": [12, 31], "seconds": 0.25, "error": null },
    })
    .to_string()
}

/// The least that starting a process can cost here, with the same input.
fn floor(arena: &Arena, repository: &Path, entry: &Path) -> anyhow::Result<Duration> {
    time(arena.command("/bin/true", repository).stdin(File::open(entry)?))
}

/// The most memory that an append holds. The process is caught at its end: it has to wait for
/// room in a full pipe when it says that it is done.
fn peak(arena: &Arena, repository: &Path, entry: &Path) -> anyhow::Result<u64> {
    let (mut reader, mut writer) = std::io::pipe()?;
    writer.write_all(&vec![b'.'; PIPE])?;
    let mut command = arena.ours(repository, APPEND);
    let mut child = command.stdin(File::open(entry)?).stdout(writer).spawn()?;
    std::thread::sleep(Duration::from_millis(300));
    let peak = memory(&child).context("the process did not wait for its reader")?;
    drop(command);
    let mut said = Vec::new();
    reader.read_to_end(&mut said)?;
    ensure!(child.wait()?.success() && said.len() > PIPE, "the append failed");
    Ok(peak)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_entry_has_about_three_kilobytes() {
        assert!((2_900..3_100).contains(&super::entry().len()), "{}", super::entry().len());
    }
}
