//! Questions of a run to a person, and what follows from the answers.

use countersign_domain::agent::{AgentSpec, Kind as AgentKind, Money};
use countersign_domain::budget::{Limit, Scope, Sums};
use countersign_domain::checkpoint::{
    Answer, Checkpoint, CheckpointId, Offer, Question, State, Subject, Urgency, key,
};
use countersign_domain::run::{AskFor, Most, Reason, Run, RunEvent, choices};
use jiff::{SignedDuration, Timestamp};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// Puts the question on the record; the same question is put once, however often this is done.
pub(super) fn ask(
    engine: &mut Engine,
    run: &Run,
    number: u32,
    ask_for: AskFor,
) -> Result<RunEvent> {
    let question = question(engine, run, number, ask_for)?;
    let checkpoint = engine.ask(&question)?;
    Ok(RunEvent::Asked { number, ask_for, checkpoint: checkpoint.to_string() })
}

/// What a person answered, taken once; nothing as long as nobody has.
pub(super) fn answer(
    engine: &mut Engine,
    run: &Run,
    number: u32,
    ask_for: AskFor,
) -> Result<Option<RunEvent>> {
    let id = CheckpointId { run: run.id(), number };
    let checkpoint: Checkpoint = engine.checkpoint(id)?;
    match checkpoint.state() {
        State::Open => return Ok(None),
        State::Answered | State::Consumed => {}
        State::Withdrawn => {
            let message = format!("the question {id} was taken back, and the run waits for it");
            return Err(Error::new(Kind::Refused, message)
                .hint(format!("end the run: countersign cancel {}", run.id())));
        }
    }
    let raises = |answer: &Answer| ask_for == AskFor::Budget && answer.choice == key::RAISE;
    let answer = match checkpoint.answer {
        // What raises a budget is used by the raise.
        Some(answer) if raises(&answer) => {
            engine.raise_budget(id, cap_reached(engine, run)?.0)?;
            answer
        }
        _ => engine.consume(id, &format!("run {}", run.id()))?,
    };
    let Answer { choice, words, by, at, .. } = answer;
    let consequence = ask_for.consequence(&choice);
    let at = at.parse().unwrap_or_else(|_| engine.host.now());
    Ok(Some(RunEvent::Resolved { number, choice, consequence, words, by, at }))
}

/// The cap that stood in the way, and by how much it would have to be raised for as much again as it
/// was: what was spent over it comes on top.
fn cap_reached(engine: &Engine, run: &Run) -> Result<(Scope, Option<Money>, Option<u64>)> {
    let reasons = run.rulings.last().map(|ruling| &ruling.reasons[..]).unwrap_or_default();
    let told = reasons.iter().find_map(|reason| match reason {
        Reason::OverBudget { scope, .. } => Some(*scope),
        _ => None,
    });
    let status = engine.budget_status(None, Some(run.id()))?;
    let is_spent = |left: Limit| left.money == Some(Money::ZERO) || left.tokens == Some(0);
    let of_run = status.run.as_ref();
    let scope = told.unwrap_or_else(|| match of_run {
        // The agent was ended at a cap, and which one it was shows on the books.
        Some(of_run) if is_spent(of_run.left) => Scope::Run,
        _ if is_spent(status.day.left) => Scope::Day,
        _ => Scope::Attempt,
    });
    let (cap, sums) = match (scope, of_run) {
        (Scope::Day, _) => (status.day.cap, status.day.sums),
        (Scope::Run, Some(of_run)) => (of_run.cap, of_run.sums),
        (_, Some(of_run)) => (of_run.attempt_cap, Sums::default()),
        (_, None) => (Limit::default(), Sums::default()),
    };
    let money = cap.money.map(|cap| cap.max(sums.spent.money));
    Ok((scope, money, cap.tokens.map(|cap| cap.max(sums.spent.tokens))))
}

/// The most that another attempt may cost, and another judging: what each role that starts then may spend,
/// and no more than is left. Nothing where no cap is set, or where only commands start.
fn most(engine: &Engine, run: &Run) -> Result<Most> {
    let Some(crew) = run.opened.crew.as_ref() else { return Ok(Most::default()) };
    let status = engine.budget_status(None, Some(run.id()))?;
    let Some(of_run) = status.run else { return Ok(Most::default()) };
    let left = of_run.left.money.into_iter().chain(status.day.left.money).min();
    let all = |starts: usize| {
        let starts = u64::try_from(starts).ok().filter(|starts| *starts > 0)?;
        let most = Money(of_run.attempt_cap.money?.0.saturating_mul(starts));
        Some(left.map_or(most, |left| left.min(most))).filter(|most| *most > Money::ZERO)
    };
    let is_paid = |spec: &&AgentSpec| spec.kind != AgentKind::Command;
    let judges = crew.verifiers.iter().filter(is_paid).count();
    let workers = crew.worker(run.rung).iter().filter(|spec| is_paid(spec)).count();
    Ok(Most { attempt: all(judges + workers), judging: all(judges) })
}

fn question(engine: &Engine, run: &Run, number: u32, ask_for: AskFor) -> Result<Question> {
    let report = run.rulings.last().and_then(|ruling| ruling.report);
    let context = match report {
        Some(report) => String::from_utf8_lossy(&engine.store.blobs().read(&report)?).into_owned(),
        None => run
            .rulings
            .last()
            .map(|ruling| {
                ruling.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            })
            .unwrap_or_default(),
    };
    let crew = run.opened.crew.as_ref();
    let stronger = crew.and_then(|crew| crew.workers.get(run.rung as usize + 1));
    let stronger = stronger.map(ToString::to_string);
    let (_, money, tokens) = cap_reached(engine, run)?;
    let raise = (money, tokens);
    let offer = Offer { raise, stronger: stronger.as_deref(), cheaper: None, cost: None };
    let standard = choices(run, ask_for, &offer, most(engine, run)?);
    let story = crew.and_then(|crew| crew.story.as_ref());
    let what = story.map_or_else(
        || "The goal".to_owned(),
        |story| format!("{} of relay {}", story.story, story.relay),
    );
    let question = match ask_for {
        AskFor::Escalation => format!("{what} keeps failing. How shall it go on?"),
        AskFor::Findings => format!("{what} needs your eye before it can count. Take it?"),
        AskFor::Impossible => format!("{what} can't be done as asked, says the worker. What now?"),
        AskFor::Budget => format!("{what} has no budget for the next start. What now?"),
        AskFor::Disagreement => format!("The verifiers don't agree about it. {what}: what now?"),
        AskFor::NoVerdict => format!("{what} was not judged: no verdict could be used. What now?"),
        AskFor::Unjudgeable => format!("{what} can't be judged, says a verifier. What now?"),
        AskFor::Agent => format!("{what} waits: its agent can't run. What now?"),
        AskFor::Outside => {
            let who = run.suspects().join(" or ");
            format!("{what}: your own repository was changed while {who} was at work. Go on?")
        }
        AskFor::Info => format!("{what} can't be judged without an answer: {}", asked_for(run)),
    };
    let last: String = run
        .rulings
        .last()
        .and_then(|ruling| ruling.reasons.first())
        .map_or_else(String::new, ToString::to_string);
    Ok(Question {
        trigger: ask_for.trigger(run),
        subject: Subject { run: run.id(), attempt: run.attempt, number },
        context: context.chars().take(15_000).collect(),
        progress: format!(
            "attempt {} of {}{}; last: {}",
            run.attempt,
            run.allowed_attempts(),
            used(run),
            last.chars().take(500).collect::<String>()
        ),
        risk: ask_for.risk().to_owned(),
        question,
        options: standard.options,
        why_recommended: standard.why,
        urgency: Urgency::Normal,
        expires_at: wanted_by(engine),
    })
}

/// When an answer is wanted, where the settings say so. Nothing is decided then; it only gets urgent.
fn wanted_by(engine: &Engine) -> Option<Timestamp> {
    let hours = i64::from(engine.settings.config.run.answer_hours);
    let wait = SignedDuration::from_hours(hours);
    (hours > 0).then(|| engine.host.now().checked_add(wait).ok()).flatten()
}

/// What the agents of the run have used so far, as far as it is known.
fn used(run: &Run) -> String {
    match (run.used.cost, run.used.tokens()) {
        (Some(cost), tokens) => format!("; {cost} and {tokens} tokens used so far"),
        (None, 0) => String::new(),
        (None, tokens) => format!("; {tokens} tokens used so far"),
    }
}

/// What verifiers want to know, in one line.
fn asked_for(run: &Run) -> String {
    let reasons = run.rulings.last().map(|ruling| &ruling.reasons[..]).unwrap_or_default();
    let questions = reasons.iter().filter_map(|reason| match reason {
        Reason::InfoWanted { question, .. } => Some(question.as_str()),
        _ => None,
    });
    questions.collect::<Vec<_>>().join(" / ").chars().take(1_000).collect()
}
