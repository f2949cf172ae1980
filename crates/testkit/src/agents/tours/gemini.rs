//! Tours of the Gemini CLI.

use serde_json::json;

use super::{RUN_TESTS, RealAgent, Script, TEST, Tour, WRONG, finish};
use crate::model::Turn;

pub(super) const TOURS: &[Tour] = &[Tour {
    name: "work",
    agent: RealAgent::Gemini,
    prompt: "Fix add in calc.py, so that its test passes",
    script: work,
    play: |stage, prompt| vec![finish(stage.work(prompt))],
}];

fn work() -> Script {
    let write = |name: &str, content: &str| {
        let path = format!("{{{{CWD}}}}/{name}");
        Turn::tool("write_file", json!({"file_path": path, "content": content}))
    };
    let run = |command: &str| {
        Turn::tool("run_shell_command", json!({"command": command, "description": "Run it"}))
    };
    let replace = |old: &str| {
        json!({"file_path": "{{CWD}}/calc.py", "old_string": old, "new_string": "a + b",
               "instruction": "Add instead of subtracting"})
    };
    Script::new()
        .turn(write("calc.py", WRONG))
        .turn(write("test_calc.py", TEST))
        .turn(run(RUN_TESTS))
        .turn(Turn::tool("read_file", json!({"file_path": "{{CWD}}/calc.py"})))
        .turn(Turn::tool("replace", replace("a - b")))
        .turn(run(RUN_TESTS))
        .turn(run("exit 3"))
        .turn(Turn::tool("replace", replace("not there")))
        .turn(Turn::text("The sum is right now, and its test passes."))
}
