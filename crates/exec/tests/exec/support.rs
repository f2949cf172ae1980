//! What the tests share: a run with small bounds, and the search for anybody left behind.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use countersign_exec::{Cancel, Ended, Environment, Error, Finished, Spec, Supervisor, run};

/// How long anything may take before a test gives up on it. Only failures wait this long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

const TEST_MARKER: &str = "COUNTERSIGN_EXEC_TEST";

pub(crate) fn supervisor() -> Supervisor {
    Supervisor::new(env!("CARGO_BIN_EXE_countersign-supervisor"), &[])
}

/// One test's place: a directory, and a marker that all its processes carry.
pub(crate) struct Bench {
    pub(crate) directory: tempfile::TempDir,
    marker: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let marker = directory.path().display().to_string();
        Self { directory, marker }
    }

    pub(crate) fn environment(&self) -> Environment {
        let mut environment = Environment::new();
        environment.set("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.set(TEST_MARKER, &self.marker);
        environment
    }

    pub(crate) fn spec<S: Into<OsString>>(&self, argv: impl IntoIterator<Item = S>) -> Spec {
        Spec {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: self.directory.path().to_owned(),
            env: self.environment(),
            stdin: None,
            deadline: PATIENCE,
            grace: Duration::from_millis(300),
            max_output: 1 << 20,
        }
    }

    pub(crate) fn shell(&self, script: &str) -> Spec {
        self.spec(["/bin/sh", "-c", script])
    }

    /// Runs and checks that nobody is left, whatever the end was.
    pub(crate) fn run(&self, spec: &Spec) -> (Finished, Vec<u8>) {
        let mut output = Vec::new();
        let finished = run(&supervisor(), spec, &Cancel::new(), &mut output).unwrap();
        assert_eq!(finished.output_bytes, output.len() as u64);
        self.assert_nobody_left();
        (finished, output)
    }

    pub(crate) fn run_shell(&self, script: &str) -> (Ended, String) {
        let (finished, output) = self.run(&self.shell(script));
        (finished.ended, String::from_utf8(output).unwrap())
    }

    /// At once, without waiting: `run` has returned, so there must be nobody.
    pub(crate) fn assert_nobody_left(&self) {
        let left = self.living();
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    /// Processes that carry this bench's marker, by number and command line.
    pub(crate) fn living(&self) -> Vec<(i32, String)> {
        let variable = format!("{TEST_MARKER}={}", self.marker);
        let carries = |pid: &i32| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == variable.as_bytes()))
        };
        let command = |pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (pid, String::from_utf8_lossy(&line).replace('\0', " "))
        };
        processes().into_iter().filter(carries).map(command).collect()
    }

    /// A process number that a script wrote into a file of the bench.
    pub(crate) fn pid_in(&self, file: &str) -> i32 {
        let path = self.directory.path().join(file);
        let mut pid = None;
        eventually("a process number in a file", || {
            pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
            pid.is_some()
        });
        pid.unwrap()
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }
}

pub(crate) fn try_run(spec: &Spec, output: &mut dyn Write) -> Result<Finished, Error> {
    run(&supervisor(), spec, &Cancel::new(), output)
}

pub(crate) fn processes() -> Vec<i32> {
    let names = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str().and_then(|name| name.parse().ok())).collect()
}

/// Whether the process exists and is more than an entry waiting to be collected.
pub(crate) fn is_alive(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

/// Polls until `holds`; fails only after [`PATIENCE`], so a slow machine is only slow.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not come to pass");
        sleep(Duration::from_millis(5)); // tidy: polling, because other processes tell nobody what they do
    }
}

pub(crate) fn exited(code: i32) -> Ended {
    Ended::Exited { code }
}

pub(crate) fn reason(ended: &Ended) -> &str {
    match ended {
        Ended::NotStarted { reason } | Ended::Lost { reason } => reason,
        other => panic!("no reason in {other:?}"),
    }
}

/// Whether a tool that a test needs is on this machine.
pub(crate) fn has(program: &str) -> bool {
    countersign_exec::find_program(program, OsStr::new("/usr/local/bin:/usr/bin:/bin")).is_some()
}
