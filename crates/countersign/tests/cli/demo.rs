//! The demonstration: what a newcomer sees first.

use crate::project;

/// PL-06: three acts, told in order, ending with where to look.
#[test]
fn the_demonstration_tells_its_story() {
    let project = project();
    let before = project.fingerprint();
    let ran = project.run(["demo"]).expect(0);
    let told = ran.err();
    let acts = [
        "The check, fixed now, before anyone works",
        "attempt 1",
        "no file differs from what the work started from",
        "It said it was done, and had done nothing",
        "attempt 2",
        "FAILED: 'One  Two   Three' gives 'one--two---three'",
        "Half of it works now",
        "attempt 3",
        "countersigned",
    ];
    let mut at = 0;
    for act in acts {
        let found =
            told[at..].find(act).unwrap_or_else(|| panic!("'{act}' not after {at}: {told}"));
        at += found + act.len();
    }
    assert_eq!(told.matches("Done! Everything works").count(), 3, "{told}");
    let shown = ran.out();
    for what in ["accepted", "Look for yourself:", "countersign log", "countersign ledger verify"] {
        assert!(shown.contains(what), "{what} is not in {shown}");
    }
    before.expect_same(&project.fingerprint());
    project.expect_no_survivors();
}

/// PL-06: every command that the demonstration ends with works as printed, also when its
/// folder has a name that needs quoting.
#[test]
fn its_commands_work() {
    let project = project();
    for into in ["../plain", "../it's a folder"] {
        let shown = project.run(["demo", "--into", into]).expect(0).out();
        let mut script = "set -e\n".to_owned();
        let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with("  ")).collect();
        assert!(lines.len() >= 8, "{shown}");
        for line in lines {
            // What is said about a command stands two spaces behind it.
            let command = line.trim_start().split("  ").next().unwrap();
            // Shells that read a script know no aliases.
            match command.strip_prefix("alias countersign=") {
                Some(program) => script += &format!("countersign() {{ {program} \"$@\"; }}\n"),
                None => script += &format!("{command}\n"),
            }
        }
        let ran = project.sh(&script).expect(0);
        ran.prints("countersigned").prints("+echo").prints("passed").prints("intact");
    }
}

/// PL-06: a folder that exists is left alone.
#[test]
fn an_existing_folder_is_refused() {
    let project = project();
    project.write("there/file", "x");
    let ran = project.run(["demo", "--into", "there"]).expect(1);
    ran.says("there").says("exists");
    let ran = project.run(["demo", "--into", "there", "--format", "json"]).expect(1);
    assert_eq!(ran.error()["kind"], "refused");
    project.run(["demo", "--into", "no/such/folder"]).expect(1);
}

/// PL-06: the demonstration needs no repository, no home and no settings of the user.
#[test]
fn it_needs_nothing_of_the_user() {
    let project = project();
    let call = project.call(["demo", "--format", "json"]).at(project.outside());
    let call = call.without_env("HOME").without_env("COUNTERSIGN_HOME");
    let data = call.env("COUNTERSIGN_RUN_ATTEMPTS", "1").run().expect(0).data();
    assert_eq!(data["outcome"]["outcome"], "accepted");
}
