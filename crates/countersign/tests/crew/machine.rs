//! A machine that sleeps, or whose disk is full, while a crew is at work.

use std::sync::{Arc, Mutex};

use countersign_domain::run::Outcome;
use countersign_engine::run::{CrewWish, Driven, Goal};
use countersign_engine::{Clock, Engine, Host};
use countersign_testkit::{Project, Ran};

use crate::killing::host;
use crate::stage::{claim, claiming, expect_tidy, pass, says, worker};
use crate::{CHECK, GOAL, PROGRAM, greeter};

/// LP-21: a clock that jumps by hours in the middle, forwards as after a sleep or backwards, changes no
/// outcome: deadlines are kept by a clock that nobody sets.
#[test]
fn a_clock_that_jumps_changes_nothing() {
    for later in ["2026-11-16T20:00:00Z", "2026-11-15T02:00:00Z"] {
        let project = greeter();
        let time = Arc::new(Mutex::new("2026-11-16T10:00:00Z".parse().unwrap()));
        let host = Host { clock: Clock::Set(time.clone()), ..host(&project) };
        let mut engine = Engine::open(host).unwrap();
        let worker = format!("command:{}", claiming(&claim("1")));
        let verifier = format!("command:{}", says(&pass("[\"r1\"]")));
        let goal = Goal {
            goal: GOAL.into(),
            contract: None,
            checks: vec![CHECK.into()],
            worker: worker.clone(),
            base: None,
            attempts: None,
            worker_seconds: None,
            check_seconds: None,
            own_seconds: [].into(),
            crew: Some(CrewWish::parse(&[worker], &[verifier], None, None).unwrap()),
        };
        let run = engine.open_run(&goal, &mut |_| {}).unwrap();
        let driven =
            engine.drive(run, &mut |_| *time.lock().unwrap() = later.parse().unwrap()).unwrap();
        assert!(matches!(driven, Driven::Ended(Outcome::Accepted { .. })), "{driven:?}");
        drop(engine);
        expect_tidy(&project);
    }
}

/// Runs `script` where it may mount; `None`, said loudly, where nobody may.
fn mounting(project: &Project, script: &str) -> Option<Ran> {
    if project.sh("unshare -rm mount -t tmpfs none /mnt").code != Some(0) {
        eprintln!("SKIPPED: this machine lets nobody mount, so no disk can be filled");
        return None;
    }
    let script = format!("set -e\ncountersign() {{ {PROGRAM} \"$@\"; }}\n{script}");
    std::fs::write(project.outside().join("script"), script).unwrap();
    Some(project.sh("unshare -rm sh ../script"))
}

/// PL-02: a disk that the worker fills is said, whether it is that of the checkouts or that of the
/// ledger; what was recorded stays, and the run goes on when there is space.
#[test]
fn a_disk_that_a_worker_fills_is_said_and_gone_on_from() {
    for (folder, filler) in [
        ("\"$COUNTERSIGN_HOME\"", "head -c 90000000 /dev/zero > big.bin"),
        (".git/countersign", "head -c 90000000 /dev/zero > ROOT/.git/countersign/filler"),
    ] {
        let project = greeter();
        let filler = filler.replace("ROOT", project.root().to_str().unwrap());
        let worker = worker(&format!("{filler} 2>/dev/null; true"));
        std::fs::write(project.outside().join("worker"), worker).unwrap();
        let script = format!(
            "mkdir -p {folder}\nmount -t tmpfs -o size=6m tmpfs {folder}\n\
             countersign run '{GOAL}' --check '{CHECK}' --examine --no-input \
             --worker \"command:sh {}/worker\" || echo \"code $?\"\n\
             rm -f .git/countersign/filler\nmount -o remount,size=300m {folder}\n\
             countersign resume || echo \"resumed with $?\"\n\
             countersign ledger verify\ngit branch --list 'countersign/*'\n",
            project.outside().display()
        );
        let Some(ran) = mounting(&project, &script) else { return };
        let ran = ran.expect(0);
        let out = ran.out();
        assert!(out.contains("code 1\n"), "{folder}: {out}{}", ran.err());
        assert!(!out.contains("resumed with"), "{folder}: {out}{}", ran.err());
        assert!(out.contains("intact"), "{folder}: {out}");
        assert!(out.contains("countersign/2"), "{folder}: it was accepted: {out}");
        assert!(!ran.err().contains("mistake of ours"), "{folder}: {}", ran.err());
        project.expect_no_survivors();
    }
}
