//! Bad places and bad days.

use crate::desk::{begun, context, desk, handed_over};

/// CX-19: every verb answers as JSON, with an error that has a kind.
#[test]
fn errors_are_data() {
    let project = desk();
    let check = |words: &[&str], kind: &str| {
        let all: Vec<&str> = words.iter().copied().chain(["--format", "json"]).collect();
        let error = project.run(all).error();
        assert_eq!(error["kind"], kind, "{words:?}: {error}");
        assert!(!error["hint"].is_null(), "{words:?}: {error}");
    };
    check(&["context", "show", "TASK-1"], "not_found");
    check(&["context", "show", "../x"], "usage");
    check(&["context", "init", "TASK-1"], "not_found");
    check(&["context", "export", "TASK-1", "--role", "x"], "not_found");
    check(&["context", "snapshot", "TASK-0824", "--role", "implementer"], "not_found");
    check(&["task", "complete", "TASK-1"], "not_found");
}

/// CX-09: before the first commit, and with nothing but a task.
#[test]
fn a_repository_without_commits() {
    let project = countersign_testkit::Project::without_commits(crate::PROGRAM);
    project.write("tasks/TASK-0824.task.yaml", crate::desk::TASK);
    project.write("CONTRIBUTING.md", "# C\n\n## State\n\nKeep it.\n");
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project.write("src/a", "a\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    context(&project, &["verify"]).expect(0);
    project.write("src/a", "b\n");
    context(&project, &["verify"]).expect(1).prints("src/a");
}

/// CX-09: a folder that is no repository is told as such.
#[test]
fn not_a_repository() {
    let project = countersign_testkit::Project::without_repository(crate::PROGRAM);
    project.run(["task", "list"]).expect(1).says("repository");
    assert!(project.root().exists());
}

/// CX-17: a ledger whose events were changed by hand is not believed.
#[test]
fn a_changed_record_is_not_believed() {
    let project = handed_over();
    let sqlite = project.sh("command -v sqlite3");
    if sqlite.code != Some(0) {
        eprintln!("SKIPPED: no sqlite3 program, so the database can't be changed by hand");
        return;
    }
    let database = project.state().join("ledger.db");
    let change = "DROP TRIGGER events_are_final; UPDATE events SET body = replace(body, 'implementer', 'implemented') \
                  WHERE kind = 'context.handed'";
    project.sh(&format!("sqlite3 '{}' \"{change}\"", database.display())).expect(0);
    context(&project, &["show"]).expect(1).says("is not the one that was written");
}

/// CX-20: the path that agents are given is there.
#[test]
fn the_path_for_agents() {
    let project = begun();
    let env = context(&project, &["env"]).expect(0).out();
    assert!(env.starts_with("export TASK_CONTEXT_PATH="), "{env}");
    let script = format!("{env}\ntest -f \"$TASK_CONTEXT_PATH\"");
    project.sh(&script).expect(0);
    crate::project().run(["context", "env", "TASK-0824"]).expect(1).says("there is no context");
}

/// CX-17: what is on the record is done, also where its seal has to wait.
#[test]
fn a_seal_that_has_to_wait_is_no_failure() {
    let project = desk();
    // Whatever git tries to write there fails.
    let seals = project.path(".git/refs/countersign/seals");
    project.write(".git/refs/countersign/seals", "in the way\n");
    let said = "the ledger is not sealed yet";
    context(&project, &["init"]).expect(0).says(said);
    project.write("src/theme.txt", "six\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0).says(said);
    project.write("src/theme.txt", "seven\n");
    context(&project, &["verify"]).expect(1);
    context(&project, &["resolve-drift", "--note", "mine"]).expect(0).says(said);
    std::fs::remove_file(seals).unwrap();
    let after = context(&project, &["update", "--role", "reviewer", "--status", "in_progress"]);
    after.expect(0);
    project.run(["ledger", "seal"]).expect(0);
    project.run(["ledger", "verify"]).expect(0);
}

/// CX-06: another session that takes a role over is told, and both are on the record.
#[test]
fn a_second_session_is_told() {
    let project = begun();
    let update = |session: &str| {
        let words = ["update", "--role", "implementer", "--status", "in_progress", "--session"];
        context(&project, &[&words[..], &[session]].concat()).expect(0)
    };
    let quiet = update("one");
    assert!(!quiet.err().contains("was held"), "{}", quiet.err());
    assert!(!update("one").err().contains("was held"));
    update("two").says("implementer was held by session one; now it is two");
    let export = project.run(["ledger", "export"]).expect(0).out();
    assert!(export.contains("one") && export.contains("two"));
}

/// CX-10: what is told to be done works: a blocked role is unblocked and not begun.
#[test]
fn a_blocked_role_is_told_how_to_go_on() {
    let project = begun();
    context(&project, &["block", "--role", "implementer", "--finding", "stuck"]).expect(0);
    project.write("src/theme.txt", "six\n");
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(1);
    ran.says("countersign context unblock TASK-0824 --role implementer --finding 1 --note");
    let words = ["unblock", "--role", "implementer", "--finding", "1", "--note", "solved"];
    context(&project, &words).expect(0);
}

/// CX-17: a lock that a killed git left is named by the doctor; unfinished texts are swept.
#[test]
fn what_killed_processes_left_is_named() {
    let project = begun();
    project.write(".git/refs/countersign/seals/x.lock", "");
    project.run(["doctor"]).prints("seals/x.lock is there").prints("rm '");
    let left = project.state().join("blobs/unfinished-1");
    std::fs::write(&left, "half").unwrap();
    project.run(["context", "sweep"]).expect(0).prints("1 unfinished text");
    assert!(!left.exists());
}
