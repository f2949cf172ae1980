//! Looking on for long: only what has moved is read, and a ledger that goes away comes back.

use std::fs;

use countersign_domain::Stamp;
use countersign_domain::run::{RunEvent, Step};
use countersign_engine::relay::Undertaking;
use countersign_engine::watch::{Lookout, Sight};
use countersign_engine::{Engine, Kind};
use countersign_testkit::Project;

use crate::project;
use crate::resume::{goal, host};

fn open_run(engine: &mut Engine) -> Stamp {
    engine.open_run(&goal("echo x >> x.txt", &["true"]), &mut |_| {}).unwrap()
}

/// A project with a run that was opened and not driven.
fn with_open_run() -> (Project, Stamp) {
    let project = project();
    let run = open_run(&mut Engine::open(host(&project)).unwrap());
    (project, run)
}

/// LP-24: what others append is seen at the next look, and nothing moves while nothing happens.
#[test]
fn what_has_moved_is_seen() {
    let project = project();
    let mut lookout = Lookout::new(host(&project), 10);
    assert_eq!(lookout.look().unwrap(), Sight::default());
    let mut engine = Engine::open(host(&project)).unwrap();
    let run = open_run(&mut engine);
    let sight = lookout.look().unwrap();
    let seen = &sight.runs[0];
    assert_eq!((seen.run, &seen.step, seen.sequence), (run, &Step::Opened, 1));
    assert_eq!(seen.is_driven, cfg!(target_os = "linux").then_some(false));
    let position = lookout.position();
    assert_eq!(lookout.look().unwrap(), sight);
    assert_eq!(lookout.position(), position);
    engine.cancel(run, "user").unwrap();
    let sight = lookout.look().unwrap();
    assert_eq!(sight.runs[0].step, Step::Cancelling);
    assert!(lookout.position() > position);
    let pages = lookout.run_pages(run, 1).unwrap();
    assert!(
        matches!(pages[..], [ref page] if matches!(page.event, Some(RunEvent::CancelRequested { .. })))
    );
    // The lookout holds no lease: the run is driven to its end.
    engine.drive(run, &mut |_| {}).unwrap();
    assert!(lookout.look().unwrap().runs[0].outcome().is_some());
}

/// LP-24: a ledger that is taken away or damaged is no end; what is there is seen again.
#[test]
fn a_ledger_that_goes_away_comes_back() {
    let (project, run) = with_open_run();
    let mut lookout = Lookout::new(host(&project), 10);
    assert_eq!(lookout.look().unwrap().runs[0].run, run);
    let aside = project.outside().join("aside");
    fs::rename(project.state(), &aside).unwrap();
    assert_eq!(lookout.look().unwrap(), Sight::default());
    assert!(!project.state().exists(), "a look has made a ledger");
    fs::create_dir(project.state()).unwrap();
    for file in ["ledger.id", "ledger.db"] {
        fs::write(project.state().join(file), "no ledger").unwrap();
    }
    assert_eq!(lookout.look().unwrap_err().kind, Kind::Unavailable);
    assert_eq!(lookout.look().unwrap_err().kind, Kind::Unavailable);
    fs::remove_dir_all(project.state()).unwrap();
    fs::rename(&aside, project.state()).unwrap();
    assert_eq!(lookout.look().unwrap().runs[0].run, run);
    project.run(["ledger", "verify"]).expect(0);
}

/// LP-24: of many runs the newest are seen, what goes on however old it is, and what was named.
#[test]
fn old_runs_are_left_out_unless_they_go_on() {
    let project = project();
    let mut engine = Engine::open(host(&project)).unwrap();
    let open = open_run(&mut engine);
    let ended: Vec<Stamp> = (0..3)
        .map(|_| {
            let run = open_run(&mut engine);
            engine.cancel(run, "user").unwrap();
            engine.drive(run, &mut |_| {}).unwrap();
            run
        })
        .collect();
    let mut lookout = Lookout::new(host(&project), 1);
    let ids = |sight: &Sight| sight.runs.iter().map(|run| run.run).collect::<Vec<_>>();
    let sight = lookout.look().unwrap();
    assert_eq!((ids(&sight), sight.left_out), (vec![ended[2], open], 2));
    let found = lookout.find(&ended[0].to_string()).unwrap();
    assert_eq!(found, Undertaking::Run(ended[0]));
    assert_eq!(ids(&lookout.look().unwrap()), [ended[2], ended[0], open]);
    assert_eq!(lookout.find("1999").unwrap_err().kind, Kind::NotFound);
}
