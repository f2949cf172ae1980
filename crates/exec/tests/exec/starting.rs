//! What a program is given, and what happens when it can't be started.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use countersign_exec::{Cancel, Ended, Error, Finished, LAUNCH_MARKER, Spec, Supervisor, run};

use crate::support::{Bench, exited, has, reason};

fn refused(bench: &Bench, spec: &Spec, expected: &str) {
    let (Finished { ended, .. }, output) = bench.run(spec);
    assert!(matches!(ended, Ended::NotStarted { .. }), "{ended:?}");
    assert!(reason(&ended).contains(expected), "{ended:?} does not say '{expected}'");
    assert!(output.is_empty());
}

#[test]
fn a_missing_program_is_named() {
    let bench = Bench::new();
    refused(&bench, &bench.spec(["no-such-program"]), "'no-such-program' was not found in PATH");
    refused(&bench, &bench.spec(["./no-such-program"]), "No such file");
    refused(&bench, &bench.spec([""]), "was not found");
    refused(&bench, &bench.spec(["x".repeat(1 << 20)]), "xxx");
    refused(&bench, &bench.spec(Vec::<OsString>::new()), "no program");
}

#[test]
fn what_is_not_a_program_is_refused() {
    let bench = Bench::new();
    let file = bench.path().join("file");
    fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    refused(&bench, &bench.spec(["./file"]), "Permission denied");
    refused(&bench, &bench.spec([bench.path()]), "Permission denied");
    fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    refused(&bench, &bench.spec(["./file"]), "interpreter");
}

#[test]
fn a_missing_directory_or_input_is_named() {
    let bench = Bench::new();
    let mut spec = bench.spec(["true"]);
    spec.cwd = PathBuf::from("/no/such/directory");
    refused(&bench, &spec, "working directory '/no/such/directory'");
    spec.cwd = PathBuf::from("/dev/null");
    refused(&bench, &spec, "not a directory");
    let mut spec = bench.spec(["cat"]);
    spec.stdin = Some(bench.path().join("missing"));
    refused(&bench, &spec, "input file");
}

#[test]
fn what_the_system_does_not_take_is_refused() {
    let bench = Bench::new();
    refused(&bench, &bench.spec(["true", &"x".repeat(4 << 20)]), "Argument list too long");
    refused(&bench, &bench.spec(["true", "a\0b"]), "can't be started");
    let mut spec = bench.spec(["true"]);
    spec.env.set("A=B", "c");
    refused(&bench, &spec, "'A=B' can't name a variable");
}

#[test]
fn the_environment_is_exact() {
    let bench = Bench::new();
    let mut spec = bench.spec(["env", "-0"]);
    spec.env.set("EMPTY", "");
    spec.env.set("LINES", "a\nb=c");
    spec.env.set("BYTES", OsString::from_vec(vec![0xff, b'=', 0xfe]));
    spec.env.set(LAUNCH_MARKER, "forged");
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, exited(0));

    let mut seen: Vec<Vec<u8>> =
        output.split(|byte| *byte == 0).filter(|one| !one.is_empty()).map(<[u8]>::to_vec).collect();
    let marker = format!("{LAUNCH_MARKER}=");
    let at = seen.iter().position(|one| one.starts_with(marker.as_bytes())).unwrap();
    assert_ne!(seen.remove(at), format!("{marker}forged").into_bytes());
    seen.sort();
    let expected: Vec<Vec<u8>> = spec
        .env
        .iter()
        .filter(|(name, _)| *name != LAUNCH_MARKER)
        .map(|(name, value)| [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat())
        .collect();
    assert_eq!(seen, expected);
}

#[test]
fn arguments_and_directories_need_not_be_text() {
    let bench = Bench::new();
    let directory = bench.path().join(OsString::from_vec(vec![b'd', 0xff]));
    fs::create_dir(&directory).unwrap();
    let mut spec = bench.spec(["printf", "%s|", "ä ö", "", "$HOME * ' \""]);
    spec.argv.push(OsString::from_vec(vec![0xff, 0xfe, b'\n']));
    spec.cwd = directory.clone();
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, exited(0));
    assert_eq!(output, [b"\xc3\xa4 \xc3\xb6||$HOME * ' \"|", &b"\xff\xfe\n|"[..]].concat());

    let script = directory.join("here");
    fs::write(&script, "#!/bin/sh\necho \"$0\"\n").unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    spec.argv = vec!["./here".into()];
    assert_eq!(bench.run(&spec).0.ended, exited(0));
}

#[test]
fn input_is_a_file_or_nothing() {
    let bench = Bench::new();
    let input = bench.path().join("input");
    fs::write(&input, (0..1 << 20).map(|i: u32| (i % 253) as u8).collect::<Vec<u8>>()).unwrap();
    let mut spec = bench.spec(["cat"]);
    assert_eq!(bench.run(&spec).1, b"");
    spec.stdin = Some(input.clone());
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, exited(0));
    assert!(output == fs::read(&input).unwrap());
    // A program that does not read its input is not held up by it.
    spec.argv = vec!["true".into()];
    assert_eq!(bench.run(&spec).0.ended, exited(0));
}

#[test]
fn relative_paths_are_relative_to_the_caller() {
    let bench = Bench::new();
    let mut spec = bench.shell("cat; cat lib.rs");
    (spec.cwd, spec.stdin) = (PathBuf::from("src"), Some(PathBuf::from("src/lib.rs")));
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, exited(0));
    assert_eq!(output, fs::read("src/lib.rs").unwrap().repeat(2));
}

/// The program inherits nothing of ours but its three streams: not the control channel, not
/// our files. What our own parent left open for everybody below is not ours to close.
#[test]
fn no_file_of_ours_is_open_in_the_program() {
    let bench = Bench::new();
    let inherited = inherited_files();
    let _ours = fs::File::open("/dev/zero").unwrap();
    let (ended, output) = bench.run_shell("for fd in /proc/$$/fd/*; do readlink $fd; done; true");
    assert_eq!(ended, exited(0));
    let mut files: Vec<&str> = output.lines().filter(|file| !inherited.contains(*file)).collect();
    files.sort_unstable();
    files.dedup();
    assert!(files.len() <= 2 && output.contains("/dev/null"), "{files:?}");
    assert!(
        files.iter().all(|file| *file == "/dev/null" || file.starts_with("pipe:")),
        "{files:?}"
    );
}

fn inherited_files() -> HashSet<String> {
    let survives_exec = |number: &str| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & 0o2_000_000 == 0)
    };
    let numbers = fs::read_dir("/proc/self/fd").unwrap().flatten().map(|entry| entry.file_name());
    numbers
        .filter_map(|number| number.into_string().ok().filter(|number| survives_exec(number)))
        .filter_map(|number| fs::read_link(format!("/proc/self/fd/{number}")).ok())
        .map(|file| file.display().to_string())
        .collect()
}

/// No terminal can reach the program, and it can ask nobody for a password.
#[test]
fn there_is_no_terminal() {
    let bench = Bench::new();
    assert_eq!(bench.run_shell("(: < /dev/tty) 2>/dev/null && exit 1; exit 0").0, exited(0));
}

#[test]
fn a_program_in_the_checkout_does_not_shadow_a_real_one() {
    let bench = Bench::new();
    let shadow = bench.path().join("true");
    fs::write(&shadow, "#!/bin/sh\nexit 9\n").unwrap();
    fs::set_permissions(&shadow, Permissions::from_mode(0o755)).unwrap();
    let mut spec = bench.spec(["true"]);
    spec.env.set("PATH", ":.:/usr/bin:/bin");
    assert_eq!(bench.run(&spec).0.ended, exited(0));
}

#[test]
fn a_supervisor_that_is_missing_or_none_is_never_a_pass() {
    let bench = Bench::new();
    let mut spec = bench.spec(["true"]);
    spec.deadline = Duration::from_millis(100);
    let with = |supervisor| run(&supervisor, &spec, &Cancel::new(), &mut std::io::sink());
    let missing = with(Supervisor::new("/no/such/supervisor", &[]));
    assert!(matches!(missing, Err(Error::Supervisor { .. })), "{missing:?}");
    for program in ["true", "false", "cat"] {
        assert!(has(program));
        let ended = with(Supervisor::new(format!("/bin/{program}"), &[])).unwrap().ended;
        assert!(matches!(ended, Ended::Lost { .. }), "{ended:?}");
    }
    bench.assert_nobody_left();
}
