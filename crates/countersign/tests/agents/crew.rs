//! Runs in which the real Claude Code and the real Codex work and judge, through `countersign run` as
//! users start it, driven by a scripted model.

mod bounds;
mod cut_off;
mod deceived;
mod hiccups;
mod honest;
mod judged;
mod planted;

use std::ffi::OsString;

use countersign_engine::{Clock, Engine, Host};
use countersign_testkit::agents::{RealAgent, Stage};
use countersign_testkit::model::{Script, Turn};
use countersign_testkit::{Call, Project};
use serde_json::{Value, json};

use crate::PROGRAM;

/// Words that only verifiers are told.
const VERIFIER: &str = "You are the verifier";
const GOAL: &str = "Add a function add(a, b) to calc.py that returns the sum";
const CHECK: &str = "python3 -m unittest -q";

/// What agents get of the environment to find their model.
const PASSED_ON: &str =
    "ANTHROPIC_BASE_URL,ANTHROPIC_API_KEY,SCRIPTED_KEY,CLAUDE_CODE_MAX_RETRIES,CODEX_HOME";

const CALC: &str = "\"\"\"A small calculator.\"\"\"\n\n\ndef mul(a, b):\n    return a * b\n";
const TEST_CALC: &str = "\
import unittest

import calc


class Mul(unittest.TestCase):
    def test_mul(self):
        self.assertEqual(calc.mul(2, 3), 6)
";
const TEST_ADD: &str = "\
import unittest

import calc


class Add(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 3), 5)
";

/// A small project, and both agents with one model.
struct Cast {
    stage: Stage,
    path: OsString,
}

impl Cast {
    /// `None`, said aloud, if an agent is not installed.
    fn new(script: Script) -> Option<Self> {
        Self::with(script, |_| {})
    }

    /// The same, with more in the project.
    fn with(script: Script, prepare: impl FnOnce(&Project)) -> Option<Self> {
        let project = Project::new(PROGRAM);
        project.write("calc.py", CALC);
        project.write("test_calc.py", TEST_CALC);
        prepare(&project);
        project.commit("A calculator");
        let claude = RealAgent::Claude.find()?;
        let stage = Stage::new(RealAgent::Codex, project, script)?;
        let rest = stage.search_path();
        let folders = claude.parent().map(Into::into).into_iter();
        let path = std::env::join_paths(folders.chain(std::env::split_paths(&rest))).unwrap();
        Some(Self { stage, path })
    }

    fn project(&self) -> &Project {
        &self.stage.project
    }

    /// A call of the program, with both agents on its search path.
    fn call<const N: usize>(&self, words: [&str; N]) -> Call {
        self.environment()
            .into_iter()
            .fold(self.project().call(words), |call, (name, value)| call.env(name, value))
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("PATH", self.path.clone()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
            ("ANTHROPIC_BASE_URL", self.stage.model.address().into()),
            ("ANTHROPIC_API_KEY", "no-key".into()),
            ("SCRIPTED_KEY", "no-key".into()),
            ("CLAUDE_CODE_MAX_RETRIES", "0".into()),
            ("COUNTERSIGN_EXEC_WORKER_ENV", PASSED_ON.into()),
        ]
    }

    /// `run` with one worker and these verifiers.
    fn run(&self, worker: RealAgent, verifiers: &[RealAgent]) -> Call {
        let call = self.call(["run", GOAL, "--check", CHECK, "--no-input"]);
        let call = call.args(["--worker-timeout", "240", "--worker", worker.name()]);
        verifiers.iter().fold(call, |call, verifier| call.args(["--verifier", verifier.name()]))
    }

    /// Answers the question asked last, as a person does.
    #[track_caller]
    fn answer(&self, choice: &str) {
        let words = ["checkpoint", "answer", "latest", choice, "--note", "I had a look."];
        self.call(words).run().expect(0);
    }

    fn engine(&self) -> Engine {
        let own = self.project().environment().into_iter().chain(self.environment());
        let host = Host {
            clock: Clock::System,
            environment: own.map(|(name, value)| (name.into(), value)).collect(),
            cwd: self.project().root(),
            supervisor: vec![PROGRAM.into(), "supervise".into()],
        };
        Engine::open(host).unwrap()
    }

    /// The bodies of the newest run's events of one kind.
    fn events(&self, kind: &str) -> Vec<Value> {
        let journal = self.project().journal();
        let entries = journal["entries"].as_array().into_iter().flatten();
        let named = entries.filter(|entry| entry["kind"] == format!("run.{kind}"));
        named.map(|entry| entry["event"]["body"].clone()).collect()
    }

    /// What the rulings of the newest run were, in order, each with its reasons.
    fn rulings(&self) -> Vec<(String, Vec<Value>)> {
        let ruling = |body: Value| {
            let reasons = body["reasons"].as_array().cloned().unwrap_or_default();
            (body["decision"].as_str().unwrap_or_default().to_owned(), reasons)
        };
        self.events("ruled").into_iter().map(ruling).collect()
    }

    /// The prompts that workers got, attempt by attempt, and those that verifiers got.
    fn prompts(&self, is_of_verifiers: bool) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for request in self.stage.model.requests() {
            for text in request.user_texts() {
                let is_verifiers = text.contains(VERIFIER);
                let is_prompt = is_verifiers || text.contains("# What will be checked");
                if is_prompt && is_verifiers == is_of_verifiers && !found.contains(&text) {
                    found.push(text);
                }
            }
        }
        found
    }

    /// Expects the run to have been accepted, with `add` on its branch.
    #[track_caller]
    fn expect_accepted(&self) {
        let closed = self.events("closed").pop().unwrap_or_default();
        assert_eq!(closed["outcome"], "accepted", "{closed}");
        let branch = closed["branch"].as_str().unwrap();
        let calc = self.project().git(["show", &format!("{branch}:calc.py")]);
        assert!(calc.contains("return a + b"), "{calc}");
        let files = self.project().git(["ls-tree", "-r", "--name-only", branch]);
        assert!(!files.contains(".countersign"), "{files}");
        self.project().expect_no_survivors();
        self.project().run(["ledger", "verify"]).expect(0);
    }
}

/// A turn in which `agent` runs a shell command.
fn shell(agent: RealAgent, command: &str) -> Turn {
    match agent {
        RealAgent::Codex => Turn::tool("exec_command", json!({"cmd": command})),
        _ => Turn::tool("Bash", json!({"command": command, "description": "Work"})),
    }
}

/// The command that writes `text` to the file `name`.
fn write(name: &str, text: &str) -> String {
    let folder = name.rsplit_once('/').map_or(".", |(folder, _)| folder);
    format!("mkdir -p {folder} && cat > {name} <<'END'\n{text}END\n")
}

/// Does what was asked for, with a test.
fn do_it(agent: RealAgent) -> Turn {
    let calc = format!("{CALC}\n\ndef add(a, b):\n    return a + b\n");
    shell(agent, &(write("calc.py", &calc) + &write("test_add.py", TEST_ADD)))
}

/// Claims to be done, in the last words.
fn claim(attempt: u32) -> Turn {
    let test = "python3 -m unittest -q test_add";
    let claim = json!({
        "iteration": attempt, "status": "done", "claims": ["add adds"],
        "execution_steps": [
            {"step": "write_test", "ac_id": "AC1", "summary": "test_add"},
            {"step": "verify_red", "ac_id": "AC1", "command": test, "exit_code": 1,
             "summary": "it fails"},
            {"step": "implement", "ac_id": "AC1", "summary": "add"},
            {"step": "verify_green", "ac_id": "AC1", "command": test, "exit_code": 0,
             "summary": "it passes"},
        ],
    });
    Turn::text(&format!("It is done.\n\n```json\n{claim:#}\n```\n"))
}

fn looks() -> Value {
    let names = [
        "evidence gate",
        "layer enforcement",
        "test sufficiency",
        "anti-gaming",
        "worker process audit",
    ];
    names.map(|name| json!({"check": name, "decision": "pass", "basis": "r1"})).to_vec().into()
}

/// A verifier's last words: it passes the work.
fn pass() -> Turn {
    let verdict = json!({
        "verdict": "pass", "summary": "It adds.", "criteria": [], "reasoning": looks(),
        "missing_evidence": [], "receipts": ["r1"], "issues": [],
    });
    Turn::text(&format!("```json\n{verdict:#}\n```\n"))
}

/// A verifier's last words: it fails the work for `what`.
fn fail(what: &str) -> Turn {
    let verdict = json!({
        "verdict": "fail", "summary": "It does not hold.", "criteria": [], "reasoning": looks(),
        "missing_evidence": [], "receipts": ["r1"],
        "issues": [{"id": "I1", "severity": "major", "criterion": "AC1", "description": what,
                    "fix_hint": "Have a look at negative numbers.",
                    "failure_category": "implementation"}],
    });
    Turn::text(&format!("```json\n{verdict:#}\n```\n"))
}

/// A look at the work before a verdict.
fn look(agent: RealAgent) -> Turn {
    shell(agent, "cat calc.py")
}
