//! Which files a text means, and where files lie.

use super::*;

#[track_caller]
fn check(text: &str, planned: &[&str], unplanned: &[&str]) {
    let plan = Plan::new([text]);
    for path in planned {
        assert!(plan.names(path), "{text:?} means {path}");
    }
    for path in unplanned {
        assert!(!plan.names(path), "{text:?} doesn't mean {path}");
    }
}

/// WL-11: a file is planned by path, name, stem, folder, symbol, or as the test of one.
#[test]
fn what_a_plan_names() {
    check(
        "fix src/auth/login.rs",
        &["src/auth/login.rs", "auth/login.rs"],
        &["src/billing/pay.rs"],
    );
    check(
        "Fix `login.rs`.",
        &["src/auth/login.rs", "tests/login_test.rs"],
        &["src/auth/logout.rs"],
    );
    check(
        "repair the config parser",
        &["src/config_parser.rs", "src/ConfigParser.java"],
        &["src/render.rs"],
    );
    check("make the parser of the config faster", &["config-parser.ts"], &["config-writer.ts"]);
    check("rework everything under src/billing/", &["src/billing/a/b.rs"], &["src/shipping/a.rs"]);
    check("rework billing", &["src/billing/mod.rs", "src/billing.rs"], &["src/lib.rs"]);
    check(
        "`LoginForm` loses the focus",
        &["web/login_form.tsx", "web/LoginForm.test.tsx"],
        &["web/nav.tsx"],
    );
    check("call parse_config twice", &["src/config.rs"], &["src/mod.rs"]);
    check("update the README", &["README.md"], &["CHANGELOG.md"]);
    check("add tests", &["tests/a.rs", "src/a.test.ts"], &["src/a.rs"]);
    check(
        "change pay.rs",
        &["tests/pay.rs", "tests/test_pay.py", "PayTest.java"],
        &["tests/ship.rs"],
    );
    check("see https://example.com/a/b", &[], &["src/c.rs"]);
    check("fix the bug in main", &[], &["src/main.rs"]);
    check("fix src/main.rs", &["src/main.rs"], &["src/other.rs"]);
    check(
        "the app in packages/web",
        &["packages/web/src/index.ts"],
        &["packages/api/src/index.ts"],
    );
    check("", &[], &["a.rs"]);
}

/// WL-11: where a file lies, also when the path goes around.
#[test]
fn where_files_lie() {
    let root = Some("/repo");
    for (path, expected, place) in [
        ("/repo/src/a.rs", "src/a.rs", Place::Repository),
        ("./src/../b.rs", "b.rs", Place::Repository),
        ("src\\a.rs", "src/a.rs", Place::Repository),
        ("/repository/a.rs", "/repository/a.rs", Place::Outside),
        ("/repo/../etc/passwd", "/repo/../etc/passwd", Place::Outside),
        ("../a.rs", "../a.rs", Place::Outside),
        ("/etc/hosts", "/etc/hosts", Place::Outside),
        ("~/.bashrc", "~/.bashrc", Place::Outside),
        ("C:\\a.txt", "C:/a.txt", Place::Outside),
        ("/tmp/a.py", "/tmp/a.py", Place::Scratch),
        ("/tmp/../etc/a", "/tmp/../etc/a", Place::Outside),
        ("/home/alice/.claude/plans/a.md", "/home/alice/.claude/plans/a.md", Place::Scratch),
    ] {
        assert_eq!(locate(path, root), (expected.to_owned(), place), "{path}");
    }
    assert_eq!(
        locate("/tmp/repo/a.rs", Some("/tmp/repo/")),
        ("a.rs".to_owned(), Place::Repository)
    );
}
