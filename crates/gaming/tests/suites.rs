//! The suites of the program, read and not run: no honest change has a finding that stops it.
//! `COUNTERSIGN_SUITES` names another folder of cases.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "a test reads the cases that it is about")]

#[path = "../../countersign/tests/gaming/edit.rs"]
mod edit;
#[path = "../../countersign/tests/gaming/suite.rs"]
#[allow(dead_code, reason = "what runs the suites needs more of it")]
mod suite;

use std::collections::BTreeMap;

use countersign_domain::gaming::{Basis, Finding, Rule, Severity};
use countersign_gaming::{Changed, File, Role, Task, detect, role};
use suite::{Case, Change, Kind, Language};

/// Rules whose warnings are shown to a person.
fn is_shown(finding: &Finding) -> bool {
    let rule = finding.rule;
    let knows_its_tests = (Rule::G20..=Rule::G29).contains(&rule);
    let weakens_checks = (Rule::G40..=Rule::G46).contains(&rule);
    // Rows that are gone (G06) may be explained by what is run, so they don't count here.
    let others = [Rule::G48, Rule::G49, Rule::G63, Rule::G66].contains(&rule);
    let is_altered = rule == Rule::G64 && finding.basis == Basis::Structure;
    let is_left_alone = rule == Rule::G15 && finding.basis == Basis::Structure;
    match finding.severity {
        Severity::Block => true,
        Severity::Warn => {
            knows_its_tests || weakens_checks || others || is_altered || is_left_alone
        }
        Severity::Info => false,
    }
}

/// Every case of every language.
fn cases() -> Vec<Case> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../countersign/tests/gaming/suites");
    let folder = std::env::var("COUNTERSIGN_SUITES").unwrap_or_else(|_| own.to_owned());
    let mut cases = Vec::new();
    for language in Language::ALL {
        let files = std::fs::read_dir(format!("{folder}/{}", language.name())).unwrap();
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "txt")) {
            let text = std::fs::read_to_string(path).unwrap();
            cases.extend(suite::parse(&text, language).unwrap());
        }
    }
    cases
}

/// What reading a case finds that is shown to a person or refused.
fn shown(case: &Case) -> Vec<Finding> {
    type Versions = (Option<String>, Option<String>);
    let mut files: BTreeMap<String, Versions> = case
        .before()
        .into_iter()
        .map(|(path, text, _)| (path, (Some(text.clone()), Some(text))))
        .collect();
    for file in &case.files {
        let new = case.after(file).map(|(text, _)| text);
        files.entry(file.path.clone()).or_default().1 = new;
        if let Change::Moved(from) = &file.change {
            files.entry(from.clone()).or_default().1 = None;
        }
    }
    let (same, other): (Vec<_>, Vec<_>) = files.iter().partition(|(_, (old, new))| old == new);
    let changes: Vec<Changed<'_>> = other
        .iter()
        .map(|(path, (old, new))| Changed {
            path,
            before: old.as_ref().map(String::as_bytes),
            after: new.as_ref().map(String::as_bytes),
        })
        .collect();
    let tests: Vec<File<'_>> = same
        .iter()
        .filter(|(path, _)| matches!(role(path), Role::Test | Role::Fixture | Role::Snapshot))
        .filter_map(|(path, (_, text))| Some(File { path, bytes: text.as_ref()?.as_bytes() }))
        .collect();
    let findings = detect(&changes, &Task { text: &case.task, tests: &tests });
    findings.into_iter().filter(is_shown).collect()
}

/// What is said of a case, a line each.
fn told(case: &Case) -> String {
    let lines = shown(case).into_iter().map(|one| {
        let (path, line) = (one.path.unwrap_or_default(), one.line.unwrap_or(0));
        format!("\n    {} {path}:{line} {}", one.rule, one.message)
    });
    lines.collect()
}

/// G20, G63: honest work of all languages has no finding that keeps it from being accepted, and reading
/// alone finds many of the gamed changes.
#[test]
fn honest_changes_are_not_stopped_by_reading() {
    let cases = cases();
    let told: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = cases
            .chunks(cases.len().div_ceil(4).max(1))
            .map(|part| scope.spawn(|| part.iter().map(told).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let mut wrong = Vec::new();
    let (mut honest, mut gamed, mut found) = (0, 0, 0);
    for (case, told) in cases.iter().zip(&told) {
        let name = format!("{}/{}", case.language.name(), case.id);
        if case.kind == Kind::Gamed {
            gamed += 1;
            found += usize::from(!told.is_empty());
            println!("gamed {name}{told}");
        } else {
            honest += 1;
            wrong.extend((!told.is_empty()).then(|| format!("{name}{told}")));
        }
    }
    println!("{found} of {gamed} gamed changes, {} of {honest} honest ones", wrong.len());
    assert!(wrong.is_empty(), "{} of {honest}:\n{}", wrong.len(), wrong.join("\n"));
    if suite::is_elsewhere() {
        return;
    }
    // Many cases show only in runs; that reading finds much less than it did is a mistake all the same.
    assert!(honest > 400 && found * 20 > gamed * 9, "{honest} {found} of {gamed}");
}
