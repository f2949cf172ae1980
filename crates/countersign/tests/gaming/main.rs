//! How well `countersign verify` tells gaming from honest work, measured in four languages.
//!
//! The cases are data (`suites/`). A spread of them runs with the other tests; `cargo xtask gaming`
//! runs all of them. `COUNTERSIGN_SUITE` says which: `all`, or `check` to see whether the cases
//! themselves are what they say; `COUNTERSIGN_CASES` names some by words in their ids, and
//! `COUNTERSIGN_SUITES` another folder of cases; `COUNTERSIGN_LOT=N` draws one of N of them.
//! `COUNTERSIGN_SAID` names a file that gets what was said of each, a line of JSON a case.
//! `COUNTERSIGN_WAY` hands changes over in another way: `check` or `branch`.

#![allow(clippy::unwrap_used)]

mod edit;
mod programs;
mod results;
mod stage;
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::sync::Mutex;

use programs::Programs;
use results::Outcome;
use stage::Stage;
use suite::{Case, Kind, Language};

/// As many as the smallest machine of CI has cores.
const WORKERS: usize = 2;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Spread,
    All,
    Check,
}

fn mode() -> Mode {
    match std::env::var("COUNTERSIGN_SUITE").as_deref() {
        Ok("all") => Mode::All,
        Ok("check") => Mode::Check,
        Ok(other) => panic!("COUNTERSIGN_SUITE is `{other}`; it may be `all` or `check`"),
        Err(_) => Mode::Spread,
    }
}

/// Says something where nobody can miss it, also in a test that passes.
fn say(text: &str) {
    // Not by a macro: what those print in a test that passes is kept from everybody.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Keeps what was said of a case, where somebody wants to compare two programs.
fn note(outcome: &Outcome<'_>) {
    let Some(path) = std::env::var_os("COUNTERSIGN_SAID") else { return };
    let mut file = File::options().append(true).create(true).open(path).unwrap();
    file.write_all(outcome.line().as_bytes()).unwrap();
}

/// Programs of every language that has them; the others are named.
fn programs(cases: &[Case]) -> BTreeMap<Language, Programs> {
    let languages: BTreeSet<Language> = cases.iter().map(|case| case.language).collect();
    let mut found = BTreeMap::new();
    for language in languages {
        match Programs::find(language) {
            Ok(programs) => {
                found.insert(language, programs);
            }
            Err(why) => say(&format!("*** SKIPPED: the suites in {}: {why} ***", language.name())),
        }
    }
    found
}

/// The cases that are asked for and can be run.
fn chosen() -> (Vec<Case>, BTreeMap<Language, Programs>) {
    let words = std::env::var("COUNTERSIGN_CASES").unwrap_or_default();
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut cases = suite::read();
    cases.retain(|case| {
        let name = format!("{}/{}", case.language.name(), case.id);
        words.is_empty() || words.iter().any(|word| name.contains(word))
    });
    if mode() == Mode::Spread && words.is_empty() {
        cases.retain(|case| !case.is_slow);
    }
    if let Ok(lot) = std::env::var("COUNTERSIGN_LOT") {
        let lot: usize = lot.parse().unwrap();
        cases = cases.into_iter().step_by(lot).collect();
    }
    let programs = programs(&cases);
    cases.retain(|case| programs.contains_key(&case.language));
    let packages: BTreeSet<String> =
        cases.iter().filter_map(|case| case.base.package.clone()).collect();
    for package in packages {
        if let Err(why) = programs::installed(&package) {
            say(&format!("*** SKIPPED: the suites with {package}: {why} ***"));
            cases.retain(|case| case.base.package.as_ref() != Some(&package));
        }
    }
    (cases, programs)
}

/// Performs `work` for every case, on a few threads, and returns the results in their order.
fn each<'a, T: Send>(cases: &'a [Case], work: impl Fn(&'a Case) -> T + Sync) -> Vec<T> {
    let next = Mutex::new(cases.iter().enumerate());
    let done = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let Some((index, case)) = next.lock().unwrap().next() else { break };
                    let result = work(case);
                    done.lock().unwrap().insert(index, result);
                }
            });
        }
    });
    done.into_inner().unwrap().into_values().collect()
}

/// LP-13: gaming is caught, what shows in behaviour without exception, and honest work passes.
#[test]
fn gaming_is_told_from_honest_work() {
    if mode() == Mode::Check {
        return;
    }
    let (cases, programs) = chosen();
    let outcomes = each(&cases, |case| {
        let stage = Stage::new(case, &programs[&case.language]);
        stage.change(case);
        let outcome = Outcome::new(case, &stage.verify(case));
        if !outcome.is_right() {
            say(&format!("{:?} but {:?}: {}", case.kind, outcome.ruling, case.id));
        }
        note(&outcome);
        outcome
    });
    say(&results::tables(&outcomes));
    if std::env::var_os("COUNTERSIGN_CASES").is_some_and(|words| !words.is_empty()) {
        // Who names cases wants to know why.
        let wrong = outcomes.iter().filter(|one| !one.is_right());
        wrong.for_each(|one| say(&format!("{}:\n{}", one.case.id, one.said)));
    }
    let failures = results::failures(&outcomes);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// LP-13: a base is as red as it says, and every agent could show its own tests passing.
#[test]
fn the_cases_are_what_they_say() {
    if mode() != Mode::Check {
        return;
    }
    let (cases, programs) = chosen();
    let wrong = each(&cases, |case| {
        let stage = Stage::new(case, &programs[&case.language]);
        let mut wrong = Vec::new();
        let first = cases
            .iter()
            .find(|other| other.language == case.language && other.base.name == case.base.name);
        if first.is_some_and(|first| first.id == case.id) {
            let alone = Case { own: None, ..case.clone() };
            let ran = stage.run_own(&alone);
            if (ran.code == Some(0)) == case.base.is_red {
                wrong.push(format!("{}: the base ends with {:?}", case.base.name, ran.code));
                wrong.push(ran.out() + &ran.err());
            }
        }
        stage.change(case);
        let ran = stage.run_own(case);
        if (ran.code == Some(0)) == case.fails_alone() {
            wrong.push(format!("{}: its own tests end with {:?}", case.id, ran.code));
            wrong.push(ran.out() + &ran.err());
        }
        wrong
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    say(&format!("{} cases were tried, {} are wrong", cases.len(), wrong.len() / 2));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// LP-13: the suites are as large as promised, ids are unique, and every change can be made.
#[test]
fn the_suites_are_complete() {
    if suite::is_elsewhere() {
        return;
    }
    let cases = suite::read();
    let count = |language: Option<Language>, kind: Kind| {
        let of = |case: &&Case| language.is_none_or(|wanted| case.language == wanted);
        cases.iter().filter(of).filter(|case| case.kind == kind).count()
    };
    for language in Language::ALL {
        let [gamed, honest] = [Kind::Gamed, Kind::Honest].map(|kind| count(Some(language), kind));
        let name = language.name();
        assert!(gamed >= 25 && honest >= 18, "{name}: {gamed} gamed, {honest} honest");
    }
    let [gamed, honest] = [Kind::Gamed, Kind::Honest].map(|kind| count(None, kind));
    assert!(gamed >= 120 && honest >= 80, "{gamed} gamed, {honest} honest");
    let mut ids = BTreeSet::new();
    for case in &cases {
        assert!(ids.insert((case.language, &case.id)), "{} is there twice", case.id);
        assert!(!case.files.is_empty() || case.kind == Kind::Gamed, "{} changes nothing", case.id);
        for file in &case.files {
            let after = case.after(file);
            let before = case.before().into_iter().find(|(path, _, _)| *path == file.path);
            let same = matches!((&after, &before),
                (Some((new, now)), Some((_, old, was))) if new == old && now == was);
            assert!(!same, "{}: {} does not change", case.id, file.path);
        }
        assert!(case.kind == Kind::Honest || case.rule.is_some(), "{} has no rule", case.id);
    }
}
