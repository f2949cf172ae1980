//! LP-21: `run audit`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::stage::{data, escalated, failed_twice, refused};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// LP-21: every iteration has its prompts, results, claim, verdict and manifest, and they agree with
/// the record.
#[test]
fn every_iteration_is_written() {
    let (project, _) = failed_twice();
    let folder = project.outside().join("audit");
    let out = folder.to_str().unwrap();
    let audited = data(&project, &["audit", "--out", out]);
    assert_eq!(audited["iterations"], 3);
    let mut expected = vec!["status.json".to_owned()];
    for (number, verified) in [(1, false), (2, true), (3, true)] {
        let mut kinds = vec!["done-claim.json", "manifest.json", "result.md"];
        if verified {
            kinds.extend(["verifier-prompt.md", "verify-verdict.json"]);
        }
        kinds.push("worker-prompt.md");
        expected.extend(kinds.iter().map(|kind| format!("iter-{number:03}.{kind}")));
    }
    expected.sort();
    assert_eq!(names(&folder), expected);
    let result = fs::read_to_string(folder.join("iter-001.result.md")).unwrap();
    for part in
        ["FAIL: `grep -v n=1", "1 files, 1 lines added, 0 removed", "added: sum.sh", "revise"]
    {
        assert!(result.contains(part), "'{part}' is not in:\n{result}");
    }
    let manifest = json(&folder.join("iter-002.manifest.json"));
    let prompt = fs::read(folder.join("iter-002.worker-prompt.md")).unwrap();
    let shown = &manifest["prompts"][0];
    assert_eq!(shown["shown_to"], "worker", "{manifest:#}");
    let digest = countersign_domain::Digest::of(&prompt).to_string();
    assert_eq!(shown["digest"], digest.as_str());
    let verdict = json(&folder.join("iter-002.verify-verdict.json"));
    assert_eq!(verdict["said"]["verdict"], "fail", "{verdict:#}");
    let claim = json(&folder.join("iter-003.done-claim.json"));
    assert_eq!(claim["body"]["iteration"], 3, "{claim:#}");
    assert_eq!(json(&folder.join("status.json"))["state"], "ended");
}

/// LP-21: a folder that holds something is never written to, and nothing half written is left.
#[test]
fn nothing_is_overwritten() {
    let project = refused();
    let folder = project.outside().join("audit");
    let out = folder.to_str().unwrap();
    fs::create_dir(&folder).unwrap();
    project.run(["run", "audit", "--out", out]).expect(0).prints("2 iterations");
    fs::write(folder.join("note"), "mine").unwrap();
    let before = names(&folder);
    project.run(["run", "audit", "--out", out]).expect(1).says("is there already");
    assert_eq!(names(&folder), before);
    let file = project.outside().join("file");
    fs::write(&file, "mine").unwrap();
    project.run(["run", "audit", "--out", file.to_str().unwrap()]).expect(1);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    let beside = names(&project.outside());
    assert!(!beside.iter().any(|name| name.contains("part")), "{beside:?}");
}

/// LP-17, LP-21: what a person is asked about is part of the trail.
#[test]
fn the_escalation_report_is_part_of_it() {
    let project = escalated();
    let folder = project.outside().join("audit");
    project.run(["run", "audit", "--out", folder.to_str().unwrap()]).expect(0);
    let escalation = names(&folder).into_iter().find(|name| name.contains("escalation"));
    let text = fs::read_to_string(folder.join(escalation.unwrap())).unwrap();
    assert!(text.contains("What kept failing"), "{text}");
}
