//! Output: complete, in order, bounded.

use std::fs;
use std::io::{self, Write};
use std::thread;

use countersign_exec::{Ended, Error};

use crate::support::{Bench, exited, try_run};

#[test]
fn both_streams_arrive_in_the_order_written() {
    let bench = Bench::new();
    let (ended, output) = bench.run_shell("for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    assert_eq!(ended, exited(0));
    assert_eq!(output, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
}

#[test]
fn output_need_not_be_text() {
    let bench = Bench::new();
    let (finished, output) = bench.run(&bench.shell(r"printf '\377\000\376a\r\n\033['"));
    assert_eq!(finished.ended, exited(0));
    assert_eq!(output, b"\xff\0\xfea\r\n\x1b[");
    assert_eq!(finished.excerpt.head, output);
}

#[test]
fn a_program_without_output_streams_is_no_trouble() {
    let bench = Bench::new();
    let (ended, output) = bench.run_shell("exec >&- 2>&-; sleep 0.1; exit 4");
    assert_eq!((ended, output.as_str()), (exited(4), ""));
}

#[test]
fn a_flood_ends_the_tree_at_the_exact_byte() {
    let bench = Bench::new();
    let mut spec = bench.shell("(setsid yes &) ; yes");
    spec.max_output = 100_000;
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::Flooded);
    assert_eq!(output.len(), 100_000);
}

#[test]
fn the_allowed_amount_is_no_flood_and_one_more_is() {
    let bench = Bench::new();
    for (bytes, expected) in [(0, exited(0)), (4096, exited(0)), (4097, Ended::Flooded)] {
        let mut spec = bench.shell(&format!("head -c {bytes} /dev/zero"));
        spec.max_output = 4096;
        assert_eq!(bench.run(&spec).0.ended, expected, "{bytes}");
    }
    let mut spec = bench.shell("echo x");
    spec.max_output = 0;
    assert_eq!(bench.run(&spec).0.ended, Ended::Flooded);
}

/// Somebody outside the tree may hold the output open; the run ends all the same.
#[test]
fn a_holder_of_the_pipe_outside_the_tree_is_not_waited_for() {
    let bench = Bench::new();
    let spec = bench.shell("echo $$ > pid; echo x; until test -e go; do sleep 0.02; done");
    let (finished, holder) = thread::scope(|scope| {
        let running = scope.spawn(|| bench.run(&spec).0);
        let pipe = format!("/proc/{}/fd/1", bench.pid_in("pid"));
        let holder = fs::OpenOptions::new().write(true).open(pipe).unwrap();
        fs::write(bench.path().join("go"), "").unwrap();
        (running.join().unwrap(), holder)
    });
    assert_eq!((finished.ended, finished.output_bytes), (exited(0), 2));
    drop(holder);
}

/// A full disk: takes some bytes, then none.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.0 == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// RELIABILITY: a full disk is an error with a type, never a result, and leaves nobody behind.
#[test]
fn an_output_that_refuses_ends_the_tree_with_an_error() {
    let bench = Bench::new();
    let refused = |script: &str, room| {
        let error = try_run(&bench.shell(script), &mut Disk(room)).unwrap_err();
        assert!(matches!(error, Error::Output(_)), "{error}");
        bench.assert_nobody_left();
    };
    refused("setsid sleep 1000 & yes", 10_000);
    // Refused at the very end, when the program has passed.
    refused("head -c 10 /dev/zero", 5);
    refused("head -c 10 /dev/zero", 10);
}

/// The caller's writer may panic; the tree still ends.
#[test]
fn a_panic_in_the_output_leaves_nobody() {
    struct Panics;
    impl Write for Panics {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("as the test wants it")
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let bench = Bench::new();
    let spec = bench.shell("setsid sleep 1000 & echo x; sleep 1000");
    let outcome = std::panic::catch_unwind(|| try_run(&spec, &mut Panics));
    assert!(outcome.is_err());
    bench.assert_nobody_left();
}
