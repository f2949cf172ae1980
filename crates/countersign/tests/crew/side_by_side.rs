//! Stories side by side: what may touch common files waits, what lands second is verified again with what
//! landed before it, and what does not go together is done again. The order is that of the journal.

use std::fs;

use countersign_testkit::Project;
use serde_json::Value;

use crate::relay::{answer_all, project, worker};

/// The plan with its PRD changed.
fn planned(names: &[&str], changes: &[(&str, &str)]) -> Project {
    let project = project(names);
    let mut prd = project.read("plans/names/prd.md");
    for (from, to) in changes {
        assert!(prd.contains(from), "{from}: {prd}");
        prd = prd.replace(from, to);
    }
    project.write("plans/names/prd.md", prd);
    project.commit("Another plan");
    project
}

/// Carries the plan out with two places, a person taking whatever is asked about; what was told first.
#[track_caller]
fn carried_out(project: &Project, worker: &str) -> String {
    let words = ["run", "--plan", "names", "--jobs", "2", "--no-input", "--worker", worker];
    let ran = project.run(words);
    let told = format!("{}{}", ran.out(), ran.err());
    let code = answer_all(project, ran.code.unwrap_or(-1));
    assert_eq!(code, 0, "{told}{}", project.run(["log", "latest"]).out());
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    project.expect_no_survivors();
    told
}

/// The events of the relay, in their order.
fn events(project: &Project) -> Vec<Value> {
    let data = project.run(["log", "latest", "--format", "json"]).expect(0).data();
    data["entries"].as_array().unwrap().clone()
}

/// Each event as its kind and its story, without the first and the last.
fn order(project: &Project) -> Vec<String> {
    let word = |event: &Value| {
        let body = &event["event"]["body"];
        let kind = event["kind"].as_str().unwrap().trim_start_matches("relay.");
        format!("{kind} {}", body["story"].as_str().unwrap_or("ALL"))
    };
    let all: Vec<String> = events(project).iter().map(word).collect();
    all[1..all.len() - 1].to_vec()
}

/// What is said of the event of this kind and story.
#[track_caller]
fn body(project: &Project, kind: &str, story: &str) -> Value {
    let is_it = |event: &&Value| {
        event["kind"] == format!("relay.{kind}") && event["event"]["body"]["story"] == story
    };
    let all = events(project);
    let found = all.iter().rev().find(is_it);
    found.unwrap_or_else(|| panic!("no {kind} of {story}: {all:#?}"))["event"]["body"].clone()
}

fn at(order: &[String], event: &str) -> usize {
    order.iter().position(|one| one == event).unwrap_or_else(|| panic!("no {event}: {order:?}"))
}

fn branch(project: &Project) -> String {
    let names = ["branch", "--list", "countersign/*", "--format=%(refname:short)"];
    project.git(names).trim().to_owned()
}

/// LP-03: of stories that say that they touch a common file, one is begun when the other has landed, and
/// on top of it; one that touches none of their files goes on meanwhile.
#[test]
fn stories_with_a_common_file_wait_for_each_other() {
    let common = ("- Touches: `beta.sh`", "- Touches: `beta.sh`, `alpha.*`");
    let project = planned(&["alpha", "beta", "gamma"], &[common]);
    carried_out(&project, &worker("$u"));
    let order = order(&project);
    assert_eq!(order[..2], ["started US-001", "started US-003"], "{order:?}");
    assert!(at(&order, "landed US-001") < at(&order, "started US-002"), "{order:?}");
    let (landed, started) =
        (body(&project, "landed", "US-001"), body(&project, "started", "US-002"));
    let below = ["merge-base", "--is-ancestor"];
    let (landed, base) = (landed["commit"].as_str().unwrap(), started["base"].as_str().unwrap());
    project.git([below[0], below[1], landed, base]);
}

/// LP-03: stories that say nothing of their files may touch any: they are never worked on at once, also
/// where there are places, and each begins with what the one before it left in their common file.
#[test]
fn stories_that_say_nothing_wait_for_each_other() {
    let silent = |name: &str| format!("- Touches: `{name}.sh`, `tests/{name}.sh`\n");
    let (one, two) = (silent("alpha"), silent("beta"));
    let project = planned(&["alpha", "beta"], &[(&one, ""), (&two, "")]);
    let adds = format!("{}; echo $n >> common.txt", worker("$u"));
    carried_out(&project, &adds);
    let order = order(&project);
    let expected = [
        "started US-001",
        "ended US-001",
        "landed US-001",
        "started US-002",
        "ended US-002",
        "landed US-002",
        "started ALL",
        "ended ALL",
    ];
    assert_eq!(order, expected);
    let landed = body(&project, "landed", "US-001");
    assert_eq!(landed["commit"], body(&project, "started", "US-002")["base"]);
    let common = project.git(["show", &format!("{}:common.txt", branch(&project))]);
    assert_eq!(common, "alpha\nbeta\n");
}

/// LP-14: of two stories that were worked on at once, the one that lands second is put on top of the first
/// and verified there again, before it lands.
#[test]
fn what_lands_second_is_verified_with_the_first() {
    let project = project(&["alpha", "beta"]);
    carried_out(&project, &worker("$u"));
    let order = order(&project);
    assert_eq!(order[..2], ["started US-001", "started US-002"], "{order:?}");
    let (first, second) = if at(&order, "landed US-001") < at(&order, "landed US-002") {
        ("US-001", "US-002")
    } else {
        ("US-002", "US-001")
    };
    let (first, second) = (body(&project, "landed", first), body(&project, "landed", second));
    assert!(first["verification"].is_null(), "{first}");
    let tip = second["commit"].as_str().unwrap();
    assert_eq!(project.git(["rev-parse", &format!("{tip}^")]).trim(), first["commit"]);
    // What was verified there is what landed, against what had landed before.
    let verification = second["verification"].as_str().unwrap().to_owned();
    let lines = project.run(["ledger", "export"]).expect(0).out();
    let of_it: Vec<&str> = lines.lines().filter(|line| line.contains(&verification)).collect();
    let tells = |id: &Value| of_it.iter().any(|line| line.contains(id.as_str().unwrap()));
    assert!(tells(&second["tree"]) && tells(&first["commit"]), "{of_it:#?}");
}

/// LP-14: two stories that hold alone and not together: the second does not land, its worker is told why,
/// and what it does then is verified on top of the first.
#[test]
fn what_does_not_hold_together_is_done_again() {
    let project = project(&["alpha", "beta"]);
    let all = "sh base.sh | grep -qx base && test $(cat *.sh | grep -c loud) -le 1\n";
    project.write("tests/all.sh", all);
    project.commit("At most one is loud");
    let again = "does not hold";
    let loud = format!(
        "{}; printf '%s\\n' \"$prompt\" >> {}; case \"$prompt\" in *'{again}'*) ;; *) echo ': loud' >> $n.sh;; esac",
        worker("$u"),
        project.outside().join("prompts").display()
    );
    let told = carried_out(&project, &loud);
    let order = order(&project);
    assert_eq!(order[..2], ["started US-001", "started US-002"], "{order:?}");
    let second = if order.contains(&"collided US-002".to_owned()) { "US-002" } else { "US-001" };
    let collided = at(&order, &format!("collided {second}"));
    let again = order.iter().rposition(|one| *one == format!("started {second}")).unwrap();
    assert!(collided < again && again < at(&order, &format!("landed {second}")), "{order:?}");
    let reasons = body(&project, "collided", second)["reasons"].to_string();
    assert!(reasons.contains("together with what landed meanwhile it does not hold"), "{reasons}");
    assert!(reasons.contains("tests/all.sh"), "{reasons}");
    let log = project.run(["log", "latest"]).expect(0).out();
    for text in [&told, &log] {
        assert!(text.contains("together with what landed meanwhile"), "{text}");
    }
    let prompts = fs::read_to_string(project.outside().join("prompts")).unwrap();
    assert!(prompts.contains("- together with what landed meanwhile"), "{prompts}");
    let files = project.git(["grep", "-c", "loud", &branch(&project), "--", "*a.sh", ":!tests"]);
    assert_eq!(files.lines().count(), 1, "{files}");
}

/// LP-03, LP-14: two stories that were worked on at once and changed the same lines, though neither said
/// that it would: a person who takes both hears of it, nothing is merged blindly, and the second is done
/// again on top of the first.
#[test]
fn a_conflict_is_told_and_done_again() {
    let project = project(&["alpha", "beta"]);
    for name in ["alpha", "beta"] {
        project.write(&format!("{name}.sh"), format!("echo {name}\n"));
        project.write(&format!("tests/{name}.sh"), format!("test $(sh {name}.sh) = {name}\n"));
    }
    project.write("common.txt", "common\n");
    project.commit("What is there already");
    // No test shows what it does, so that a person looks at it, and at the file that it did not name.
    let claims = worker("$u");
    let (reads, claims) = claims.split_once("echo \"echo $n\"").unwrap();
    let claims = claims.split_once("mkdir -p .countersign").unwrap().1;
    let adds = format!(
        "{reads}echo ': more' >> $n.sh; echo $n >> common.txt; mkdir -p .countersign{claims}; \
         printf '%s\\n' \"$prompt\" >> {}",
        project.outside().join("prompts").display()
    );
    carried_out(&project, &adds);
    let order = order(&project);
    assert_eq!(order[..2], ["started US-001", "started US-002"], "{order:?}");
    let (first, second) = if order.contains(&"collided US-002".to_owned()) {
        ("US-001", "US-002")
    } else {
        ("US-002", "US-001")
    };
    let collided = body(&project, "collided", second);
    let reasons = collided["reasons"].to_string();
    assert!(reasons.contains("common.txt was changed by another story meanwhile"), "{reasons}");
    let again = body(&project, "started", second);
    assert_eq!(again["base"], body(&project, "landed", first)["commit"], "{order:?}");
    assert_ne!(again["run"], collided["run"]);
    let log = project.run(["log", "latest"]).expect(0).out();
    assert!(log.contains("common.txt was changed by another story meanwhile"), "{log}");
    let prompts = fs::read_to_string(project.outside().join("prompts")).unwrap();
    assert!(prompts.contains("- common.txt was changed by another story"), "{prompts}");
    let common = project.git(["show", &format!("{}:common.txt", branch(&project))]);
    let name = |story| if story == "US-001" { "alpha" } else { "beta" };
    assert_eq!(common, format!("common\n{}\n{}\n", name(first), name(second)));
}
