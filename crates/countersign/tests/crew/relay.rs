//! Plans carried out story by story: the real program, with a worker that is a command.

use countersign_testkit::{NamesPlan, Project, wait_until};
use serde_json::Value;

use crate::PROGRAM;

/// A project with a plan of a story for each name.
pub fn project(names: &[&str]) -> Project {
    let project = Project::new(PROGRAM);
    for (name, content) in NamesPlan::of(names).files() {
        project.write(name, content);
    }
    project.commit("A plan");
    project
}

/// A worker that does the story of its prompt, and claims it as `id`.
pub fn worker(id: &str) -> String {
    format!(
        "command:prompt=$(cat); n=$(printf '%s' \"$prompt\" | sed -n 's/^# US-00.: Print //p' | head -n 1); \
         u=$(printf '%s' \"$prompt\" | sed -n 's/^# \\(US-00.\\): Print .*/\\1/p' | head -n 1); \
         echo \"echo $n\" > $n.sh; printf 'a=$(sh %s.sh); b=$(sh %s.sh); test \"$a\" = %s && test \"$b\" = %s\\n' \
         $n $n $n $n > tests/$n.sh; mkdir -p .countersign; \
         printf '{{\"us_id\": \"%s\", \"execution_steps\": [{{\"step\": \"implement\", \"ac_id\": \"AC1\"}}]}}' \
         {id} > .countersign/claim.json"
    )
}

fn relay(project: &Project) -> Value {
    let lines = project.run(["log", "latest", "--format", "json"]).expect(0).data();
    assert!(lines["relay"].is_string(), "{lines}");
    lines
}

fn kinds(project: &Project) -> Vec<String> {
    let entries = relay(project)["entries"].as_array().unwrap().clone();
    entries
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().trim_start_matches("relay.").to_owned())
        .collect()
}

/// LP-01, LP-03, LP-14: every story is a run and a commit of its own, and all of them are judged
/// together at the end; the user's branch is left alone.
#[test]
fn a_plan_is_carried_out_story_by_story() {
    let project = project(&["alpha", "beta"]);
    let before = project.fingerprint();
    let words = ["run", "--plan", "names", "--worker", &worker("$u"), "--no-input"];
    let ran = project.run(words);
    let answered = answer_all(&project, ran.code.unwrap_or(-1));
    assert_eq!(answered, 0, "{}", project.run(["run", "status"]).out());
    before.expect_same(&project.fingerprint());
    let branch = project.git(["branch", "--list", "countersign/*", "--format=%(refname:short)"]);
    let log = project.git(["log", "--format=%s", &format!("main..{}", branch.trim())]);
    assert_eq!(log.trim(), "US-002: Print beta\nUS-001: Print alpha");
    let body = project.git(["log", "-1", "--format=%B", branch.trim()]);
    for trailer in ["Countersign-Relay: ", "Countersign-Story: US-002", "Countersign-Receipt: "] {
        assert!(body.contains(trailer), "{body}");
    }
    assert_eq!(kinds(&project).first().unwrap(), "opened");
    assert_eq!(kinds(&project).last().unwrap(), "closed");
    project.run(["ledger", "verify"]).expect(0);
}

/// LP-14: the commit of a story is on no branch before its relay has ended, and no channel says that it
/// is: neither what is told meanwhile, nor the journal, nor where it stands.
#[test]
fn a_story_is_on_the_branch_when_it_is_there() {
    let project = project(&["alpha", "beta"]);
    let go = project.outside().join("go");
    // The second story waits, so that the relay has not ended.
    let begun = project.outside().join("begun");
    let waits = format!(
        "if [ $n = beta ]; then touch {}; until [ -e {} ]; do sleep 0.05; done; fi; ",
        begun.display(),
        go.display()
    );
    let slow = worker("$u").replacen("echo \"echo $n\"", &format!("{waits}echo \"echo $n\""), 1);
    let running =
        project.call(["run", "--plan", "names", "--no-input", "--worker"]).arg(&slow).start();
    let status = || project.run(["run", "status", "latest", "--format", "json"]).data();
    wait_until("the second worker", || begun.exists().then_some(()));
    let now = status();
    assert_eq!(now["legs"][0]["standing"], "landed", "{now:#}");
    let run = now["legs"][0]["run"].as_str().unwrap().to_owned();
    assert_eq!(project.git(["branch", "--list", "countersign/*"]), "");
    let words = now["legs"][0]["ending"]["words"].as_str().unwrap();
    assert_eq!(words, "accepted and landed; the branch is made when the relay ends");
    assert_eq!(now["legs"][0]["ending"]["branch"], Value::Null);
    let texts =
        [["log", &run].to_vec(), ["status", &run].to_vec(), ["run", "status", &run].to_vec()];
    for text in texts {
        let text = project.run(text).expect(0).out();
        assert!(!text.contains("on branch"), "{text}");
    }
    project.run(["log", &run]).expect(0).prints("it lands when its turn comes");
    project.run(["status", &run]).expect(0).prints("to land in its turn");
    let report = project.run(["run", "report", &run]).expect(0).out();
    assert!(!report.contains("on branch"), "{report}");

    std::fs::write(&go, "").unwrap();
    let ran = running.wait();
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{}{}", ran.out(), ran.err());
    let ended = status();
    let branch = ended["ending"]["branch"].as_str().unwrap().to_owned();
    assert_eq!(ended["legs"][0]["ending"]["branch"], branch[..], "{ended:#}");
    assert!(project.git(["branch", "--list", &branch]).contains(&branch));
}

/// Takes whatever a person is asked about, until the relay has ended; its exit code.
pub fn answer_all(project: &Project, first: i32) -> i32 {
    let mut code = first;
    for _ in 0..12 {
        if code != 4 {
            break;
        }
        let open = project.run(["checkpoint", "list", "--format", "json"]).expect(0).data();
        for row in open["checkpoints"].as_array().unwrap() {
            let id = row["id"].as_str().or_else(|| row["checkpoint"].as_str()).unwrap();
            project.run(["checkpoint", "answer", id, "accept", "--note", "looked"]).expect(0);
        }
        code = project.run(["resume", "latest", "--no-input"]).code.unwrap_or(-1);
    }
    code
}

/// LP-10: a claim about another story than the one that was assigned is sent back.
#[test]
fn a_claim_for_another_story_is_sent_back() {
    let project = project(&["alpha"]);
    let words = ["run", "--plan", "names", "--attempts", "1", "--no-input"];
    let call = project.call(words).arg("--worker").arg(worker("US-009"));
    assert_eq!(call.run().code, Some(3));
    let text = project.run(["run", "status"]).out();
    assert!(text.contains("US-001"), "{text}");
    let runs = project.run(["status", "--format", "json"]).expect(0).data();
    let run = runs[0]["run"].as_str().unwrap().to_owned();
    let log = project.run(["log", &run]).expect(0).out();
    assert!(log.contains("it is about US-009, and US-001 was assigned"), "{log}");
}

/// LP-01: a relay that is killed goes on where it was, with no process left and no story done twice.
#[test]
fn a_killed_relay_goes_on() {
    let project = project(&["alpha", "beta"]);
    let slow = worker("$u").replacen("command:", "command:sleep 2; ", 1);
    let call = project.call(["run", "--plan", "names", "--no-input"]).arg("--worker").arg(&slow);
    let running = call.start();
    wait_until("the first worker", || {
        let ran = project.run(["status", "--format", "json"]);
        let runs = ran.data();
        (runs[0]["at"] == "launched").then_some(())
    });
    running.kill();
    project.expect_no_survivors();
    let code = project.run(["resume", "latest", "--no-input"]).code.unwrap_or(-1);
    assert_eq!(answer_all(&project, code), 0);
    let started = kinds(&project).iter().filter(|kind| *kind == "started").count();
    assert_eq!(started, 3, "two stories and all of them together: {:?}", kinds(&project));
    project.run(["ledger", "verify"]).expect(0);
}

/// A plan that is edited meanwhile changes nothing about a relay that was opened with another.
#[test]
fn a_plan_that_is_edited_meanwhile_is_said_and_not_followed() {
    let project = project(&["alpha"]);
    let words = ["run", "--plan", "names", "--attempts", "1", "--no-input"];
    let blocked = "command:mkdir -p .countersign; printf '{\"us_id\": \"US-001\", \"status\": \"blocked\", \
                   \"because\": \"why\"}' > .countersign/claim.json";
    assert_eq!(project.call(words).arg("--worker").arg(blocked).run().code, Some(4));
    project.write("plans/names/prd.md", NamesPlan::of(&["gamma"]).prd);
    let ran = project.run(["resume", "latest", "--no-input"]);
    assert_eq!(ran.code, Some(4));
    assert!(
        ran.err().contains("no longer the one that this relay was opened with"),
        "{}",
        ran.err()
    );
    project.run(["cancel", "latest"]).expect(0);
    assert_eq!(kinds(&project).last().unwrap(), "closed");
}

/// A plan that is edited while a story of it is worked on, here by its worker, is not followed either: the
/// rest goes by the one that the relay was opened with, and that is said once.
#[test]
fn a_plan_that_is_edited_at_work_is_said_and_not_followed() {
    let project = project(&["alpha", "beta"]);
    let prd = project.path("plans/names/prd.md");
    let edits = format!("command:sed -i 's/beta/delta/g' {}; ", prd.display());
    let worker = worker("$u").replacen("command:", &edits, 1);
    let ran = project.run(["run", "--plan", "names", "--no-input", "--worker", &worker]);
    let told = ran.err();
    assert_eq!(
        told.matches("no longer the one that this relay was opened with").count(),
        1,
        "{told}"
    );
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{}{told}", ran.out());
    assert!(std::fs::read_to_string(&prd).unwrap().contains("delta"), "the edit stays its user's");
    let branch = project.git(["branch", "--list", "countersign/*", "--format=%(refname:short)"]);
    let log = project.git(["log", "--format=%s", &format!("main..{}", branch.trim())]);
    assert_eq!(log.trim(), "US-002: Print beta\nUS-001: Print alpha");
    let differ = project.git(["diff", "--name-only", "main", branch.trim()]);
    assert_eq!(differ, "alpha.sh\nbeta.sh\ntests/alpha.sh\ntests/beta.sh\n");
}
