//! Tests that a story may affect, as its plan says.

use std::fs;

use countersign_testkit::{NamesPlan, Project};
use serde_json::Value;

use crate::PROGRAM;
use crate::relay::{answer_all, worker};

const IMPACTED: &str = "Tests that may be affected (run them before and after):";

/// A plan whose second story may touch what the first one made, and says that this is tested by `tests`.
fn project(tests: &str) -> Project {
    let project = Project::new(PROGRAM);
    let plan = NamesPlan::of(&["alpha", "beta"]);
    let prd = plan.prd.replace("- Touches: `beta.sh`", "- Touches: `alpha.sh`, `beta.sh`");
    let spec = plan.spec.replace("- US-002: none", &format!("- US-002: {tests}"));
    assert!(prd != plan.prd && spec != plan.spec);
    for (name, content) in (NamesPlan { prd, spec }).files() {
        project.write(name, content);
    }
    project.commit("A plan");
    project
}

/// A worker that keeps its prompts; the first attempt at the second story breaks what the first one made.
fn breaking(project: &Project) -> String {
    let prompts = project.outside().join("prompt");
    format!(
        "{}; printf '%s\\n' \"$prompt\" > {}-$u-$COUNTERSIGN_ATTEMPT; \
         if [ $u = US-002 ]; then if [ $COUNTERSIGN_ATTEMPT = 1 ]; then echo 'echo broken' > alpha.sh; \
         else echo 'echo alpha' > alpha.sh; fi; fi",
        worker("$u"),
        prompts.display()
    )
}

/// LP-15: the worker of a story is told which tests it may affect, and so is who tries again; of a story
/// that landed, those tests are run by us as well, so that what is broken is sent back to who broke it.
#[test]
fn what_a_story_breaks_is_sent_back_to_it() {
    for tests in ["`sh tests/alpha.sh`", "`alpha_happy`"] {
        let project = project(tests);
        let worker = breaking(&project);
        let ran = project.run(["run", "--plan", "names", "--no-input", "--worker", &worker]);
        let told = format!("{}{}", ran.out(), ran.err());
        assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{told}");
        let prompt = |name: &str| {
            fs::read_to_string(project.outside().join(format!("prompt-{name}"))).unwrap()
        };
        let named = tests.trim_matches('`');
        for name in ["US-002-1", "US-002-2"] {
            let text = prompt(name);
            let listed = text.split_once(IMPACTED).unwrap_or_else(|| panic!("{name}: {text}")).1;
            assert!(listed.trim_start().starts_with(&format!("- {named}\n")), "{name}: {text}");
        }
        assert!(!prompt("US-001-1").contains(IMPACTED));
        assert!(prompt("US-002-2").contains("sh tests/alpha.sh"), "{}", prompt("US-002-2"));

        let relay = project.run(["log", "latest", "--format", "json"]).expect(0).data();
        let entries = relay["entries"].as_array().unwrap();
        let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["kind"].as_str()).collect();
        assert!(!kinds.contains(&"relay.reopened"), "nobody else is blamed: {kinds:?}");
        assert_eq!(refused(&project, "US-002"), ["sh tests/alpha.sh"], "{told}");
    }
}

/// The commands whose failing sent the first attempt of a story back.
fn refused(project: &Project, story: &str) -> Vec<String> {
    let status = project.run(["run", "status", "--format", "json"]).expect(0).data();
    let legs = status["legs"].as_array().unwrap();
    let run = legs.iter().find(|leg| leg["leg"] == story).unwrap()["run"].as_str().unwrap();
    let journal = project.run(["log", run, "--format", "json"]).expect(0).data();
    let entries = journal["entries"].as_array().unwrap();
    let examined = entries.iter().find(|entry| entry["kind"] == "run.examined").unwrap();
    let receipts = examined["event"]["body"]["receipts"].as_array().unwrap();
    let failed = receipts.iter().filter(|one| one["passed"] == Value::Bool(false));
    let mut all: Vec<String> =
        failed.map(|one| one["command"].as_str().unwrap().to_owned()).collect();
    all.dedup();
    all
}
