//! How programs end by themselves.

use std::time::Duration;

use countersign_exec::{Ended, Excerpt};

use crate::support::{Bench, exited};

#[test]
fn exit_codes_are_passed_on() {
    let bench = Bench::new();
    for code in [0, 1, 2, 3, 101, 127, 255] {
        let (ended, output) = bench.run_shell(&format!("exit {code}"));
        assert_eq!((ended, output.as_str()), (exited(code), ""));
    }
}

#[test]
fn signals_are_passed_on() {
    let bench = Bench::new();
    for signal in [1, 6, 9, 11, 15] {
        let (ended, _) = bench.run_shell(&format!("kill -{signal} $$; sleep 60"));
        assert_eq!(ended, Ended::Signalled { signal });
        assert!(!ended.passed());
    }
}

#[test]
fn no_output_is_an_empty_output() {
    let bench = Bench::new();
    let (finished, output) = bench.run(&bench.spec(["true"]));
    assert_eq!(finished.ended, exited(0));
    assert_eq!((finished.output_bytes, finished.stragglers), (0, 0));
    assert_eq!(finished.excerpt, Excerpt::default());
    assert!(output.is_empty());
}

#[test]
fn the_duration_covers_the_program() {
    let bench = Bench::new();
    let (finished, _) = bench.run(&bench.spec(["sleep", "0.2"]));
    assert!(finished.duration >= Duration::from_millis(200));
}

/// A broken pipe must end a program as in a shell, not be ignored because we ignore it.
#[test]
fn signals_have_their_usual_effect_inside() {
    let bench = Bench::new();
    let (ended, output) = bench.run_shell("{ yes; echo $? >&2; } | head -1");
    assert_eq!(ended, exited(0));
    // Two programs write, and neither waits for the other.
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["141", "y"]);
}
