//! The mutation gate of a plan, as the command that is run for it.

use countersign_domain::plan::{Names, Plan, Purpose};
use countersign_testkit::Project;

use crate::{PRD, PROGRAM, SPEC};

/// LP-14: the mutation gate compares the share that its command prints with the threshold.
#[test]
fn the_mutation_gate_counts() {
    let project = Project::new(PROGRAM);
    let at = SPEC.find("## Mutation gate").unwrap();
    let end = at + SPEC[at..].find("## Criteria to tests").unwrap();
    let passes = |command: &str| {
        let gate = format!("## Mutation gate\n\n- Command: `{command}`\n- Threshold: 80\n\n");
        let spec = format!("{}{gate}{}", &SPEC[..at], &SPEC[end..]);
        let plan = Plan::parse(PRD, &spec, &Names::new("prd.md", "test-spec.md")).unwrap();
        let checks = plan.release_checks();
        let gate = checks.into_iter().find(|check| check.purpose == Purpose::Mutation).unwrap();
        project.sh(&gate.command).code == Some(0)
    };
    assert!(passes("echo score: 80 %"));
    assert!(passes("echo 10% missed, 90.5% noticed; exit 3"), "tools fail if one was missed");
    assert!(!passes("echo 90% tried; echo 79.9 % noticed"));
    assert!(!passes("echo all is well"), "no share is no pass");
    assert!(!passes("no-such-tool-here"));
}
