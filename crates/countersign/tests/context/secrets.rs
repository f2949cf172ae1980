//! Nothing that looks like a secret is stored, unless a person insists.

use crate::desk::{TASK, begun, context, desk};

/// Put together at run time, so that nobody takes this file for a leak.
fn secret() -> String {
    ["AKIA", "QYLPMN5HHHFPZAM2"].concat()
}

/// CX-16: every field is looked at, before anything is written, and the secret is never shown.
#[test]
fn secrets_are_refused_in_every_field() {
    let project = begun();
    let secret = secret();
    project.write("log", format!("deploying with {secret}\n"));
    let before = project.run(["ledger", "export"]).expect(0).out();
    let check = |words: &[&str]| {
        let ran = context(&project, words).expect(1);
        assert!(ran.err().contains("looks like a secret"), "{}", ran.err());
        assert!(ran.err().contains("--force-secrets"), "{}", ran.err());
        assert!(!ran.err().contains(&secret) && !ran.out().contains(&secret));
    };
    check(&["update", "--role", "implementer", "--session", &secret]);
    check(&["block", "--role", "implementer", "--finding", &format!("the key {secret} is wrong")]);
    check(&["update", "--role", "implementer", "--session", "s", "--actor", &secret]);
    check(&["purge", "--because", &secret]);
    check(&["attach", "log", "--kind", "log"]);
    check(&["attach", "CONTRIBUTING.md", "--description", &secret]);
    check(&["record-qa", "--role", "implementer", "--from", "log", "--exit-code", "0"]);
    let after = project.run(["ledger", "export"]).expect(0).out();
    assert_eq!(before.lines().count(), after.lines().count(), "nothing was written");
    let state = project.state();
    let found = project.sh(&format!("grep -rl {secret} '{}'", state.display()));
    assert_eq!(found.out(), "", "the secret is nowhere in our state");
}

/// CX-16: a task file with a secret makes no context; who insists is on the record.
#[test]
fn who_insists_is_on_the_record() {
    let project = desk();
    let text = TASK.replace("  ## Where", &format!("  Use {}.\n\n  ## Where", secret()));
    project.write("tasks/TASK-0824.task.yaml", text);
    context(&project, &["init"]).expect(1).says("tasks/TASK-0824.task.yaml, line");
    context(&project, &["show"]).expect(1).says("there is no context");
    context(&project, &["init", "--force-secrets"]).expect(0).says("looks like a secret");
    let export = project.run(["ledger", "export"]).expect(0).out();
    assert!(export.contains("forced_secrets"), "{export}");
}

/// CX-16: a secret that the work itself adds is refused before anything of it is kept; who insists
/// is on the record, and the next role is told.
#[test]
fn secrets_in_the_work_are_refused() {
    let project = begun();
    let secret = secret();
    project.write("src/key.txt", format!("key = {secret}\n"));
    let kept = || project.git(["for-each-ref", "refs/countersign/contexts"]);
    let before = kept();
    for words in [
        &["snapshot", "--role", "implementer"][..],
        &["block", "--role", "implementer", "--finding", "stuck"],
    ] {
        let ran = context(&project, words).expect(1);
        let ran = ran.says("src/key.txt adds what looks like a secret").says("--force-secrets");
        assert!(!ran.err().contains(&secret), "{}", ran.err());
    }
    assert_eq!(kept(), before);
    let words = ["snapshot", "--role", "implementer", "--force-secrets"];
    context(&project, &words).expect(0).prints("src/key.txt adds what looks like a secret");
    let export = project.run(["ledger", "export"]).expect(0).out();
    assert!(export.contains("forced_secrets"), "{export}");
    // The next role is not asked about what another one let through.
    crate::desk::begin(&project, "reviewer").expect(0);
    project.write("src/theme.txt", "reviewed\n");
    context(&project, &["snapshot", "--role", "reviewer"]).expect(0).prints("src/key.txt");
}

/// CX-16: what is wrong is told without the secret that stands there.
#[test]
fn errors_about_standards_show_no_secret() {
    let project = desk();
    let secret = secret();
    project.write("CONTRIBUTING.md", format!("# C\n\n## {secret}\n\nKeep it.\n"));
    for verb in [["context", "init"], ["task", "check"]] {
        let ran = project.run([verb[0], verb[1], "TASK-0824"]);
        let said = [ran.out(), ran.err()].concat();
        assert!(said.contains("there is no section"), "{said}");
        assert!(!said.to_lowercase().contains(&secret.to_lowercase()), "{said}");
    }
}
