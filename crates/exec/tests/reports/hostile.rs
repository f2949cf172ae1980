//! Bytes that no runner should write: no panic, no hang, no pass.

use std::io::{BufReader, Read, repeat};

use countersign_domain::qa::{DoubtKind, Format, Outcome};
use countersign_domain::worklog::deviation::Tested;
use countersign_exec::reports::{Known, read, read_from};
use proptest::prelude::*;

use crate::support::recordings;

fn junit(text: &str) -> Result<countersign_domain::qa::Report, countersign_exec::reports::Mistake> {
    read(text.as_bytes(), Some(Format::Junit), Some(0))
}

/// CX-12: what can't be read says where, why and what to do.
#[test]
fn mistakes_have_a_place() {
    let check = |format: Format, text: &str, expected: &str| {
        let mistake = read(text.as_bytes(), Some(format), Some(0)).unwrap_err();
        assert_eq!(mistake.format, Some(format));
        let said = mistake.to_string();
        assert!(said.starts_with(expected), "{said}");
        assert!(said.contains("; hand in the whole"), "{said}");
    };
    let read_as = "the report can't be read as";
    check(Format::Junit, "", &format!("{read_as} junit, line 1 column 1: there is nothing in it"));
    check(Format::Junit, "<a/>", &format!("{read_as} junit, line 1 column 1: the root is `a`"));
    check(
        Format::Junit,
        "<testsuite>\n  <testcase name='a'>\n",
        &format!("{read_as} junit, line 1 column 1: it is cut off"),
    );
    check(
        Format::Junit,
        "<testsuite>\n  <testcase></testsuit>",
        &format!("{read_as} junit, line 2 column 13: expected 'testcase' tag, not 'testsuit'"),
    );
    check(
        Format::Junit,
        "<testsuite/><testsuite/>",
        &format!("{read_as} junit, line 1 column 13: unknown token"),
    );
    check(
        Format::JestJson,
        "",
        &format!("{read_as} jest_json, line 1 column 1: there is no document"),
    );
    check(
        Format::JestJson,
        "{\n  \"numTotalTests\": -1\n}",
        &format!("{read_as} jest_json, line 2 column 21: invalid value: integer `-1`"),
    );
    check(
        Format::VitestJson,
        r#"{"numTotalTests":1,"numPassedTests":1"#,
        &format!("{read_as} vitest_json, line 1 column 37: EOF while parsing an object"),
    );
    check(Format::JestJson, "{}", &format!("{read_as} jest_json, line 1 column 2: missing field"));
}

/// CX-12: entities that grow, and nesting without end, are refused at once.
#[test]
fn documents_that_grow_are_refused() {
    let laughs = "<!DOCTYPE a [<!ENTITY b 'ha'><!ENTITY c '&b;&b;'>]><testsuite name='&c;'/>";
    let said = junit(laughs).unwrap_err().to_string();
    assert!(said.contains("it defines a document type, which is refused"), "{said}");
    let outside = "<!DOCTYPE a SYSTEM 'file:///etc/hostname'><testsuite/>";
    assert!(junit(outside).is_err());

    let deep = format!("{}{}", "<testsuite>".repeat(100), "</testsuite>".repeat(100));
    let said = junit(&deep).unwrap_err().to_string();
    assert!(said.contains("suites are nested more than 32 deep"), "{said}");
    let deeper = "<testsuite>".repeat(200_000);
    assert!(junit(&deeper).is_err());
    let inside = format!("<testsuite>{}{}</testsuite>", "<a>".repeat(9000), "</a>".repeat(9000));
    assert_eq!(junit(&inside).unwrap().totals.all(), 0);
    let wide = format!("<testsuite>{}</testsuite>", "<a/>".repeat(2_100_000));
    assert!(junit(&wide).unwrap_err().to_string().contains("more than 2000000 nodes"));

    let json = format!(r#"{{"numTotalTests":{}"#, "[".repeat(100_000));
    assert!(read(json.as_bytes(), Some(Format::JestJson), Some(0)).is_err());
    let line = format!(r#"{{"Action":{}"#, r#"{"a":"#.repeat(100_000));
    let report = read(line.as_bytes(), Some(Format::GoJson), Some(0)).unwrap();
    assert_eq!(report.conclusion().tested, Tested::Unknown);
    let tap: String =
        (0..2000).map(|depth| format!("{}ok 1 - a\n", "    ".repeat(depth))).collect();
    assert!(read(tap.as_bytes(), Some(Format::Tap), Some(0)).is_ok());
}

/// CX-12: other encodings, and characters that XML has no room for.
#[test]
fn documents_in_other_encodings() {
    let check = |bytes: &[u8], id: &str| {
        let report = read(bytes, None, Some(0)).unwrap();
        assert_eq!(report.cases[0].id, id);
        assert_eq!(report.conclusion().tested, Tested::Passed);
    };
    let text = "<testsuite tests='1'><testcase name='größe'/></testsuite>";
    let wide = |bytes: fn(u16) -> [u8; 2], mark: [u8; 2]| {
        [mark.to_vec(), text.encode_utf16().flat_map(bytes).collect()].concat()
    };
    check(text.as_bytes(), "größe");
    check(format!("\u{feff}{text}").as_bytes(), "größe");
    check(&wide(u16::to_le_bytes, [0xff, 0xfe]), "größe");
    check(&wide(u16::to_be_bytes, [0xfe, 0xff]), "größe");
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><testsuite><testcase name='gr\xf6\xdfe'/></testsuite>";
    check(latin, "größe");
    check(b"<testsuite><testcase name='a\xff'/></testsuite>", "a\u{fffd}");
    check(b"<testsuite><testcase name='a&#27;[31m'/></testsuite>", "a");
    check(b"<testsuite><testcase name='a&#27;[2J'/></testsuite>", "a\u{fffd}[2J");
    check(b"<testsuite><testcase name='a&#x1B;&#xF6;'/></testsuite>", "a\u{fffd}ö");
    check(b"<testsuite><testcase name='a\x1b[31m'/></testsuite>", "a");
    assert!(junit("<testsuite><testcase name='a&nope;'/></testsuite>").is_err());
}

/// CX-12: a line of a gigabyte, and a million lines, need no gigabyte of memory.
#[test]
fn long_texts_are_read_as_they_come() {
    let begin = "\nrunning 1 test\n".as_bytes();
    let end = "\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 \
               filtered out; finished in 0.00s\n\n"
        .as_bytes();
    let known = Known { format: Some(Format::Cargo), exit_code: Some(0), root: None };
    let long = begin.chain(repeat(b'x').take(1 << 30)).chain(end);
    let report = read_from(BufReader::with_capacity(1 << 16, long), &known).unwrap();
    assert_eq!(report.conclusion().tested, Tested::Passed);
    let many = begin.chain(repeat(b'\n').take(1 << 20)).chain(end);
    let report = read_from(BufReader::new(many), &known).unwrap();
    assert_eq!(report.conclusion().tested, Tested::Passed);

    let json = "{".as_bytes().chain(repeat(b' ').take(70 << 20));
    let known = Known { format: Some(Format::GoJson), ..known };
    let report = read_from(BufReader::with_capacity(1 << 16, json), &known).unwrap();
    assert_eq!(report.doubts[0].kind, DoubtKind::Unreadable);
    let document = "<testsuite>".as_bytes().chain(repeat(b' ').take(70 << 20));
    let known = Known { format: Some(Format::Junit), ..known };
    let mistake = read_from(BufReader::new(document), &known).unwrap_err();
    assert!(mistake.to_string().contains("junit of more than 64 MiB"), "{mistake}");
}

/// CX-12: more tests than are kept are no pass, and cost no more than those that are.
#[test]
fn too_many_tests_are_no_pass() {
    let tests: String = (0..210_000).map(|n| format!("test t{n} ... ok\n")).collect();
    let text = format!(
        "running 210000 tests\n{tests}\ntest result: ok. 210000 passed; 0 failed; 0 ignored; 0 \
         measured; 0 filtered out; finished in 0.00s\n"
    );
    let report = read(text.as_bytes(), Some(Format::Cargo), Some(0)).unwrap();
    assert_eq!(report.cases.len(), 200_000);
    assert_eq!(report.conclusion().tested, Tested::Unknown);
    assert!(report.doubts.iter().any(|doubt| doubt.kind == DoubtKind::TooMany));
}

/// CX-12: a long line costs no more than many short ones, and places are still told.
#[test]
fn many_tests_on_one_line() {
    let tests: String = (0..200_000).map(|n| format!("<testcase name='t{n}'/>")).collect();
    let text = format!("<testsuites>\n<testsuite tests='7'>{tests}</testsuite></testsuites>");
    let report = read(text.as_bytes(), Some(Format::Junit), Some(0)).unwrap();
    assert_eq!(report.cases.len(), 200_000);
    assert_eq!(report.doubts[0].line, Some(2));
}

/// CX-12: summaries without end, after tests without end, take no time without end.
#[test]
fn many_lies_after_many_tests() {
    let tests = |line: fn(u32) -> String| (0..30_000).map(line).collect::<String>();
    let check = |format: Format, begin: &str, tests: String, lie: &str| {
        let text = format!("{begin}{tests}{}", lie.repeat(30_000));
        let report = read(text.as_bytes(), Some(format), Some(0)).unwrap();
        assert_ne!(report.conclusion().tested, Tested::Passed);
        assert_eq!(report.totals.passed, 0);
    };
    let cargo = tests(|n| format!("test t{n} ... ok\n"));
    check(
        Format::Cargo,
        "running 30000 tests\n",
        cargo,
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    );
    let nextest = tests(|n| format!("        PASS [   0.001s] a t{n}\n"));
    check(
        Format::Nextest,
        "    Starting 30000 tests across 1 binary\n",
        nextest,
        "     Summary [   0.001s] 1 test run: 1 passed, 0 skipped\n",
    );
    let pytest = tests(|n| format!("a{n}.py .  [ 50%]\n"));
    check(
        Format::Pytest,
        "===== test session starts =====\n",
        pytest,
        "===== 1 passed in 0.1s =====\n",
    );
    let node = tests(|n| format!("✔ t{n} (1ms)\n"));
    check(Format::Node, "", node, "ℹ tests 1\nℹ pass 1\n✖ t1 (1ms)\n");
    let tap = tests(|n| format!("ok {} - t{n}\n", n + 1));
    check(Format::Tap, "", tap, "1..1\n");
}

/// CX-12: long ids are kept at both ends, and long messages at the beginning.
#[test]
fn long_names_are_shortened() {
    let long = "x".repeat(5000);
    let text = format!(
        "<testsuite><testcase name='a{long}b'><failure message='m{long}'/></testcase></testsuite>"
    );
    let report = junit(&text).unwrap();
    let case = &report.cases[0];
    assert!(case.id.starts_with("axx") && case.id.ends_with("xxb") && case.id.len() <= 1024);
    assert!(case.message.as_ref().is_some_and(|message| message.len() < 700));
    assert_eq!(case.outcome, Outcome::Failed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in Format::ALL.into_iter().map(Some).chain([None]) {
            let report = read(&bytes, format, None);
            let passed = report.is_ok_and(|report| report.conclusion().tested == Tested::Passed);
            prop_assert!(!passed);
        }
    }

    /// Words of all runners, in any order.
    #[test]
    fn no_words_make_it_panic(text in "(test |a \\.\\.\\. |ok|FAILED|\n|running 1 test|=== |--- PASS: |\\(0.00s\\)|TestA|\t|    |✓ |✔ |ℹ |tests 1|1\\.\\.1|# |\\{|\\}|PASS|a\\.js|1 passed| in 0.1s|a\\.py::b |::|\\[gw0\\] |\\[100%\\]|Summary \\[ 0.1s\\] |RUN  v1|<testsuite>|<testcase/>|\u{1b}\\[|\r){0,60}") {
        for format in Format::ALL.into_iter().map(Some).chain([None]) {
            for exit_code in [Some(0), None] {
                if let Ok(report) = read(text.as_bytes(), format, exit_code) {
                    prop_assert_eq!(report.totals, report.count());
                    let mut ids: Vec<_> = report.cases.iter().map(|case| &case.id).collect();
                    let count = ids.len();
                    ids.dedup();
                    prop_assert!(ids.is_sorted() && ids.len() == count);
                }
            }
        }
    }

    /// One wrong byte anywhere makes no failure a pass.
    #[test]
    fn a_wrong_byte_makes_nothing_pass(at in any::<prop::sample::Index>(), wrong in any::<u8>(), which in any::<prop::sample::Index>()) {
        let failed: Vec<_> = recordings().into_iter().filter(|one| one.exit_code != 0).collect();
        let recording = which.get(&failed);
        let mut bytes = recording.bytes.clone();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = wrong;
        }
        let report = recording.read_bytes(&bytes);
        prop_assert!(report.is_err() || report.unwrap().conclusion().tested != Tested::Passed);
        let _ = read(&bytes, None, None);
    }
}
