//! LP-21 to LP-23: what can be asked about runs can be asked about relays.

use std::fs;
use std::path::Path;

use countersign_testkit::Project;

use crate::stage::{data, project};

/// A relay whose first story keeps failing: a person is asked about it.
fn stuck() -> Project {
    let project = project();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/plans/greeting");
    for file in ["prd.md", "test-spec.md"] {
        let text = fs::read_to_string(example.join(file)).unwrap();
        project.write(&format!("plans/greeting/{file}"), text);
    }
    project.write("tests/all.sh", "exit 0\n");
    project.commit("A plan");
    let worker = "command:echo at work; echo \"echo $COUNTERSIGN_ATTEMPT\" > greet.sh";
    let verifier = ["--verifier", "command:true", "--no-input"];
    let words = ["run", "--plan", "greeting", "--worker", worker];
    project.run([&words[..], &verifier[..]].concat()).expect(4);
    project
}

/// LP-23: each story has its standing, and what waits says for what.
#[test]
fn a_relay_is_told_story_by_story() {
    let project = stuck();
    let status = data(&project, &["status"]);
    assert_eq!(
        (&status["kind"], &status["state"]),
        (&"relay".into(), &"waiting for a person".into())
    );
    let legs = status["legs"].as_array().unwrap();
    let told: Vec<(&str, &str)> = legs
        .iter()
        .map(|leg| (leg["leg"].as_str().unwrap(), leg["standing"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("US-001", "waiting"), ("US-002", "open"), ("ALL", "open")]);
    assert_eq!(legs[1]["waits_for"][0], "US-001", "{status:#}");
    assert_eq!(legs[2]["waits_for"].as_array().unwrap().len(), 2);
    assert!(legs[0]["waits_for"][0].as_str().unwrap().starts_with("an answer to "));
    assert_eq!(legs[0]["step"], "asked");
    project.run(["run", "status"]).expect(0).prints("US-002").prints("checkpoint answer");
    let first = project.run(["run", "logs", "--attempt", "1"]).expect(0);
    assert_eq!(first.says("US-001 iteration 1 (attempt 1), worker").out(), "at work\n");
}

/// LP-21, LP-22: the report and the audit trail of a relay are those of all its runs.
#[test]
fn a_relay_is_reported() {
    let project = stuck();
    let report = data(&project, &["report"]);
    assert_eq!(report["head"]["kind"], "relay");
    let adherence = &report["adherence"]["rows"][0];
    assert_eq!((&adherence["leg"], &adherence["tests"]), (&"US-001".into(), &3.into()));
    assert_eq!(adherence["missing"][0], "greets_by_name", "{adherence:#}");
    let advice = report["recommendations"]["rows"].to_string();
    assert!(advice.contains("greets_by_name") && advice.contains("US-001"), "{advice}");
    let folder = project.outside().join("audit");
    project.run(["run", "audit", "--out", folder.to_str().unwrap()]).expect(0);
    for name in ["status.json", "US-001/iter-003.result.md", "US-001/iter-003.escalation.md"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    project.run(["run", "clean", "latest"]).expect(1).says("it has not ended");
    let cleaned = data(&project, &["clean", "latest", "--kill"]);
    assert_eq!(cleaned["cancelled"].as_array().unwrap().len(), 1, "{cleaned:#}");
    let ending = data(&project, &["status"])["ending"].clone();
    assert_eq!(
        (&ending["because"], &ending["is_recoverable"]),
        (&"cancelled".into(), &false.into())
    );
}
