//! Many runs in one process do not disturb each other.

use std::thread;

use countersign_exec::Ended;

use crate::support::{Bench, exited};

/// RELIABILITY: sixteen threads, a third of which lose their supervisor.
#[test]
fn parallel_runs_end_only_their_own_trees() {
    let ends: Vec<(usize, Ended, String)> = thread::scope(|scope| {
        let runs: Vec<_> = (0..16).map(|i| scope.spawn(move || one(i))).collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(ends.len(), 16 * 4);
    for (kind, ended, output) in ends {
        match kind {
            0 => assert!(matches!(ended, Ended::Lost { .. }), "{ended:?}"),
            _ => assert_eq!((ended, output), (exited(7), format!("{kind}\n"))),
        }
    }
}

fn one(index: usize) -> Vec<(usize, Ended, String)> {
    let kind = index % 3;
    let script = match kind {
        0 => "setsid sleep 1000 & env -i setsid /bin/sleep 1000 & kill -9 $PPID".to_owned(),
        1 => "setsid sleep 1000 & sleep 0.2; echo 1; exit 7".to_owned(),
        _ => "sleep 0.1; setsid sh -c 'sleep 0.1; echo 2' & wait; exit 7".to_owned(),
    };
    let once = |_| {
        let bench = Bench::new();
        let (ended, output) = bench.run_shell(&script);
        (kind, ended, output)
    };
    (0..4).map(once).collect()
}
