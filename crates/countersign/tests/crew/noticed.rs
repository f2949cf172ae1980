//! Changes of the user's repository that are easily overlooked: what breaks it, what checks write, and what is
//! the run's own; and how people are asked about them.

use std::fs;

use countersign_testkit::wait_until;

use crate::outside::{PLANTS, TOLD, meddling, question, root};
use crate::stage::{call, expect_asked, expect_tidy, pass, says, worker};
use crate::{CHECK, GOAL, greeter};

/// G46, WL-17: a worker that breaks the settings of the user's repository has ended all the same: which file is
/// broken is said, nobody is started again, and once it is mended, a person is asked.
#[test]
fn a_broken_repository_is_no_new_start() {
    for verifier in ["", &says(&pass(r#"["r1"]"#))] {
        let project = greeter();
        let starts = project.outside().join("starts");
        let config = project.root().join(".git/config");
        let good = fs::read(&config).unwrap();
        let breaks = format!("echo 1 >> {}; echo '[bad' >> $R/.git/config", starts.display());
        let ran = call(&project, &meddling(&project, &breaks), verifier).run();
        for told in [ran.err(), project.run(["resume", "latest", "--no-input"]).err()] {
            let words = ["can't read the settings of the repository", "mend that file"];
            assert!(words.iter().all(|words| told.contains(words)), "{told}");
            assert!(told.contains(&config.display().to_string()), "{told}");
            assert!(told.contains("countersign resume"), "{told}");
        }
        let status = project.run(["run", "status"]).expect(0);
        status.prints(TOLD).prints("git could not work with it any more");
        fs::write(&config, good).unwrap();
        let ran = project.run(["resume", "latest", "--no-input"]);
        expect_asked(&project, ran, "outside");
        assert!(question(&project).contains(".git/config"));
        project.run(["checkpoint", "answer", "latest", "accept", "--note", "mended"]).expect(0);
        project.run(["resume", "latest", "--no-input"]).expect(0);
        assert_eq!(fs::read_to_string(&starts).unwrap(), "1\n", "it was started once");
        expect_tidy(&project);
    }
}

/// G46: a pipe in the place of the settings, or an index that is none, keeps nobody waiting, and starts nobody
/// again.
#[test]
fn what_git_can_t_read_is_no_new_start() {
    let broken = [
        ("config", "rm $R/.git/config; mkfifo $R/.git/config"),
        ("index", "echo x > $R/.git/index"),
    ];
    for (name, breaks) in broken {
        let project = greeter();
        let starts = project.outside().join("starts");
        let path = project.root().join(".git").join(name);
        let good = fs::read(&path).unwrap();
        let breaks = format!("echo 1 >> {}; {breaks}", starts.display());
        let ran = call(&project, &meddling(&project, &breaks), "").run();
        assert!(ran.err().contains(&path.display().to_string()), "{}", ran.err());
        fs::remove_file(&path).unwrap();
        fs::write(&path, good).unwrap();
        let ran = project.run(["resume", "latest", "--no-input"]);
        expect_asked(&project, ran, "outside");
        project.run(["checkpoint", "answer", "latest", "accept", "--note", "mended"]).expect(0);
        project.run(["resume", "latest", "--no-input"]).expect(0);
        assert_eq!(fs::read_to_string(&starts).unwrap(), "1\n", "it was started once");
        expect_tidy(&project);
    }
}

/// G46: what checks write that nothing confines is noticed as what agents write is, in runs of either kind.
#[test]
fn what_checks_write_is_noticed() {
    for examined in [true, false] {
        let project = greeter();
        let check = format!("{CHECK} && {{ R={}; {PLANTS}; }}", root(&project));
        let worker = format!("command:{}", worker("true"));
        let words = ["run", GOAL, "--no-input", "--check", &check, "--worker", &worker];
        let call = project.call(words).env("COUNTERSIGN_VERIFY_SANDBOX", "false");
        let ran = if examined { call.arg("--examine").run() } else { call.run() };
        assert!(ran.err().contains("the hook hooks/pre-commit"), "{}", ran.err());
        expect_asked(&project, ran, "outside");
        assert!(question(&project).contains("while a check of attempt 1 was at work"));
        let stop = ["checkpoint", "answer", "latest", "stop"];
        project.run(stop).expect(0);
        project.run(["resume", "latest", "--no-input"]).expect(3);
        expect_tidy(&project);
    }
}

/// G46, WL-17: what a check plants is asked about also where it breaks the settings as well, so that nothing can
/// be compared when it has ended; once they are mended, and once only.
#[test]
fn what_a_check_plants_outlasts_broken_settings() {
    for crew in [true, false] {
        let project = greeter();
        let config = project.root().join(".git/config");
        let good = fs::read(&config).unwrap();
        let flag = project.outside().join("planted");
        let breaks = format!("{PLANTS}; echo '[bad' >> $R/.git/config; touch {}", flag.display());
        let once = format!("[ -e {} ] || {{ R={}; {breaks}; }}", flag.display(), root(&project));
        let check = format!("{CHECK} && {{ {once}; }}");
        let worker = format!("command:{}", worker("true"));
        let verifier = format!("command:{}", says(&pass(r#"["r1"]"#)));
        let words = ["run", GOAL, "--no-input", "--check", &check, "--worker", &worker];
        let mut call = project.call(words).env("COUNTERSIGN_VERIFY_SANDBOX", "false");
        if crew {
            call = call.args(["--verifier", &verifier]);
        }
        let ran = call.run();
        assert!(ran.err().contains("mend that file"), "{}", ran.err());
        fs::write(&config, good).unwrap();
        let resume = || {
            let call = project.call(["resume", "latest", "--no-input"]);
            call.env("COUNTERSIGN_VERIFY_SANDBOX", "false").run()
        };
        expect_asked(&project, resume(), "outside");
        let asked = question(&project);
        assert!(asked.contains("hooks/pre-commit"), "{crew}: {asked}");
        assert!(asked.contains("while a check of attempt 1 was at work"), "{crew}: {asked}");
        project.run(["checkpoint", "answer", "latest", "accept", "--note", "mine"]).expect(0);
        resume().expect(0);
        expect_tidy(&project);
    }
}

/// G46, WL-17: the same of a worker: what it left besides broken settings is in the question.
#[test]
fn what_a_worker_plants_outlasts_broken_settings() {
    let project = greeter();
    let config = project.root().join(".git/config");
    let good = fs::read(&config).unwrap();
    let breaks = format!("{PLANTS}; echo '[bad' >> $R/.git/config");
    let ran = call(&project, &meddling(&project, &breaks), "").run();
    assert!(ran.err().contains("mend that file"), "{}", ran.err());
    fs::write(&config, good).unwrap();
    expect_asked(&project, project.run(["resume", "latest", "--no-input"]), "outside");
    let asked = question(&project);
    for words in [".git/config", "hooks/pre-commit", "while the worker of attempt 1 was at work"] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    project.run(["checkpoint", "answer", "latest", "accept", "--note", "mended"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    expect_tidy(&project);
}

/// G46, WL-17: a leader that is killed while a check is at work is no way around it either.
#[test]
fn a_leader_killed_during_a_check_is_no_way_around_it() {
    let project = greeter();
    let flag = project.outside().join("planted");
    let plants = format!("R={}; {PLANTS}; touch {}; sleep 1000", root(&project), flag.display());
    let check = format!("{CHECK} && {{ [ -e {} ] || {{ {plants}; }}; }}", flag.display());
    let worker = format!("command:{}", worker("true"));
    let words = ["run", GOAL, "--no-input", "--check", &check, "--worker", &worker];
    let running = project.call(words).env("COUNTERSIGN_VERIFY_SANDBOX", "false").start();
    wait_until("the hook", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    expect_asked(&project, project.run(["resume", "latest", "--no-input"]), "outside");
    assert!(question(&project).contains("hooks/pre-commit"));
    project.run(["checkpoint", "answer", "latest", "accept", "--note", "mine"]).expect(0);
    project.run(["resume", "latest", "--no-input"]).expect(0);
    expect_tidy(&project);
}

/// G46, CO-12: who was at work is said, and that your repository was changed, not that a check was gamed;
/// and each change is told once as it happens.
#[test]
fn the_question_says_who_it_was() {
    let project = greeter();
    let ran = call(&project, &meddling(&project, PLANTS), "").run();
    assert_eq!(ran.err().matches("hooks/pre-commit went").count(), 1, "{}", ran.err());
    expect_asked(&project, ran, "outside");
    let shown = project.run(["checkpoint", "show"]).expect(0).out();
    assert!(shown.contains("while the worker of attempt 1 was at work"), "{shown}");
    assert!(shown.contains("your own repository was changed"), "{shown}");
    assert!(!shown.contains("gamed"), "{shown}");
    let listed = project.run(["checkpoint", "list", "--format", "json"]).expect(0).data();
    assert_eq!(listed["checkpoints"][0]["trigger"], "outside", "{listed:#}");
}

/// G46, WL-17: references that only the run itself makes are asked about, wherever a worker puts them.
#[test]
fn references_of_the_run_are_its_own() {
    for name in [
        "refs/countersign/runs/$COUNTERSIGN_RUN/attempt-1",
        "refs/heads/countersign/$COUNTERSIGN_RUN",
    ] {
        let project = greeter();
        let script = format!("git -C $R update-ref {name} main");
        expect_asked(&project, call(&project, &meddling(&project, &script), "").run(), "outside");
        assert!(question(&project).contains("our own reference"), "{name}");
    }
}
