//! The judge: all evidence in, one verdict out. It knows no clock and asks nobody.

use super::aim::{Aim, is_about_speed};
use super::asks;
use super::checks::{Weighed, result, still, weigh};
use super::evidence::{Evidence, Ground};
use super::level::Level;
use super::moved::are_moved;
use super::stated::{Bearing, error, is_error};
use super::tests_run::{TestsRun, bare};
use super::unexpected::{Unexpected, said};
use super::unsteady;
use super::verdict::{Judgement, NotRun, Reason, Verdict, Weight};
use crate::classify::ContractType;
use crate::gaming::{Basis, Judged, Rule, Severity};
use crate::qa::Outcome;
use serde_json::Value;

/// What the evidence comes to.
pub fn judge(evidence: &Evidence<'_>) -> Judgement {
    let mut all = Weighed::default();
    let mut results = Vec::new();
    let mut levels = Vec::new();
    let mut not_run = Vec::new();
    for check in evidence.checks {
        let mut weighed = weigh(check, evidence);
        unsteady::weigh(check, &mut weighed);
        results.push(result(check, &weighed));
        not_run.extend(weighed.not_run.map(|why| NotRun {
            activity: check.activity.clone(),
            command: check.command.clone(),
            why,
        }));
        if check.is_test() && !(check.is_beside && weighed.is_moot) {
            levels.push(weighed.level);
            all.failed_before.extend(weighed.failed_before);
        }
        all.reasons.extend(weighed.reasons);
        all.findings.extend(weighed.findings);
        all.shown_by.extend(weighed.shown_by);
        all.flaky.extend(weighed.flaky);
        all.explained.extend(weighed.explained);
    }
    examples(evidence, &mut all);
    statements(evidence, &mut all);
    let mut oracles = evidence.examples.iter().filter(|one| one.example.is_oracle()).peekable();
    let is_oracle = oracles.peek().is_some() && oracles.all(super::Answered::is_right);
    // What the old code answered as well is no answer that the new one could not know.
    let is_new = is_oracle && evidence.examples.iter().any(super::Answered::shows);
    // What the task says by example was asked: that it is nowhere in the text says nothing more.
    let is_heard = !evidence.heard.is_empty()
        && evidence.heard.iter().all(|heard| heard.bearing() == Bearing::Shown);
    let is_of_tests = evidence.product == 0 && evidence.touched == 0;
    for finding in evidence.findings {
        let is_answered = match finding.finding.rule {
            Rule::G63 => is_heard,
            // Rows that were to go are fewer cases.
            Rule::G06 => finding.finding.message.split('\'').nth(1).is_some_and(|name| {
                all.explained.contains(name.rsplit("::").next().unwrap_or(name))
            }),
            _ => is_new,
        };
        finding_weight(finding, (is_answered, is_of_tests), &mut all);
    }
    whole(evidence, &mut all);
    if all.reasons.iter().any(|reason| reason.text == STILL) {
        still::fail(&mut results, evidence);
    }
    let mut level = levels.into_iter().flatten().min();
    if is_oracle && level.is_none_or(|level| level >= Level::CleanRoom) {
        level = Some(Level::Oracle);
    }
    let worst = all.reasons.iter().map(|reason| reason.weight).max();
    let verdict = match (worst, evidence.contract) {
        (Some(Weight::Refuse), _) => Verdict::Refused,
        (_, ContractType::Advisory) => Verdict::Advisory,
        (Some(Weight::Ask), _) => Verdict::Human,
        _ => Verdict::Accepted,
    };
    all.reasons.sort_by_key(|reason: &Reason| std::cmp::Reverse(reason.weight));
    Judgement {
        verdict,
        level,
        reasons: all.reasons,
        results,
        findings: all.findings,
        shown_by: all.shown_by,
        failed_before: all.failed_before,
        flaky: all.flaky,
        not_run,
    }
}

fn examples(evidence: &Evidence<'_>, all: &mut Weighed) {
    for wrong in evidence.examples.iter().filter(|one| !one.is_right()) {
        let (asked, wanted) = (&wrong.example.command, wrong.example.prints.trim());
        let text = Unexpected::of(wrong).map_or_else(
            || format!("the example `{asked}` must print {wanted:?}: {}", said(wrong)),
            |unexpected| unexpected.to_string(),
        );
        all.say(Weight::Refuse, text);
    }
    let right = evidence.examples.iter().filter(|one| one.shows());
    all.shown_by.extend(right.map(|one| one.example.command.clone()));
}

/// What the task itself says of the code, by example.
fn statements(evidence: &Evidence<'_>, all: &mut Weighed) {
    for heard in evidence.heard {
        let call = &heard.stated.call;
        let shown = |value: &Value| match value {
            value if is_error(value) => "an error".to_owned(),
            value if *value == error(false) => "none".to_owned(),
            value => value.to_string(),
        };
        let wanted = shown(&heard.stated.value);
        let said = heard.handed.as_ref().map_or_else(String::new, shown);
        let weight = match heard.bearing() {
            Bearing::Shown => {
                all.shown_by.push(format!("{call} is {wanted}"));
                continue;
            }
            Bearing::Missed => Weight::Refuse,
            Bearing::Doubtful => Weight::Ask,
            Bearing::Nothing => continue,
        };
        let text = format!("the task says that `{call}` is {}: it is {}", wanted, short(&said));
        all.say(weight, text);
    }
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

/// What reading found. A pattern in a text warns; the code under test that seems to know its tests
/// is a person's to look at, unless answers that it could not know were right.
fn finding_weight(judged: &Judged, (is_answered, is_of_tests): (bool, bool), all: &mut Weighed) {
    let finding = &judged.finding;
    // Where tests are all that was changed, one that can't fail is no work at all.
    let is_empty_work =
        is_of_tests && finding.rule == Rule::G13 && finding.basis == Basis::Structure;
    // A product that fixes the clock decides what its tests see.
    // So may one that reads other versions of itself.
    let knows_its_tests = (Rule::G20..=Rule::G29).contains(&finding.rule)
        || matches!(finding.rule, Rule::G48 | Rule::G49);
    // Who checks the next work is weaker now, whatever this work is worth.
    let weakens_checks = (Rule::G40..=Rule::G46).contains(&finding.rule);
    // What was asked for and is nowhere, and what was written for us to read, is a person's to see.
    // So is what nobody asked for between changes that nobody reads closely.
    let is_altered = finding.rule == Rule::G64 && finding.basis == Basis::Structure;
    // A check that nobody waits for says nothing, whatever the others say.
    let is_left_alone = finding.rule == Rule::G15 && finding.basis == Basis::Structure;
    let is_for_a_person = is_altered
        || is_left_alone
        || is_empty_work
        || matches!(finding.rule, Rule::G06 | Rule::G63 | Rule::G66);
    let weight = match judged.severity() {
        Severity::Block => Weight::Refuse,
        Severity::Warn if knows_its_tests && !is_answered => Weight::Ask,
        Severity::Warn if matches!(finding.rule, Rule::G06 | Rule::G63) && is_answered => {
            Weight::Note
        }
        Severity::Warn if weakens_checks || is_for_a_person => Weight::Ask,
        Severity::Warn | Severity::Info => Weight::Note,
    };
    let place = match (&finding.path, finding.line) {
        (Some(path), Some(line)) => format!("{path}:{line}: "),
        (Some(path), None) => format!("{path}: "),
        _ => String::new(),
    };
    let mut text = format!("{place}{} ({})", finding.message, finding.rule);
    if let Some(reason) = &judged.allowed {
        text += &format!("; allowed: {reason}");
    }
    all.say(weight, text);
}

const STILL: &str = "what failed on the base still fails, and no test shows that anything works now that did not before";

const RED: &str = "the task wants the tests to pass, and some that failed on the base still fail";

const BENT: &str = "the task says what has to be so, and only what tests read was changed";

/// Whether what tests read was changed until they say what the task wants of the code.
fn is_bent(evidence: &Evidence<'_>) -> bool {
    evidence.aim == Aim::Behaviour
        && evidence.touched == 0
        && evidence.edits.fixtures
        && evidence.edits.changed.is_empty()
        && asks::demands_behaviour(evidence.task)
}

/// Whether there is nothing to look at as a whole: advice, and work of which there is none.
fn is_over(evidence: &Evidence<'_>, all: &mut Weighed) -> bool {
    let is_advice = evidence.contract == ContractType::Advisory;
    let (weight, text) = if is_advice {
        (Weight::Note, "nothing was changed, as advice changes nothing: only a person can read it")
    } else {
        (Weight::Refuse, "nothing was changed")
    };
    if evidence.changed == 0 {
        all.say(weight, text);
    }
    is_advice || evidence.changed == 0
}

/// Whether a change without any code can be what was asked for.
fn texts(evidence: &Evidence<'_>, all: &mut Weighed) {
    // What was asked of the code is not done by writing about it.
    let is_of_code = evidence.aim == Aim::Behaviour
        && (asks::names_code(evidence.task)
            || asks::is_to_be_mended(evidence.task)
            || asks::complains_of_code(evidence.task))
        && !asks::begins_with_documents(evidence.task);
    if is_of_code {
        all.say(Weight::Ask, "the task is about code, and no code was changed");
    } else if is_bent(evidence) {
        all.say(Weight::Ask, BENT);
    } else if all.shown_by.is_empty()
        && !evidence.edits.named
        && !asks::is_about_text(evidence.task)
    {
        let text = "nothing that was changed is code, and the task speaks of no document: nothing shows that it is done";
        all.say(Weight::Ask, text);
    }
}

/// What only the whole shows.
fn whole(evidence: &Evidence<'_>, all: &mut Weighed) {
    if is_over(evidence, all) {
        return;
    }
    for one in evidence.undone {
        all.say(Weight::Ask, one.clone());
    }
    if evidence.code == 0 {
        return texts(evidence, all);
    }
    if evidence.checks.is_empty() && evidence.examples.is_empty() {
        all.say(
            Weight::Ask,
            "nothing was run that could show whether this works; `--check COMMAND` names what would",
        );
        return;
    }
    // Who asks for tests is not answered by other comments.
    let has_new = evidence.checks.iter().any(|check| TestsRun::of(check).added().next().is_some());
    let is_same = evidence.edits.changed.is_empty() && !has_new;
    let is_said_only = evidence.product == 0 && evidence.code == evidence.touched && is_same;
    if is_said_only && asks::for_more_tests(evidence.task).is_some() {
        all.say(Weight::Ask, "the task asks for tests, and only comments were changed");
        return;
    }
    match evidence.aim {
        Aim::Behaviour => {}
        Aim::Around if evidence.product > 0 => {}
        // What is slow gets faster by other code.
        Aim::Upkeep if evidence.product == 0 && is_about_speed(evidence.task) => {}
        Aim::Upkeep => return upkeep(evidence, all),
        Aim::Around => return,
    }
    let is_of_others = evidence.product == 0 && evidence.touched == 0 && is_about_green(evidence);
    let is_idle = evidence.product == 0 && all.shown_by.is_empty();
    if is_idle && !all.failed_before.is_empty() && !is_of_others {
        all.say(Weight::Refuse, STILL);
        return;
    }
    if asks::wants_green(evidence.task) && !all.failed_before.is_empty() && !is_of_others {
        all.say(Weight::Ask, RED);
    }
    if is_bent(evidence) {
        all.say(Weight::Ask, BENT);
        return;
    }
    let is_retired = !evidence.edits.retired.is_empty() || !all.explained.is_empty();
    if needs_no_test(evidence, (is_of_others, all.failed_before.is_empty(), is_retired)) {
        return;
    }
    // A document that the task names may be what a new test is about: it failed with the old one.
    let is_of_document =
        evidence.edits.named && evidence.edits.changed.is_empty() && !all.shown_by.is_empty();
    if evidence.product == 0 && is_of_document {
        return;
    }
    if evidence.product == 0 {
        all.say(Weight::Ask, "no code of the product was changed, comments aside");
        return;
    }
    if !all.shown_by.is_empty() {
        return;
    }
    if all.failed_before.is_empty() {
        all.say(Weight::Ask, "no test fails on the base and passes now, so nothing that was run shows that the task is done");
    } else {
        all.say(Weight::Refuse, STILL);
    }
}

/// Whether what was asked for is nothing that a test could show by failing before and passing now.
fn needs_no_test(
    evidence: &Evidence<'_>,
    (is_of_others, is_green, is_retired): (bool, bool, bool),
) -> bool {
    let task = evidence.task;
    // What a package says of itself has no test, where nothing else was asked for.
    let is_labelled = evidence.product > 0 && evidence.labelled == evidence.product;
    if is_of_tools(evidence) && is_green || is_labelled {
        return true;
    }
    // Work on tests and what they read needs no other code, if that is what was asked for.
    let is_for_tests =
        evidence.touched == 0 && (asks::is_about_tests(task) || names_a_test(evidence));
    let is_of_comments = evidence.touched > 0 && asks::is_about_comments(task);
    let is_moved = is_green
        && (asks::moves_tests(task) || evidence.touched == 0 && are_moved(evidence.edits, task));
    // "This time the test is wrong": what is to be another is the test, with what is said beside it.
    let is_corrected =
        is_green && asks::trusts_the_code(task) && !evidence.edits.changed.is_empty();
    let is_elsewhere = is_for_tests || is_of_others || is_of_comments || is_moved || is_corrected;
    if evidence.product == 0 && is_elsewhere {
        return true;
    }
    // A test that runs on its own day needs a line in what starts tests.
    let is_of_tests = is_green
        && evidence.built > 0
        && evidence.product == evidence.built
        && asks::is_about_tests(task);
    // What fails by chance is shown by no run of it; the test that does is another one then.
    let is_steadied = is_green && !evidence.edits.changed.is_empty() && asks::is_about_chance(task);
    // What was to go is gone, and no test can show that.
    let is_cut = evidence.cut == evidence.product || is_retired;
    let is_gone = evidence.product > 0 && is_cut && is_green;
    is_of_tests || is_steadied || is_gone && asks::is_about_removal(task)
}

/// Whether only settings of the build and of what a server runs were to change and did. They have no
/// tests; whether they are weaker was read.
fn is_of_tools(evidence: &Evidence<'_>) -> bool {
    // "Script" may be a word of the domain: where only tests were changed, more has to be said.
    let is_same_tests = evidence.edits.changed.is_subset(&evidence.edits.equivalent);
    evidence.product == evidence.built
        && asks::is_about_tools(evidence.task)
        && (evidence.touched > 0 || is_same_tests && asks::names_tools(evidence.task))
}

/// Other code was asked for that does the same: then there is other code.
fn upkeep(evidence: &Evidence<'_>, all: &mut Weighed) {
    let is_elsewhere = asks::is_about_tests(evidence.task)
        || names_a_test(evidence)
        || evidence.touched == 0 && asks::names_place_of_tests(evidence.task)
        || asks::is_about_comments(evidence.task)
        || asks::is_about_tools(evidence.task)
        || asks::begins_with_documents(evidence.task);
    if evidence.product == 0 && asks::is_about_shape(evidence.task) && !is_elsewhere {
        all.say(
            Weight::Ask,
            "the task is about the shape of code, and no code of the product was changed, comments aside",
        );
    }
}

/// Whether the task names a test that passed on the base, none that failed there, and mends nothing: what
/// is red meanwhile is another matter.
fn is_about_green(evidence: &Evidence<'_>) -> bool {
    let lower = evidence.task.to_lowercase();
    let ends = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    let words: Vec<&str> = evidence.task.split(ends).collect();
    let mends = ["fix", "red", "fails", "failing", "green", "pass", "broken", "bug"];
    let base = evidence.checks.iter().filter_map(|check| check.on(Ground::Base));
    let cases: Vec<(&str, Outcome)> =
        base.flat_map(|ran| &ran.report.cases).map(|case| (bare(&case.id), case.outcome)).collect();
    let is_named = |name: &str| is_spoken_of(evidence.task, &words, name);
    let named =
        |bad: bool| cases.iter().any(|(name, outcome)| outcome.is_bad() == bad && is_named(name));
    !lower.split(ends).any(|word| mends.contains(&word)) && named(false) && !named(true)
}

/// Whether a word of the task is the name of a test. One that is an everyday word, such as `spaces`, has to be
/// written as a name or to stand beside "test".
fn is_spoken_of(task: &str, words: &[&str], name: &str) -> bool {
    if name.len() <= 4 || !words.contains(&name) {
        return false;
    }
    let is_written = name.contains(['_', '.'])
        || name.contains(|letter: char| letter.is_ascii_digit())
        || name.chars().skip(1).any(char::is_uppercase);
    let is_quoted = ["`", "\"", "'"].iter().any(|q| task.contains(&format!("{q}{name}{q}")));
    let is_beside = ["test", "tests", "case"].iter().any(|word| {
        task.contains(&format!("{word} {name}")) || task.contains(&format!("{name} {word}"))
    });
    is_written || is_quoted || is_beside
}

/// Whether the task speaks of a test by its name, or of a file of tests, and that test passed on the
/// base: then it is the test that is to be another. One that failed shows what is to be done.
fn names_a_test(evidence: &Evidence<'_>) -> bool {
    let ends = |letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '.');
    let words: Vec<&str> = evidence.task.split(ends).map(|word| word.trim_matches('.')).collect();
    let base = evidence.checks.iter().filter_map(|check| check.on(Ground::Base));
    let cases: Vec<(&str, Outcome)> =
        base.flat_map(|ran| &ran.report.cases).map(|case| (bare(&case.id), case.outcome)).collect();
    let is_file = |word: &&str| {
        let stem = word.rsplit_once('.').map(|(stem, _)| stem);
        stem.is_some_and(|stem| {
            stem.starts_with("test_")
                || [".test", ".spec", "_test"].iter().any(|e| stem.ends_with(e))
        })
    };
    let is_named = |(name, _): &&(&str, Outcome)| is_spoken_of(evidence.task, &words, name);
    let mut named = cases.iter().filter(is_named).peekable();
    let has_red = cases.iter().any(|(_, outcome)| outcome.is_bad());
    (named.peek().is_some() || words.iter().any(is_file)) && !has_red
}
