//! Ends that nobody could decide about when they came.

use serde_json::json;

use crate::agent::{Agent, later, listed, shown};
use crate::faults::{has, payloads, tour};
use crate::{PROGRAM, project};

/// WL-12, WL-16: an agent that stops while the ledger can't be had has stopped: how that ended is
/// decided when it is back, by all that was told.
#[test]
fn an_end_waits_for_the_ledger() {
    if !has(&project(), "flock") {
        return;
    }
    let hold = "mkdir -p .git/countersign; exec 9>>.git/countersign/writer.lock; flock 9";
    for (told, outcome, because, is_final) in [
        ("stop", "success", "nothing was left", false),
        ("failing stop", "failure", "the last test run failed", false),
        ("failing stop end", "failure", "the last test run failed", true),
        ("end", "aborted", "the agent was ended in the middle", true),
        ("broke", "failure", "server_error", false),
        ("broke end", "failure", "server_error", true),
    ] {
        let project = project();
        let agent = Agent::new(&project, "s1");
        let failing = json!({
            "tool_name": "Bash", "tool_input": { "command": "cargo test" }, "tool_use_id": "t",
            "error": "Exit code 1\nit failed", "is_interrupt": false,
        });
        let mut named = tour(&agent);
        named.push(("failing", agent.payload("PostToolUseFailure", &failing)));
        named.push(("end", agent.payload("SessionEnd", &json!({ "reason": "other" }))));
        named.push(("broke", agent.payload("StopFailure", &json!({ "error": "server_error" }))));
        payloads(&project, &named);
        let tell = format!("tell() {{ for name; do {PROGRAM} hook claude < ../$name; done; }}");
        project.sh(&format!("{tell}\ntell prompt\n{hold}\ntell {told}")).expect(0);
        assert_eq!(listed(&project)[0]["outcome"], outcome, "{told}");
        let id = shown(&project)["session"].as_str().unwrap().parse().unwrap();
        let ended = later(&project, 1).account(id).unwrap().ended.unwrap();
        assert!(ended.because.contains(because), "{told}: {ended:?}");
        assert_eq!(ended.is_final, is_final, "{told}");
        assert_eq!(shown(&project)["ended"]["outcome"], outcome, "{told}");
    }
}
