//! Questions that wait for a person, for agents to read. There is no tool to answer one: whoever is
//! judged must not decide, and a question that an agent could answer would ask nobody.

use countersign_domain::checkpoint::State;
use countersign_engine::checkpoint::CheckpointRow;
use countersign_engine::{Engine, Error};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::call::{Answer, parse};
use super::tools::tool;
use crate::asked::Asked;

const LIST: &str = "checkpoint_list";
const SHOW: &str = "checkpoint_show";
/// As many as are listed in one answer.
const MAX_LISTED: usize = 100;

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
struct Shown {
    #[serde(default = "latest")]
    checkpoint: String,
}

fn latest() -> String {
    "latest".to_owned()
}

pub(super) fn is_known(name: &str) -> bool {
    [LIST, SHOW].contains(&name)
}

pub(super) fn tools() -> Vec<Tool> {
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    vec![
        tool(
            LIST,
            "List questions that wait for a person. Only a person can answer.",
            &json!({ "all": { "type": "boolean", "description": "Also answered ones." } }),
            &[],
        )
        .annotate(reads()),
        tool(
            SHOW,
            "Show a question to a person: context, options, and the answer if there is one.",
            &json!({ "checkpoint": { "type": "string", "description": "Id; default latest." } }),
            &[],
        )
        .annotate(reads()),
    ]
}

pub(super) fn perform(engine: &Engine, tool: &str, given: JsonObject) -> Result<Answer, Error> {
    if tool == SHOW {
        let Shown { checkpoint } = parse(tool, given)?;
        let id = engine.find_checkpoint(&checkpoint)?;
        let asked = Asked::of(engine, engine.checkpoint(id)?)?;
        let text = anstream::adapter::strip_str(&asked.text()).to_string();
        return Ok((text, None));
    }
    let Listed { all } = parse(tool, given)?;
    let rows = engine.checkpoints(all)?;
    let line = |row: &CheckpointRow| {
        let state = match &row.answer {
            Some(answer) if row.state != State::Withdrawn => {
                format!("{}: {}", row.state, answer.choice)
            }
            _ => row.state.to_string(),
        };
        format!("{} [{state}] {}: {}", row.id, row.trigger, row.question)
    };
    let mut lines: Vec<String> = rows.iter().take(MAX_LISTED).map(line).collect();
    let more = rows.len() - lines.len();
    if lines.is_empty() {
        lines.push("no question waits for a person".to_owned());
    }
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    Ok((lines.join("\n"), None))
}
