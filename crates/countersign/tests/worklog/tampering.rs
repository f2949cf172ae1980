//! Agents that work on their own record: what they do to it is found out.

use std::fs;
use std::path::PathBuf;

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::agent::{Agent, STANDARD, STRICT, count, listed, shown};
use crate::project;
use crate::transcript::{FAR_AHEAD, LONG_AGO};

/// The pointer of the only session.
fn pointer(project: &Project) -> PathBuf {
    let folder = project.path(".git/countersign/sessions");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pointers = entries.filter(|path| path.extension().is_some_and(|e| e == "json"));
    pointers.next().unwrap()
}

/// Changes the pointer as an agent could, long after the prompt.
fn change(project: &Project, change: impl Fn(&mut Value)) {
    let path = pointer(project);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// A transcript with these prompts and calls.
fn transcript(agent: &Agent<'_>, prompts: &[&str], calls: &[&str]) {
    agent.lines.borrow_mut().clear();
    for prompt in prompts {
        agent.note_prompt(prompt);
    }
    for call in calls {
        agent.note_call(call, "Write", &json!({ "file_path": "a.txt" }));
    }
    agent.write_down(FAR_AHEAD);
}

#[track_caller]
fn is_marked(project: &Project, words: &str) {
    let account = shown(project);
    let why = account["incomplete"].as_str().unwrap_or_default();
    assert!(why.contains(words), "{why:?} has no {words:?}");
}

/// WL-22: a policy that was made laxer in the pointer is found out and does not hold.
#[test]
fn a_pointer_with_another_policy_is_noticed() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(&[("a", "pending")], &[("a", "pending")]);
    change(&project, |pointer| pointer["policy"]["gate"] = json!([]));
    agent.stop().prints("Not done yet");
    is_marked(&project, "another hand changed the session's pointer: its policy");
}

/// WL-22: also one that makes no sense at all.
#[test]
fn a_pointer_with_a_senseless_policy_is_noticed() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    change(&project, |pointer| pointer["policy"]["gate"] = json!(["NONE"]));
    agent.write("a.txt");
    is_marked(&project, "its policy");
    assert_eq!(count(&shown(&project), "Write"), 1);
}

/// WL-22: tier and flags are those of the ledger, whatever the pointer says.
#[test]
fn tier_and_flags_are_those_of_the_ledger() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(&[("a", "pending")], &[("a", "pending")]);
    change(&project, |pointer| {
        pointer["tier"] = json!("EXEMPT");
        pointer["flags"] = json!(["no-worklog", "skip-compliance"]);
    });
    agent.stop().prints("Not done yet");
    agent.write("a.txt");
    let account = shown(&project);
    assert_eq!(count(&account, "Write"), 1, "the pointer is right again");
    assert_eq!(account["flags"], json!([]));
}

/// WL-22: a pointer to another session leads back to the own one.
#[test]
fn a_pointer_to_another_session_is_noticed() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    change(&project, |pointer| pointer["session"] = json!("20200101_000000_001"));
    agent.bash("cargo test", 1);
    agent.stop().prints("Not done yet");
    assert_eq!(listed(&project).len(), 1);
    is_marked(&project, "its session");
}

/// Issue "gate at Stop": without its pointer an agent is not let go.
#[test]
fn a_pointer_that_is_gone_opens_no_gate() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.bash("cargo test", 1);
    fs::remove_file(pointer(&project)).unwrap();
    agent.stop().prints("Not done yet");
}

/// WL-20: what is switched off by a later prompt is on the record and counted, too.
#[test]
fn flags_of_later_prompts_are_counted() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.prompt("Please go ahead --skip-compliance");
    assert_eq!(shown(&project)["flags"], json!(["--skip-compliance"]));
    let stats = project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    assert_eq!(stats["flags"]["--skip-compliance"], 1);
}

/// WL-20, WL-22: a prompt that only the hook was told of switches nothing off unnoticed.
#[test]
fn a_forged_prompt_is_noticed() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.prompt("--no-worklog go on");
    agent.write("a.txt");
    transcript(&agent, &[STANDARD], &["toolu_s1_1"]);
    agent.stop();
    is_marked(&project, "no prompt in the transcript has --no-worklog");
    let account = shown(&project);
    assert_eq!(account["totals"]["operations"], 1, "the transcript told of it");
    assert_eq!(account["ended"]["because"], "nothing was left, by an incomplete record");
}

/// WL-20: what a person did say leaves no mark, and no worklog.
#[test]
fn a_worklog_that_a_person_switched_off_stays_off() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    let prompt = format!("{STANDARD} --no-worklog");
    agent.prompt(&prompt);
    agent.write("a.txt");
    transcript(&agent, &[&prompt], &["toolu_s1_1"]);
    agent.stop();
    agent.end();
    let account = shown(&project);
    assert!(account["incomplete"].is_null(), "{account}");
    assert_eq!(account["totals"]["operations"], 0);
    assert_eq!(account["ended"]["because"], "its worklog was switched off");
    // It ended: nobody is told that it was left.
    let said = Agent::new(&project, "s2").prompt(STANDARD);
    assert_eq!(said.out(), "");
}

/// WL-22: a call that only the hook was told of is noticed; those that were made are not.
#[test]
fn a_forged_call_is_noticed() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.write("a.txt");
    transcript(&agent, &[STANDARD], &["toolu_s1_1"]);
    agent.stop();
    assert!(shown(&project)["incomplete"].is_null());
    agent.bash("cargo test", 0);
    agent.stop();
    is_marked(&project, "the transcript doesn't have 1 call that hooks told of");
}

/// WL-22: a transcript that is still behind what hooks were told accuses nobody.
#[test]
fn a_late_transcript_accuses_nobody() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.note_prompt(STANDARD);
    agent.write_down(LONG_AGO);
    agent.prompt(&format!("{STANDARD} --skip-verify"));
    agent.write("a.txt");
    agent.stop();
    assert!(shown(&project)["incomplete"].is_null());
}

/// WL-08: an agent can't choose for the person.
#[test]
fn an_agent_does_not_decide_about_itself() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    let payload = agent.payload("UserPromptSubmit", &json!({ "prompt": STRICT })).to_string();
    // This process is the agent: what it starts is by its hand.
    let own = std::process::id().to_string();
    project.call(["hook", "claude"]).env("CLAUDE_PID", own).stdin(payload).run().expect(0);
    agent.todos(&[("a", "completed")], &[("a", "pending")]);
    let said = project.run(["worklog", "resolve", "latest", "accept"]).expect(1);
    said.says("can't decide about its own todo list");
}

/// WL-22: who takes the hooks out under an agent at work leaves a mark on its session.
#[test]
fn hooks_that_are_taken_out_midway_leave_a_mark() {
    let project = project();
    let install = ["hooks", "install", "claude", "--user", "--agent-version", "2.1.325"];
    project.run(install).expect(0);
    Agent::new(&project, "s1").prompt(STRICT);
    project.run(["hooks", "uninstall", "claude"]).expect(0);
    is_marked(&project, "its hooks were switched off by");
}

/// WL-01, WL-22: who removes the whole record is not judged more mildly: what the session is about
/// is in its transcript.
#[test]
fn a_session_that_is_met_in_its_middle_keeps_its_tier() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    // What looks after sessions aside would make the folder again.
    project.expect_no_survivors();
    fs::remove_dir_all(project.path(".git/countersign")).unwrap();
    transcript(&agent, &[STRICT], &["toolu_s1_1"]);
    agent.write("a.txt");
    let account = shown(&project);
    assert_eq!((&account["tier"], &account["task"]), (&json!("STRICT"), &json!(STRICT)));
}

/// WL-22: an attempt to switch the hooks off is told to whoever reads the session.
#[test]
fn an_attempt_to_switch_hooks_off_is_shown() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    let file = project.path(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, r#"{"disableAllHooks": true}"#).unwrap();
    let fields = json!({ "source": "project_settings", "file_path": file });
    let payload = agent.payload("ConfigChange", &fields).to_string();
    project.call(["hook", "claude"]).stdin(payload).run().expect(2);
    project.run(["worklog", "show"]).expect(0).prints("would have switched its hooks off");
}
