//! What a verification came to for each criterion of its contract.

use std::collections::BTreeMap;

use countersign_domain::Digest;
use countersign_domain::contract::{
    Agreement, Criterion, CriterionResult, Overall, Results, Status,
};
use countersign_domain::receipt::Receipt;
use countersign_domain::verify::{Checked, Judgement, Mark, Weight};
use jiff::{SignedDuration, Timestamp};

use super::Work;
use super::agreed::asked;
use crate::error::Result;

/// What results quote of receipts.
#[derive(Debug, Clone)]
pub(super) struct Quoted {
    started_at: Timestamp,
    finished_at: Timestamp,
    printed: String,
}

pub(super) type Receipts = BTreeMap<Digest, Quoted>;

/// Keeps what results quote of `receipt`.
pub(super) fn quote(receipts: &mut Receipts, receipt: &Receipt) {
    let execution = &receipt.execution;
    let took = i64::try_from(execution.duration_ms).unwrap_or(i64::MAX);
    let started_at = execution.started_at;
    let finished_at =
        started_at.checked_add(SignedDuration::from_millis(took)).unwrap_or(started_at);
    let printed = execution.output.excerpt.clone();
    receipts.insert(receipt.id(), Quoted { started_at, finished_at, printed });
}

impl Work<'_> {
    /// Puts the results on the record of the contract.
    pub(super) fn record_results(
        &mut self,
        judgement: &Judgement,
        checks: &[Checked],
    ) -> Result<()> {
        let (now, id) = (self.engine.host.now(), self.agreed.id);
        let contract = self.agreed.contract.clone();
        let (numbers, receipts) = (self.agreed.numbers.clone(), self.receipts.clone());
        let reviewed = self.agreed.reviewed.clone();
        let (lacking, rejected) = (self.agreed.lacking.clone(), self.agreed.rejected.clone());
        let (made_by, tree, agent) = (Some(self.id), Some(self.tree.clone()), self.agent.clone());
        let make = move |agreement: &Agreement| {
            let criteria = (1..).zip(&contract.criteria);
            let one = |(number, criterion): (u32, &Criterion)| {
                let at = numbers.iter().position(|known| *known == number);
                let checked = at.and_then(|at| Some((at, checks.get(at)?)));
                let before = agreement.attempts_at(criterion);
                match checked {
                    Some((at, check)) => {
                        let shown = Shown { judgement, at, check, receipts: &receipts };
                        shown.result((number, criterion), before, now)
                    }
                    None => {
                        let not_run = not_run((number, criterion), before, now);
                        let why = lacking.get(&number).map(|why| lacked(criterion, why));
                        let (status, error) = why.unwrap_or((not_run.status, not_run.error));
                        let reviewed = reviewed.get(&number).cloned();
                        CriterionResult { reviewed, status, error, ..not_run }.answered()
                    }
                }
            };
            Results {
                overall: Overall::Pending,
                criteria: criteria.map(one).collect(),
                contract: contract.hash(),
                scope: contract.scope.clone(),
                completed_at: Some(now),
                made_by,
                tree: tree.clone(),
                agent: agent.clone(),
                reasons: reasons(judgement),
                reviewed: rejected.clone(),
            }
            .conclude(&contract, Some(judgement.verdict))
        };
        self.engine.record_results(id, &make)
    }
}

fn reasons(judgement: &Judgement) -> Vec<String> {
    let against = judgement.reasons.iter().filter(|reason| reason.weight > Weight::Note);
    against.map(|reason| reason.text.clone()).collect()
}

/// One check, with what it came to.
struct Shown<'a> {
    judgement: &'a Judgement,
    at: usize,
    check: &'a Checked,
    receipts: &'a Receipts,
}

impl Shown<'_> {
    fn result(
        &self,
        (number, criterion): (u32, &Criterion),
        before: u32,
        now: Timestamp,
    ) -> CriterionResult {
        let result = self.judgement.results.get(self.at);
        let status = match result.map(|result| result.mark) {
            Some(Mark::Pass) => Status::Pass,
            Some(Mark::Fail) | None => Status::Fail,
            Some(Mark::Skipped) => Status::Skipped,
        };
        let handed: Vec<_> = self.check.handed().collect();
        let runs = handed.iter().filter(|ran| !ran.reused).count();
        let of = |digest: &Digest| self.receipts.get(digest);
        let last = handed.last().and_then(|ran| of(&ran.receipt));
        let first = handed.first().and_then(|ran| of(&ran.receipt));
        let output = last.filter(|_| status != Status::Pass).map(|last| last.printed.clone());
        CriterionResult {
            criterion: number,
            activity: criterion.activity,
            status,
            error: result.and_then(|result| result.error.clone()),
            attempts: before.saturating_add(u32::try_from(runs).unwrap_or(u32::MAX)),
            started_at: first.map(|first| first.started_at),
            finished_at: last.map_or(now, |last| last.finished_at),
            level: result.and_then(|result| result.level),
            output: output.unwrap_or_default(),
            receipts: result.map(|result| result.receipts.clone()).unwrap_or_default(),
            reviewed: None,
        }
    }
}

/// What comes of a criterion whose program is not here: tests that nobody ran fail, and what others
/// would say is unknown.
fn lacked(criterion: &Criterion, why: &str) -> (Status, Option<String>) {
    let status = if criterion.activity.is_test() { Status::Fail } else { Status::Skipped };
    (status, Some(format!("it was not run: {why}")))
}

/// The result of a criterion that was not run, and why it was not.
pub(crate) fn not_run(
    (number, criterion): (u32, &Criterion),
    attempts: u32,
    now: Timestamp,
) -> CriterionResult {
    let (status, why) = if criterion.is_unresolved() {
        (Status::Fail, "it has no command".to_owned())
    } else if criterion.command.is_none() {
        (Status::Skipped, format!("a person must judge it{}", asked(criterion)))
    } else {
        (Status::Skipped, "it is deferred, and was not run".to_owned())
    };
    CriterionResult {
        criterion: number,
        activity: criterion.activity,
        status,
        error: Some(why),
        attempts,
        started_at: None,
        finished_at: now,
        level: None,
        output: String::new(),
        receipts: Vec::new(),
        reviewed: None,
    }
}
