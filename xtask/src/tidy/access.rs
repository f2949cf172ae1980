//! Capabilities that only some crates have: programs, the database, the terminal.

use super::finding::Finding;
use super::source::{Source, has_word};

const PROGRAMS: &str = "programs";
const DATABASE: &str = "database";
const PRINTS: &str = "prints";

/// Other programs are started by the crates that promise to bound them.
pub(crate) fn check_programs(source: &Source<'_>) -> Vec<Finding> {
    if source.is_under(&["crates/exec/", "crates/git/", "crates/testkit/", "xtask/"]) {
        return Vec::new();
    }
    let mut importing = false;
    let mut findings = Vec::new();
    for (number, line) in source.lines_for(PROGRAMS) {
        // An import may be spread over lines: `use std::process::{`, `Command,`, `};`.
        importing |= line.code.contains("process::{");
        let imports = importing && has_word(&line.code, "Command");
        importing &= !line.code.contains('}');
        if !line.in_test && (imports || has_word(&line.code, "process::Command")) {
            findings.push(Finding::new(
                PROGRAMS,
                (source.path, number),
                "a program is started outside of the crates that may",
                "call countersign-exec, or countersign-git for git",
            ));
        }
    }
    findings
}

/// Only the store knows a database.
pub(crate) fn check_database(source: &Source<'_>) -> Vec<Finding> {
    if source.is_under(&["crates/store/"]) {
        return Vec::new();
    }
    source
        .lines_for(DATABASE)
        .filter(|(_, line)| has_word(&line.code, "rusqlite"))
        .map(|(number, _)| {
            Finding::new(
                DATABASE,
                (source.path, number),
                "the database is named outside of the store",
                "ask countersign-store, or teach it what you need",
            )
        })
        .collect()
}

/// Only surfaces talk to the terminal; everything else returns what there is to say.
pub(crate) fn check_prints(source: &Source<'_>) -> Vec<Finding> {
    let speaks = ["crates/countersign/", "crates/testkit/", "xtask/"];
    // A build script talks to Cargo by printing.
    if source.is_under(&speaks) || source.path.ends_with("/build.rs") {
        return Vec::new();
    }
    let macros = ["println!", "eprintln!", "print!", "eprint!"];
    source
        .lines_for(PRINTS)
        .filter(|(_, line)| !line.in_test)
        .filter(|(_, line)| macros.iter().any(|name| has_word(&line.code, name)))
        .map(|(number, _)| {
            Finding::new(
                PRINTS,
                (source.path, number),
                "something is printed outside of the program's surfaces",
                "return it, and let crates/countersign print it",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&Source<'_>) -> Vec<Finding>;

    #[track_caller]
    fn check(rule: Rule, path: &str, text: &str, lines: &[usize]) {
        let found = rule(&Source::new(path, text));
        let found: Vec<usize> = found.iter().map(|finding| finding.line).collect();
        assert_eq!(found, lines, "{path}: {text}");
    }

    #[test]
    fn programs_are_started_where_promised() {
        let text = "use std::process::Command;\n";
        for path in ["crates/exec/src/a.rs", "crates/git/src/a.rs", "xtask/src/a.rs"] {
            check(check_programs, path, text, &[]);
        }
        check(check_programs, "crates/engine/tests/a.rs", text, &[]);
        check(check_programs, "crates/engine/src/demo.rs", text, &[1]);
    }

    #[test]
    fn programs_are_seen_in_every_spelling() {
        let path = "crates/engine/src/a.rs";
        check(check_programs, path, "use std::process::{self, Command};\n", &[1]);
        check(check_programs, path, "use std::process::{\n    Command,\n    Stdio,\n};\n", &[2]);
        check(check_programs, path, "let a = process::Command::new(b);\n", &[1]);
        check(check_programs, path, "use std::process::{ExitCode};\nclap::Command\n", &[]);
        check(check_programs, path, "use std::process::ExitCode;\n// process::Command\n", &[]);
        let excused = "// tidy: allow programs: exec can't do this yet\nprocess::Command\n";
        check(check_programs, path, excused, &[]);
    }

    #[test]
    fn the_database_stays_in_the_store() {
        check(check_database, "crates/store/src/a.rs", "use rusqlite::Connection;\n", &[]);
        check(check_database, "crates/engine/src/a.rs", "rusqlite::open();\n", &[1]);
        check(check_database, "crates/engine/tests/a.rs", "use rusqlite as db;\n", &[1]);
        check(check_database, "crates/engine/src/a.rs", "// rusqlite::open()\n", &[]);
    }

    #[test]
    fn only_surfaces_print() {
        for name in ["println!", "eprintln!", "print!", "eprint!"] {
            let text = format!("fn a() {{\n    {name}(\"b\");\n}}\n");
            check(check_prints, "crates/engine/src/a.rs", &text, &[2]);
            check(check_prints, "crates/countersign/src/a.rs", &text, &[]);
            check(check_prints, "crates/engine/tests/a.rs", &text, &[]);
        }
        check(check_prints, "crates/engine/src/a.rs", "let a = \"println!\";\n", &[]);
        check(check_prints, "crates/store/build.rs", "println!(\"cargo::metadata=a\");\n", &[]);
    }
}
