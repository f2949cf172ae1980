//! Drafts, amendments, results and predictions.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use countersign_domain::classify::{ContractType, Knowledge, Overrides, classify};
use countersign_domain::contract::rules::Change;
use countersign_domain::contract::{
    Agreement, Amendment, ContractEvent, Criterion, CriterionResult, Drafting, Expected,
    GeneratedFrom, History, Overall, Results, Rules, Scope, Source, Status, TaskContract, Version,
    amend, draft, predict, render,
};
use countersign_domain::ledger::Stored as _;
use countersign_domain::project::{Project, Settings, Without, detect};
use jiff::Timestamp;

fn project() -> Project {
    let read = |path: &str| {
        let text = match path {
            "Cargo.toml" => "[package]\nname = \"a\"\n",
            "web/package.json" => {
                "{\"scripts\": {\"test\": \"jest\", \"lint\": \"eslint .\", \"typecheck\": \"tsc\"}}"
            }
            _ => return None,
        };
        Some(text.as_bytes().to_vec())
    };
    detect(["Cargo.toml", "src/lib.rs", "web/package.json", "web/a.ts"], &read)
}

fn drafted(kind: ContractType, files: &[&str]) -> TaskContract {
    drafted_in(&project(), &Without::default(), kind, files)
}

fn drafted_in(
    project: &Project,
    without: &Without,
    kind: ContractType,
    files: &[&str],
) -> TaskContract {
    let said = Overrides { contract: Some(kind), ..Overrides::default() };
    let classified = classify(Knowledge::shipped(), "Add a button").with_overrides(&said);
    let expected = files.iter().map(|path| Expected {
        path: (*path).to_owned(),
        source: Source::User,
        because: "said so".to_owned(),
    });
    draft(Drafting {
        task: "Add a button",
        classified: &classified,
        expected: expected.collect(),
        project,
        rules: Rules::shipped(),
        without,
        generated_from: GeneratedFrom::Auto,
        scope: Scope { task: "T-1".to_owned(), attempt: 1, tree: None, commit: None },
        now: Timestamp::UNIX_EPOCH,
    })
}

fn told(contract: &TaskContract) -> Vec<String> {
    let criteria = contract.criteria.iter().map(|one| {
        let name = one.critic.as_deref().unwrap_or(one.activity.name());
        let flag = if one.amended { "+" } else { "" };
        format!("{flag}{name}: {}", one.command.as_deref().unwrap_or("-"))
    });
    criteria.collect()
}

/// VC-01, VC-03: what each type of contract has, each thing once and in order.
#[test]
fn contracts_have_what_their_type_has() {
    let check = |kind, files: &[&str], expected: &[&str]| {
        let contract = drafted(kind, files);
        assert_eq!(told(&contract), expected, "{kind} {files:?}");
        contract.check().unwrap();
    };
    check(ContractType::Advisory, &["src/lib.rs"], &[]);
    check(
        ContractType::Skip,
        &["src/lib.rs"],
        &["typecheck: cargo check --all-targets", "lint: cargo clippy --all-targets"],
    );
    let rust = [
        "typecheck: cargo check --all-targets",
        "lint: cargo clippy --all-targets",
        "unit: cargo test",
        "rust: -",
    ];
    check(ContractType::Verifiable, &["src/lib.rs", "src/b.rs"], &rust);
    let web = ["typecheck: npm run typecheck", "lint: npm run lint", "unit: npm run test"];
    check(ContractType::Verifiable, &["web/a.ts"], &web);
    let both = [
        "typecheck: cargo check --all-targets",
        "typecheck: npm run typecheck",
        "lint: cargo clippy --all-targets",
        "lint: npm run lint",
        "unit: cargo test",
        "unit: npm run test",
    ];
    check(ContractType::Verifiable, &[], &both);
}

/// VC-05: code that no command looks at is no pass, also where other parts have commands.
#[test]
fn code_that_no_command_looks_at_is_told() {
    let read = |path: &str| {
        let text = match path {
            "Cargo.toml" => "[package]\nname = \"a\"\n",
            "web/package.json" => "{\"scripts\": {\"test\": \"jest\", \"lint\": \"eslint .\"}}",
            _ => return None,
        };
        Some(text.as_bytes().to_vec())
    };
    let project = detect(["Cargo.toml", "web/package.json"], &read);
    let check = |without: &[&str], files: &[&str], expected: &[&str]| {
        let names: Vec<String> = without.iter().map(|name| (*name).to_owned()).collect();
        let settings = Settings::read(&BTreeMap::new(), &names, &[]).unwrap();
        let project = settings.apply(project.clone(), "countersign.toml");
        let contract = drafted_in(&project, settings.without(), ContractType::Skip, files);
        let of = |one: &Criterion| one.pattern.clone().map(|of| format!("{}: {of}", one.activity));
        let told: Vec<String> = contract.unresolved().filter_map(of).collect();
        assert_eq!(told, expected, "{without:?} {files:?}");
    };
    check(&[], &["src/a.rs", "web/a.ts"], &["typecheck: web/a.ts"]);
    check(&[], &["web/a.ts", "web/b.ts"], &["typecheck: web/a.ts, web/b.ts"]);
    check(&[], &["src/a.rs", "web/a.css", "README.md", "tools/x.sql", "tools/x.sh"], &[]);
    // A language that nothing here deals with gets no other's commands, alone and beside others.
    let strange = ["typecheck: tools/x.py", "lint: tools/x.py"];
    check(&[], &["tools/x.py"], &strange);
    check(&[], &["src/a.rs", "tools/x.py", "web/a.css"], &strange);
    check(&[], &[".github/x.py", "notes.txt", "src/a.c"], &[]);
    check(&["tools:typecheck", "tools:lint"], &["src/a.rs", "tools/x.py"], &[]);
    check(&["web:typecheck"], &["src/a.rs", "web/a.ts"], &[]);
    check(&["web:typecheck"], &["web/a.ts"], &[]);
    check(&["typecheck"], &["src/a.rs", "web/a.ts"], &[]);
}

/// VC-05: what a task runner does serves any language, and a guess asks for nothing.
#[test]
fn only_what_is_named_in_a_strange_language_is_told() {
    let of = |path: &str| match path {
        "Cargo.toml" => Some(b"[package]\nname = \"a\"\n".to_vec()),
        "Makefile" => Some(b"test:\n\tcargo test && ./x.sh\nlint:\n\t./lint\n".to_vec()),
        _ => None,
    };
    let project = detect(["Cargo.toml", "Makefile"], &of);
    let contract =
        drafted_in(&project, &Without::default(), ContractType::Verifiable, &["tools/x.py"]);
    let told = told(&contract);
    assert_eq!(told, ["typecheck: -", "lint: make lint", "unit: make test", "python: -"]);
    let guessed = Expected {
        path: "tools/x.py".to_owned(),
        source: Source::History,
        because: "similar work".to_owned(),
    };
    let classified = classify(Knowledge::shipped(), "Add a button");
    let contract = draft(Drafting {
        task: "Add a button",
        classified: &classified,
        expected: vec![guessed],
        project: &project,
        rules: Rules::shipped(),
        without: &Without::default(),
        generated_from: GeneratedFrom::Auto,
        scope: Scope { task: "T-1".to_owned(), attempt: 1, tree: None, commit: None },
        now: Timestamp::UNIX_EPOCH,
    });
    assert_eq!(contract.unresolved().count(), 0, "{:?}", contract.criteria);
}

/// VC-05: what is no code doesn't have the same tests run a second time.
#[test]
fn the_same_tests_are_called_for_once() {
    let read = |path: &str| match path {
        "Makefile" => Some(b"test:\n\tpython3 -m unittest discover -s tests -t .\n".to_vec()),
        "tests/test_a.py" => Some(b"import unittest\n".to_vec()),
        _ => None,
    };
    let project = detect(["Makefile", "a.py", "tests/__init__.py", "tests/test_a.py"], &read);
    let units = |files: &[&str]| {
        let without = Without::default();
        let contract = drafted_in(&project, &without, ContractType::Verifiable, files);
        let all = told(&contract).into_iter().filter(|text| text.starts_with("unit:"));
        all.collect::<Vec<_>>()
    };
    let direct = ["unit: python3 -m unittest discover"];
    assert_eq!(units(&["a.py", "settings.ini"]), direct);
    assert_eq!(units(&["settings.ini", "a.py"]), direct);
    assert_eq!(units(&["settings.ini"]), ["unit: make test"]);
}

/// D2.1, D2.3: the diff has the last word, and an amendment names the version before it.
#[test]
fn the_diff_has_the_last_word() {
    let change = |kind, files: &[&str], changed: &[(&str, &str)]| {
        let before = drafted(kind, files);
        let changes: Vec<Change<'_>> =
            changed.iter().map(|(path, added)| Change { path, added: added.as_bytes() }).collect();
        let with = Amendment {
            changes: &changes,
            project: &project(),
            rules: Rules::shipped(),
            without: &Without::default(),
            now: Timestamp::UNIX_EPOCH,
        };
        let after = amend(&before, with);
        if let Some(after) = &after {
            assert_eq!(after.previous, Some(before.hash()));
            assert_eq!(after.version, 2);
            after.check().unwrap();
            assert!(amend(after, with).is_none(), "a second time there is nothing to add");
        }
        after.map(|after| (after.contract_type, told(&after)))
    };
    let web = ["+typecheck: npm run typecheck", "+lint: npm run lint", "+unit: npm run test"];
    let web = web.map(str::to_owned).to_vec();
    let verified = Some((ContractType::Verifiable, web));
    assert_eq!(change(ContractType::Advisory, &[], &[("web/a.ts", "")]), verified);
    assert_eq!(change(ContractType::Advisory, &[], &[]), None);
    let written = [("README.md", ""), ("docs/b.md", "eval(x)")];
    assert_eq!(change(ContractType::Advisory, &[], &written), None, "written advice is advice");
    let mixed = change(ContractType::Advisory, &[], &[written[0], ("web/a.ts", "")]);
    assert_eq!(mixed, verified);
    let settings = [written[0], (".github/workflows/a.yml", "")];
    let settings = change(ContractType::Advisory, &[], &settings).unwrap();
    assert_eq!(settings.0, ContractType::Skip);
    assert_eq!(change(ContractType::Skip, &["README.md"], &[("docs/b.md", "eval(x)")]), None);
    assert_eq!(change(ContractType::Verifiable, &["web/a.ts"], &[("web/a.ts", "x")]), None);
    let more = change(ContractType::Verifiable, &["web/a.ts"], &[("web/a.ts", "eval(x)")]).unwrap();
    assert!(more.1.contains(&"+exploit: -".to_owned()), "{more:?}");
    let tests = change(ContractType::Skip, &["web/a.ts"], &[("web/a.test.ts", "")]).unwrap();
    assert_eq!(tests.0, ContractType::Verifiable, "tests are code");
}

/// D2.4, D2.5: results count for their own contract and task, and nothing is no pass.
#[test]
fn results_count_for_their_own_contract() {
    let contract = drafted(ContractType::Verifiable, &["web/a.ts"]);
    let result = |criterion: u32, status| CriterionResult {
        criterion,
        activity: contract.criteria[0].activity,
        status,
        error: None,
        attempts: 1,
        started_at: None,
        finished_at: Timestamp::UNIX_EPOCH,
        level: None,
        output: String::new(),
        receipts: Vec::new(),
        reviewed: None,
    };
    let results = |statuses: &[Status]| Results {
        overall: Overall::Pending,
        criteria: (1..).zip(statuses).map(|(number, status)| result(number, *status)).collect(),
        contract: contract.hash(),
        scope: contract.scope.clone(),
        completed_at: None,
        made_by: None,
        tree: None,
        agent: None,
        reasons: Vec::new(),
        reviewed: None,
    };
    let pass = [Status::Pass; 3];
    assert_eq!(contract.overall(&results(&pass)), Overall::Pass);
    assert_eq!(contract.overall(&results(&pass[..2])), Overall::Pending);
    assert_eq!(contract.overall(&results(&[])), Overall::Pending);
    let with = |one| contract.overall(&results(&[Status::Pass, one, Status::Pass]));
    assert_eq!(with(Status::Fail), Overall::Fail);
    assert_eq!(with(Status::Skipped), Overall::Pending, "nobody knows");
    let mut other = results(&pass);
    other.scope.task = "T-2".to_owned();
    assert_eq!(contract.overall(&other), Overall::Pending, "another task's results");
    other.scope = Scope { attempt: 2, ..contract.scope.clone() };
    assert_eq!(contract.overall(&other), Overall::Pending, "another attempt's results");
    let changed = TaskContract { version: 2, ..contract.clone() };
    assert_eq!(changed.overall(&results(&pass)), Overall::Pending, "another version's results");
    let mut missing = contract.clone();
    missing.criteria[0].command = None;
    let all = Results { contract: missing.hash(), ..results(&pass) };
    assert_eq!(missing.overall(&all), Overall::Fail, "what can't be run can't pass");
    let advice = drafted(ContractType::Advisory, &[]);
    assert_eq!(advice.overall(&results(&[])), Overall::Advisory);
}

/// VC-01: versions are believed only if each names the one before it.
#[test]
fn versions_fit_together() {
    let first = drafted(ContractType::Verifiable, &["web/a.ts"]);
    let version = |contract: &TaskContract| {
        Box::new(Version { contract: contract.clone(), hash: contract.hash(), tree: None })
    };
    let second = TaskContract { version: 2, previous: Some(first.hash()), ..first.clone() };
    let opened = ContractEvent::Drafted(version(&first));
    let good = [opened.clone(), ContractEvent::Amended(version(&second))];
    assert_eq!(Agreement::replay(good).unwrap().versions.len(), 2);
    let stranger = TaskContract { version: 2, previous: Some(second.hash()), ..first.clone() };
    assert!(
        Agreement::replay([opened.clone(), ContractEvent::Amended(version(&stranger))]).is_none()
    );
    let mut forged = version(&first);
    forged.contract.criteria.clear();
    assert!(Agreement::replay([ContractEvent::Drafted(forged)]).is_none());
    assert!(Agreement::replay([]).is_none());
    let agreed = ContractEvent::Approved { hash: first.hash(), by: "alice".to_owned() };
    assert!(!Agreement::replay([opened.clone()]).unwrap().is_approved());
    let agreement = Agreement::replay([opened, agreed, ContractEvent::Amended(version(&second))]);
    assert!(agreement.unwrap().is_approved(), "what a diff adds needs nobody's agreement");
}

/// VC-01: the newest version that was answered decides, whichever it is; later ones ask for more.
#[test]
fn any_version_can_be_agreed_to() {
    let first = drafted(ContractType::Verifiable, &["web/a.ts"]);
    let after = |before: &TaskContract| TaskContract {
        version: before.version + 1,
        previous: Some(before.hash()),
        ..before.clone()
    };
    let second = after(&first);
    let third = after(&second);
    let version = |contract: &TaskContract| {
        Box::new(Version { contract: contract.clone(), hash: contract.hash(), tree: None })
    };
    let amended = |contract: &TaskContract| ContractEvent::Amended(version(contract));
    let yes = |contract: &TaskContract| ContractEvent::Approved {
        hash: contract.hash(),
        by: "alice".to_owned(),
    };
    let no = |contract: &TaskContract| ContractEvent::Rejected {
        hash: contract.hash(),
        by: "bob".to_owned(),
        why: "too little".to_owned(),
    };
    let is_approved = |later: &[ContractEvent]| {
        let all = std::iter::once(ContractEvent::Drafted(version(&first)));
        Agreement::replay(all.chain(later.iter().cloned())).unwrap().is_approved()
    };
    let (to_second, to_third) = (amended(&second), amended(&third));
    assert!(!is_approved(&[to_second.clone(), to_third.clone()]), "nobody answered");
    assert!(is_approved(&[to_second.clone(), yes(&second)]), "nobody agreed to what was before");
    assert!(is_approved(&[to_second.clone(), yes(&second), to_third.clone()]), "more is asked for");
    assert!(is_approved(&[no(&first), to_second.clone(), yes(&second)]), "that answers again");
    assert!(!is_approved(&[yes(&first), to_second.clone(), no(&second)]));
    let refused = [yes(&first), to_second, no(&second), to_third];
    assert!(!is_approved(&refused), "more of the same undoes no refusal");
    assert!(is_approved(&[&refused[..], &[yes(&third)]].concat()));
}

/// VC-01: what was stored once is read and written as it always was. A new kind of event is added
/// here, and then its file is missing until there is one.
#[test]
fn stored_events_are_read_and_written_alike() {
    let name = |event: &ContractEvent| match event {
        ContractEvent::Drafted(_) => "drafted",
        ContractEvent::Approved { .. } => "approved",
        ContractEvent::Rejected { .. } => "rejected",
        ContractEvent::Amended(_) => "amended",
        ContractEvent::Verified(_) => "verified",
    };
    for (kind, body) in [
        ("drafted", include_str!("contract/stored/drafted.json")),
        ("approved", include_str!("contract/stored/approved.json")),
        ("rejected", include_str!("contract/stored/rejected.json")),
        ("amended", include_str!("contract/stored/amended.json")),
        ("drafted", include_str!("contract/stored/drafted-examples.json")),
        ("verified", include_str!("contract/stored/verified.json")),
        ("verified", include_str!("contract/stored/verified-reviewed.json")),
    ] {
        let event = ContractEvent::decode(&format!("contract.{kind}"), body.trim_end()).unwrap();
        assert_eq!(name(&event), kind);
        let (again, written) = event.encode().unwrap();
        assert_eq!((again, written.as_str()), (format!("contract.{kind}"), body.trim_end()));
        if let ContractEvent::Drafted(version) = event {
            assert_eq!(version.contract.hash(), version.hash, "its name is the one it always had");
        }
    }
}

/// VC-06: text for an agent.
#[test]
fn contracts_are_text_for_agents() {
    let text = render(&drafted(ContractType::Verifiable, &["web/a.ts"]));
    assert!(text.contains("1. typecheck: there are no type errors in web (immediately)\n   run in web: npm run typecheck\n"), "{text}");
    assert!(text.contains("- web/a.ts\n"), "{text}");
    let advice = render(&drafted(ContractType::Advisory, &[]));
    assert!(advice.contains("a person reads what you deliver"), "{advice}");
}

/// VC-04: files are expected because the words name them, or because similar work changed them.
#[test]
fn files_are_predicted() {
    let paths = [
        "docs/a.md",
        "lib/dark-mode.ts",
        "src/a/mod.rs",
        "src/b.rs",
        "src/store/open.rs",
        "web/Toggle.tsx",
        "with space.py",
        "x/export.py",
    ];
    let commits = [
        ("export: invoice columns as csv", vec!["x/export.py"]),
        ("csv columns of the invoice export", vec!["x/export.py", "gone.py"]),
    ];
    let commits = commits.map(|(subject, files)| {
        (subject.to_owned(), files.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    let history = History { commits: commits.to_vec() };
    let check = |task: &str, expected: &[&str]| {
        let found = predict(task, &paths, &history);
        let told: Vec<String> =
            found.iter().map(|file| format!("{} {:?}", file.path, file.source)).collect();
        assert_eq!(told, expected, "{task}");
    };
    check("Fix src/b.rs:12.", &["src/b.rs Named"]);
    check("Look at `./src/b.rs`, please", &["src/b.rs Named"]);
    check("Rename open.rs", &["src/store/open.rs Named"]);
    check("store/open.rs panics", &["src/store/open.rs Named"]);
    check("src\\store\\open.rs panics", &["src/store/open.rs Named"]);
    check("'with space.py' is slow", &["with space.py Named"]);
    check("do it with space.pyx", &[]);
    check("Everything below src/a/ is slow", &["src/a/mod.rs Named"]);
    check("DarkMode flickers", &["lib/dark-mode.ts Symbol"]);
    check("dark_mode::DarkMode flickers", &["lib/dark-mode.ts Symbol"]);
    check("Make it toggle", &[]);
    check("More columns in the invoice csv export", &["x/export.py History"]);
    check("More columns", &[]);
    check("", &[]);
    check("../../etc/passwd and /etc/shadow", &[]);
}
