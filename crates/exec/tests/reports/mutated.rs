//! Recordings that were cut, coloured, shuffled, mixed and lied into: never better than whole.

use std::fmt::Write as _;

use countersign_domain::qa::{DoubtKind, Format, Report};
use countersign_domain::worklog::deviation::Tested;
use countersign_exec::reports::{Known, read_from};
use proptest::prelude::*;

use crate::lies::lies;
use crate::support::{Recording, recordings};
use crate::truth::truth;

fn has_passed(report: &Report) -> bool {
    report.conclusion().tested == Tested::Passed
}

/// Tests that the whole lists more than once: a later line may take back a pass.
fn taken_back(whole: &Report) -> u64 {
    let repeated = whole.doubts.iter().filter(|doubt| doubt.kind == DoubtKind::Duplicate);
    repeated.map(|doubt| doubt.words.split(' ').next().unwrap().parse().unwrap_or(1)).sum()
}

/// A changed text counts no more passes than it may, and passes only if the whole does.
#[track_caller]
fn check(recording: &Recording, whole: &Report, most: u64, (bytes, what): (&[u8], &str)) {
    for exit_code in [Some(recording.exit_code), None] {
        let format = Some(recording.format);
        let known = Known { format, exit_code, root: Some("/repo") };
        let Ok(report) = read_from(bytes, &known) else { continue };
        let whole = Report { exit_code, ..whole.clone() };
        assert!(report.totals.passed <= most, "{} {what}: {}", recording.name, report.totals);
        let is_better = has_passed(&report) && !has_passed(&whole);
        assert!(!is_better, "{} {what}: {:?}", recording.name, report.conclusion());
    }
}

/// How many passes there were; pytest counts those as well whose cleaning up failed.
fn most(recording: &Recording, whole: &Report) -> u64 {
    let claimed = whole.claimed.filter(|_| recording.format == Format::Pytest);
    truth(&recording.name).0.max(claimed.map_or(0, |claimed| claimed.passed))
}

fn of(formats: &[Format]) -> impl Iterator<Item = (Recording, Report)> {
    let all = recordings().into_iter().filter(|one| formats.contains(&one.format));
    all.filter_map(|recording| recording.read().ok().map(|whole| (recording, whole)))
}

fn cut(formats: &[Format]) {
    for (recording, whole) in of(formats) {
        let bytes = &recording.bytes;
        // Short ones at every byte, long ones here and there.
        let step = if bytes.len() <= 1100 { 1 } else { bytes.len() / 50 };
        let places = (0..bytes.len()).skip(recording.name.len() % step).step_by(step);
        for at in places {
            // Where tests lie, what comes after may tell that they did.
            let is_honest = !recording.name.contains("noisy") && !recording.name.contains("all");
            let most = whole.totals.passed + taken_back(&whole);
            let most = if is_honest { most } else { truth(&recording.name).0 };
            check(&recording, &whole, most, (&bytes[..at], &format!("cut at {at}")));
        }
    }
}

/// CX-12: cut off anywhere, a report is never better than whole.
#[test]
fn cut_cargo() {
    cut(&[Format::Cargo, Format::LibtestJson, Format::Nextest]);
}

#[test]
fn cut_pytest() {
    cut(&[Format::Pytest]);
}

#[test]
fn cut_javascript() {
    cut(&[Format::Jest, Format::JestJson, Format::Vitest, Format::VitestJson]);
}

#[test]
fn cut_node_and_tap() {
    cut(&[Format::Node, Format::Tap]);
}

#[test]
fn cut_go() {
    cut(&[Format::GoTest, Format::GoJson]);
}

#[test]
fn cut_junit() {
    cut(&[Format::Junit]);
}

const IN_LINES: [Format; 8] = [
    Format::Cargo,
    Format::Nextest,
    Format::Pytest,
    Format::Jest,
    Format::Vitest,
    Format::Node,
    Format::Tap,
    Format::GoTest,
];

/// CX-12: what a text means doesn't hang on its colours or its line ends.
#[test]
fn colours_and_line_ends_change_nothing() {
    for (recording, whole) in of(&IN_LINES) {
        let Ok(text) = String::from_utf8(recording.bytes.clone()) else { continue };
        let mut coloured = String::new();
        for (index, letter) in text.chars().enumerate() {
            if letter != '\n' && index % 3 == 0 {
                write!(coloured, "\u{1b}[3{}m\u{1b}[0m", index % 8).unwrap();
            }
            coloured.push(letter);
        }
        // Colours inside of colours would be none.
        let coloured = if text.contains('\u{1b}') { text.clone() } else { coloured };
        for changed in [coloured, text.replace('\n', "\r\n")] {
            let report = recording.read_bytes(changed.as_bytes()).unwrap();
            assert_eq!(report, whole, "{}", recording.name);
        }
    }
}

/// CX-12: characters that nobody sees, in the middle of a line, make nothing better.
#[test]
fn hidden_characters_make_nothing_better() {
    for (recording, whole) in of(&IN_LINES) {
        let lines: Vec<&[u8]> = recording.bytes.split(|byte| *byte == b'\n').collect();
        for (number, hidden) in ["\u{200b}", "\u{202e}", "\u{0}", "\u{8}"].iter().enumerate() {
            for at in (number..lines.len()).step_by(lines.len() / 12 + 1) {
                let mut lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
                let middle = String::from_utf8_lossy(&lines[at]).len().min(lines[at].len()) / 2;
                lines[at].splice(middle..middle, hidden.bytes());
                let what = format!("hidden in line {}", at + 1);
                check(&recording, &whole, most(&recording, &whole), (&lines.join(&b'\n'), &what));
            }
        }
    }
}

/// CX-12: what tests print to look like the runner, anywhere, makes nothing better.
#[test]
fn lies_make_nothing_better() {
    let formats = [&IN_LINES[..], &[Format::GoJson, Format::LibtestJson]].concat();
    for (recording, whole) in of(&formats) {
        let lines: Vec<&[u8]> = recording.bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for (number, lie) in lies(recording.format).into_iter().enumerate() {
            let step = lines.len() / 12 + 1;
            let first = (number + recording.name.len()) % step;
            for at in (first..=lines.len()).step_by(step) {
                let lie = format!("{lie}\n");
                let bytes = [&lines[..at].concat(), lie.as_bytes(), &lines[at..].concat()].concat();
                let what = format!("with {lie:?} in line {}", at + 1);
                check(&recording, &whole, most(&recording, &whole), (&bytes, &what));
            }
        }
    }
}

/// Two outputs in one text, put together as `join` does.
fn two(every: usize, join: impl Fn(&Recording, &Recording) -> Vec<u8>) {
    let formats = [&IN_LINES[..], &[Format::GoJson, Format::LibtestJson]].concat();
    let all: Vec<(Recording, Report)> = of(&formats).collect();
    for (index, (first, whole_first)) in all.iter().enumerate() {
        let same = all.iter().filter(|(other, _)| other.format == first.format);
        for (second, whole_second) in same.skip(index % every).step_by(every) {
            let exit_code = first.exit_code.max(second.exit_code);
            let both = Recording { exit_code, ..second.clone() };
            let Ok(report) = both.read_bytes(&join(first, second)) else { continue };
            let names = format!("{} and {}", first.name, second.name);
            let is_fine = |whole: &Report| has_passed(whole) || is_harmless(whole);
            let is_fine = is_fine(whole_first) && is_fine(whole_second);
            assert!(!has_passed(&report) || is_fine, "{names}: {:?}", report.conclusion());
            let (most, other) = (truth(&first.name).0, truth(&second.name).0);
            let most = if first.name == second.name { most } else { most + other };
            // Go mixes no packages, so where lines are mixed, tests go to the wrong one.
            let most = if names.contains("go/count-v") { 2 * most } else { most };
            assert!(report.totals.passed <= most, "{names}: {}", report.totals);
        }
    }
}

/// Without tests, or with none that was run: nothing bad beside others.
fn is_harmless(whole: &Report) -> bool {
    let count = whole.count();
    let is_grave = whole.doubts.iter().any(|doubt| doubt.kind.is_grave());
    count.bad() + count.unknown == 0 && whole.exit_code == Some(0) && !is_grave
}

/// CX-12: of two outputs in one text, the worse counts, and no test counts twice.
#[test]
fn two_runs_are_as_good_as_the_worse() {
    two(13, |first, second| [&first.bytes[..], b"\n", &second.bytes[..]].concat());
}

/// CX-12: two runs that write at the same time make nothing better.
#[test]
fn mixed_lines_make_nothing_better() {
    two(17, |first, second| {
        let (one, two) = (lines(first), lines(second));
        let longest = one.len().max(two.len());
        let mixed = (0..longest).flat_map(|at| [one.get(at), two.get(at)]).flatten().copied();
        mixed.collect::<Vec<&[u8]>>().concat()
    });
}

fn lines(recording: &Recording) -> Vec<&[u8]> {
    recording.bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// CX-12: lines in another order, or left out, make nothing better.
    #[test]
    fn shuffled_lines_make_nothing_better(seed in any::<u64>(), leave_out in any::<bool>()) {
        for (recording, whole) in of(&IN_LINES) {
            if recording.exit_code == 0 {
                continue;
            }
            let mut lines = lines(&recording);
            let mut state = seed | 1;
            for at in (1..lines.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let other = usize::try_from(state >> 33).unwrap() % (at + 1);
                // Mostly near: a text in any order is hardly ever a report.
                let other = if state.is_multiple_of(3) { other } else { at.saturating_sub(other % 4) };
                lines.swap(at, other);
            }
            if leave_out {
                lines.retain(|line| line.len() % 7 != usize::try_from(seed % 7).unwrap());
            }
            let report = recording.read_bytes(&lines.concat());
            let passed = report.is_ok_and(|report| has_passed(&report));
            prop_assert!(!passed || has_passed(&whole), "{}", recording.name);
        }
    }
}
