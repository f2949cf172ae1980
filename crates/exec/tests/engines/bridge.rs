//! An agent that speaks ACP, behind our bridge: small programs of the test's, and the real Gemini.

use std::fs;
use std::path::Path;
use std::time::Duration;

use countersign_domain::agent::{AgentEnd, Heard, Money, Role};
use countersign_domain::receipt::Ended;
use countersign_exec::agents::{Login, Moment, Permissions, Reader, Start, launch};
use countersign_exec::{Cancel, Environment, Spec, Supervisor, run};
use countersign_testkit::agents::RealAgent;
use countersign_testkit::model::{Script, Turn};
use serde_json::{Value, json};

use crate::heard::spec;
use crate::live::shell;

const OURS: &str = env!("CARGO_BIN_EXE_countersign-supervisor");

/// Where an agent works, and with what.
struct Place {
    folder: tempfile::TempDir,
    env: Environment,
}

struct Played {
    heard: Heard,
    moments: Vec<Moment>,
    ended: Ended,
}

impl Place {
    fn new() -> Self {
        let mut env = Environment::new();
        env.set("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        Self { folder: tempfile::tempdir().unwrap(), env }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `command` as an agent, and cancels it at the first moment for which `stops` holds.
    fn play(
        &self,
        command: &str,
        permissions: Permissions,
        stops: &dyn Fn(&Moment) -> bool,
    ) -> Played {
        let spec = spec(&format!("acp:{command}"));
        let home = self.path().join("home");
        fs::create_dir_all(&home).unwrap();
        let prompt_file = home.join("prompt.md");
        fs::write(&prompt_file, "Do it").unwrap();
        let launch = launch(&Start {
            spec: &spec,
            role: Role::Worker,
            program: Path::new(OURS),
            prompt: "Do it",
            prompt_file: &prompt_file,
            folder: self.path(),
            home: &home,
            max_cost: None,
            max_turns: None,
            extra_args: &[],
            env: self.env.clone(),
            permissions,
            login: Login::default(),
        })
        .unwrap();
        let spec = Spec {
            argv: launch.argv,
            cwd: self.path().to_owned(),
            env: launch.env,
            stdin: launch.stdin,
            deadline: Duration::from_mins(1),
            grace: Duration::from_secs(10),
            max_output: 1 << 24,
        };
        let mut ear = Ear {
            reader: Reader::new(&"acp:x".parse().unwrap()),
            cancel: Cancel::new(),
            stops,
            moments: Vec::new(),
        };
        let cancel = ear.cancel.clone();
        let finished = run(&Supervisor::new(OURS, &[]), &spec, &cancel, &mut ear).unwrap();
        let Ear { reader, moments, .. } = ear;
        let heard = reader.finish(&finished.ended);
        Played { heard, moments, ended: finished.ended }
    }

    /// The same with an agent that is a shell script: it reads a frame wherever `read` stands.
    fn script(&self, script: &str, permissions: Permissions) -> Played {
        fs::write(self.path().join("agent.sh"), script).unwrap();
        self.play("sh agent.sh", permissions, &|_| false)
    }
}

struct Ear<'a> {
    reader: Reader,
    cancel: Cancel,
    stops: &'a dyn Fn(&Moment) -> bool,
    moments: Vec<Moment>,
}

impl std::io::Write for Ear<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Self { reader, cancel, stops, moments } = self;
        reader.feed(bytes, &mut |moment| {
            if stops(&moment) {
                cancel.cancel();
            }
            moments.push(moment);
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What an agent says in a shell script.
fn says(frame: &Value) -> String {
    format!("printf '%s\\n' '{frame}'\n")
}

fn opening() -> String {
    let first = json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}});
    let session = json!({"sessionId": "s-1", "models": {"currentModelId": "gpt-5.5"}});
    let second = json!({"jsonrpc": "2.0", "id": 2, "result": session});
    format!(
        "read x\n{}read x\n{}read prompt; printf %s \"$prompt\" > prompt.json\n",
        says(&first),
        says(&second)
    )
}

fn update(update: &Value) -> String {
    let params = json!({"sessionId": "s-1", "update": update});
    says(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}))
}

fn asks(call: &Value) -> String {
    let options =
        json!([{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}]);
    let params = json!({"sessionId": "s-1", "toolCall": call, "options": options});
    let frame = json!({"jsonrpc": "2.0", "id": "p", "method": "session/request_permission", "params": params});
    format!("{}read x; printf '%s\\n' \"$x\" >> answers.json\n", says(&frame))
}

fn ending(result: &Value) -> String {
    says(&json!({"jsonrpc": "2.0", "id": 3, "result": result}))
}

/// LP-18: any agent that speaks ACP works behind the bridge, and is read like the others.
#[test]
fn an_acp_agent_works() {
    let place = Place::new();
    let chunk = |text: &str| {
        update(
            &json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}),
        )
    };
    let script = [
        "echo greetings\n".to_owned(),
        opening(),
        chunk("First."),
        asks(&json!({"toolCallId": "c1", "kind": "edit", "title": "Write a", "rawInput": {"path": "a"}})),
        update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed", "rawOutput": "x"})),
        chunk("All "),
        chunk("done"),
        update(&json!({"sessionUpdate": "usage_update", "used": 1, "cost": {"amount": 0.25, "currency": "USD"}})),
        ending(&json!({"stopReason": "end_turn", "usage": {"inputTokens": 300, "outputTokens": 20, "cachedReadTokens": 100}})),
    ]
    .concat();
    let played = place.script(&script, Permissions::Edit);
    let heard = played.heard;
    assert_eq!(heard.end, AgentEnd::Finished, "{heard:?} {:?}", played.ended);
    assert_eq!(heard.said, "All done");
    assert_eq!((heard.session.as_deref(), heard.model.as_deref()), (Some("s-1"), Some("gpt-5.5")));
    assert_eq!((heard.usage.input_tokens, heard.usage.cached_tokens), (400, 100));
    assert_eq!(heard.usage.cost, Money::from_dollars(0.25));
    assert!(heard.usage.is_partial, "some agents tell only their last request");
    let started =
        Moment::ToolStarted { id: "c1".into(), tool: "Write a".into(), about: "a".into() };
    assert!(played.moments.contains(&started), "{:?}", played.moments);
    assert!(played.moments.contains(&Moment::ToolEnded { id: "c1".into(), failed: true }));
    let prompt: Value =
        serde_json::from_slice(&fs::read(place.path().join("prompt.json")).unwrap()).unwrap();
    assert_eq!(prompt["params"]["prompt"][0]["text"], "Do it");
    assert!(fs::read_to_string(place.path().join("answers.json")).unwrap().contains("\"y\""));
}

/// LP-18: what a judge is asked for beyond reading is refused, and told.
#[test]
fn an_acp_judge_is_refused() {
    let place = Place::new();
    let call = |kind: &str, command: &str| {
        asks(
            &json!({"toolCallId": kind, "kind": kind, "title": command, "rawInput": {"command": command}}),
        )
    };
    let script = [
        opening(),
        call("edit", "Write a"),
        call("execute", "git diff"),
        call("execute", "rm -r x"),
        ending(&json!({"stopReason": "end_turn"})),
    ]
    .concat();
    let heard = place.script(&script, Permissions::ReadOnly).heard;
    assert_eq!(heard.denied, ["Write a", "rm -r x"]);
    let answers = fs::read_to_string(place.path().join("answers.json")).unwrap();
    let chosen: Vec<Value> = answers
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["result"]["outcome"]["optionId"].clone()
        })
        .collect();
    assert_eq!(chosen, ["n", "y", "n"]);
    // It said nothing.
    assert_eq!(heard.end, AgentEnd::Silent);
}

/// LP-18: an agent that dies, refuses or can't be started has not finished.
#[test]
fn an_acp_agent_that_fails_has_failed() {
    let place = Place::new();
    let check = |script: &str, is: &dyn Fn(&AgentEnd) -> bool| {
        let played = place.script(script, Permissions::Edit);
        assert!(is(&played.heard.end), "{script}: {:?}", played.heard.end);
        assert_eq!(played.ended, Ended::Exited { code: 1 }, "{script}");
    };
    check(
        &format!("{}exit 0", opening()),
        &|end| matches!(end, AgentEnd::Failed { detail } if detail.contains("session/prompt")),
    );
    check("exit 3", &|end| matches!(end, AgentEnd::Failed { .. }));
    let error = |message: &str| {
        let error = json!({"code": -32000, "message": message});
        format!("read x\n{}", says(&json!({"jsonrpc": "2.0", "id": 1, "error": error})))
    };
    check(&error("Authentication required"), &|end| matches!(end, AgentEnd::NotLoggedIn { .. }));
    check(&error("429 rate limit"), &|end| matches!(end, AgentEnd::RateLimited { .. }));
    let played = place.play("/no/such/agent", Permissions::Edit, &|_| false);
    assert!(
        matches!(played.heard.end, AgentEnd::Failed { detail } if detail.contains("/no/such/agent"))
    );
}

/// LP-18: an agent that is to stop is asked to, and may still tell what it used.
#[test]
fn an_acp_agent_is_cancelled() {
    let place = Place::new();
    let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "At work"}});
    let usage = json!({"inputTokens": 7, "outputTokens": 1});
    // Like the others, it survives the signal that goes to everybody.
    let script = format!(
        "trap '' TERM\n{}{}read x; printf '%s' \"$x\" > cancel.json\n{}",
        opening(),
        update(&chunk),
        ending(&json!({"stopReason": "cancelled", "usage": usage})),
    );
    fs::write(place.path().join("agent.sh"), script).unwrap();
    let at_work = |moment: &Moment| matches!(moment, Moment::Said(_));
    let played = place.play("sh agent.sh", Permissions::Edit, &at_work);
    assert_eq!(played.ended, Ended::Cancelled);
    assert!(
        fs::read_to_string(place.path().join("cancel.json")).unwrap().contains("session/cancel")
    );
    assert!(matches!(played.heard.end, AgentEnd::Stopped { .. }));
    assert_eq!(played.heard.usage.tokens(), 8);
}

/// LP-18: the same with a real agent, the Gemini CLI in its ACP mode.
#[test]
fn gemini_works_behind_the_bridge() {
    let agent = RealAgent::Gemini;
    for permissions in [Permissions::Edit, Permissions::ReadOnly] {
        let project = countersign_testkit::Project::new("true");
        let script = Script::new()
            .turn(shell(agent, "echo ran > ran.txt"))
            .finally(Turn::text("All is done."));
        let Some(stage) = countersign_testkit::agents::Stage::new(agent, project, script) else {
            return;
        };
        let mut place = Place::new();
        for (name, value) in stage.project.environment() {
            place.env.set(name, value);
        }
        place.env.set("GEMINI_API_KEY", "no-key");
        place.env.set("GOOGLE_GEMINI_BASE_URL", stage.model.address());
        place.env.set("GEMINI_CLI_NO_RELAUNCH", "true");
        let command = format!(
            "node '{}' --acp --skip-trust -m gemini-3.1-pro-preview",
            stage.program().display()
        );
        let played = place.play(&command, permissions, &|_| false);
        let is_allowed = permissions == Permissions::Edit;
        assert_eq!(played.heard.end, AgentEnd::Finished, "{:?} {:?}", played.heard, played.moments);
        assert_eq!(place.path().join("ran.txt").exists(), is_allowed, "{:?}", played.moments);
        assert_eq!(played.heard.denied.is_empty(), is_allowed);
        assert!(played.moments.iter().any(|moment| matches!(moment, Moment::ToolStarted { .. })));
    }
}
