//! What `jest --json` and `vitest --reporter=json` write: one document of nearly the same shape.

use countersign_domain::qa::{
    Case, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Totals,
};
use serde::Deserialize;

use super::mistake::Mistake;
use super::words::{INSIDE, milliseconds};

const ADVICE: &str = "hand in the whole of what --json or --outputFile wrote, and nothing else";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    num_total_tests: u64,
    num_passed_tests: u64,
    num_failed_tests: u64,
    #[serde(default)]
    num_pending_tests: u64,
    #[serde(default)]
    num_todo_tests: u64,
    #[serde(default)]
    num_runtime_error_test_suites: Option<u64>,
    success: bool,
    #[serde(default)]
    was_interrupted: bool,
    test_results: Vec<File>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    status: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    assertion_results: Vec<Test>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    #[serde(default)]
    duration: Option<f64>,
    #[serde(default)]
    failure_messages: Vec<String>,
    /// How often jest ran it.
    #[serde(default)]
    invocations: Option<u64>,
}

/// Whether a line looks like the beginning of such a document.
pub(super) fn is_document(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(400)];
    head.starts_with('{')
        && head.contains("\"numTotalTestSuites\"") | head.contains("\"numFailedTests\"")
}

/// Whether it is jest's; vitest says nothing of open handles and interruptions.
pub(super) fn format_of(text: &str) -> Format {
    if text.contains("\"wasInterrupted\":") || text.contains("\"numRuntimeErrorTestSuites\":") {
        Format::JestJson
    } else {
        Format::VitestJson
    }
}

/// Adds a document to a draft.
pub(super) fn read(
    draft: &mut Draft,
    text: &str,
    first: u64,
    root: Option<&str>,
) -> Result<(), Mistake> {
    let format = draft.format();
    let whole = with_whole_characters(text);
    let document: Document = serde_json::from_str(&whole).map_err(|error| {
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default().to_owned();
        let line = (error.line() as u64).saturating_sub(1) + first;
        Mistake::new(Some(format), words, ADVICE).at(line, error.column() as u64)
    })?;
    let names: Vec<&str> = document.test_results.iter().map(|file| file.name.as_str()).collect();
    let cut = root_of(&names, root);
    let mut listed = Listed::default();
    let mut broken = Vec::new();
    for file in &document.test_results {
        let id = file.name.get(cut..).unwrap_or(&file.name).to_owned();
        let has_failed = file.assertion_results.iter().any(|test| test.status == "failed");
        for test in &file.assertion_results {
            listed.push(case(test, &id), Some(first));
        }
        // A file that can't be run has no tests; a hook after them all is in none.
        let is_broken = !has_failed || file.message.contains("Test suite failed to run");
        if file.status == "failed" && is_broken {
            broken.push(Case::new(id, Outcome::Errored).with_message(&file.message));
        }
    }
    check(draft, &document, listed.count(), &broken);
    // Vitest 1 counts what it skips as passed.
    let counted = listed.count();
    let is_all =
        counted.all() == document.num_total_tests && counted.bad() == document.num_failed_tests;
    let passed = document.num_passed_tests;
    let claimed = Totals {
        passed: if is_all { passed.min(counted.passed) } else { passed },
        failed: document.num_failed_tests,
        skipped: document.num_pending_tests.saturating_add(document.num_todo_tests),
        ..Totals::default()
    };
    draft.settle(listed, claimed, Some(first));
    draft.note_all(broken);
    Ok(())
}

fn case(test: &Test, file: &str) -> Case {
    let mut id = file.to_owned();
    // Vitest 1 has the file among the groups, without a name.
    let groups = test.ancestor_titles.iter().filter(|title| !title.is_empty());
    for part in groups.chain([&test.title]) {
        id.push_str(INSIDE);
        id.push_str(part);
    }
    let outcome = match test.status.as_str() {
        "passed" => Outcome::Passed,
        "failed" => Outcome::Failed,
        "pending" | "skipped" | "todo" | "disabled" => Outcome::Skipped,
        _ => Outcome::Unknown,
    };
    let mut case = Case::new(id, outcome);
    case.duration_ms = test.duration.and_then(milliseconds);
    case.message = test.failure_messages.first().cloned();
    // Jest counts its attempts; vitest keeps what the failed ones said.
    let failed = match (outcome, test.invocations) {
        (_, Some(runs)) => runs.saturating_sub(1),
        (Outcome::Passed, None) => test.failure_messages.len() as u64,
        _ => (test.failure_messages.len() as u64).saturating_sub(1),
    };
    if failed > 0 {
        case.attempts = vec![Outcome::Failed; failed.min(64).try_into().unwrap_or(64)];
        case.attempts.push(outcome);
    }
    case
}

fn check(draft: &mut Draft, document: &Document, counted: Totals, broken: &[Case]) {
    if document.was_interrupted {
        draft.doubt(DoubtKind::Stopped, None, "the runner says that it was interrupted");
    }
    if counted.all() != document.num_total_tests {
        let words =
            format!("{} tests are listed, and {} counted", counted.all(), document.num_total_tests);
        draft.doubt(DoubtKind::Contradiction, None, words);
    }
    let is_bad = counted.bad() > 0 || !broken.is_empty();
    if document.success == is_bad {
        let said = if document.success { "all went well" } else { "something failed" };
        draft.doubt(DoubtKind::Contradiction, None, format!("the runner says that {said}"));
    }
    let files = document.num_runtime_error_test_suites.unwrap_or(0);
    if files > broken.len() as u64 {
        let words = format!("{files} files could not be run, and {} are listed", broken.len());
        draft.doubt(DoubtKind::Contradiction, None, words);
    }
}

/// How much of the names of files is the folder that they are all in. With the root of the
/// repository it is the same in every run; without, it is what all files have in common.
pub(super) fn root_of(names: &[&str], root: Option<&str>) -> usize {
    if let Some(root) = root.map(|root| root.trim_end_matches(['/', '\\'])) {
        let is_inside =
            |name: &&str| name.strip_prefix(root).is_some_and(|rest| rest.starts_with(['/', '\\']));
        if !root.is_empty() && !names.is_empty() && names.iter().all(is_inside) {
            return root.len() + 1;
        }
    }
    let Some((first, others)) = names.split_first() else { return 0 };
    let mut common = first.len();
    for name in others {
        let same = first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        common = common.min(same);
    }
    first.as_bytes()[..common]
        .iter()
        .rposition(|byte| matches!(byte, b'/' | b'\\'))
        .map_or(0, |at| at + 1)
}

/// JavaScript writes half characters as escapes that no other parser takes.
fn with_whole_characters(text: &str) -> std::borrow::Cow<'_, str> {
    let escape = |at: usize| -> Option<u32> {
        let code = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(code, 16).ok()
    };
    let is_first = |code: u32| (0xd800..0xdc00).contains(&code);
    let is_second = |code: u32| (0xdc00..0xe000).contains(&code);
    let mut fixed = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        match escape(at) {
            Some(code) if is_first(code) && escape(at + 6).is_some_and(is_second) => at += 12,
            Some(code) if is_first(code) || is_second(code) => {
                fixed.push_str(&text[kept..at]);
                fixed.push_str("\\ufffd");
                at += 6;
                kept = at;
            }
            // Whatever is escaped here, a slash behind a slash begins nothing.
            _ => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    if kept == 0 {
        return text.into();
    }
    fixed.push_str(&text[kept..]);
    fixed.into()
}

/// Reads a text that is such a document, or has some on lines of their own.
pub(super) fn read_text(
    text: &str,
    format: Format,
    exit_code: Option<i32>,
    root: Option<&str>,
) -> Result<Report, Mistake> {
    let mut draft = Draft::new(format);
    let whole = text.trim_start_matches('\u{feff}').trim();
    let lines: Vec<(u64, &str)> =
        (1..).zip(text.lines()).filter(|(_, line)| is_document(line)).collect();
    if lines.len() <= 1 && whole.starts_with('{') {
        let first = 1 + text[..text.len() - text.trim_start().len()].matches('\n').count() as u64;
        read(&mut draft, whole, first, root)?;
    } else if lines.is_empty() {
        let words = "there is no document with numTotalTests in it";
        return Err(Mistake::new(Some(format), words, ADVICE).at(1, 1));
    }
    for (number, line) in lines.iter().filter(|_| lines.len() > 1 || !whole.starts_with('{')) {
        read(&mut draft, line.trim(), *number, root)?;
    }
    if lines.len() > 1 {
        draft.doubt(DoubtKind::SeveralRuns, Some(lines[1].0), "a second run begins here");
    }
    Ok(draft.finish(Ending::Closed, exit_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_files() {
        let check = |names: &[&str], root: Option<&str>, expected: &str| {
            let cut = root_of(names, root);
            assert_eq!(&names[0][cut..], expected);
        };
        check(&["/repo/a.js", "/repo/sub/b.js"], None, "a.js");
        check(&["/repo/sub/a.js", "/repo/sub/b.js"], None, "a.js");
        check(&["/repo/sub/a.js", "/repo/sub/b.js"], Some("/repo"), "sub/a.js");
        check(&["/repo/sub/a.js"], Some("/repo/"), "sub/a.js");
        check(&["/repo/sub/a.js"], Some("/rep"), "a.js");
        check(&["/repo/a.js", "/repository/b.js"], Some("/repo"), "repo/a.js");
        check(&["C:\\repo\\a.js", "C:\\repo\\b.js"], None, "a.js");
        check(&["a.js"], None, "a.js");
    }

    #[test]
    fn half_characters() {
        let check = |text: &str, expected: &str| assert_eq!(with_whole_characters(text), expected);
        check(r"a \ud83d\ude00 b", r"a \ud83d\ude00 b");
        check(r"a \ud83d b", r"a \ufffd b");
        check(r"a \ude00\ud83d", r"a \ufffd\ufffd");
        check(r"a \\ud83d b", r"a \\ud83d b");
        check(r"a \é \", r"a \é \");
    }
}
