//! Lines of `cargo test`, and lines that only look like them.

use countersign_domain::qa::Case;

use super::*;

#[track_caller]
fn check(line: &str, expected: &Said<'_>) {
    assert_eq!(&read(line), expected, "{line}");
}

fn test_said(name: &str, outcome: Option<Outcome>) -> Said<'_> {
    Said::Test { name, outcome, message: None }
}

/// CX-12: the lines of libtest, and lines that only look like them.
#[test]
fn lines_of_libtest() {
    check("running 1 test", &Said::Begin(1));
    check("running 12 tests", &Said::Begin(12));
    check("running 12 tests ", &Said::Nothing);
    check("running 12 testsuites", &Said::Nothing);
    check("test a::b ... ok", &test_said("a::b", Some(Outcome::Passed)));
    check("test a::b ... ok <0.001s>", &test_said("a::b", Some(Outcome::Passed)));
    check("test a::b ... FAILED", &test_said("a::b", Some(Outcome::Failed)));
    check("test a::b ... ok!", &test_said("a::b", None));
    check("test a ... test b ... ok", &test_said("a", None));
    check("test a ...", &test_said("a", None));
    check(" test a ... ok", &Said::Nothing);
    check("test a", &Said::Nothing);
    check("a --- FAILED", &Said::Failed("a"));
    check(".F.i", &Said::Dots(Totals { passed: 2, failed: 1, skipped: 1, ..Totals::default() }));
    check(".. 2/5", &Said::Dots(Totals { passed: 2, ..Totals::default() }));
    check("..a", &Said::Nothing);
    let totals = Totals { passed: 3, failed: 1, skipped: 2, ..Totals::default() };
    let result = "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 4 filtered out";
    check(&format!("{result}; finished in 0.00s"), &Said::Result { totals, is_ok: false });
    check(result, &Said::Result { totals, is_ok: false });
    check(&format!("{result}; finished in 0.0"), &Said::Nothing);
    check("test result: fine. 3 passed; 1 failed", &Said::Nothing);
}

#[test]
fn programs_and_what_is_broken() {
    let check_target = |text: &str, expected: &str| {
        check(text, &Said::Target(expected.to_owned()));
    };
    check_target(
        "     Running unittests src/lib.rs (target/debug/deps/a_b-0123456789abcdef)",
        "a_b (src/lib.rs)",
    );
    check_target(
        "     Running tests/it.rs (target\\debug\\deps\\it-0123456789abcdef.exe)",
        "it (tests/it.rs)",
    );
    check_target("     Running benches/x.rs (a-b)", "a-b (benches/x.rs)");
    check_target("   Doc-tests a_b", "doc-tests a_b");
    let broken = "could not compile `a` (lib test) due to 1 previous error";
    assert_eq!(item_of(broken), "a (lib test)");
    assert_eq!(item_of("no such command: `tset`"), "cargo");
}

#[test]
fn examples_are_numbered() {
    let check = |names: &[&str], expected: &[&str]| {
        let mut listed = Listed::default();
        for id in names {
            listed.push(Case::new(*id, Outcome::Passed), None);
        }
        number_examples(&mut listed);
        let ids: Vec<_> = listed.into_cases().map(|(case, _)| case.id).collect();
        assert_eq!(ids, expected);
    };
    check(&["a src/lib.rs - add (line 3)"], &["a src/lib.rs - add"]);
    check(
        &["src/lib.rs - add (line 11)", "src/lib.rs - sub (line 4)", "src/lib.rs - add (line 3)"],
        &["src/lib.rs - add #2", "src/lib.rs - sub", "src/lib.rs - add #1"],
    );
    check(&["tests::b (line 3)"], &["tests::b (line 3)"]);
}
