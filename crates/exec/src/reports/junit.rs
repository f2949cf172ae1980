//! JUnit XML, as pytest, nextest, surefire, gradle, jest, vitest, node and others write it.
//!
//! There is no standard. What all have in common: a `testcase` without `failure`, `error` or
//! `skipped` in it passed, and suites count their tests.

mod document;

use countersign_domain::qa::{
    Case, DoubtKind, Draft, Ending, Format, Listed, Outcome, Report, Totals,
};
use roxmltree::{Document, Node};

use super::mistake::Mistake;
use super::words::{INSIDE, seconds};

/// Deeper suites are refused.
const MAX_DEPTH: usize = 32;

/// Names of suites that say who wrote the report and not what is in it.
const NO_NAMES: [&str; 5] = ["", "pytest", "undefined", "test", "suite"];

/// What pytest says of a file that it can't load. Why it can't is in the text.
const NO_REASON: &str = "collection failure";

/// Whether a text looks like the beginning of such a document.
pub(super) fn is_document(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with("<?xml") || text.starts_with("<testsuite")
}

pub(super) fn read(bytes: &[u8], exit_code: Option<i32>) -> Result<Report, Mistake> {
    let mut draft = Draft::new(Format::Junit);
    let text = document::decode(bytes, &mut draft)?;
    match document::parse(&text) {
        Ok(document) => walk(&document, draft, exit_code),
        Err(error) if document::can_be_mended(&error) => {
            draft.doubt(
                DoubtKind::NotUtf8,
                None,
                "characters that XML doesn't allow were replaced",
            );
            let mended = document::mended(&text);
            let document = document::parse(&mended).map_err(|error| document::in_words(&error))?;
            walk(&document, draft, exit_code)
        }
        Err(error) => Err(document::in_words(&error)),
    }
}

fn walk(
    document: &Document<'_>,
    mut draft: Draft,
    exit_code: Option<i32>,
) -> Result<Report, Mistake> {
    let root = document.root_element();
    if !matches!(root.tag_name().name(), "testsuites" | "testsuite") {
        let words = format!("the root is `{}` and not `testsuites`", root.tag_name().name());
        return Err(document::mistake(words).at(1, 1));
    }
    let is_loose = |child: Node<'_, '_>| child.tag_name().name() == "testcase";
    let has_loose = root.tag_name().name() == "testsuites" && root.children().any(is_loose);
    let lines = document.input_text().match_indices('\n').map(|(at, _)| at).collect();
    let mut reader = Reader { draft: &mut draft, lines, has_loose };
    reader.suite(root, &mut Vec::new())?;
    Ok(draft.finish(Ending::Closed, exit_code))
}

struct Reader<'a> {
    draft: &'a mut Draft,
    /// Where lines end. The parser would count from the top for every node.
    lines: Vec<usize>,
    /// Whether there are tests outside of all suites, which no suite counts.
    has_loose: bool,
}

/// What a suite holds: its own tests, and all of those below it.
#[derive(Default)]
struct Held {
    counted: Totals,
    /// Attempts before the last one; some count them as tests.
    attempts: u64,
    bad_attempts: u64,
}

impl Reader<'_> {
    fn line(&self, node: Node<'_, '_>) -> u64 {
        1 + self.lines.partition_point(|end| *end < node.range().start) as u64
    }

    fn suite(&mut self, suite: Node<'_, '_>, path: &mut Vec<String>) -> Result<Held, Mistake> {
        if path.len() >= MAX_DEPTH {
            let words = format!("suites are nested more than {MAX_DEPTH} deep");
            return Err(document::mistake(words).at(self.line(suite), 1));
        }
        let mut held = Held::default();
        let mut listed = Listed::default();
        for child in suite.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "testsuite" => {
                    path.push(child.attribute("name").unwrap_or_default().to_owned());
                    let below = self.suite(child, path)?;
                    path.pop();
                    held.counted += below.counted;
                    held.attempts += below.attempts;
                    held.bad_attempts += below.bad_attempts;
                }
                "testcase" => {
                    let case = self.case(child, path);
                    held.counted.count(case.outcome);
                    let earlier = case.attempts.len().saturating_sub(1) as u64;
                    held.attempts += earlier;
                    held.bad_attempts += earlier;
                    listed.push(case, Some(self.line(child)));
                }
                // A suite that broke on its own.
                "error" | "failure" => {
                    held.counted.count(Outcome::Errored);
                    let name = suite.attribute("name").unwrap_or("a suite");
                    let id = if path.is_empty() { name.to_owned() } else { path.join(INSIDE) };
                    let case = Case::new(id, Outcome::Errored).with_message(words_of(child));
                    listed.push(case, Some(self.line(child)));
                }
                _ => {}
            }
        }
        let below = held.counted.passed.saturating_sub(listed.count().passed);
        let passed = below.saturating_add(listed.passed_once());
        let is_sound = self.check(suite, &held, passed);
        if !is_sound {
            listed.demote();
        }
        self.draft.add_all(listed);
        Ok(held)
    }

    /// Compares what a suite says of itself with what is in it. False if it says that there are
    /// fewer passes than it lists. `once` are its passes, without tests that are listed again.
    fn check(&mut self, suite: Node<'_, '_>, held: &Held, once: u64) -> bool {
        let number =
            |name: &str| suite.attribute(name).and_then(|text| text.trim().parse::<u64>().ok());
        let Some(tests) = number("tests") else { return true };
        let skipped = number("skipped").or(number("skip")).unwrap_or(0);
        let skipped = skipped.saturating_add(number("disabled").unwrap_or(0));
        let (failed, errored) = (number("failures").unwrap_or(0), number("errors").unwrap_or(0));
        let bad = failed.saturating_add(errored);
        let passed = tests.saturating_sub(bad).saturating_sub(skipped);
        let counted = held.counted;
        let is_outermost =
            suite.parent_element().is_none_or(|parent| parent.attribute("tests").is_none());
        if is_outermost && !self.has_loose {
            self.draft.claim(Totals { passed, failed, errored, skipped, unknown: 0 });
        }
        // Surefire counts every attempt as a test.
        let all_bad = counted.bad().saturating_add(held.bad_attempts);
        let all = counted.all().saturating_add(held.attempts);
        let line = Some(self.line(suite));
        if bad > all_bad || tests > all {
            let words = format!(
                "the suite counts {tests} tests with {bad} failures, but {counted} are listed"
            );
            // What failed and is not listed is hidden; what passed may be parts of tests.
            let kind = if bad > all_bad { DoubtKind::Contradiction } else { DoubtKind::Surplus };
            self.draft.doubt(kind, line, words);
        }
        // Sums above suites often leave out what was skipped.
        let is_sum = suite.tag_name().name() == "testsuites";
        let is_sound = is_sum || once <= passed || counts_children(suite, tests);
        if !is_sound {
            let words =
                format!("the suite counts {passed} passes, but {} are listed", counted.passed);
            self.draft.doubt(DoubtKind::Contradiction, line, words);
        }
        is_sound
    }

    fn case(&mut self, node: Node<'_, '_>, path: &[String]) -> Case {
        let name = node.attribute("name").unwrap_or_default().trim();
        if name.is_empty() {
            let words = "a test without a name: the runner was stopped while it ran, or failed";
            self.draft.doubt(DoubtKind::Unreadable, Some(self.line(node)), words);
        }
        let mut outcome = by_status(node).unwrap_or(Outcome::Passed);
        let mut message = None;
        let mut attempts = Vec::new();
        for child in node.children().filter(Node::is_element) {
            let found = match child.tag_name().name() {
                "failure" => Outcome::Failed,
                "error" => Outcome::Errored,
                "skipped" => Outcome::Skipped,
                "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => {
                    attempts.push(Outcome::Failed);
                    continue;
                }
                _ => continue,
            };
            if message.is_none() || found > outcome {
                message = Some(words_of(child));
            }
            outcome = outcome.max(found);
        }
        if name.is_empty() {
            outcome = outcome.max(Outcome::Unknown);
        }
        // What is still to do may fail.
        let is_todo = node.children().any(|child| {
            child.tag_name().name() == "skipped" && child.attribute("type") == Some("todo")
        });
        let mut case =
            Case::new(id_of(node, name, path), if is_todo { Outcome::Skipped } else { outcome });
        if !attempts.is_empty() {
            attempts.push(case.outcome);
            case.attempts = attempts;
        }
        case.message = message;
        let time = node.attribute("time").and_then(|time| time.replace(',', "").parse().ok());
        case.duration_ms = time.and_then(seconds);
        case
    }
}

/// Whether a suite with others in it counts each of them as one test, as node does. What those hold is
/// compared with their own counts.
fn counts_children(suite: Node<'_, '_>, tests: u64) -> bool {
    let of = |name: &str| suite.children().filter(|one| one.tag_name().name() == name).count();
    let suites = of("testsuite");
    suites > 0 && (suites + of("testcase")) as u64 == tests
}

/// Some say in an attribute how a test ended, and some of those say nothing else.
fn by_status(node: Node<'_, '_>) -> Option<Outcome> {
    let said = [node.attribute("status"), node.attribute("result")];
    let outcomes =
        said.into_iter().flatten().map(|word| match word.to_ascii_lowercase().as_str() {
            "passed" | "pass" | "ok" | "run" | "completed" | "success" | "successful" => {
                Outcome::Passed
            }
            "skipped" | "notrun" | "disabled" | "ignored" | "pending" | "todo" | "suppressed" => {
                Outcome::Skipped
            }
            "failed" | "fail" | "failure" => Outcome::Failed,
            "error" | "errored" | "broken" => Outcome::Errored,
            _ => Outcome::Unknown,
        });
    outcomes.max()
}

/// The class and the name; without a class, the suites around it.
fn id_of(node: Node<'_, '_>, name: &str, path: &[String]) -> String {
    let class = node.attribute("classname").unwrap_or_default().trim();
    let is_name = |text: &&str| !NO_NAMES.contains(text) && *text != name;
    let suites: Vec<&str> = path.iter().map(String::as_str).filter(is_name).collect();
    let before = if is_name(&class) { class.to_owned() } else { suites.join(INSIDE) };
    let name = if name.is_empty() { "a test without a name" } else { name };
    if before.is_empty() { name.to_owned() } else { format!("{before}{INSIDE}{name}") }
}

/// What is said about a failure: the message, or else the text.
fn words_of(node: Node<'_, '_>) -> String {
    let message = node.attribute("message").unwrap_or_default();
    let body = node.text().unwrap_or_default();
    if message.trim() == NO_REASON {
        let why = body.lines().rev().find_map(|line| line.strip_prefix("E "));
        return why
            .map_or_else(|| message.to_owned(), |why| format!("{NO_REASON}: {}", why.trim()));
    }
    let text = if message.trim().is_empty() { body } else { message };
    text.trim().to_owned()
}
