//! Drift between roles: found, named, and never in the way of benign acts.

use countersign_testkit::Project;

use crate::desk::{begin, context, data, handed_over};

#[track_caller]
fn expect_refused(act: impl Fn(&Project), expected: &[&str]) {
    let project = handed_over();
    act(&project);
    let ran = begin(&project, "reviewer").expect(1);
    for words in expected {
        assert!(ran.err().contains(words), "'{words}' is not in:\n{}", ran.err());
    }
    let error = context(
        &project,
        &["update", "--role", "reviewer", "--status", "in_progress", "--format", "json"],
    );
    assert_eq!(error.error()["kind"], "refused", "drift stops everything until it is explained");
    assert_eq!(data(&project, &["show"])["drift_budget"], 1);
    context(&project, &["resolve-drift", "--note", "that was me"]).expect(0);
    begin(&project, "reviewer").expect(0);
}

fn sh(script: &'static str) -> impl Fn(&Project) {
    move |project| {
        project.sh(script).expect(0);
    }
}

/// CX-10: what happened is named, with the files.
#[test]
fn drift_is_named() {
    expect_refused(sh("echo more >> src/theme.txt"), &["src/theme.txt", "edited"]);
    expect_refused(sh("echo x > src/x.txt"), &["src/x.txt", "added"]);
    expect_refused(sh("rm src/store.txt"), &["src/store.txt", "removed"]);
    expect_refused(sh("mv src/store.txt src/shop.txt"), &["src/shop.txt", "renamed"]);
    expect_refused(sh("chmod +x src/theme.txt"), &["src/theme.txt", "permission"]);
    expect_refused(sh("sed -i 's/$/\\r/' src/theme.txt"), &["src/theme.txt", "line ending"]);
    expect_refused(sh("sed -i 's/^/  /' src/theme.txt"), &["src/theme.txt", "white space"]);
}

/// CX-10: what was done to the whole tree is named before the files.
#[test]
fn whole_trees_are_named() {
    expect_refused(sh("git add -A && git commit -qm all"), &["commit"]);
    expect_refused(sh("git stash -q -u"), &["stash"]);
    expect_refused(sh("git checkout -q -- ."), &["src/theme.txt"]);
    expect_refused(sh("git reset -q --hard"), &["src/theme.txt"]);
    expect_refused(sh("git clean -qfd"), &["src/store.txt"]);
    expect_refused(
        sh("git stash -q -u && git commit -q --amend -m other && git stash pop -q"),
        &["amend"],
    );
    // The standards are not there on the other branch, so nobody could begin after it.
    let project = handed_over();
    project
        .sh("git stash -q -u && git checkout -q -b other HEAD~1 && git stash pop -q || true")
        .expect(0);
    begin(&project, "reviewer").expect(1).says("switched");
}

/// CX-10: what changes nothing is no drift.
#[test]
fn benign_acts_are_silent() {
    for script in [
        "git add -A",
        "git add -A && git reset -q",
        "touch src/*.txt",
        "git gc -q",
        "git branch other",
        "git tag v1",
        "git update-index -q --refresh || true",
        "git status > /dev/null",
        "git stash list",
        "mkdir -p target && echo x > target/x",
        "cp src/theme.txt ../kept && echo other > src/theme.txt && cp ../kept src/theme.txt",
    ] {
        let project = handed_over();
        project.sh(script).expect(0);
        let ran = begin(&project, "reviewer");
        assert_eq!(ran.code, Some(0), "{script}:\n{}", ran.err());
    }
}

/// CX-11: while a role is at work files may change, but not the commit that they count from.
#[test]
fn a_role_at_work_may_not_commit() {
    let project = handed_over();
    begin(&project, "reviewer").expect(0);
    project.write("src/theme.txt", "other\n");
    let session = ["update", "--role", "reviewer", "--session", "s-1"];
    context(&project, &session).expect(0);
    project.git(["add", "--all"]);
    project.git(["commit", "--quiet", "--message", "too early"]);
    context(&project, &["snapshot", "--role", "reviewer"]).expect(1).says("commit");
    context(&project, &["resolve-drift", "--note", "it was asked for"]).expect(0);
    context(&project, &["snapshot", "--role", "reviewer"]).expect(0);
}

/// CX-07: a tree in which nothing was done can't be handed over.
#[test]
fn nothing_can_not_be_handed_over() {
    let project = crate::desk::begun();
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(1);
    ran.says("implementer has nothing to hand over");
}

/// D4.3: what was there before the task is nobody's work.
#[test]
fn a_dirty_start_is_not_blamed_on_anyone() {
    let project = crate::desk::desk();
    project.write("src/theme.txt", "somebody's\n");
    project.write("src/notes.txt", "somebody's\n");
    project.run(["context", "init", "TASK-0824"]).expect(0).prints("count as the start");
    context(&project, &["snapshot", "--role", "implementer"])
        .expect(1)
        .says("nothing to hand over");
    project.write("src/store.txt", "mine\n");
    let handed = data(&project, &["snapshot", "--role", "implementer"]);
    let files = handed["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0]["path"], "src/store.txt");
}

/// CX-07: what lies outside of the scope is said.
#[test]
fn changes_outside_of_the_scope_are_said() {
    let project = crate::desk::begun();
    project.write("src/legacy/old.txt", "new\n");
    project.write("src/theme.txt", "new\n");
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    ran.prints("src/legacy/old.txt is outside of the task's scope");
}

/// CX-10: a change by an agent whose session is on the record is attributed to it.
#[test]
fn agents_are_named() {
    let project = handed_over();
    let hook = |payload: serde_json::Value| {
        project.call(["hook", "claude"]).stdin(payload.to_string()).run().expect(0);
    };
    let cwd = project.root();
    hook(serde_json::json!({
        "session_id": "s1", "cwd": cwd, "hook_event_name": "UserPromptSubmit",
        "prompt": "Fix the authentication of the settings page",
    }));
    let path = project.path("src/theme.txt");
    project.write("src/theme.txt", "by an agent\n");
    hook(serde_json::json!({
        "session_id": "s1", "cwd": cwd, "hook_event_name": "PostToolUse", "tool_name": "Write",
        "tool_use_id": "t1", "tool_input": { "file_path": path, "content": "by an agent\n" },
        "tool_response": { "type": "update", "filePath": path },
    }));
    begin(&project, "reviewer").expect(1).says("src/theme.txt: edited by session");
}

/// CX-10: what a formatter of the user's did is named as its doing; a project can't name one.
#[test]
fn formatters_are_named() {
    let project = handed_over();
    let settings = "[context.formatters]\n\"*.txt\" = \"tr a-z A-Z\"\n";
    project.write("countersign.toml", settings);
    context(&project, &["show"]).expect(2).says("is not a project's to set");
    std::fs::remove_file(project.path("countersign.toml")).unwrap();
    let home = project.home();
    std::fs::create_dir_all(&home).unwrap();
    let path = project.run(["config", "path", "--format", "json"]).expect(0).data();
    let user = path["user"].as_str().unwrap();
    std::fs::create_dir_all(std::path::Path::new(user).parent().unwrap()).unwrap();
    std::fs::write(user, settings).unwrap();
    project.sh("tr a-z A-Z < src/theme.txt > ../x && cp ../x src/theme.txt").expect(0);
    begin(&project, "reviewer").expect(1).says("exactly what `tr a-z A-Z` makes of it");
}

/// CX-10: what is told to undo drift does undo it, in the folder where it was told.
#[test]
fn remedies_work_where_they_are_told() {
    for script in [
        "echo more >> src/theme.txt; rm docs/settings.md; echo x > src/x.txt",
        "git update-index --skip-worktree test.sh; git config core.fsmonitor true; rm test.sh",
        "echo x > src/extra; git add -A; git commit -qm all; chmod 600 src/theme.txt",
        "git stash -q -u; echo other > src/theme.txt",
        "mkdir many; for n in $(seq 500); do echo $n > many/$n; done",
    ] {
        for folder in ["", "src", "src/legacy"] {
            let project = handed_over();
            project.sh(script).expect(0);
            let folder = project.path(folder);
            if !folder.is_dir() {
                continue;
            }
            let words = ["context", "verify", "TASK-0824", "--format", "json"];
            let ran = project.call(words).at(&folder).run().expect(1);
            let data = ran.data();
            assert_eq!(data["by_hand"], serde_json::Value::Null, "{script}");
            for remedy in data["remedies"].as_array().unwrap() {
                let at = folder.to_str().unwrap().to_owned();
                project.sh(&format!("cd '{at}' && {}", remedy.as_str().unwrap())).expect(0);
            }
            let again = project.call(words).run();
            assert_eq!(again.data()["is_same"], true, "{script}: {}", again.out());
        }
    }
    // From elsewhere, by the whole path.
    let project = handed_over();
    project.sh("echo more >> src/theme.txt").expect(0);
    let root = project.root();
    let words = ["-C", root.to_str().unwrap(), "context", "verify", "TASK-0824"];
    let ran = project.call(words).at(project.outside()).run().expect(1);
    ran.prints(&format!("git -C {} restore", root.display()));
}

/// CX-10: a long list says that it is cut, and where the rest is.
#[test]
fn long_lists_say_so() {
    let project = handed_over();
    project
        .sh("mkdir many; for n in $(seq 500); do echo $n > many/$n; done; echo 2 > .env")
        .expect(0);
    let ran = context(&project, &["verify"]).expect(1);
    ran.prints("and 489 more files")
        .prints("more commands; countersign context verify TASK-0824 --format json");
}

/// CX-10: what git ignores was not stored, and a person is told what to put back.
#[test]
fn what_no_command_undoes_is_said() {
    let project = crate::desk::desk();
    project.write(".env", "KEY=1\n");
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project.write("src/theme.txt", "work\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    project.write(".env", "KEY=2\n");
    let ran = context(&project, &["verify"]).expect(1);
    ran.prints("by hand: .env is ignored by git, so its content was not stored");
}

/// CX-10: a formatter that hangs is named while it is waited for, and asked only once.
#[test]
fn a_formatter_that_hangs_is_named() {
    let project = handed_over();
    let path = project.run(["config", "path", "--format", "json"]).expect(0).data();
    let user = path["user"].as_str().unwrap();
    std::fs::create_dir_all(std::path::Path::new(user).parent().unwrap()).unwrap();
    std::fs::write(user, "[context.formatters]\n\"*.txt\" = \"cat /dev/zero > /dev/null\"\n")
        .unwrap();
    project
        .sh("echo x >> src/theme.txt; echo x >> src/store.txt; echo x >> src/legacy/old.txt")
        .expect(0);
    let ran = begin(&project, "reviewer").expect(1);
    let ran = ran.says("waiting for `cat /dev/zero > /dev/null`, up to 10 seconds for a file");
    assert_eq!(ran.err().matches("did not end in time, and was not asked again").count(), 1);
}
