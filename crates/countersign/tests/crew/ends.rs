//! Agents that are not there, say nothing, never end or end at once.

use crate::stage::{
    call, expect_asked, expect_tidy, last, outcome, pass, planted, reasons, says, worker,
};
use crate::{CHECK, GOAL, greeter};

/// LP-18: an agent that is not installed is said before anything starts, and nothing is on the record.
#[test]
fn a_missing_agent_is_said_before_anything_starts() {
    let project = greeter();
    let before = project.fingerprint();
    let path = planted(&project, "unused", "true");
    // Only what the program itself needs.
    let bare = format!("{}:/usr/bin:/bin", path.split(':').next().unwrap());
    for agent in ["claude", "codex", "gemini", "opencode", "goose"] {
        if project.sh(&format!("PATH=/usr/bin:/bin command -v {agent}")).code == Some(0) {
            eprintln!("SKIPPED: {agent} is installed for everybody here");
            continue;
        }
        let words = ["run", GOAL, "--check", CHECK, "--worker", agent];
        let ran = project.call(words).env("PATH", &bare).run().expect(5);
        ran.says(&format!("{agent} is not on the PATH")).says("countersign doctor");
        let words =
            ["run", GOAL, "--check", CHECK, "--worker", "command:true", "--verifier", agent];
        project.call(words).env("PATH", &bare).run().expect(5);
    }
    project.run(["run", GOAL, "--check", CHECK, "--worker", "clippy"]).expect(2);
    project.run(["log"]).expect(1);
    before.expect_same(&project.fingerprint());
}

/// What the real agent prints where it has no login.
const NOT_LOGGED_IN: &str = r#"printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","model":"m"}' '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login","session_id":"s","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0}}'; exit 1"#;

/// LP-18: an agent that is not logged in is a person's to mend: it is asked for, and not tried again.
#[test]
fn an_agent_without_a_login_is_asked_about() {
    let project = greeter();
    let path = planted(
        &project,
        "claude",
        &format!("echo x >> {}/starts\n{NOT_LOGGED_IN}", project.outside().display()),
    );
    let words = ["run", GOAL, "--check", CHECK, "--worker", "claude", "--no-input"];
    let ran = project.call(words).env("PATH", path).run();
    expect_asked(&project, ran, "agent");
    assert!(reasons(&project).contains("not_logged_in"), "{}", reasons(&project));
    let starts = std::fs::read_to_string(project.outside().join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 1);
    // CO-12: what trying again may cost, and what may go wrong.
    let shown = project.run(["checkpoint", "show", "latest"]).expect(0);
    shown.prints("(retry), up to $").prints("Risk").prints("an agent can't run");
    expect_tidy(&project);
}

/// LP-18: one whose version does not know our words, prints garbage or nothing at all has not worked,
/// whatever its exit code; it is tried again within bounds, then a person is asked.
#[test]
fn an_agent_that_says_nothing_readable_is_tried_again_within_bounds() {
    for script in [
        "echo \"error: unknown option '--output-format'\" >&2; exit 1",
        "head -c 100000 /dev/urandom",
        "exit 0",
        "echo '{\"type\":'; exit 0",
        "kill -SEGV $$",
    ] {
        let project = greeter();
        let outside = project.outside();
        let path = planted(
            &project,
            "claude",
            &format!("echo x >> {}/starts\n{script}", outside.display()),
        );
        let words = ["run", GOAL, "--check", CHECK, "--worker", "claude", "--no-input"];
        // What it used is unknown, and unknown is not free: with a cap, that comes first.
        let free = ["ATTEMPT", "RUN", "DAY"].map(|cap| format!("COUNTERSIGN_BUDGET_{cap}_DOLLARS"));
        let mut call = project.call(words).env("PATH", &path);
        for name in &free {
            call = call.env(name, "0");
        }
        expect_asked(&project, call.run(), "agent");
        let starts = std::fs::read_to_string(outside.join("starts")).unwrap();
        assert_eq!(starts.lines().count(), 4, "{script}: once, and three times again");
        let capped = project.call(words).env("PATH", &path).run();
        assert_eq!(capped.code, Some(4), "{script}: {}", capped.err());
        let starts = std::fs::read_to_string(outside.join("starts")).unwrap();
        assert!((5..=8).contains(&starts.lines().count()), "{script}: it is bounded as well");
        expect_tidy(&project);
    }
}

/// LP-21: a worker that never ends is ended at its deadline with all its children, also if it does not
/// want to be.
#[test]
fn a_worker_that_never_ends_is_ended() {
    let project = greeter();
    let stubborn = "trap '' TERM HUP INT; (trap '' TERM; while :; do sleep 1; done) & \
                    (setsid sleep 1000 &) ; while :; do sleep 1; done";
    let call = call(&project, stubborn, "").args(["--worker-timeout", "1", "--attempts", "1"]);
    let ran = call.env("COUNTERSIGN_EXEC_GRACE_SECONDS", "1").run();
    assert!(matches!(ran.code, Some(3 | 4)), "{}", ran.err());
    assert!(reasons(&project).contains("stopped"), "{}", reasons(&project));
    expect_tidy(&project);
}

/// LP-21: an agent that has gone silent is ended with all that it started, long before its deadline, and
/// started again; one that stays silent is a person's after a bounded number of starts.
#[test]
fn an_agent_that_goes_silent_is_started_again_within_bounds() {
    for (is_silent, starts) in [("[ ! -e OUT/starts ]", 2..=2), ("true", 2..=8)] {
        let project = greeter();
        let outside = project.outside();
        let silent = is_silent.replace("OUT", outside.to_str().unwrap());
        let script = format!(
            "if {silent}; then echo x >> {out}/starts; (setsid sleep 1000 &); sleep 1000; fi; \
             echo x >> {out}/starts; {}",
            worker("true"),
            out = outside.display()
        );
        let call = call(&project, &script, "").env("COUNTERSIGN_RUN_STALE_SECONDS", "1");
        let ran = call.env("COUNTERSIGN_EXEC_GRACE_SECONDS", "1").run();
        let expected = if starts == (2..=2) { 0 } else { 4 };
        assert_eq!(ran.code, Some(expected), "{}{}", ran.out(), ran.err());
        let told = reasons(&project);
        assert!(told.contains("it said nothing for 1 s"), "{told}");
        let count = std::fs::read_to_string(outside.join("starts")).unwrap().lines().count();
        assert!(starts.contains(&count), "{count} starts: {told}");
        expect_tidy(&project);
    }
}

/// LP-21: a worker that ends at once has done nothing; the same three times is the end.
#[test]
fn a_worker_that_ends_at_once_has_done_nothing() {
    let project = greeter();
    let ran = call(&project, "true", "").run();
    assert_eq!(ran.code, Some(3), "{}", ran.err());
    assert!(reasons(&project).contains("nothing_changed"), "{}", reasons(&project));
    assert_eq!(outcome(&project)["because"], "unchanged");
    let ran = project.run(["log"]).expect(0);
    assert!(!ran.out().is_empty());
    expect_tidy(&project);
}

/// LP-21: a worker that floods us with garbage is kept within bounds, and what it did is judged.
#[test]
fn a_flood_of_garbage_is_kept_within_bounds() {
    let project = greeter();
    let flood = worker("head -c 5000000 /dev/urandom; head -c 5000000 /dev/urandom >&2");
    call(&project, &flood, "").run().expect(0);
    expect_tidy(&project);
}

/// LP-21: a verifier that never ends or dies gives no verdict, and leaves nothing behind.
#[test]
fn a_verifier_that_never_ends_gives_no_verdict() {
    let project = greeter();
    for (verifier, end) in [
        (format!("{}; sleep 1000 & sleep 1000", says(&pass("[\"r1\"]"))), "stopped"),
        (format!("{}; kill -9 $$", says(&pass("[\"r1\"]"))), "failed"),
        (format!("{}; exit 3", says(&pass("[\"r1\"]"))), "failed"),
    ] {
        let call = call(&project, &worker("true"), &verifier).args(["--worker-timeout", "2"]);
        let ran = call.env("COUNTERSIGN_EXEC_GRACE_SECONDS", "1").run();
        expect_asked(&project, ran, "no_verdict");
        let heard = last(&project, "verified");
        assert_eq!(heard["body"]["heard"]["end"], end, "{heard:#}");
        assert_eq!(heard["body"]["said"], "unfit");
        expect_tidy(&project);
    }
}
