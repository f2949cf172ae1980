//! What a person reads about a real session.

use countersign_testkit::Project;
use countersign_testkit::agents::RealAgent;

use crate::played;
use crate::worklog::only_session;

/// What differs from machine to machine and from time to time, taken out.
fn settings(project: &Project) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let outside = project.outside().display().to_string();
    settings.add_filter(&outside.replace(['/', '.', '-'], "."), "[outside]");
    settings.add_filter(r"\d{8}_\d{6}_\d{3}", "[session]");
    settings.add_filter(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "[uuid]");
    settings.add_filter(r"\d{4}-\d\d-\d\d[T ][0-9:.]+Z?", "[time]");
    settings.add_filter(r"\+\d\d:\d\d", "[later]");
    // The classifier is trained anew from time to time.
    settings.add_filter(r"\d+ % sure", "[sure]");
    // Claude makes both calls of this turn at once; either may be the first to be told of.
    settings.add_filter(r"(Fix add|Run the test) is done", "[either] is done");
    settings.add_filter(r"\b\d\d:\d\d:\d\d\b", "[time]");
    settings.add_filter(r"\b\d+(\.\d+)? m?s\b", "[duration]");
    settings
}

/// WL-12: the worklog of a session of Claude Code.
#[test]
fn a_session_of_claude() {
    let Some(stage) = played(RealAgent::Claude, "work") else { return };
    let session = only_session(&stage);
    let id = session["session"].as_str().unwrap();
    let shown = stage.project.run(["worklog", "show", id]).expect(0);
    settings(&stage.project).bind(|| insta::assert_snapshot!("claude_session", shown.out()));
}

/// WL-12: the worklog of a session of Codex.
#[test]
fn a_session_of_codex() {
    let Some(stage) = played(RealAgent::Codex, "work") else { return };
    let session = only_session(&stage);
    let id = session["session"].as_str().unwrap();
    let shown = stage.project.run(["worklog", "show", id]).expect(0);
    settings(&stage.project).bind(|| insta::assert_snapshot!("codex_session", shown.out()));
}
