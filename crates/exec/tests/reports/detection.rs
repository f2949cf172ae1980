//! Which format a text is in, where nobody says.

use countersign_domain::qa::{Certainty, DoubtKind, Format};
use countersign_domain::worklog::deviation::Tested;
use countersign_exec::reports::{Known, read, read_from};

use crate::support::{recording, recordings};

/// CX-12: recordings are known by what is in them; these are the ones that are not.
#[test]
fn every_format_is_known_by_its_words() {
    let mut text = String::new();
    for recording in recordings() {
        let exit_code = Some(recording.exit_code);
        let report = read_from(&recording.bytes[..], &Known { exit_code, ..Known::default() });
        let found = match &report {
            Ok(report) => report.format.name().to_owned(),
            Err(mistake) => mistake.to_string(),
        };
        let is_right = report.as_ref().is_ok_and(|report| report.format == recording.format);
        let others = report.ok().and_then(|report| report.detected).map(|one| one.others);
        let others = others.unwrap_or_default();
        if !is_right || !others.is_empty() {
            let (name, format) = (&recording.name, recording.format);
            text.push_str(&format!("{name}: {found} and not {format}, also {others:?}\n"));
        }
    }
    insta::assert_snapshot!("detection", text);
}

/// What is read the same whether the format is named or found out.
#[test]
fn what_is_found_out_is_read_the_same() {
    for recording in recordings() {
        let exit_code = Some(recording.exit_code);
        let known = Known { exit_code, root: Some("/repo"), ..Known::default() };
        let (Ok(found), Ok(named)) = (read_from(&recording.bytes[..], &known), recording.read())
        else {
            continue;
        };
        let others = found.detected.as_ref().is_some_and(|found| !found.others.is_empty());
        if found.format == recording.format && !others {
            let found = countersign_domain::qa::Report { detected: None, ..found };
            assert_eq!(found, named, "{}", recording.name);
        }
    }
}

/// CX-12: plain commands are judged by their exit code, and only by it.
#[test]
fn plain_commands() {
    let check = |text: &str, exit_code: Option<i32>, expected: Option<Tested>| {
        let report = read(text.as_bytes(), None, exit_code);
        let tested = report.as_ref().ok().map(|report| report.conclusion().tested);
        assert_eq!(tested, expected, "{text:?}");
        assert!(report.is_ok_and(|report| report.format == Format::Plain) || expected.is_none());
    };
    for text in
        ["", "\n", "all done", "src/a.rs:3: warning: unused", "3 passed", "ok", "....", "{}"]
    {
        check(text, Some(0), Some(Tested::Passed));
        check(text, Some(1), Some(Tested::Failed));
        check(text, None, None);
    }
    let mistake = read(b"all done", None, None).unwrap_err().to_string();
    let expected = "the report can't be read: it is in no format that we know, and the exit code \
                    is not known either; name the format, or hand in the exit code";
    assert_eq!(mistake, expected);
    let plain = read(b"===== 3 passed in 0.1s =====", Some(Format::Plain), Some(0)).unwrap();
    assert!(plain.conclusion().reasons[0].contains("holds no tests"));
}

/// CX-12: a text in two formats is not half read and called whole.
#[test]
fn two_formats_in_one_text() {
    let (cargo, pytest) = (recording("cargo/passing.txt"), recording("pytest/passing-9.txt"));
    let both = [cargo.bytes, pytest.bytes].concat();
    let report = read(&both, None, Some(0)).unwrap();
    let detected = report.detected.as_ref().unwrap();
    assert_eq!((report.format, detected.certainty), (Format::Pytest, Certainty::Sure));
    assert_eq!(detected.others, [Format::Cargo]);
    assert_eq!(report.conclusion().tested, Tested::Unknown);
    assert!(report.doubts.iter().any(|doubt| doubt.kind == DoubtKind::OtherFormat));
    assert_eq!(read(&both, Some(Format::Cargo), Some(0)).unwrap().totals.passed, 4);
}

/// CX-12: what npm and others print around a report changes nothing.
#[test]
fn banners_around_a_report_change_nothing() {
    let names = [
        "jest/passing-30.json",
        "jest/passing-30.txt",
        "vitest/passing-4.txt",
        "tap/node-passing-24.txt",
    ];
    for name in names.into_iter().chain(["go/passing-1.27.json", "libtest/passing.txt"]) {
        let recording = recording(name);
        let banner: &[u8] = b"\n> demo@1.0.0 test\n> run the tests\n\n";
        let text = [banner, &recording.bytes, b"\nDone in 1.23s.\n"].concat();
        let report = read(&text, None, Some(0)).unwrap();
        assert_eq!(report.format, recording.format, "{name}");
        assert_eq!(report.totals, recording.read().unwrap().totals, "{name}");
        assert_eq!(report.conclusion().tested, Tested::Passed, "{name}");
    }
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.name().replace('_', "-").to_uppercase().parse(), Ok(format));
        assert_eq!(serde_json::to_value(format).unwrap(), format.name());
    }
    let unknown = "trx".parse::<Format>().unwrap_err().to_string();
    assert!(unknown.starts_with("there is no format `trx`; there are junit, jest_json, "));
}
