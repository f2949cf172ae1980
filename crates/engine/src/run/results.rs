//! What a run came to for each criterion of the task's contract that it was made from.

use countersign_domain::contract::{
    Agreement, Criterion, CriterionResult, Overall, Results, Status, TaskContract,
};
use countersign_domain::receipt::Receipt;
use countersign_domain::run::{Outcome, Run};
use countersign_domain::verify::Verdict;
use jiff::{SignedDuration, Timestamp};

use crate::Engine;
use crate::error::Result;
use crate::verify::not_run;

impl Engine {
    /// Puts the results of a run that has ended on the record of its contract, once.
    pub(super) fn record_run_results(&mut self, run: &Run) -> Result<()> {
        let (Some(from), Some(outcome)) = (&run.opened.contract.made_from, run.outcome()) else {
            return Ok(());
        };
        let (agreement, _) = self.load_contract(from.id)?;
        if agreement.results.iter().any(|results| results.made_by == Some(run.id())) {
            return Ok(());
        }
        let version = agreement.versions.iter().find(|version| version.hash == from.hash);
        let Some(contract) = version.map(|version| version.contract.clone()) else { return Ok(()) };
        let (now, outcome) = (self.host.now(), outcome.clone());
        let make = |agreement: &Agreement| results_of(run, (&contract, &outcome), agreement, now);
        self.record_results(from.id, &make)?;
        self.seal().map(|_| ())
    }
}

fn results_of(
    run: &Run,
    (contract, outcome): (&TaskContract, &Outcome),
    agreement: &Agreement,
    now: Timestamp,
) -> Results {
    let numbers =
        run.opened.contract.made_from.as_ref().map(|from| &from.criteria[..]).unwrap_or_default();
    let receipts = if run.receipts.is_empty() { &run.refused_receipts } else { &run.receipts };
    let one = |(number, criterion): (u32, &Criterion)| {
        let before = agreement.attempts_at(criterion);
        let check = numbers.iter().position(|known| *known == number);
        let check = check.and_then(|at| u32::try_from(at).ok());
        let receipt = receipts.iter().find(|receipt| Some(receipt.check) == check);
        match (check, receipt) {
            (_, Some(receipt)) => of_receipt((number, criterion), before + run.attempt, receipt),
            (Some(_), None) => CriterionResult {
                status: Status::Fail,
                error: Some("it was not run".to_owned()),
                ..not_run((number, criterion), before, now)
            },
            (None, None) => not_run((number, criterion), before, now),
        }
    };
    let reasons = run.rulings.last().map(|ruling| &ruling.reasons[..]).unwrap_or_default();
    let verdict = match outcome {
        Outcome::Accepted { .. } => None,
        Outcome::Refused { .. } => Some(Verdict::Refused),
    };
    Results {
        overall: Overall::Pending,
        criteria: (1..).zip(&contract.criteria).map(one).collect(),
        contract: contract.hash(),
        scope: contract.scope.clone(),
        completed_at: Some(now),
        made_by: Some(run.id()),
        tree: run.last_tree.clone(),
        agent: Some(run.opened.worker.chars().take(200).collect()),
        reasons: reasons.iter().map(ToString::to_string).collect(),
        reviewed: None,
    }
    .conclude(contract, verdict)
}

fn of_receipt(
    (number, criterion): (u32, &Criterion),
    attempts: u32,
    receipt: &Receipt,
) -> CriterionResult {
    let execution = &receipt.execution;
    let took = i64::try_from(execution.duration_ms).unwrap_or(i64::MAX);
    let started_at = execution.started_at;
    let finished_at =
        started_at.checked_add(SignedDuration::from_millis(took)).unwrap_or(started_at);
    let passed = receipt.passed();
    CriterionResult {
        criterion: number,
        activity: criterion.activity,
        status: if passed { Status::Pass } else { Status::Fail },
        error: (!passed).then(|| execution.ended.to_string()),
        attempts,
        started_at: Some(started_at),
        finished_at,
        level: receipt.level,
        output: if passed { String::new() } else { execution.output.excerpt.clone() },
        receipts: vec![receipt.id()],
        reviewed: None,
    }
}
