//! Agents that write into the user's own repository: what runs programs or hides changes there is a
//! person's to look at, what its user may have done is told, and nothing is said else.

use std::fs;

use countersign_testkit::{Project, wait_until};
use serde_json::Value;

use crate::relay::{answer_all, project as planned, worker as story_worker};
use crate::stage::{call, expect_asked, expect_tidy, last, outcome, pass, says, worker};
use crate::{CHECK, GOAL, greeter};

/// What is said in every case.
pub const TOLD: &str = "meanwhile, in your own repository";

/// The user's repository as a worker would name it.
pub fn root(project: &Project) -> String {
    project.root().display().to_string()
}

/// A worker that does the work and then `more` to the user's repository, which is `$R`.
pub fn meddling(project: &Project, more: &str) -> String {
    worker(&format!("R={}; {more}", root(project)))
}

/// A script that plants a hook in the repository `$R`.
pub const PLANTS: &str =
    "printf '#!/bin/sh\\n' > $R/.git/hooks/pre-commit; chmod +x $R/.git/hooks/pre-commit";

/// The question that waits, as text.
pub fn question(project: &Project) -> String {
    project.run(["checkpoint", "show", "--format", "json"]).expect(0).data().to_string()
}

/// All events that tell of something outside.
fn outside(project: &Project) -> Vec<Value> {
    let journal = project.journal();
    let entries = journal["entries"].as_array().cloned().unwrap_or_default();
    let told =
        entries.iter().filter_map(|entry| entry["event"]["body"]["outside"].as_array().cloned());
    told.flatten().collect()
}

/// G46, LP-19: a hook that a worker leaves in the user's repository stops the work until a person has
/// looked; taken, it is judged as ever.
#[test]
fn a_planted_hook_is_asked_about() {
    let project = greeter();
    let ran = call(&project, &meddling(&project, PLANTS), "").run();
    assert!(ran.err().contains(TOLD), "{}", ran.err());
    expect_asked(&project, ran, "outside");
    let asked = question(&project);
    assert!(asked.contains("hooks/pre-commit") && asked.contains("may run"), "{asked}");
    assert!(asked.contains("G46"), "{asked}");
    for words in [["run", "status"], ["log", "latest"]] {
        project.run(words).expect(0).prints("the hook hooks/pre-commit");
    }
    project.run(["run", "report"]).expect(0).prints("hooks/pre-commit");
    fs::remove_file(project.root().join(".git/hooks/pre-commit")).unwrap();
    let words = ["checkpoint", "answer", "latest", "accept", "--note", "I removed it"];
    project.run(words).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);
}

/// G46: so do settings that run programs, files that git obeys, what stands in for objects, and marks in the
/// index; what is secret in them is not shown.
#[test]
fn what_git_obeys_is_asked_about() {
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    // Where the command line of the worker doesn't have it.
    let token = r#"git -C $R config alias.up "!curl -H 'Authorization: token $(cat $R/../token)'""#;
    for (script, named) in [
        ("git -C $R config core.hooksPath /tmp/hooks", "core.hookspath"),
        ("git -C $R config filter.x.clean cat", "filter.x.clean"),
        ("git config --global core.fsmonitor /tmp/x", "core.fsmonitor (global)"),
        (
            "git config -f $R/.git/more core.pager x; git -C $R config include.path more",
            "core.pager",
        ),
        (token, "alias.up"),
        ("echo '* -diff' > $R/.git/info/attributes", "* -diff"),
        ("echo 'evil.sh' >> $R/.git/info/exclude", "evil.sh"),
        ("git -C $R update-index --assume-unchanged other.txt", "other.txt"),
        ("git -C $R replace HEAD:greet.sh HEAD:other.txt", "stands in for the object"),
    ] {
        let project = greeter();
        project.write("../token", &secret);
        let ran = call(&project, &meddling(&project, script), "").run();
        let told = format!("{}{}", ran.out(), ran.err());
        assert_eq!(ran.code, Some(4), "{script}: {told}");
        expect_asked(&project, ran, "outside");
        let asked = question(&project);
        assert!(asked.contains(named), "{script}: {asked}");
        let log = project.run(["log", "latest", "--format", "json"]).expect(0).out();
        assert!(![told, asked, log].iter().any(|text| text.contains(&secret)), "{script}");
    }
}

/// G46: a filter that was planted is asked about, and runs nothing before: files are recorded as they are.
#[test]
fn a_planted_filter_is_not_run() {
    let project = greeter();
    let script = "echo 'touch $0.ran; cat' > $R/../clean.sh; \
                  git -C $R config filter.x.clean \"sh $R/../clean.sh\"; \
                  echo '* filter=x' > $R/.git/info/attributes";
    let ran = call(&project, &meddling(&project, script), "").run();
    expect_asked(&project, ran, "outside");
    assert!(!project.root().join("../clean.sh.ran").exists(), "what was planted was run");
}

/// G46: a run with a plain command and checks is no different, and a person may end it.
#[test]
fn a_plain_run_is_no_different() {
    let project = greeter();
    let worker = format!("command:{}", meddling(&project, PLANTS));
    let words = ["run", GOAL, "--check", CHECK, "--no-input", "--worker", &worker];
    expect_asked(&project, project.run(words), "outside");
    project.run(["checkpoint", "answer", "latest", "stop"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(3);
    assert_eq!(outcome(&project)["because"], "findings_rejected");
    let project = greeter();
    let worker = format!("command:{}", meddling(&project, PLANTS));
    let words = ["run", GOAL, "--check", CHECK, "--no-input", "--worker", &worker];
    expect_asked(&project, project.run(words), "outside");
    project.run(["checkpoint", "answer", "latest", "accept", "--note", "mine"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    expect_tidy(&project);
}

/// G46: sent back, another attempt is made, and what was answered is not asked again.
#[test]
fn work_is_sent_back() {
    let project = greeter();
    let once = format!("[ $COUNTERSIGN_ATTEMPT != 1 ] || {{ {PLANTS}; }}");
    let ran = call(&project, &meddling(&project, &once), "").run();
    expect_asked(&project, ran, "outside");
    project.run(["checkpoint", "answer", "latest", "send-back"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    assert_eq!(last(&project, "launched")["body"]["attempt"], 2);
    expect_tidy(&project);
}

/// G46: a verifier and a reviewer are looked at as a worker is.
#[test]
fn who_judges_is_noticed() {
    let project = greeter();
    let verifier = format!("R={}; {PLANTS}; {}", root(&project), says(&pass(r#"["r1"]"#)));
    let ran = call(&project, &worker("true"), &verifier).run();
    expect_asked(&project, ran, "outside");
    let ended = last(&project, "verified");
    assert_eq!(ended["body"]["outside"][0]["name"], "hooks/pre-commit", "{ended:#}");
    project.run(["checkpoint", "answer", "latest", "accept", "--note", "mine"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    let project = greeter();
    let verifier = format!(
        "git -C {} update-ref refs/countersign/runs/$COUNTERSIGN_RUN/attempt-1 main; {}",
        root(&project),
        says(&pass(r#"["r1"]"#))
    );
    expect_asked(&project, call(&project, &worker("true"), &verifier).run(), "outside");
    assert!(question(&project).contains("our own reference"));
    let project = greeter();
    let reviewer = format!(
        "command:R={}; git -C $R config core.fsmonitor /tmp/x; echo '{{\"sufficient\": true}}'",
        root(&project)
    );
    let call = call(&project, &worker("true"), "").args(["--reviewer", &reviewer]);
    expect_asked(&project, call.run(), "outside");
    assert!(question(&project).contains("core.fsmonitor"));
}

/// G46: work that a worker puts into the user's branches itself is asked about, however it got there.
#[test]
fn pushed_work_is_asked_about() {
    let commits = "git add -A; git -c user.name=w -c user.email=w@x commit -qm Work";
    for push in [
        "git push -q $R HEAD:refs/heads/mine",
        "git push -q $R HEAD:refs/tags/v1",
        "w=$PWD; cd $R; git fetch -q $w HEAD && git update-ref refs/heads/main FETCH_HEAD",
    ] {
        let project = greeter();
        let ran = call(&project, &meddling(&project, &format!("{commits}; {push}")), "").run();
        let told = format!("{}{}", ran.out(), ran.err());
        assert_eq!(ran.code, Some(4), "{push}: {told}");
        expect_asked(&project, ran, "outside");
        assert!(question(&project).contains("made in the agent's own checkout"), "{push}: {told}");
    }
}

/// G46: people go on working in their repository: what they commit, stage, edit, fetch and tidy up is told
/// where it is worth it, and stops nothing.
#[test]
fn what_its_user_does_is_told() {
    let project = greeter();
    let user = "cd $R; echo 2 > other.txt; git -c user.name=u -c user.email=u@x commit -qam More; \
                git tag v2; echo 3 > other.txt; git branch -q topic";
    let ran = call(&project, &meddling(&project, user), "").run().expect(0);
    assert!(ran.err().contains("refs/heads/main went from"), "{}", ran.err());
    assert!(ran.err().contains("other.txt"), "{}", ran.err());
    let names: Vec<Value> = outside(&project).iter().map(|one| one["name"].clone()).collect();
    for name in ["refs/heads/main", "refs/heads/topic", "refs/tags/v2", "the index", "other.txt"] {
        assert!(names.contains(&Value::from(name)), "{name}: {names:?}");
    }
    project.run(["run", "status"]).expect(0).prints(TOLD);
    project.run(["log", "latest"]).expect(0).prints(TOLD);
    project.run(["run", "report"]).expect(0).prints("refs/tags/v2");
    expect_tidy(&project);
}

/// G46: an edit that is put back, a file that is gone, and what was not committed and is lost are told.
#[test]
fn files_of_the_user_are_told() {
    for (before, script, named) in [
        ("1\n", "rm $R/other.txt", "other.txt"),
        ("mine\n", "git -C $R checkout -q -- other.txt", "other.txt"),
        ("mine\n", "git -C $R add other.txt", "the index"),
        ("mine\n", "git -C $R status -s > /dev/null", ""),
    ] {
        let project = greeter();
        project.write("other.txt", before);
        let meddles = meddling(&project, script);
        call(&project, &meddles, "").run().expect(0);
        let names: Vec<Value> = outside(&project).iter().map(|one| one["name"].clone()).collect();
        let expected: Vec<Value> = (!named.is_empty()).then(|| named.into()).into_iter().collect();
        assert_eq!(names, expected, "{script}");
    }
}

/// G46: what git does for its upkeep, and what commands of people write into the settings, is no news.
#[test]
fn upkeep_is_no_news() {
    let project = greeter();
    let upkeep = "cd $R; git gc -q; git pack-refs --all; git maintenance run --task=gc 2> /dev/null; \
                  git remote add origin $R; git fetch -q origin; git config user.name Ada; \
                  git config branch.main.remote origin; git config maintenance.auto false; \
                  git status -s > /dev/null";
    let ran = call(&project, &meddling(&project, upkeep), "").run().expect(0);
    assert!(!ran.err().contains(TOLD), "{}", ran.err());
    assert_eq!(outside(&project), Vec::<Value>::new());
}

/// G46, LP-03: of ordinary work nothing is said: not of stories side by side, nor of what other runs do.
#[test]
fn ordinary_work_is_quiet() {
    let project = greeter();
    let ran = call(&project, &worker("true"), &says(&pass(r#"["r1"]"#))).run().expect(0);
    assert!(!ran.err().contains(TOLD), "{}", ran.err());
    let project = planned(&["alpha", "beta"]);
    let worker = story_worker("$u");
    let words = ["run", "--plan", "names", "--jobs", "2", "--no-input", "--worker", &worker];
    let ran = project.run(words);
    let told = format!("{}{}", ran.out(), ran.err());
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{told}");
    let log = project.run(["run", "report"]).expect(0).out();
    assert!(!told.contains(TOLD) && !log.contains("in the user's own repository"), "{told}{log}");
}

/// G46, LP-03: a run that is accepted while the worker of another is at work is no news to it.
#[test]
fn runs_beside_each_other_are_quiet() {
    let project = greeter();
    let (begun, ended) = (project.outside().join("begun"), project.outside().join("ended"));
    // tidy: polling, because one command waits for another
    let waits =
        format!("touch {}; until [ -e {} ]; do sleep 0.05; done", begun.display(), ended.display());
    let running = call(&project, &worker(&waits), "").start();
    wait_until("the worker", || begun.exists().then_some(()));
    call(&project, &worker("true"), "").run().expect(0);
    fs::write(&ended, "").unwrap();
    let ran = running.wait().expect(0);
    assert!(!ran.err().contains(TOLD), "{}", ran.err());
}

/// G46, WL-17: when the leader is killed while the worker is at work, whoever goes on compares with what
/// was on the record before the start.
#[test]
fn a_killed_leader_is_no_way_around_it() {
    let project = greeter();
    let flag = project.outside().join("planted");
    let plants = format!("[ -e {0} ] || {{ {PLANTS}; touch {0}; sleep 1000; }}", flag.display());
    let running = call(&project, &meddling(&project, &plants), "").start();
    wait_until("the hook", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    let ran = project.run(["resume", "latest", "--no-input"]);
    expect_asked(&project, ran, "outside");
    let cut_off = last(&project, "interrupted");
    assert_eq!(cut_off["body"]["outside"][0]["name"], "hooks/pre-commit", "{cut_off:#}");
    project.run(["checkpoint", "answer", "latest", "accept", "--note", "mine"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    expect_tidy(&project);
}

/// G46, WL-17: the same when the leader of a verifier is killed.
#[test]
fn a_killed_verifier_is_no_way_around_it() {
    let project = greeter();
    let flag = project.outside().join("planted");
    let verifier = format!(
        "R={}; [ -e {1} ] || {{ {PLANTS}; touch {1}; sleep 1000; }}; {2}",
        root(&project),
        flag.display(),
        says(&pass(r#"["r1"]"#))
    );
    let running = call(&project, &worker("true"), &verifier).start();
    wait_until("the hook", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    let ran = project.run(["resume", "latest", "--no-input"]);
    expect_asked(&project, ran, "outside");
    let cut_off = last(&project, "verifier_interrupted");
    assert_eq!(cut_off["body"]["outside"][0]["name"], "hooks/pre-commit", "{cut_off:#}");
}

/// G46: a run that is cancelled while its worker is at work still tells.
#[test]
fn a_cancelled_run_still_tells() {
    let project = greeter();
    let flag = project.outside().join("planted");
    let plants = format!("{PLANTS}; touch {}; sleep 1000", flag.display());
    let running = call(&project, &meddling(&project, &plants), "").start();
    wait_until("the hook", || flag.exists().then_some(()));
    project.run(["cancel", "latest"]).expect(0);
    let ran = running.wait();
    assert!(ran.err().contains("the hook hooks/pre-commit"), "{}", ran.err());
}
