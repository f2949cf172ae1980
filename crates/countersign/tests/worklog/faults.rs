//! A ledger that is full, read-only or busy, and settings that make no sense: the agent
//! goes on, what it told is kept, and the person hears of it.

use std::fs;

use countersign_testkit::{Project, Ran};
use serde_json::{Value, json};

use crate::agent::{Agent, STANDARD, STRICT, count, later, lines, listed, shown};
use crate::{PROGRAM, project};

/// What the person is told.
#[track_caller]
pub fn message(ran: &Ran) -> String {
    assert_eq!(ran.err(), "");
    let said: Value = serde_json::from_str(&ran.out()).unwrap_or_default();
    assert!(said.get("decision").is_none(), "{said}");
    said["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// Keeps payloads under names for scripts: `tell NAME` then calls the hook with one.
pub fn payloads(project: &Project, named: &[(&str, Value)]) {
    for (name, payload) in named {
        fs::write(project.outside().join(name), payload.to_string()).unwrap();
    }
}

/// A prompt, six files, a list of todos, a run of tests and the end of a turn.
pub fn tour(agent: &Agent<'_>) -> Vec<(&'static str, Value)> {
    let post = |tool: &str, id: &str, input: Value, response: Value| {
        let fields = json!({
            "tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": id,
        });
        agent.payload("PostToolUse", &fields)
    };
    let file = |name: &str| {
        let (input, done) =
            (json!({ "file_path": name }), json!({ "type": "create", "filePath": name }));
        post("Write", name, input, done)
    };
    let todos = json!([{ "content": "do it", "status": "completed", "activeForm": "doing" }]);
    let list = json!({ "oldTodos": [], "newTodos": todos });
    let ok = json!({ "stdout": "ok", "stderr": "", "interrupted": false });
    vec![
        ("prompt", agent.payload("UserPromptSubmit", &json!({ "prompt": STRICT }))),
        ("write1", file("/x/1")),
        ("write2", file("/x/2")),
        ("todos", post("TodoWrite", "todos", json!({ "todos": todos }), list)),
        ("tests", post("Bash", "tests", json!({ "command": "cargo test" }), ok)),
        ("again", agent.payload("UserPromptSubmit", &json!({ "prompt": "and now the rest" }))),
        ("write3", file("/x/3")),
        ("stop", agent.payload("Stop", &json!({ "stop_hook_active": false }))),
    ]
}

const TOUR: &str = "prompt write1 write2 todos tests again write3 stop";

/// Expects the tour on the record, whole and once.
#[track_caller]
fn expect_tour(project: &Project) {
    assert_eq!(listed(project).len(), 1, "{:?}", listed(project));
    let account = shown(project);
    assert_eq!(account["task"], STRICT);
    assert_eq!(account["prompts"], json!([STRICT, "and now the rest"]));
    assert_eq!(account["totals"]["operations"], 5, "{:?}", lines(&account));
    let counts = ["Write", "TodoWrite", "Bash"].map(|action| count(&account, action));
    assert_eq!(counts, [3, 1, 1], "{:?}", lines(&account));
    assert_eq!(account["todos"][0]["content"], "do it");
    assert_eq!(listed(project)[0]["outcome"], "success", "it stopped: {account}");
    let id = account["session"].as_str().unwrap().parse().unwrap();
    let ended = later(project, 1).account(id).unwrap().ended.unwrap();
    assert!(ended.because.starts_with("nothing was left"), "{ended:?}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// Runs `script` where it may mount; `None`, said loudly, where nobody may.
fn mounting(project: &Project, script: &str) -> Option<Ran> {
    if project.sh("unshare -rm mount -t tmpfs none /mnt").code != Some(0) {
        eprintln!("SKIPPED: this machine lets nobody mount, so no disk can be filled");
        return None;
    }
    let tell = format!("tell() {{ for name; do {PROGRAM} hook claude < ../$name; done; }}");
    let script = format!("set -e\n{tell}\n{script}");
    fs::write(project.outside().join("script"), script).unwrap();
    Some(project.sh("unshare -rm sh ../script"))
}

/// PL-02, WL-16: on a full disk nothing of a session is lost, not even its beginning.
#[test]
fn a_full_disk_loses_nothing() {
    for begins_full in [true, false] {
        let project = project();
        payloads(&project, &tour(&Agent::new(&project, "s1")));
        let fill = "dd if=/dev/zero of=.git/countersign/filler bs=4k 2>/dev/null || true";
        let (first, rest) = if begins_full { ("", TOUR) } else { TOUR.split_at(6) };
        let script = format!(
            "mkdir -p .git/countersign ../copy\nmount -t tmpfs -o size=2m tmpfs .git/countersign\n\
             tell {first}\n{fill}\ntell {rest}\n{}\nrm .git/countersign/filler\n\
             {PROGRAM} status > /dev/null 2>&1\ncp -a .git/countersign/. ../copy",
            at_rest()
        );
        let Some(ran) = mounting(&project, &script) else { return };
        ran.expect(0);
        fs::remove_dir_all(project.state()).unwrap();
        fs::rename(project.outside().join("copy"), project.state()).unwrap();
        expect_tour(&project);
    }
}

/// Waits until nobody is at work here: what a prompt leaves to a process of its own would go on
/// writing while the ledger is copied.
fn at_rest() -> String {
    format!(
        "at_work() {{ for process in /proc/[0-9]*; do \
         [ \"$(readlink $process/exe)\" = {PROGRAM} ] && [ \"$(readlink $process/cwd)\" = \"$PWD\" ] \
         && return 0; done; return 1; }}\n\
         tries=0; while at_work; do tries=$((tries + 1)); [ $tries -lt 600 ] || exit 7; sleep 0.05; done"
    )
}

/// Makes a mount read-only as soon as nobody writes there: the system refuses while a file is
/// open, and what a prompt leaves to a process of its own may still be at work.
const READ_ONLY: &str = "read_only() { tries=0; until mount -o remount,ro,bind $1 2>/dev/null; do \
     tries=$((tries + 1)); [ $tries -lt 600 ] || return 8; sleep 0.05; done; }; read_only";

/// PL-02, WL-16: a repository that can't be written: the session waits in the user's folder.
#[test]
fn a_read_only_repository_loses_nothing() {
    for (begun, place) in [("", ".git"), ("prompt", ".git"), ("", ".")] {
        let project = project();
        payloads(&project, &tour(&Agent::new(&project, "s1")));
        let rest = TOUR.strip_prefix(begun).unwrap();
        let script = format!(
            "tell {begun}\nmount --bind {place} {place}\n{READ_ONLY} {place}\n\
             cd $PWD\ntouch .git/x 2>/dev/null && exit 9\ntell {rest}"
        );
        let Some(ran) = mounting(&project, &script) else { return };
        ran.expect(0);
        expect_tour(&project);
    }
}

/// WL-16: a home that can't be written costs nothing as long as the repository can.
#[test]
fn a_home_that_can_not_be_written_costs_nothing() {
    let project = project();
    let home = project.outside().join("home/file");
    fs::write(&home, "").unwrap();
    for (_, payload) in tour(&Agent::new(&project, "s1")) {
        let call = project.call(["hook", "claude"]).stdin(payload.to_string());
        call.env("COUNTERSIGN_HOME", &home).run().expect(0);
    }
    let show = project.call(["worklog", "show", "--format", "json"]).run().expect(0).data();
    assert_eq!(show["totals"]["operations"], 5);
    expect_tour(&project);
}

/// WL-16: without any home, the record stays with the repository.
#[test]
fn without_a_home() {
    let project = project();
    let mut tour = tour(&Agent::new(&project, "s1"));
    tour.push(("end", Agent::new(&project, "s1").payload("SessionEnd", &json!({}))));
    for (_, payload) in tour {
        let call = project.call(["hook", "claude"]).stdin(payload.to_string());
        let ran = call.without_env("HOME").without_env("COUNTERSIGN_HOME").run().expect(0);
        assert_eq!(ran.err(), "");
    }
    assert!(!project.root().join("home").exists(), "nothing is left in the work tree");
    assert_eq!(shown(&project)["ended"]["is_final"], true);
    expect_tour(&project);
}

/// Holds what `holder` takes while the tour is told, and expects it whole afterwards.
fn told_while_held(holder: &str, begun: &str) {
    let project = project();
    payloads(&project, &tour(&Agent::new(&project, "s1")));
    let rest = TOUR.strip_prefix(begun).unwrap();
    let script = format!(
        "tell() {{ for name; do {PROGRAM} hook claude < ../$name; done; }}\n\
         mkdir -p .git/countersign; tell {begun}\n{holder}\ntell {rest}"
    );
    let ran = project.sh(&script).expect(0);
    assert_eq!(ran.err(), "", "{holder}");
    for said in serde_json::Deserializer::from_str(&ran.out()).into_iter::<Value>() {
        let said = said.unwrap();
        assert_eq!(said.as_object().unwrap().len(), 1, "only the person is told: {said}");
        assert!(!said["systemMessage"].as_str().unwrap().contains("database is locked"), "{said}");
    }
    expect_tour(&project);
}

pub fn has(project: &Project, tool: &str) -> bool {
    let found = project.sh(&format!("command -v {tool}")).code == Some(0);
    if !found {
        eprintln!("SKIPPED: there is no {tool} to hold a lock with");
    }
    found
}

/// WL-16: a writer that is stuck from before the session, or within it, costs no entry.
#[test]
fn a_held_writers_lock_loses_nothing() {
    if !has(&project(), "flock") {
        return;
    }
    for begun in ["", "prompt"] {
        told_while_held("exec 9>>.git/countersign/writer.lock; flock 9", begun);
    }
}

/// WL-16, WL-22: at the end of a turn, what hooks told a moment ago may still be held by one that
/// is stuck: nobody is accused for what can't be read yet, and all is there when it can.
#[test]
fn a_held_spool_accuses_nobody() {
    let project = project();
    if !has(&project, "flock") {
        return;
    }
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.write("a.txt");
    agent.write("b.txt");
    agent.write_down("Both are there.");
    let stop = agent.payload("Stop", &json!({"stop_hook_active": false})).to_string();
    fs::write(project.outside().join("stop"), stop).unwrap();
    project
        .sh(&format!(
            "exec 9>>.git/countersign/spool/entries.jsonl; flock 9; {PROGRAM} hook claude < ../stop"
        ))
        .expect(0);
    let account = shown(&project);
    assert_eq!(count(&account, "Write"), 2, "{account:#}");
    assert!(account["incomplete"].is_null(), "{account:#}");
}

/// WL-22: a file in the spool that can't be taken in, now or ever, excuses no call that no hook told of.
#[test]
fn a_spool_that_never_empties_hides_nothing() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.write("a.txt");
    // The program of the agent writes this one down, and no hook hears of it.
    let (id, input) = (agent.call(), json!({"file_path": "/x/unseen.txt", "content": "x"}));
    agent.note_call(&id, "Write", &input);
    agent.note_result(&id, &json!({"type": "create", "filePath": "/x/unseen.txt"}), None);
    agent.write_down("Done.");
    let spool = project.state().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::File::create(spool.join("entries-x.jsonl")).unwrap().set_len(2 << 30).unwrap();
    agent.stop();
    let account = shown(&project);
    assert_eq!(account["unconfirmed"], "what hooks told can't be taken in yet", "{account:#}");
    let id = account["session"].as_str().unwrap().parse().unwrap();
    let why = later(&project, 1).account(id).unwrap().incomplete.unwrap_or_default();
    assert!(why.starts_with("1 call"), "{why}");
}

/// WL-16: the same for a database that somebody has locked for himself.
#[test]
fn a_locked_database_loses_nothing() {
    if !has(&project(), "sqlite3") {
        return;
    }
    // What looks after sessions aside may have it open for a moment: that is waited for.
    let holder = "mkfifo ../lock ../held; sqlite3 .git/countersign/ledger.db < ../lock > ../held &\n\
                  exec 8>../lock 7<../held\n\
                  echo '.timeout 30000' >&8; echo 'PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;' >&8\n\
                  echo 'SELECT \"held\";' >&8\n\
                  while read -r line <&7 && [ \"$line\" != held ]; do :; done";
    told_while_held(holder, "prompt");
}

/// Settings that make no sense: the session is recorded by the defaults, and every prompt says
/// so until they do.
#[test]
fn broken_settings_are_told_and_cost_nothing() {
    let broken = ["[worklog\n", "[worklog]\ngate = [\"FOO\"]\n", "[worklog]\nno = 1\n", "\u{0}"];
    for text in broken {
        let project = project();
        project.write("countersign.toml", text);
        let agent = Agent::new(&project, "s1");
        let told = message(&agent.prompt(STRICT));
        assert!(told.contains("countersign.toml"), "{text}: {told}");
        assert!(told.contains("defaults"), "{told}");
        assert_eq!(agent.write("a.txt").out(), "");
        assert_eq!(agent.bash("cargo test", 0).out(), "");
        assert!(message(&agent.prompt("go on")).contains("countersign.toml"));
        fs::remove_file(project.path("countersign.toml")).unwrap();
        assert_eq!(agent.prompt("go on").out(), "");
        let account = shown(&project);
        assert_eq!(account["tier"], "STRICT");
        assert_eq!((count(&account, "Write"), count(&account, "Bash")), (1, 1));
    }
}

/// Where nothing may go unrecorded, a call that can't be recorded is not made; by default it is.
#[test]
fn a_closed_policy_refuses_what_can_not_be_recorded() {
    let script = "\
        tell prompt pre\nmount -o remount,rw . 2>/dev/null || true\n\
        for place in .git ../home; do mount --bind $place $place; read_only $place; done\n\
        echo between; tell pre write1; echo other; tell otherpre";
    for closed in [true, false] {
        let project = project();
        if closed {
            project.write("countersign.toml", "[worklog]\non_failure = \"closed\"\n");
        }
        let fields = json!({
            "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "toolu_9",
        });
        let (agent, other) = (Agent::new(&project, "s1"), Agent::new(&project, "s2"));
        let mut named = tour(&agent);
        named.push(("pre", agent.payload("PreToolUse", &fields)));
        named.push(("otherpre", other.payload("PreToolUse", &fields)));
        payloads(&project, &named);
        let script = format!("{}\n{script}", READ_ONLY.trim_end_matches(" read_only"));
        let Some(ran) = mounting(&project, &script) else { return };
        let ran = ran.expect(0);
        assert_eq!(ran.err(), "");
        let out = ran.out();
        let (before, after) = out.split_once("between\n").unwrap();
        let (after, other) = after.split_once("other\n").unwrap();
        assert_eq!(before, "", "what can be recorded is not refused");
        for said in [after, other] {
            assert_eq!(said.contains("\"permissionDecision\":\"deny\""), closed, "{out}");
            assert_eq!(said.is_empty(), !closed, "{out}");
        }
    }
}
