//! Reports from journals made by hand: every figure comes from an event.

#![allow(clippy::unwrap_used)]

#[path = "report/journals.rs"]
mod journals;

use std::collections::BTreeMap;

use countersign_domain::claim::StepKind;
use countersign_domain::report::{
    About, Dated, Document, Report, Share, Source, Trail, html, markdown,
};
use countersign_domain::run::{Decision, Outcome, Reason, RefusedBecause, RunEvent};
use countersign_domain::verdict::{Conclusion, Severity};
use countersign_domain::verify::{Example, SpecRow, Unexpected};
use journals::{Journal, claim, issue, step};

fn source(journals: Vec<Vec<Dated>>) -> Source {
    let mut counted = BTreeMap::new();
    let runs = journals.into_iter().filter_map(|events| Trail::read(events, &mut counted));
    Source { relay: None, runs: runs.collect(), lost: Vec::new(), before: Vec::new() }
}

fn report(journal: Journal) -> Report {
    Report::of(&source(vec![journal.events])).unwrap()
}

/// Two failures, then success: the second fails at another place than the first.
fn failed_twice() -> Journal {
    let steps = [
        step(StepKind::WriteTest, "AC1", None),
        step(StepKind::VerifyRed, "AC1", Some(1)),
        step(StepKind::Implement, "AC1", None),
        step(StepKind::VerifyGreen, "AC1", Some(0)),
    ];
    let mut journal = Journal::new();
    journal.attempt(1, '1');
    journal.claimed(1, claim(&steps));
    journal.handed_over(1, '1');
    journal.examined(1, '1', &[("make test", false), ("make lint", true)]);
    let failed = Reason::ProofFailed {
        command: "make test".into(),
        error: "exit code 1".into(),
        excerpt: "expected 2, found 3".into(),
    };
    journal.ruled(1, Decision::Revise, vec![failed.clone()]);
    journal.attempt(2, '2');
    journal.claimed(2, claim(&steps));
    journal.handed_over(2, '2');
    journal.examined(2, '2', &[("make test", true), ("make lint", true)]);
    let wrong = issue("I1", Severity::Major, "AC1", "zero is not handled");
    journal.verified(2, '2', Conclusion::Fail, (&[("AC1", false)], vec![wrong]));
    let held = Reason::Issue {
        verifier: 0,
        id: "I1".into(),
        severity: Severity::Major,
        criterion: Some("AC1".into()),
        description: "zero is not handled".into(),
        fix_hint: None,
        also: Vec::new(),
    };
    journal.ruled(2, Decision::Revise, vec![held]);
    journal.attempt(3, '3');
    let mut more = steps.to_vec();
    more.push(step(StepKind::VerifyE2e, "AC1", Some(0)));
    journal.claimed(3, claim(&more));
    journal.handed_over(3, '3');
    journal.examined(3, '3', &[("make test", true), ("make lint", true)]);
    journal.verified(3, '3', Conclusion::Pass, (&[("AC1", true)], Vec::new()));
    journal.ruled(3, Decision::Accept, Vec::new());
    journal.accepted('3');
    journal
}

/// LP-22: each of the nine sections has its figures, and they are those of the events.
#[test]
fn two_failures_and_a_success_are_told() {
    let report = report(failed_twice());
    let rows = &report.validation.rows;
    let told: Vec<(u32, String, &str)> = rows
        .iter()
        .map(|row| (row.cite.iteration, row.checks.to_string(), row.ruling.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (1, "1 of 2 (50 %)".into(), "sent back"),
            (2, "2 of 2 (100 %)".into(), "sent back"),
            (3, "2 of 2 (100 %)".into(), "accepted")
        ]
    );
    let failures = &report.failures.rulings.rows;
    assert_eq!(failures.len(), 2);
    assert_eq!(failures[0].reasons[0].gone_in, Some(2));
    assert_eq!(failures[0].reasons[0].excerpt, "expected 2, found 3");
    assert_eq!(failures[1].reasons[0].gone_in, Some(3));
    assert!(report.failures.repeated.rows.is_empty());
    let process = &report.process;
    assert_eq!(process.claims, Share { part: 3, all: 3 });
    assert_eq!(process.test_first, Share { part: 3, all: 3 });
    assert_eq!(process.red, Share { part: 3, all: 3 });
    assert_eq!(process.e2e, Share { part: 1, all: 3 });
    let judge = &report.judgement.judges.rows[0];
    assert_eq!((judge.starts, judge.passes, judge.fails, judge.major), (2, 1, 1, 1));
    assert_eq!(report.judgement.held, Share { part: 1, all: 1 });
    let life = |criterion: &str| {
        report.lifecycle.rows.iter().find(|life| life.criterion == criterion).unwrap()
    };
    let marks: Vec<(u32, bool)> =
        life("make test").marks.iter().map(|mark| (mark.iteration, mark.met)).collect();
    assert_eq!(marks, [(1, false), (2, true), (3, true)]);
    assert_eq!(life("AC1").marks.len(), 2);
    assert_eq!((life("AC1").stands, life("AC1").reopened), (Some(true), 0));
    let adherence = &report.adherence.rows[0];
    assert_eq!((adherence.commands[0].ran, adherence.commands[0].passed), (3, 2));
    let weak: Vec<&str> = report.weaknesses.rows.iter().map(|one| one.text.as_str()).collect();
    assert!(weak.contains(&"claims with a run from end to end: 1 of 3 (33 %)"), "{weak:?}");
    assert!(weak.contains(&"said to be done while a check did not pass"), "{weak:?}");
    assert_eq!(report.head.used.tokens(), 3 * 110 + 2 * 30);
    let point = &report.figures.points[1];
    assert_eq!((point.worker_ms, point.verifiers_ms, point.passed), (5_000, 2_000, 2));
    assert_eq!(point.worker_cost.unwrap().to_string(), "$0.10");
    assert_eq!(point.verifiers_cost.unwrap().to_string(), "$0.02");
}

/// LP-22: the nine sections are there in both forms, in their order, whatever happened.
#[test]
fn there_are_nine_sections() {
    for journal in [Journal::new(), failed_twice()] {
        let document = Document::of(&report(journal));
        let titles: Vec<&str> =
            document.sections.iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles.len(), 9);
        assert!((1..).zip(&titles).all(|(n, title)| title.starts_with(&format!("{n}. "))));
        let (text, page) = (markdown(&document), html(&document));
        for title in titles {
            assert!(text.contains(&format!("\n## {title}\n")), "{title}: {text}");
            assert!(page.contains(title), "{title}");
        }
        assert!(page.ends_with("</html>\n"));
    }
}

/// LP-22: a criterion that was met and then wasn't is counted as reopened.
#[test]
fn what_was_met_and_then_was_not_is_reopened() {
    let mut journal = Journal::new();
    for (attempt, tree, passed) in
        [(1, '1', true), (2, '2', false), (3, '3', true), (4, '4', false)]
    {
        journal.attempt(attempt, tree);
        journal.handed_over(attempt, tree);
        journal.examined(attempt, tree, &[("make test", passed), ("make lint", false)]);
        journal.ruled(attempt, Decision::Revise, vec![Reason::NoChecks]);
    }
    let report = report(journal);
    let reopened: Vec<u64> = report.lifecycle.rows.iter().map(|life| life.reopened).collect();
    // The criterion of the story was judged by nobody.
    assert_eq!(reopened, [0, 2, 0]);
    assert_eq!(report.lifecycle.rows[0].stands, None);
    assert_eq!(report.failures.repeated.rows[0].iterations, [1, 2, 3, 4]);
}

/// LP-22: recommendations cite the iteration and the criterion that they come from.
#[test]
fn recommendations_cite_where_they_come_from() {
    let mut journal = Journal::new();
    journal.attempt(1, '1');
    journal.handed_over(1, '1');
    journal.examined(1, '1', &[("make test", true)]);
    let reasons = vec![
        Reason::TestMissing { test: "test_zero".into() },
        Reason::OutOfScope { path: "docs/x.md".into() },
        Reason::InfoWanted { verifier: 0, question: "which rounding?".into() },
    ];
    journal.ruled(1, Decision::Revise, reasons);
    journal.closed(Outcome::Refused { because: RefusedBecause::AttemptsExhausted });
    let report = report(journal);
    let cited: Vec<(About, Option<&str>)> = report
        .recommendations
        .rows
        .iter()
        .map(|advice| (advice.about, advice.cites[0].criterion.as_deref()))
        .collect();
    assert!(cited.contains(&(About::TestSpec, Some("test_zero"))), "{cited:?}");
    assert!(cited.contains(&(About::Prd, Some("docs/x.md"))), "{cited:?}");
    assert!(cited.contains(&(About::Prd, Some("which rounding?"))), "{cited:?}");
    assert!(report.recommendations.rows.iter().all(|one| one.cites[0].iteration == 1));
    let ending = report.head.ending.unwrap();
    assert_eq!(ending.category, Some("metric_failure"));
    assert_eq!((ending.is_recoverable, ending.is_accepted), (Some(true), false));
}

/// LP-07, LP-22: what rows of the test-spec expect and what was printed instead is told, and its criterion is
/// not met.
#[test]
fn what_was_printed_instead_is_told() {
    let row = SpecRow { story: "US-001".into(), criterion: "AC1".into(), test: "greets".into() };
    let mut journal = Journal::new();
    if let Some(RunEvent::Opened(opened)) = &mut journal.events[0].event {
        let mut example = Example::new("sh greet.sh", "Hello");
        example.rows.push(row.clone());
        opened.crew.as_mut().unwrap().examples.push(example);
    }
    journal.attempt(1, '1');
    journal.handed_over(1, '1');
    journal.examined(1, '1', &[("make test", true)]);
    let unexpected = Unexpected {
        rows: vec![row],
        command: "sh greet.sh".into(),
        expected: "Hello".into(),
        got: "it printed \"Hi\"".into(),
    };
    if let Some(RunEvent::Examined(examined)) = &mut journal.events.last_mut().unwrap().event {
        examined.unexpected.push(unexpected.clone());
    }
    journal.ruled(1, Decision::Revise, vec![Reason::OtherOutput(unexpected)]);
    journal.closed(Outcome::Refused { because: RefusedBecause::AttemptsExhausted });
    let report = report(journal);
    let met = report.lifecycle.rows.iter().find(|life| life.criterion == "AC1").unwrap();
    assert_eq!(met.stands, Some(false));
    let text = markdown(&Document::of(&report));
    for words in
        ["1 say what their command must print", "must print \"Hello\", as the test-spec says"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
}

/// LP-22: what was cut off, what is unknown and what retention took are blind spots, and no
/// figures.
#[test]
fn what_is_not_known_is_said() {
    let mut journal = Journal::new();
    journal.launched(1, '1');
    journal.push(RunEvent::Interrupted { attempt: 1, tree: None, outside: Vec::new() });
    journal.attempt(1, '1');
    journal.handed_over(1, '1');
    journal.events[4].event = None;
    let report = report(journal);
    let spots: Vec<&str> = report.blind_spots.rows.iter().map(|one| one.text.as_str()).collect();
    assert!(spots.iter().any(|spot| spot.contains("cut off")), "{spots:?}");
    assert!(spots.iter().any(|spot| spot.contains("retention has removed 1 of its events")));
    assert!(spots.iter().any(|spot| spot.contains("has not ended")));
    assert_eq!(report.validation.rows[0].ruling, "none: cut off");
    assert_eq!(report.process.red.to_string(), "nothing to count");

    let mut gone = Journal::new();
    gone.events[0].event = None;
    let nothing = source(vec![gone.events]);
    assert!(Report::of(&nothing).is_none());
}

/// LP-22: a page holds texts of agents as texts: none of them becomes an element, an attribute, a
/// script or something that is loaded.
#[test]
fn hostile_texts_stay_texts() {
    const EVIL: &str = "</title><script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x' \
                        &lt; ```\n# Heading\n|a|b| [x](http://evil.example) \u{1b}[31m \u{202e}";
    let mut journal = Journal::with_goal(EVIL);
    journal.attempt(1, '1');
    journal.handed_over(1, '1');
    journal.examined(1, '1', &[(EVIL, false)]);
    let issue = issue(EVIL, Severity::Critical, EVIL, EVIL);
    journal.verified(1, '1', Conclusion::Fail, (&[(EVIL, false)], vec![issue]));
    let failed =
        Reason::ProofFailed { command: EVIL.into(), error: EVIL.into(), excerpt: EVIL.repeat(3) };
    journal.ruled(1, Decision::Revise, vec![failed, Reason::SaysBlocked { words: EVIL.into() }]);
    let document = Document::of(&report(journal));
    let page = html(&document);
    let body = page.split("</style>").nth(1).unwrap();
    for bad in ["<script", "<img", "<title></title>", "\u{1b}", "\u{202e}", "onload='"] {
        assert!(!body.contains(bad), "{bad}");
    }
    assert!(body.contains("&lt;script&gt;alert(1)"));
    assert!(page.contains("default-src 'none'"));
    for tag in body.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let is_harmless = !tag.contains("src") && !tag.contains("url(") && !tag.contains("style=");
        assert!(is_harmless, "{tag}");
        assert!(!tag.contains("href=") || tag.starts_with("a href=\"#s"), "{tag}");
    }
    assert!(!page.contains("@import") && !page.contains("<link"));
    let text = markdown(&document);
    let outside: String = text.split("````").step_by(2).collect();
    assert!(!outside.contains("<script>"), "{outside}");
    assert!(!outside.contains("[x](http"), "{outside}");
    assert!(!outside.lines().any(|line| line.starts_with("# Heading")), "{outside}");
}

/// LP-22: a huge journal gives a bounded report, that says what it leaves out.
#[test]
fn huge_journals_give_bounded_reports() {
    let mut journal = Journal::with_goal(&"x ".repeat(1 << 20));
    for attempt in 1..=2_000 {
        journal.attempt(attempt, '1');
        journal.handed_over(attempt, '1');
        journal.examined(attempt, '1', &[("make test", false)]);
        let excerpt = "é\n".repeat(20_000);
        let reasons = (0..100).map(|number| Reason::ProofFailed {
            command: format!("make test-{number}"),
            error: "y".repeat(10_000),
            excerpt: if number == 0 { excerpt.clone() } else { String::new() },
        });
        let reasons = if attempt % 100 == 0 { reasons.collect() } else { vec![Reason::NoChecks] };
        journal.ruled(attempt, Decision::Revise, reasons);
    }
    let report = report(journal);
    assert_eq!(report.validation.rows.len(), 300);
    assert_eq!(report.validation.left_out, 1_700);
    assert_eq!((report.figures.points.len(), report.figures.left_out), (60, 1_940));
    let document = Document::of(&report);
    for text in [markdown(&document), html(&document)] {
        assert!(text.len() < 4 << 20, "{}", text.len());
        assert!(text.contains("1700 more are left out"));
    }
}

/// LP-22: the same journal gives the same bytes.
#[test]
fn reports_are_reproducible() {
    let both =
        [failed_twice(), failed_twice()].map(|journal| html(&Document::of(&report(journal))));
    assert_eq!(both[0], both[1]);
}

/// LP-14, LP-22: the iterations of a story are counted on over its runs, and a pass of work that was
/// taken up again later did not hold.
#[test]
fn stories_of_a_relay_are_told_together() {
    let relay = journals::relay(&["US-002", "US-001", "US-003"]);
    let mut first = Journal::new();
    first.attempt(1, '1');
    first.handed_over(1, '1');
    first.examined(1, '1', &[("make test", true)]);
    first.verified(1, '1', Conclusion::Pass, (&[("AC1", true)], Vec::new()));
    first.ruled(1, Decision::Accept, Vec::new());
    first.accepted('1');
    let mut second = Journal::new();
    second.attempt(1, '2');
    second.handed_over(1, '2');
    second.examined(1, '2', &[("make test", true)]);
    second.verified(1, '2', Conclusion::Pass, (&[("AC1", true)], Vec::new()));
    second.ruled(1, Decision::Accept, Vec::new());
    let source = Source { relay: Some(relay), ..source(vec![first.events, second.events]) };
    let report = Report::of(&source).unwrap();
    let numbers: Vec<u32> = report.validation.rows.iter().map(|row| row.cite.iteration).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!((report.head.kind, report.head.iterations), ("relay", 2));
    // Both journals have the id of the run that landed and was reopened.
    assert_eq!(report.judgement.held, Share { part: 0, all: 2 });
    let page = html(&Document::of(&report));
    assert!(page.contains("US-001 #2"), "{page}");
}
