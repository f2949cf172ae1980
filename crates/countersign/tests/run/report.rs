//! LP-22: `run report`.

use std::fs;

use countersign_testkit::wait_until;
use serde_json::Value;

use crate::stage::{data, escalated, failed_twice, project, refused};

fn iterations(report: &Value) -> Vec<&str> {
    let rows = report["validation"]["rows"].as_array().unwrap();
    rows.iter().map(|row| row["ruling"].as_str().unwrap()).collect()
}

/// LP-22: two failures and a success, in all forms, from the record alone.
#[test]
fn failures_and_success_are_reported() {
    let (project, _) = failed_twice();
    let report = data(&project, &["report"]);
    assert_eq!(iterations(&report), ["sent back", "sent back", "accepted"], "{report:#}");
    let failures = report["failures"]["rulings"]["rows"].as_array().unwrap();
    assert_eq!(failures.len(), 2, "{failures:#?}");
    assert_eq!(failures[0]["reasons"][0]["gone_in"], 2);
    assert_eq!(report["process"]["red"]["percent"], 100, "{:#}", report["process"]);
    assert_eq!(report["process"]["e2e"]["percent"], 0);
    assert_eq!(report["judgement"]["judges"]["rows"][0]["fails"], 1);
    let advice = report["recommendations"]["rows"].as_array().unwrap();
    let spec = advice.iter().find(|one| one["text"].as_str().unwrap().contains("specification"));
    let cite = &spec.unwrap()["cites"][0];
    assert_eq!((&cite["iteration"], &cite["criterion"]), (&2.into(), &"AC1".into()), "{advice:#?}");
    let text = project.run(["run", "report"]).expect(0).out();
    for number in 1..=9 {
        assert!(text.contains(&format!("\n## {number}. ")), "{text}");
    }
    let markdown = project.run(["run", "report", "--format", "markdown"]).expect(0).out();
    assert_eq!(markdown, text);
    let page = project.run(["run", "report", "--format", "html"]).expect(0).out();
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"), "{page}");
    for evil in ["<script>", "<i>zero", "Make it <sum>"] {
        assert!(!page.contains(evil), "{evil}");
    }
    assert!(page.contains("&lt;i&gt;zero&lt;/i&gt; is missing"));
    // The same record gives the same bytes, and making a report leaves no mark.
    assert_eq!(project.run(["run", "report", "--format", "html"]).expect(0).out(), page);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// LP-22: reports are written once, numbered in a folder, and survive a cleaning.
#[test]
fn reports_are_kept() {
    let project = refused();
    let folder = project.outside().join("reports");
    fs::create_dir(&folder).unwrap();
    let to = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let run = |words: &[&str]| project.run([&["run", "report"], words].concat());
    run(&["--out", &to("a.html")]).expect(0).prints("is written to");
    assert!(fs::read_to_string(to("a.html")).unwrap().starts_with("<!doctype html>"));
    run(&["--out", &to("a.html")]).expect(0).prints("is there already");
    run(&["--out", &to("a.html"), "--format", "markdown"]).expect(1).says("--force");
    run(&["--out", &to("a.html"), "--format", "markdown", "--force"]).expect(0);
    assert!(fs::read_to_string(to("a.html")).unwrap().starts_with("# Self-verification"));
    run(&["--out", &to("b.json")]).expect(0);
    let written: Value = serde_json::from_slice(&fs::read(to("b.json")).unwrap()).unwrap();
    assert_eq!(written["head"]["ending"]["category"], "metric_failure");
    run(&["--out", &to("")]).expect(0).prints("report-001.md");
    run(&["--out", &to("")]).expect(0).prints("report-001.md");
    project.run(["run", "clean"]).expect(0);
    assert!(fs::exists(to("report-001.md")).unwrap());
    run(&[]).expect(0);
    run(&["--force"]).expect(2);
}

/// LP-17, LP-22: a run that waits for a person is reported as far as it has come.
#[test]
fn a_waiting_run_is_reported() {
    let project = escalated();
    let report = data(&project, &["report"]);
    let rulings = iterations(&report);
    assert_eq!(rulings.last(), Some(&"a person was asked"), "{rulings:?}");
    assert!(report["head"]["ending"].is_null());
    let repeated = report["failures"]["repeated"]["rows"].as_array().unwrap();
    assert!(!repeated.is_empty(), "{report:#}");
    let spots = report["blind_spots"]["rows"].to_string();
    assert!(spots.contains("has not ended"), "{spots}");
}

/// LP-22: an iteration that was cut off is told as such, and what it used is not made up.
#[test]
fn an_interrupted_run_is_reported() {
    let project = project();
    let flag = project.outside().join("flag");
    let worker = format!(
        "test -e {0} || {{ touch {0}; while :; do sleep 1; done; }}; echo done > done.txt",
        flag.display()
    );
    let running = project.goal(&worker, "grep done done.txt").start();
    wait_until("the worker", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    assert_eq!(iterations(&data(&project, &["report"])), ["none yet"]);
    assert_eq!(data(&project, &["status"])["state"], "stopped");
    project.run(["run", "status"]).expect(0).prints("go on: countersign resume");
    project.run(["resume"]).expect(0);
    let report = data(&project, &["report"]);
    assert_eq!(iterations(&report), ["none: cut off", "accepted"], "{report:#}");
    let spots = report["blind_spots"]["rows"].to_string();
    assert!(spots.contains("was not counted"), "{spots}");
    project.run(["run", "logs"]).expect(0).says("iteration 1 (attempt 1), worker").says("cut off");
}

/// LP-22: secrets that agents print are in no report.
#[test]
fn secrets_are_in_no_report() {
    let project = project();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
    let check = format!("echo token {secret}; exit 1");
    project.goal("echo x > x", &check).arg("--attempts=1").run().expect(3);
    for format in ["markdown", "html", "json"] {
        let text = project.run(["run", "report", "--format", format]).expect(0).out();
        assert!(!text.contains(&secret), "{format}: {text}");
        assert!(text.contains("redacted"), "{format}: {text}");
    }
    let folder = project.outside().join("audit");
    project.run(["run", "audit", "--out", folder.to_str().unwrap()]).expect(0);
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(&secret), "{text}");
    }
}
