//! Tours of Codex.

use serde_json::{Value, json};

use super::{RUN_TESTS, RealAgent, Script, Stage, Tour, finish};
use crate::model::{Request, Turn};
use crate::ran::Ran;

pub(super) const TOURS: &[Tour] = &[
    tour("work", WORK, work, |stage, prompt| vec![finish(stage.work(prompt))]),
    tour("code-mode", WORK, code_mode, |stage, prompt| {
        vec![finish(stage.work(prompt).args(["-m", "gpt-6.1-sol"]))]
    }),
    tour("side-agent", WORK, side_agent, |stage, prompt| {
        // Only a model that Codex doesn't know gets these tools.
        vec![finish(stage.work(prompt).args(["-m", "scripted"]))]
    }),
    tour("resume", "Write down a plan in plan.md", resume, |stage, prompt| {
        let first = finish(stage.work(prompt));
        let session = stage.session(&first);
        let again = stage.resume(&session, "Add one more line to it");
        vec![first, finish(again.args(["-m", "gpt-5.5"]))]
    }),
    tour("compaction", "Look at the README file", compaction, |stage, prompt| {
        let call = stage.work(prompt);
        vec![finish(call.args(["-c", "model_auto_compact_token_limit=50000"]))]
    }),
    tour("long-output", WORK, long_output, |stage, prompt| vec![finish(stage.work(prompt))]),
    tour("slow-command", WORK, slow_command, |stage, prompt| vec![finish(stage.work(prompt))]),
];

const WORK: &str = "Fix add in calc.py, so that its test passes";

const fn tour(
    name: &'static str,
    prompt: &'static str,
    script: fn() -> Script,
    play: fn(&Stage, &str) -> Vec<Ran>,
) -> Tour {
    Tour { name, agent: RealAgent::Codex, prompt, script, play }
}

fn run(command: &str) -> Turn {
    Turn::tool("exec_command", json!({"cmd": command}))
}

fn patch(body: &str) -> Turn {
    let text = format!("*** Begin Patch\n{body}*** End Patch\n");
    Turn::default().call_with_text("apply_patch", &text)
}

const ADD_FILES: &str = "*** Add File: calc.py\n+def add(a, b):\n+    return a - b\n\
    *** Add File: test_calc.py\n+import unittest\n+from calc import add\n+\n+\n\
    +class AddTest(unittest.TestCase):\n+    def test_add(self):\n\
    +        self.assertEqual(add(1, 2), 3)\n";
const FIX: &str =
    "*** Update File: calc.py\n@@\n def add(a, b):\n-    return a - b\n+    return a + b\n";
const MISFIT: &str = "*** Update File: calc.py\n@@\n-not there\n+anything\n";

fn work() -> Script {
    Script::new()
        .turn(patch(ADD_FILES).say("I begin."))
        .turn(run(RUN_TESTS))
        .turn(patch(FIX))
        .turn(run(RUN_TESTS))
        .turn(run("exit 3"))
        .turn(patch(MISFIT))
        .turn(Turn::tool("update_plan", json!({"plan": [{"step": "Report", "status": "pending"}]})))
        .turn(run("echo first").call("exec_command", json!({"cmd": "echo second"})))
        .turn(Turn::text("The sum is right now, and its test passes."))
}

fn code_mode() -> Script {
    let code = |text: &str| Turn::default().call_with_text("exec", text);
    let add =
        format!("text(await tools.apply_patch(`*** Begin Patch\n{ADD_FILES}*** End Patch\n`));");
    let both = format!(
        "const f = await tools.apply_patch(`*** Begin Patch\n{FIX}*** End Patch\n`); text(f);\n\
         text(await tools.exec_command({{cmd: \"{RUN_TESTS}\"}}));"
    );
    Script::new()
        .turn(code(&add))
        .turn(code(&format!("text(await tools.exec_command({{cmd: \"{RUN_TESTS}\"}}));")))
        .turn(code(&both))
        .turn(Turn::text("The sum is right now, and its test passes."))
}

fn side_agent() -> Script {
    let spawn = json!({"message": "SIDE TASK: write report.txt", "agent_type": "worker"});
    Script::new()
        .turn(Turn::tool("spawn_agent", spawn).of("multi_agent_v1"))
        .reply(|request: &Request| {
            let told = request.results().pop().unwrap_or_default();
            let told: Value = serde_json::from_str(&told).unwrap_or_default();
            let input = json!({"targets": [told["agent_id"]], "timeout_ms": 20000});
            Turn::tool("wait_agent", input).of("multi_agent_v1")
        })
        .turn(run("cat report.txt"))
        .turn(Turn::text("It was written."))
        .lane("SIDE TASK", [run("echo report > report.txt"), Turn::text("The report is there.")])
}

fn resume() -> Script {
    Script::new()
        .turn(patch("*** Add File: plan.md\n+One.\n"))
        .turn(Turn::text("Written."))
        .turn(patch("*** Update File: plan.md\n@@\n One.\n+Two.\n"))
        .turn(Turn::text("Added."))
}

fn compaction() -> Script {
    Script::new()
        .turn(run("cat README.md"))
        .turn(patch("*** Add File: notes.md\n+A project.\n").input_tokens(90_000))
        .lane("CONTEXT CHECKPOINT", [Turn::text("The README was read, notes.md was written.")])
        .turn(patch("*** Add File: more.md\n+And more.\n"))
        .turn(Turn::text("I went on."))
}

fn long_output() -> Script {
    Script::new()
        .turn(run(
            "python3 -c \"print('a line of the long output\\n' * 5000); raise SystemExit(4)\"",
        ))
        .turn(Turn::text("That was long."))
}

/// A command that is not done when the model is told about it for the first time.
fn slow_command() -> Script {
    let command = "python3 -c \"import time; time.sleep(2); print('slow'); raise SystemExit(5)\"";
    Script::new()
        .turn(Turn::tool("exec_command", json!({"cmd": command, "yield_time_ms": 250})))
        .reply(|request: &Request| {
            let told = request.results().pop().unwrap_or_default();
            let id = told.split("session ID ").nth(1).unwrap_or_default();
            let digits: String = id.chars().take_while(char::is_ascii_digit).collect();
            let id: u64 = digits.parse().unwrap_or_default();
            let input = json!({"session_id": id, "chars": "", "yield_time_ms": 10000});
            Turn::tool("write_stdin", input)
        })
        .turn(Turn::text("It took its time."))
}
