//! Records what an agent tells its hooks on a tour, and what it writes down itself.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::normal::{Normal, shorten, thin_out, without_clocks};
use super::stage::Stage;
use super::tours::Tour;
use crate::project::Project;

/// Longest text in what hooks are told; the long output of a tool is kept as far as that.
const MAX_TOLD: usize = 4000;
/// Longest text in what the agent writes down about the conversation.
const MAX_WRITTEN: usize = 800;
/// Longest text and list in what else it writes down: instructions, tools, settings.
const MAX_BESIDES: (usize, usize) = (60, 3);

/// Plays `tour` with a hook that keeps everything, and writes the recording into `folder`, in
/// place of an earlier one. Says how many events there were; `None` if the agent is missing.
///
/// # Panics
/// When the recording can't be written.
pub fn record(tour: &Tour, folder: &Path) -> Option<usize> {
    let stage = Stage::new(tour.agent, Project::new("true"), (tour.script)())?;
    let told = stage.home().join("told");
    fs::create_dir(&told).unwrap();
    // The moment and the process make a name that is in order and nobody else's.
    let name = format!("{}/$(date +%s%N)-$$", told.display());
    stage.hook(&format!("f=\"{name}\"; cat >\"$f.part\" && mv \"$f.part\" \"$f.json\""));
    (tour.play)(&stage, tour.prompt);
    let left = stage.model.left();
    if left > 0 {
        eprintln!("{}/{}: {left} turns were never asked for", tour.agent.label(), tour.name);
    }

    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    fs::create_dir_all(folder).unwrap();
    let mut normal = Normal::new(&stage.project.outside().display().to_string());
    let mut names: Vec<_> =
        fs::read_dir(&told).unwrap().flatten().map(|file| file.path()).collect();
    names.sort();
    for (index, path) in names.iter().enumerate() {
        let text = normal.text(&fs::read_to_string(path).unwrap());
        let mut payload: Value = serde_json::from_str(&text).unwrap();
        without_clocks(&mut payload);
        shorten(&mut payload, MAX_TOLD);
        let event = payload["hook_event_name"].as_str().unwrap_or("Unknown");
        let tool = payload["tool_name"].as_str().map(|tool| format!("-{tool}")).unwrap_or_default();
        let path = folder.join(format!("{:03}-{event}{tool}.json", index + 1));
        fs::write(path, format!("{payload:#}\n")).unwrap();
    }
    for (index, path) in stage.transcripts().iter().enumerate() {
        let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
        let text = transcript(&fs::read_to_string(path).unwrap(), &mut normal);
        fs::write(folder.join(format!("transcript{number}.jsonl")), text).unwrap();
    }
    Some(names.len())
}

fn transcript(text: &str, normal: &mut Normal) -> String {
    let mut lines = String::new();
    for line in normal.text(text).lines() {
        // An agent that was killed leaves half a line, which is worth keeping.
        match serde_json::from_str::<Value>(line) {
            Ok(mut value) => {
                without_clocks(&mut value);
                if is_conversation(&value) {
                    shorten(&mut value, MAX_WRITTEN);
                } else {
                    shorten(&mut value, MAX_BESIDES.0);
                    thin_out(&mut value, MAX_BESIDES.1);
                }
                lines += &format!("{value}\n");
            }
            Err(_) => lines += &format!("{line}\n"),
        }
    }
    lines
}

/// Whether a line tells what was said and done, and not what the agent was instructed to do.
fn is_conversation(line: &Value) -> bool {
    let instructs = line["payload"]["role"] == "developer";
    let kinds = ["user", "assistant", "system", "gemini", "response_item", "event_msg"];
    !instructs && kinds.iter().any(|kind| line["type"] == *kind)
}
