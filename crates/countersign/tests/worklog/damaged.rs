//! Damage: a ledger, a pointer or a spool that somebody overwrote. Its bytes are kept, and the
//! session goes on.

use std::fs;

use serde_json::json;

use crate::agent::{Agent, STANDARD, STRICT, count, lines, listed, shown};
use crate::faults::message;
use crate::project;

/// WL-21: a damaged ledger is set aside with its bytes, the person is told, and the session
/// goes on.
#[test]
fn a_damaged_ledger_is_set_aside() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    // What looks after sessions aside would be the one to find the damage.
    project.expect_no_survivors();
    agent.write("a.txt");
    let garbage = b"not a database at all ".repeat(1000);
    for name in ["ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(project.state().join(name));
    }
    fs::write(project.state().join("ledger.db"), &garbage).unwrap();
    agent.write("b.txt");
    let told = message(&agent.bash("cargo test", 0));
    assert!(told.contains("the ledger was damaged"), "{told}");
    assert_eq!(fs::read(project.state().join("damaged-1/ledger.db")).unwrap(), garbage);
    agent.write("c.txt");
    agent.stop();
    let account = shown(&project);
    // What was in the spool survived; what only the database knew is gone and said to be.
    assert_eq!(
        (count(&account, "Write"), count(&account, "Bash")),
        (3, 1),
        "{:?}",
        lines(&account)
    );
    assert_eq!(account["ended"]["outcome"], "success");
}

/// A pointer that was overwritten is remade; the session goes on as one.
#[test]
fn a_damaged_pointer_is_remade() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let folder = project.state().join("sessions");
    for garbage in [&b"{"[..], b"\xff\x00", b"", b"[]", b"{\"session\":\"x\"}"] {
        for entry in fs::read_dir(&folder).unwrap() {
            fs::write(entry.unwrap().path(), garbage).unwrap();
        }
        agent.write("a.txt");
    }
    assert_eq!(listed(&project).len(), 1);
    let account = shown(&project);
    assert_eq!((&account["tier"], count(&account, "Write")), (&json!("STRICT"), 5));
}

/// A line of the spool that somebody spoilt is kept, told, and costs no other line.
#[test]
fn a_damaged_line_of_the_spool_costs_no_other() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    // What looks after sessions aside would empty the spool.
    project.expect_no_survivors();
    for name in ["a", "b", "c"] {
        agent.write(name);
    }
    let spool = project.state().join("spool/entries.jsonl");
    let text = fs::read_to_string(&spool).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    // A slow machine has more to tell.
    let written: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at].contains("session.operated")).collect();
    assert_eq!(written.len(), 3, "the fast way is taken: {text}");
    lines[written[1]] = "\u{0}\u{0} nothing that was ever written";
    fs::write(&spool, lines.join("\n") + "\n{\"stream\":\"session/2026").unwrap();
    agent.write("d");
    let told = project.run(["worklog", "show", "--format", "json"]).expect(0);
    assert!(told.err().contains("could not be read"), "{}", told.err());
    assert_eq!(count(&told.data(), "Write"), 3);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}
