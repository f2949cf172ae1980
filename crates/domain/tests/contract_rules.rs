//! Activity rules: what changes call for.

use countersign_domain::contract::Rules;
use countersign_domain::contract::rules::Change;

/// VC-03: the shipped rules can be read.
#[test]
fn the_shipped_rules_are_right() {
    let text = include_str!("../data/contract/activities.yaml");
    let told = Rules::with_project("activities.yaml", text).err().unwrap_or_default();
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{told:#?}");
}

fn called(rules: &Rules, changes: &[(&str, &str)]) -> String {
    let changes: Vec<Change<'_>> =
        changes.iter().map(|(path, added)| Change { path, added: added.as_bytes() }).collect();
    let calls = rules.resolve(&changes);
    let mut told: Vec<String> = calls
        .called
        .iter()
        .map(|one| match &one.critic {
            Some(critic) => critic.clone(),
            None if one.activity.name() == "e2e" => format!("e2e {:?}", one.timing),
            None => one.activity.to_string(),
        })
        .collect();
    if calls.is_plain {
        told.push("plain".to_owned());
    }
    told.join(", ").to_lowercase()
}

/// VC-03: union over all globs, any immediate wins, each critic once.
#[test]
fn files_call_for_activities() {
    let check = |paths: &[&str], expected: &str| {
        let changes: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "")).collect();
        assert_eq!(called(Rules::shipped(), &changes), expected, "{paths:?}");
    };
    check(&["src/main.rs"], "unit, e2e deferred, rust");
    check(&["app/models.py"], "unit, e2e deferred, python");
    check(&["src/a.ts"], "unit, e2e deferred");
    check(&["src/Button.tsx"], "unit, e2e deferred, frontend");
    check(&["cmd/main.go"], "unit, e2e deferred, go");
    check(&["src/main/java/A.java"], "unit, e2e deferred, java");
    check(&["infra/main.tf"], "unit, infrastructure, security");
    check(&["db/migrations/1.sql"], "unit, e2e immediate, backend, data");
    check(&["src/auth/Login.tsx"], "unit, e2e immediate, exploit, frontend, security");
    check(&["src/styles/a.css"], "e2e deferred, aesthetic");
    check(&["README.md"], "plain");
    check(&["docs/api/auth/x.md"], "plain");
    check(&["docs/api.md", "src/main.rs"], "unit, e2e deferred, rust");
    check(&[".github/workflows/ci.yml"], "ci, plain");
    check(&["src/api/a.test.ts"], "unit");
    check(&["Cargo.lock"], "unit");
    check(&["unknown.xyz"], "unit, e2e deferred");
    check(&["a/x.go", "b/y.go", "c/z.go"], "unit, e2e deferred, go, oddball");
    check(&["src/shared/a.rs"], "unit, e2e deferred, dx, rust");
    check(&["scores.rs", "author.rs"], "unit, e2e deferred, rust");
    check(&[], "");
}

/// VC-03: lines that are added call for critics, in the files that a pattern is about.
#[test]
fn lines_call_for_critics() {
    let check = |path: &str, line: &str, expected: &str| {
        assert_eq!(called(Rules::shipped(), &[(path, line)]), expected, "{line}");
    };
    check("a.ts", "eval(x)", "unit, e2e deferred, exploit, security");
    check("a.ts", "retrieval(x)", "unit, e2e deferred");
    check("a.rs", "unsafe { x }", "unit, e2e deferred, memory-safety, rust");
    check("a.rs", "x\neval(y)\n", "unit, e2e deferred, rust");
    check("a.py", "x = 'DELETE FROM users'", "unit, e2e deferred, data, python");
    check("a.ts", "fetch('/login')", "unit, e2e immediate, network, security");
    check("README.md", "eval(x)", "plain");
    check("a.ts", "\u{feff}\0eval (", "unit, e2e deferred, exploit, security");
}

/// VC-03: a project's rules go over the shipped ones, and all mistakes are told with their places.
#[test]
fn projects_have_rules_of_their_own() {
    let rules = "defaults: {unit: false, e2e: skip}\nfiles:\n  \"**/*.rs\": {off: true}\n  \
                 \"core/**\": {e2e: immediate, unit: true, critics: [core]}\npatterns:\n  'TODO': {critics: [todo]}\n";
    let rules = Rules::with_project("r.yaml", rules).unwrap();
    assert_eq!(called(&rules, &[("a.rs", "")]), "");
    assert_eq!(called(&rules, &[("core/a.rs", "// TODO")]), "unit, e2e immediate, core, todo");
    assert_eq!(called(&rules, &[("a.py", "")]), "e2e deferred, python");
    let check = |text: &str, expected: &[&str]| {
        let told = Rules::with_project("r.yaml", text).err().unwrap_or_default();
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{text}");
    };
    check("", &[]);
    check(
        "version: 2\n",
        &["r.yaml:1:10: version: the version '2' is not known; write 1, or update Countersign"],
    );
    check(
        "files:\n  a: {unti: true, unit: maybe}\n  b: {e2e: [x]}\n",
        &[
            "r.yaml:2:7: files.a.unti: there is no key 'unti'; did you mean 'unit'?",
            "r.yaml:2:25: files.a.unit: 'maybe' is neither true nor false; write true or false",
            "r.yaml:3:12: files.b.e2e: it is a list, and must be a text; write a text, in quotes if it has special characters",
        ],
    );
    check(
        "patterns:\n  '(a': {in: '['}\nacross:\n  x: {critics: [y]}\n",
        &[
            "r.yaml:2:3: patterns.(a: it is no regular expression: unclosed group; put it in single quotes, and try it alone",
            "r.yaml:2:14: patterns.(a.in: it is no glob: unclosed character class; missing ']'; write it as in '**/*.ts'",
            "r.yaml:4:3: across.x: it says neither 'at_least' nor 'in', so it would always hold; say how many folders, or which files",
        ],
    );
    check(
        "files:\n  a: {critics: [The One]}\n",
        &[
            "r.yaml:2:17: files.a.critics: 'The One' can't be the name of a critic; use small letters, digits and '-'",
        ],
    );
}
