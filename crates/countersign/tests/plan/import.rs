//! Plans of rlp-desk, taken over.

use countersign_testkit::Project;

use crate::PROGRAM;

const PRD: &str = "# PRD: pay\n\n## Objective\nCustomers pay by card.\n\n## User Stories\n\n### US-001: Pay\n\
- **Priority**: P0\n- **Size**: S\n- **Type**: code\n- **Risk**: LOW\n- **Depends on**: []\n- **Acceptance Criteria**:\n  - AC1:\n\
    - Given: a cart of 30 €\n    - When: the customer pays\n    - Then: the customer is charged 30 €\n- **Boundary Cases**: an empty cart\n\
- **Verification Layers**: L1 (unit tests) + L3 (a known cart)\n- **Status**: not started\n\n## Mood\nfine\n";

fn desk(place: &str) -> Project {
    let project = Project::new(PROGRAM);
    project.write(&format!("{place}/plans/prd-pay.md"), PRD);
    project.write(&format!("{place}/plans/prd-pay-US-001.md"), "### US-001: Pay\n");
    project.write(&format!("{place}/plans/test-spec-pay.md"), "# Test Specification: pay\n\n## Verification Commands\n### Test\n```bash\nmake test\n```\n");
    project.commit("A desk");
    project
}

/// LP-04, LP-23: both folders of rlp-desk are known, their files stay as they are, and what is not
/// taken over is told.
#[test]
fn a_desk_is_taken_over() {
    for place in [".rlp-desk", ".claude/ralph-desk"] {
        let project = desk(place);
        let ran = project.run(["plan", "import", place, "--iteration-unit", "per story"]).expect(0);
        let ran = ran.prints(&format!(
            "note: {place}/plans/prd-pay.md:23: the section 'Mood' has no place in a plan"
        ));
        ran.prints("made: plans/pay/prd.md")
            .prints("to mend before it can be worked on: countersign plan check pay");
        assert_eq!(project.git(["status", "--porcelain"]).trim(), "?? plans/");
        let ran = project.run(["plan", "check", "pay"]).expect(1);
        let ran = ran.prints("US-001  AC1        2       2       2            2            2         2             12/12  pass");
        ran.prints("US-001: it has no negative cases")
            .prints("US-001 L2: it is still to be written");
        // A second time it is there already.
        project
            .run(["plan", "import", ".", "--iteration-unit", "all"])
            .expect(1)
            .says("plans/pay is already there");
    }
}

/// LP-04: the iteration unit is the user's to choose here too; several plans have to be told apart.
#[test]
fn what_must_be_said_is_asked_for() {
    let project = desk(".rlp-desk");
    project.run(["plan", "import", "."]).expect(2).says("--iteration-unit");
    let ran = project.run(["plan", "import", ".", "--iteration-unit", "tale"]).expect(2);
    ran.says("use one of: per story, all at once");
    let ran =
        project.run(["plan", "import", ".", "--iteration-unit", "per-us", "--dry-run"]).expect(0);
    ran.prints("nothing was written; it would be in plans/pay");
    assert!(!project.path("plans").exists());
    project.write(".rlp-desk/plans/prd-other.md", PRD);
    let ran = project.run(["plan", "import", ".", "--iteration-unit", "per-us"]).expect(2);
    ran.says("there are several plans").says("choose one with --slug: other, pay");
    project
        .run(["plan", "import", ".", "--iteration-unit", "per-us", "--slug", "other"])
        .expect(0)
        .prints("plans/other/prd.md");
    let ran = project
        .run(["plan", "import", ".", "--iteration-unit", "per-us", "--slug", "none"])
        .expect(1);
    ran.says("there is no prd-none.md").says("there is: other, pay");
}

/// LP-04: folders without a plan, and files that are none, are told.
#[test]
fn bad_desks_are_told() {
    let project = Project::new(PROGRAM);
    let import =
        |folder: &str| project.run(["plan", "import", folder, "--iteration-unit", "per story"]);
    import(".").expect(1).says("there is no plan of rlp-desk in");
    import("nowhere").expect(1).says("is not a folder");
    project.write(".rlp-desk/plans/prd-x.md", b"# PRD \xff");
    import(".").expect(1).says(".rlp-desk/plans/prd-x.md:1:7: byte 6 (0xff) is no UTF-8");
    project.write(".rlp-desk/plans/prd-x.md", "nothing\n");
    import(".").expect(1).says("there is no story with an acceptance criterion");
    assert!(!project.path("plans").exists());
}
