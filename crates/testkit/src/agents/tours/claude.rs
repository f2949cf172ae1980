//! Tours of Claude Code.

use std::fs;

use serde_json::{Value, json};

use super::{RUN_TESTS, RealAgent, Script, Stage, TEST, Tour, WRONG, finish};
use crate::model::{Fault, Turn};
use crate::ran::Ran;
use crate::wait_until;

pub(super) const TOURS: &[Tour] = &[
    tour("work", WORK, work, |stage, prompt| vec![finish(stage.work(prompt))]),
    Tour {
        agent: RealAgent::OlderClaude,
        ..tour("work", WORK, work, |stage, prompt| vec![finish(stage.work(prompt))])
    },
    tour("todos", WORK, todos, |stage, prompt| {
        let call = stage.work(prompt).env("CLAUDE_CODE_ENABLE_TASKS", "0");
        vec![finish(call)]
    }),
    tour("compaction", "Look at the README file", compaction, |stage, prompt| {
        let first = finish(stage.work(prompt));
        let session = stage.session(&first);
        let compacted = finish(stage.resume(&session, "/compact"));
        vec![first, compacted, finish(stage.resume(&session, "And now go on"))]
    }),
    tour("resume", "Write down a plan in plan.md", resume, |stage, prompt| {
        let first = finish(stage.work(prompt));
        let session = stage.session(&first);
        vec![first, finish(stage.resume(&session, "Add one more line to it"))]
    }),
    tour("api-error", WORK, api_error, |stage, prompt| vec![finish(stage.work(prompt))]),
    tour("tampering", WORK, tampering, |stage, prompt| {
        // Without `IS_SANDBOX` an administrator may not switch the questions off.
        let call = stage.ask(prompt).arg("--dangerously-skip-permissions").env("IS_SANDBOX", "1");
        vec![finish(call)]
    }),
    tour("long-output", WORK, long_output, |stage, prompt| vec![finish(stage.work(prompt))]),
    tour("killed", WORK, killed, play_killed),
];

const WORK: &str = "Fix add in calc.py, so that its test passes";

const fn tour(
    name: &'static str,
    prompt: &'static str,
    script: fn() -> Script,
    play: fn(&Stage, &str) -> Vec<Ran>,
) -> Tour {
    Tour { name, agent: RealAgent::Claude, prompt, script, play }
}

fn bash(command: &str) -> Turn {
    Turn::tool("Bash", json!({"command": command, "description": "Run it"}))
}

fn file(name: &str, content: &str) -> Value {
    json!({"file_path": format!("{{{{CWD}}}}/{name}"), "content": content})
}

fn edit(name: &str, old: &str, new: &str) -> Value {
    let path = format!("{{{{CWD}}}}/{name}");
    json!({"file_path": path, "old_string": old, "new_string": new})
}

fn read(name: &str) -> Value {
    json!({"file_path": format!("{{{{CWD}}}}/{name}")})
}

/// Nearly everything that can happen in one session.
fn work() -> Script {
    let helper = json!({
        "description": "Read the README", "prompt": "SIDE TASK: read README.md and report",
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    Script::new()
        .turn(
            Turn::text("I plan first.")
                .call("TaskCreate", json!({"subject": "Fix add", "description": "In calc.py"}))
                .call("TaskCreate", json!({"subject": "Run the test", "description": "It passes"})),
        )
        .turn(Turn::tool("TaskUpdate", json!({"taskId": "1", "status": "in_progress"})))
        .turn(Turn::tool("Write", file("calc.py", WRONG)).call("Write", file("test_calc.py", TEST)))
        .turn(bash(RUN_TESTS))
        .turn(Turn::tool("Read", read("calc.py")))
        .turn(Turn::tool("Edit", edit("calc.py", "a - b", "a + b")))
        .turn(bash(RUN_TESTS))
        .turn(Turn::tool("Edit", edit("calc.py", "not there", "anything")))
        .turn(Turn::tool("NoSuchTool", json!({"a": 1})))
        .turn(
            bash("python3 -c \"print('first')\"")
                .call("Read", read("README.md"))
                .call("Edit", edit("calc.py", "return a + b", "return b + a")),
        )
        .turn(Turn::tool("Agent", helper))
        .lane(
            "SIDE TASK",
            [
                Turn::tool("Read", read("README.md")),
                Turn::tool("Write", file("report.txt", "It is a project.\n")),
                Turn::text("The README says that it is a project."),
            ],
        )
        .turn(Turn::tool(
            "Bash",
            json!({"command": "python3 -c \"print('behind')\"", "description": "Run it behind",
                   "run_in_background": true}),
        ))
        .turn(bash("curl --version"))
        .turn(
            Turn::tool("TaskUpdate", json!({"taskId": "1", "status": "completed"}))
                .call("TaskUpdate", json!({"taskId": "2", "status": "completed"})),
        )
        .turn(Turn::tool("TaskList", json!({})))
        .turn(Turn::text("The sum is right now, and its test passes."))
}

fn todos() -> Script {
    let list = |first: &str, second: &str| {
        let todo = |content, active, status: &str| json!({"content": content, "activeForm": active, "status": status});
        let todos = [
            todo("Fix add", "Fixing add", first),
            todo("Run the test", "Running the test", second),
            todo("Report", "Reporting", "pending"),
        ];
        Turn::tool("TodoWrite", json!({"todos": todos}))
    };
    Script::new()
        .turn(list("in_progress", "pending"))
        .turn(Turn::tool("Write", file("calc.py", WRONG)))
        .turn(list("completed", "in_progress"))
        .turn(bash("python3 calc.py"))
        .turn(list("completed", "completed"))
        .turn(Turn::text("Two of three are done."))
}

fn compaction() -> Script {
    Script::new()
        .turn(Turn::tool("Read", read("README.md")))
        .turn(Turn::tool("Write", file("notes.md", "A project.\n")))
        .turn(Turn::text("I have read it."))
        .lane(
            "create a detailed summary",
            [Turn::text("<summary>The README was read, notes.md was written.</summary>")],
        )
        .turn(Turn::tool("Write", file("more.md", "And more.\n")))
        .turn(Turn::text("I went on."))
}

fn resume() -> Script {
    Script::new()
        .turn(Turn::tool("Write", file("plan.md", "One.\n")))
        .turn(Turn::text("Written."))
        .turn(Turn::tool("Edit", edit("plan.md", "One.", "One.\nTwo.")))
        .turn(Turn::text("Added."))
}

fn api_error() -> Script {
    Script::new()
        .turn(Turn::tool("Write", file("calc.py", WRONG)))
        .finally(Turn::fault(Fault::Http(400)))
}

/// The agent switches all hooks off and goes on working.
fn tampering() -> Script {
    Script::new()
        .turn(Turn::tool("Write", file("calc.py", WRONG)))
        .turn(Turn::tool("Write", file(".claude/settings.json", "{\"disableAllHooks\": true}\n")))
        // The settings are read again a moment after they have changed.
        .turn(bash("python3 -c 'import time; time.sleep(2)'"))
        .turn(Turn::tool("Write", file("unseen.py", "print('nobody saw this')\n")))
        .turn(bash(RUN_TESTS))
        .turn(Turn::text("Done."))
}

fn long_output() -> Script {
    Script::new()
        .turn(bash("python3 -c \"print('a line of the long output\\n' * 5000)\""))
        .turn(bash("python3 -c \"print('bad\\n' * 9000); raise SystemExit(4)\""))
        .turn(Turn::text("That was long."))
}

/// A command that goes on until a file appears.
fn killed() -> Script {
    Script::new()
        .turn(Turn::tool("Write", file("calc.py", WRONG)))
        .turn(bash("python3 wait.py"))
        .turn(Turn::text("This is never reached."))
}

fn play_killed(stage: &Stage, prompt: &str) -> Vec<Ran> {
    stage.project.write(
        "wait.py",
        "import os, time\nopen('begun', 'w').close()\n\
         while not os.path.exists('end'):\n    time.sleep(0.01)\nos.remove('begun')\n",
    );
    let running = stage.work(prompt).start();
    let begun = stage.project.path("begun");
    wait_until("the command to begin", || begun.exists().then_some(()));
    let ran = running.kill();
    // The command outlives the agent; it is told to end.
    stage.project.write("end", "");
    wait_until("the command to end", || (!begun.exists()).then_some(()));
    fs::remove_file(stage.project.path("end")).unwrap();
    vec![ran]
}
