//! The judge of a verification, on evidence made by hand.

#![allow(clippy::unwrap_used)]

mod commands;
mod outcomes;
mod unnamed;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::classify::{ContractType, Tier};
use countersign_domain::gaming::{Allow, Basis, Finding, Rule, Severity, allowed};
use countersign_domain::qa::{Case, Doubt, DoubtKind, Format, Outcome, Report, Suite, Totals};
use countersign_domain::receipt::Ended;
use countersign_domain::verify::{
    Aim, Answered, Checked, Evidence, Example, Ground, Judgement, Level, Mark, Mutants, Place,
    Planted, Ran, Said, SpecRow, TestEdits, Verdict, judge,
};
use countersign_domain::{Digest, ObjectId};

/// `name+` passed, `name-` failed, `name!` errored, `name~` was skipped.
fn report(tests: &str) -> Report {
    let cases: Vec<Case> = tests
        .split_whitespace()
        .map(|test| {
            let (name, mark) = test.split_at(test.len() - 1);
            let outcome = match mark {
                "+" => Outcome::Passed,
                "-" => Outcome::Failed,
                "!" => Outcome::Errored,
                "~" => Outcome::Skipped,
                other => panic!("{other}"),
            };
            Case::new(name, outcome)
        })
        .collect();
    let totals = Totals::of(cases.iter().map(|case| case.outcome));
    let exit_code = Some(i32::from(totals.bad() > 0));
    Report { format: Format::Junit, cases, totals, exit_code, ..Report::plain(None) }
}

fn ran(ground: Ground, report: Report) -> Ran {
    let code = report.exit_code.unwrap_or_default();
    Ran {
        ground,
        tree: ObjectId::try_from("1".repeat(40)).unwrap(),
        receipt: Digest::of(b"receipt"),
        ended: Ended::Exited { code },
        report,
        reused: false,
        said: None,
    }
}

fn plain(ground: Ground, code: i32) -> Ran {
    ran(ground, Report::plain(Some(code)))
}

/// One story: what the task says, and what ran.
struct Story {
    task: &'static str,
    aim: Aim,
    runs: Vec<Ran>,
    edits: TestEdits,
    findings: Vec<Finding>,
    undone: Vec<String>,
    allows: Vec<Allow>,
    places: BTreeMap<String, Place>,
    tier: Tier,
    product: usize,
    labelled: usize,
    examples: Vec<Answered>,
    planted: bool,
    mutants: Option<Mutants>,
    adding: BTreeSet<String>,
    elsewhere: Option<String>,
    /// Whether no file of the product was touched.
    untouched: bool,
    folder: String,
    left_out: BTreeSet<Ground>,
    /// Checks beside the tests.
    beside: Vec<Checked>,
}

impl Story {
    fn new(handed: &str, base: &str) -> Self {
        Self {
            task: "Fix add: it must return the sum",
            aim: Aim::Behaviour,
            runs: vec![ran(Ground::Handed, report(handed)), ran(Ground::Base, report(base))],
            edits: TestEdits::default(),
            findings: Vec::new(),
            undone: Vec::new(),
            allows: Vec::new(),
            places: BTreeMap::new(),
            tier: Tier::Standard,
            product: 1,
            labelled: 0,
            examples: Vec::new(),
            planted: false,
            mutants: None,
            adding: BTreeSet::new(),
            elsewhere: None,
            untouched: false,
            folder: String::new(),
            left_out: BTreeSet::new(),
            beside: Vec::new(),
        }
    }

    fn on(mut self, ground: Ground, tests: &str) -> Self {
        self.runs.push(ran(ground, report(tests)));
        self
    }

    fn task(mut self, task: &'static str, aim: Aim) -> Self {
        (self.task, self.aim) = (task, aim);
        self
    }

    fn changed(mut self, names: &[&str]) -> Self {
        self.edits.changed = names.iter().map(ToString::to_string).collect();
        self
    }

    fn equivalent(mut self, names: &[&str]) -> Self {
        self.edits.equivalent = names.iter().map(ToString::to_string).collect();
        self.changed(names)
    }

    fn found(mut self, rule: Rule, severity: Severity) -> Self {
        self.findings.push(Finding::new(rule, Basis::Text, "looks odd").graded(severity));
        self
    }

    fn example(mut self, printed: &str) -> Self {
        let example = Example::new("add 20 22", "42");
        let ended = Ended::Exited { code: 0 };
        let receipt = Digest::of(b"example");
        let before = Some(false);
        self.examples.push(Answered { example, printed: printed.into(), ended, receipt, before });
        self
    }

    /// As [`Story::example`], where the base answers rightly as well.
    fn known(mut self, printed: &str) -> Self {
        self = self.example(printed);
        self.examples.iter_mut().for_each(|one| one.before = Some(true));
        self
    }

    /// As [`Story::example`], as a row of a test-spec has it.
    fn row(mut self, printed: &str) -> Self {
        self = self.example(printed);
        let (story, criterion) = ("US-001".into(), "AC1".into());
        let row = SpecRow { story, criterion, test: "adds".into() };
        self.examples.iter_mut().for_each(|one| one.example.rows.push(row.clone()));
        self
    }

    fn judged(self) -> Judgement {
        let planted =
            self.planted.then(|| Planted { fails: "canary_a".into(), passes: "canary_b".into() });
        let check = Checked {
            activity: "unit".into(),
            command: "test".into(),
            folder: self.folder.clone(),
            is_beside: false,
            left_out: self.left_out,
            runs: self.runs,
            planted,
            exchanged: ["b".to_owned()].into(),
            mutants: self.mutants.clone(),
            adding: self.adding.clone(),
            elsewhere: self.elsewhere,
        };
        judge(&Evidence {
            task: self.task,
            aim: self.aim,
            contract: ContractType::Verifiable,
            tier: self.tier,
            changed: 2,
            code: 1,
            product: self.product,
            touched: usize::from(!self.untouched),
            built: 0,
            cut: 0,
            labelled: self.labelled,
            checks: &[vec![check], self.beside].concat(),
            examples: &self.examples,
            heard: &[],
            findings: &allowed(self.findings, &[]),
            undone: &self.undone,
            allows: &self.allows,
            places: &self.places,
            edits: &self.edits,
        })
    }

    #[track_caller]
    fn ends(self, verdict: Verdict, words: &str) -> Judgement {
        let judged = self.judged();
        assert_eq!(judged.verdict, verdict, "{judged:#?}");
        let texts: Vec<&str> = judged.reasons.iter().map(|reason| reason.text.as_str()).collect();
        assert!(texts.join("\n").contains(words), "{words:?} in {texts:#?}");
        judged
    }
}
