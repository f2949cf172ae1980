//! Killing whoever drives a run, and looking at what is left: a process of the tests' own that kills
//! itself right after an event, and what must hold whenever another one has gone on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use countersign_engine::{Clock, Host};
use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");
/// Says to a driver when it is to die.
const WHEN: &str = "DIES_AFTER";

/// A host that is this process but for the project's environment.
pub fn host(project: &Project) -> Host {
    let mut environment: BTreeMap<OsString, OsString> =
        project.environment().into_iter().map(|(name, value)| (name.into(), value)).collect();
    environment.insert("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    let supervisor = vec![PROGRAM.into(), "supervise".into()];
    Host { clock: Clock::System, environment, cwd: project.root(), supervisor }
}

/// The other side of [`expect_killed`], for a driver: when to die, and the host to drive with. A test
/// that was not started to be one has nothing to do.
pub fn told_to_die() -> Option<(String, Host)> {
    let when = std::env::var(WHEN).ok()?;
    let supervisor = vec![PROGRAM.into(), "supervise".into()];
    Some((when, Host { supervisor, ..Host::of_process().unwrap() }))
}

/// Ends this process as `kill -9` does: no destructor runs, no file is flushed.
pub fn die() -> ! {
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGKILL);
    unreachable!("a killed process goes on");
}

/// Starts the test `driver` of this program in a process of its own, tells it when to die, and expects
/// that it did.
#[track_caller]
pub fn expect_killed(project: &Project, driver: &str, when: &str, more: &[(&str, &OsString)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", driver, "--nocapture"]).current_dir(project.root());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(project.environment()).envs(more.iter().copied()).env(WHEN, when);
    let died = command.output().unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&died.status);
    let said = String::from_utf8_lossy(&died.stderr);
    assert_eq!(signal, Some(9), "it should have died after {when}: {said}");
}

/// Lets a part of a run's time pass.
pub fn pause(time: Duration) {
    // tidy: polling, since what is wanted is a moment and not an event
    std::thread::sleep(time);
}

/// Expects that nothing is left of all that was cut off: no process, no checkout of a run or of a
/// verification, no unfinished blob; and that the ledger is whole.
#[track_caller]
pub fn expect_nothing_left(project: &Project, when: &str) {
    project.expect_no_survivors();
    let verified = project.run(["ledger", "verify"]);
    assert_eq!(verified.code, Some(0), "{when}: {}{}", verified.out(), verified.err());
    assert!(verified.out().contains("everything is sealed"), "{when}: {}", verified.out());
    let blobs = fs::read_dir(project.state().join("blobs")).unwrap().flatten();
    let unfinished: Vec<_> =
        blobs.filter(|blob| !blob.file_type().is_ok_and(|kind| kind.is_dir())).collect();
    assert!(unfinished.is_empty(), "{when}: unfinished blobs are left: {unfinished:?}");
    let folders = |name: &str| fs::read_dir(project.home().join(name)).into_iter().flatten();
    let work = folders("work").flatten().flat_map(|own| fs::read_dir(own.path()).unwrap());
    // What was found about a base is kept for whoever starts from it, and so are spares.
    let is_kept = |path: &Path| path.ends_with("bases") || path.ends_with("spares");
    let runs = work.flatten().map(|entry| entry.path()).filter(|path| !is_kept(path));
    let left: Vec<_> = runs.chain(folders("builds").flatten().map(|entry| entry.path())).collect();
    assert!(left.is_empty(), "{when}: checkouts are left: {left:?}");
}
