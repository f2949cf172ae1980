//! Recorded tours of real agents, told again: everything that counts is on the record.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_testkit::Project;
use serde_json::Value;

use crate::agent::{later, lines, shown};
use crate::project;

/// The recordings.
fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../exec/tests/payloads")
}

/// Tells a recorded tour again, as if it had happened in `project`.
fn tell(project: &Project, agent: &str, tour: &str) {
    let folder = recordings().join(tour);
    let home = project.outside().join("home");
    let mut events: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    events.sort();
    let adapt = |text: String| {
        text.replace("/home/alice/project", project.root().to_str().unwrap())
            .replace("/home/alice", home.to_str().unwrap())
    };
    let (events, transcripts): (Vec<_>, Vec<_>) =
        events.into_iter().partition(|path| path.extension().is_some_and(|e| e == "json"));
    let mut place: Option<PathBuf> = None;
    for path in events {
        let text = adapt(fs::read_to_string(&path).unwrap());
        let payload: Value = serde_json::from_str(&text).unwrap();
        if place.is_none()
            && let Some(transcript) = payload["transcript_path"].as_str()
        {
            // As it was at the end: what a hook sees of it is at least as old.
            let into = PathBuf::from(transcript);
            fs::create_dir_all(into.parent().unwrap()).unwrap();
            let own = transcripts.iter().find(|path| path.ends_with("transcript.jsonl"));
            if let Some(own) = own {
                fs::write(&into, adapt(fs::read_to_string(own).unwrap())).unwrap();
            }
            place = Some(into);
        }
        let ran = project.call(["hook", agent]).stdin(text).run();
        assert_eq!(ran.code, Some(0), "{}: {}", path.display(), ran.err());
        assert_eq!(ran.err(), "", "{}", path.display());
    }
}

/// WL-04, WL-22: a tour of Claude Code, told again: every operation that counts is an entry.
#[test]
fn a_tour_of_claude_is_on_the_record() {
    let project = project();
    tell(&project, "claude", "claude/work");
    let account = shown(&project);
    insta::assert_snapshot!("claude", lines(&account).join("\n"));
    let stats = project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    assert_eq!(stats["capture"]["rate"], 1.0, "{stats}");
    assert_eq!(stats["troubles"], 0, "{stats}");
    assert!(account["incomplete"].is_null(), "{account}");
}

/// The older Claude Code tells the same.
#[test]
fn a_tour_of_the_older_claude_is_on_the_record() {
    let project = project();
    tell(&project, "claude", "claude-2.1.197/work");
    let account = shown(&project);
    insta::assert_snapshot!("claude_old", lines(&account).join("\n"));
}

/// WL-04, WL-22: a tour of Codex, told again; exit codes come from its transcript.
#[test]
fn a_tour_of_codex_is_on_the_record() {
    let project = project();
    tell(&project, "codex", "codex/work");
    let account = shown(&project);
    insta::assert_snapshot!("codex", lines(&account).join("\n"));
    let stats = project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    assert_eq!(stats["capture"]["rate"], 1.0, "{stats}");
}

/// A tour of Gemini, told again.
#[test]
fn a_tour_of_gemini_is_on_the_record() {
    let project = project();
    tell(&project, "gemini", "gemini/work");
    insta::assert_snapshot!("gemini", lines(&shown(&project)).join("\n"));
}

/// A session whose hooks were switched off midway is marked.
#[test]
fn a_silenced_session_is_incomplete() {
    let project = project();
    tell(&project, "claude", "claude/tampering");
    let mut engine = later(&project, 1);
    let id = engine.find_session("latest").unwrap();
    let account = engine.account(id).unwrap();
    let why = account.incomplete.unwrap();
    assert!(why.contains("never reported by a hook"), "{why}");
    assert_eq!(crate::agent::listed(&project)[0]["incomplete"], why);
}

/// An agent that was killed in the middle of a call leaves a session in progress, with what its
/// transcript tells.
#[test]
fn a_killed_session_is_in_progress() {
    let project = project();
    tell(&project, "claude", "claude/killed");
    let account = shown(&project);
    assert!(account["ended"].is_null(), "{account}");
}

/// Resumed and compacted sessions are one session each.
#[test]
fn resumed_and_compacted_tours_are_one_session() {
    for (agent, tour) in [
        ("claude", "claude/resume"),
        ("claude", "claude/compaction"),
        ("codex", "codex/resume"),
        ("codex", "codex/compaction"),
    ] {
        let project = project();
        tell(&project, agent, tour);
        let sessions = crate::agent::listed(&project);
        assert_eq!(sessions.len(), 1, "{tour}: {sessions:?}");
    }
}
