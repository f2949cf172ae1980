//! Many at once: on one task, and on several.

use std::collections::BTreeSet;

use crate::desk::{TASK, begun, context, data, desk};

/// CX-17: sixteen processes change one context, and nothing is lost or torn.
#[test]
fn sixteen_at_once() {
    let project = begun();
    let calls: Vec<_> = (0..16)
        .map(|number| {
            let session = format!("s-{number}");
            let words = ["context", "update", "TASK-0824", "--role", "implementer", "--session"];
            project.call(words).arg(session).start()
        })
        .collect();
    for call in calls {
        call.wait().expect(0);
    }
    let view = data(&project, &["show"]);
    assert_eq!(view["updates"], 16);
    let export = project.run(["ledger", "export"]).expect(0).out();
    let sessions: BTreeSet<String> = export
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["event"]["kind"] == "context.updated")
        .map(|line| {
            let body: serde_json::Value =
                serde_json::from_str(line["event"]["body"].as_str().unwrap()).unwrap();
            body["session"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(sessions.len(), 16);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CX-01: of sixteen that make the same context, one does.
#[test]
fn one_of_sixteen_opens() {
    let project = desk();
    let calls: Vec<_> =
        (0..16).map(|_| project.call(["context", "init", "TASK-0824"]).start()).collect();
    let codes: Vec<_> = calls.into_iter().map(|call| call.wait().code.unwrap()).collect();
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| *code < 2), "{codes:?}");
    assert_eq!(data(&project, &["show"])["steps"].as_array().unwrap().len(), 1);
}

/// CX-17, D4.7: a task that is being worked on keeps no other task waiting.
#[test]
fn tasks_do_not_wait_for_each_other() {
    let project = desk();
    let other = project.outside().join("other");
    project.write("tasks/TASK-0900.task.yaml", TASK.replace("TASK-0824", "TASK-0900"));
    project.commit("Another task");
    project.git(["worktree", "add", "--quiet", "-b", "other", other.to_str().unwrap()]);
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project.call(["context", "init", "TASK-0900"]).at(&other).run().expect(0);
    // Somebody holds the first task for as long as this test likes.
    let lock = project.state().join("leases/context%2fTASK-0824.lock");
    let held = std::fs::File::options().read(true).write(true).open(&lock).unwrap();
    held.lock().unwrap();
    std::fs::write(other.join("src/theme.txt"), "changed\n").unwrap();
    let words = ["context", "snapshot", "TASK-0900", "--role", "implementer"];
    project.call(words).at(&other).run().expect(0);
    let words = ["context", "update", "TASK-0824", "--role", "implementer", "--session", "x"];
    let ran = project.call(words).env("COUNTERSIGN_CONTEXT_LOCK_SECONDS", "1").run().expect(1);
    ran.says("TASK-0824 is being worked on by another command");
    drop(held);
    project.call(words).run().expect(0);
    // Each looks at its own working tree only.
    let words = ["context", "verify", "TASK-0900"];
    project.call(words).at(&other).run().expect(0);
    project.run(words).expect(1).says("work in").says("countersign -C");
    context(&project, &["verify"]).expect(0);
}

/// CX-17: killed at any moment, a hand-over is there whole or not at all.
#[test]
fn a_killed_hand_over_leaves_the_old_state() {
    let project = begun();
    project.write("src/theme.txt", "changed\n");
    let mut finished = false;
    // Ever later moments, until one is after the end.
    for step in 0..200_u64 {
        let call = project.call(["context", "snapshot", "TASK-0824", "--role", "implementer"]);
        let running = call.start();
        std::thread::sleep(std::time::Duration::from_millis(step * 2)); // tidy: polling, because a moment is what is tried
        let ran = running.kill();
        let view = data(&project, &["show"]);
        let steps = view["steps"].as_array().unwrap().len();
        let status = view["roles"][0]["status"].as_str().unwrap().to_owned();
        match steps {
            1 => assert_eq!(status, "in_progress"),
            2 => {
                assert_eq!(status, "done");
                finished = true;
            }
            other => panic!("{other} steps"),
        }
        if finished {
            break;
        }
        drop(ran);
    }
    assert!(finished, "no call ever came to its end");
    context(&project, &["verify"]).expect(0).prints("is what implementer left");
    context(&project, &["diff", "--role", "implementer"]).expect(0).prints("+changed");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}
