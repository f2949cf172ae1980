//! What agents print is told without secrets, however it is printed, and steers no terminal.

use countersign_testkit::Project;

use crate::greeter;
use crate::outside::root;
use crate::stage::{call, worker};

/// All that is told of a run in which a worker prints the file `said`, beside the repository.
fn told_of(project: &Project, said: &str) -> String {
    project.write("../said", said);
    let ran = call(project, &worker(&format!("cat {}/../said", root(project))), "").run();
    let mut told = format!("{}{}", ran.out(), ran.err());
    for words in [["watch", "--once"], ["run", "logs"], ["log", "latest"]] {
        let shown = project.run(words).expect(0);
        told += &format!("{}{}", shown.out(), shown.err());
    }
    told + &project.run(["watch", "--once", "--format", "json"]).expect(0).out()
}

/// SE-04: what a worker says last is told and kept without secrets.
#[test]
fn last_words_are_told_without_secrets() {
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let project = greeter();
    project.write("../token", &secret);
    let more = format!("echo \"done with $(cat {}/../token)\"", root(&project));
    let ran = call(&project, &worker(&more), "").run();
    let told = format!("{}{}", ran.out(), ran.err());
    for words in [["watch", "--once"], ["run", "logs"], ["log", "latest"]] {
        let shown = project.run(words).expect(0);
        let shown = format!("{}{}", shown.out(), shown.err());
        assert!(!shown.contains(&secret), "{words:?}: {shown}");
    }
    let watched = project.run(["watch", "--once", "--format", "json"]).expect(0).out();
    assert!(!watched.contains(&secret) && !told.contains(&secret), "{told} {watched}");
}

/// SE-04, LP-24: of a private key no line is shown, and not only not the first.
#[test]
fn a_private_key_is_told_nowhere() {
    let line = "MIIEpAIBAAKCAQEA7bq98Jx2mEJ5cW0p1vT3yZkLr6sNfGhQdUoXwYe4iAaBbCcDd";
    let body = format!("{line}\n").repeat(25);
    let key =
        format!("-----BEGIN RSA {0}-----\n{body}-----END RSA {0}-----\ndone\n", "PRIVATE KEY");
    let told = told_of(&greeter(), &key);
    assert!(!told.contains(line) && told.contains("done"), "{told}");
}

/// SE-04: a token that is coloured in parts is one to who looks at it.
#[test]
fn a_coloured_token_is_told_nowhere() {
    let (first, second) = ("ghp_aB3dE5gH7jK9m", "N1pQ3sT5vW7yZ9bC1dE3fG5");
    let told = told_of(&greeter(), &format!("token {first}\u{1b}[1m{second}\u{1b}[0m\n"));
    assert!(!told.contains(first) && !told.contains(second), "{told}");
}

/// LP-24: what could steer a terminal is an escape in JSON, and says the same to programs.
#[test]
fn json_steers_no_terminal() {
    let project = greeter();
    told_of(&project, "a\u{9b}31mb\u{202e}c\n");
    let ran = project.run(["watch", "--once", "--format", "json"]).expect(0);
    assert!(!ran.out().contains(['\u{9b}', '\u{202e}']), "{}", ran.out());
    let data = ran.data();
    assert!(data.to_string().contains("a\u{9b}31mb\u{202e}c"), "{data}");
}
