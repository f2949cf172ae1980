//! Files that work must leave alone, and settings that work can't choose.

use countersign_testkit::Project;

use crate::{CHECK, greeter, verify};

fn with_settings(text: &str) -> Project {
    let project = greeter();
    project.write("data/expected.txt", "Hello, Ada\n");
    project.write("tests/greets.sh", "sh greet.sh Ada | cmp - data/expected.txt\n");
    project.write("countersign.toml", text);
    project.commit("Settings");
    project
}

/// LP-13: a file that the user protects is the base's in the clean room, whatever it is.
#[test]
fn protected_files_are_put_back() {
    let project = with_settings("[verify]\nprotected = [\"data/**\"]\n");
    project.write("data/expected.txt", "Hello\n");
    project.write("greet.sh", "echo Hello | cat\n");
    verify(&project, &["--check", CHECK]).expect(3).prints("passes only with the changed tests");
}

/// LP-13: a change of one is asked about even if the words ask for it, unless it is allowed.
#[test]
fn changes_of_protected_files_are_asked_about() {
    let words = ["verify", "--task", "Change what is expected in data/expected.txt", "--check"];
    let change = |project: &Project| {
        project.write("greet.sh", "echo \"Hello, $1\"\n");
        project.write("data/expected.txt", "Hello, Ada\n# really\n");
        project.write("tests/greets.sh", "sh greet.sh Ada | grep -q Hello,\n");
    };
    let check = "sh greet.sh Ada | grep -q 'Hello, Ada'";
    let project = with_settings("[verify]\nprotected = [\"data/**\"]\n");
    change(&project);
    let ran = project.run([&words[..], &[check]].concat()).expect(4);
    ran.prints("data/expected.txt is protected");
    let project = with_settings(
        "[verify]\nprotected = [\"data/**\"]\nallow = [\"protected data/*.txt: the owner agreed\"]\n",
    );
    change(&project);
    let ran = project.run([&words[..], &[check]].concat()).expect(0);
    ran.prints("allowed: the owner agreed");
    project.write("countersign.toml", "[verify]\nallow = [\"protected: no files\"]\n");
    project.run([&words[..], &[check]].concat()).expect(3).prints("allowed: the owner agreed");
}

/// LP-13: settings are those of the base: work can't unprotect, rename commands or pass variables.
#[test]
fn work_does_not_choose_its_settings() {
    let project = with_settings("[verify]\nprotected = [\"data/**\"]\n");
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project.write("data/expected.txt", "Hello, Ada\n\n");
    project.write("countersign.toml", "[exec]\nenv = [\"PATH\", \"OPEN_SESAME\"]\n");
    let check = "test -z \"$OPEN_SESAME\" && sh greet.sh Ada | grep -q 'Hello, Ada'";
    let ran = project
        .call(["verify", "--task", crate::TASK, "--check", check])
        .env("OPEN_SESAME", "x")
        .run();
    ran.expect(3).prints("data/expected.txt is protected").prints("(G46)");
}
