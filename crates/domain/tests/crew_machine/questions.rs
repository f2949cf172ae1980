//! Questions to a person: what leads to them, and what follows from the answers.

use countersign_domain::agent::{AgentEnd, Money};
use countersign_domain::budget::{OverBudget, RunCaps, Scope};
use countersign_domain::checkpoint::{Offer, key};
use countersign_domain::run::{
    AskFor, Decision, Effect, Looked, Most, Next, Outcome, Reason, RefusedBecause, Ruling, Run,
    RunEvent, assignment, choices, escalation,
};
use countersign_domain::verify::Verdict;

use crate::world::{Attempt, CLAIM, asked, count, handed, object, opened, says, world};

/// D1.6: a worker can only ask to be blocked; a person decides, and no other attempt is lost.
#[test]
fn the_honest_way_out_asks_a_person() {
    let blocked = Attempt {
        claim: r#"{"us_id": "US-001", "status": "blocked", "because": "AC1 excludes AC2"}"#,
        ..Attempt::good(2)
    };
    let (run, outcome) = world(std::slice::from_ref(&blocked)).drive(opened(&["claude"], &[], 3));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Impossible)));
    for (answer, expected) in [
        (key::STOP, Outcome::Refused { because: RefusedBecause::Impossible }),
        (
            key::INSIST,
            Outcome::Accepted {
                tree: object(4),
                commit: object(99),
                branch: "countersign/x".into(),
            },
        ),
    ] {
        let mut world = world(&[blocked.clone(), Attempt::good(4)]);
        world.answers.push_back(answer);
        let (run, outcome) = world.drive(opened(&["claude"], &[], 3));
        assert_eq!(outcome, Some(expected));
        if answer == key::INSIST {
            assert!(assignment(&run).contains("as I say"), "the next worker hears the person");
        }
    }
}

/// What needs a person's eye waits for it; taken, it still has to be judged.
#[test]
fn findings_wait_for_a_person() {
    let odd = Attempt { verdict: Verdict::Human, ..Attempt::good(3) };
    let (run, outcome) =
        world(std::slice::from_ref(&odd)).drive(opened(&["claude"], &["codex"], 3));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Findings)));
    let mut world = world(&[odd.clone(), odd]);
    world.answers.push_back(key::ACCEPT);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!(run.verified.len(), 1);
}

/// LP-19: what a person took in a story is not asked about again where all are judged; whatever else is to be
/// looked at is, and who took it is on the record.
#[test]
fn what_was_looked_at_is_not_asked_about_again() {
    let odd = || Attempt { verdict: Verdict::Human, ..Attempt::good(3) };
    let with = |text: &str| {
        let mut opened = handed(&["codex"]);
        let (story, by) = ("US-001".to_owned(), "Ada".to_owned());
        let looked = vec![Looked { text: text.to_owned(), story, by }];
        opened.crew.as_mut().unwrap().handed.as_mut().unwrap().looked = looked;
        opened
    };
    let (run, outcome) = world(&[odd()]).drive(with("look"));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!((run.questions, run.verified.len()), (0, 1));
    let reasons = &run.rulings.last().unwrap().reasons;
    assert!(
        matches!(&reasons[..], [Reason::TakenByPerson { by, .. }] if by == "Ada"),
        "{reasons:?}"
    );
    let (run, outcome) = world(&[odd()]).drive(with("look elsewhere"));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Findings)));
}

/// LP-15: who mends what was refused is told as well what a person would be asked about after that.
#[test]
fn what_is_to_be_looked_at_is_told_with_what_failed() {
    let told =
        |text: &str| text.contains("\n- look\n") && text.contains("`make test` did not pass");
    let also = Attempt { looks: true, ..Attempt::failing(3, "make test") };
    let mut world = world(&[also, Attempt::good(4)]);
    let (_, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    assert!(told(&world.assigned[1]), "{}", world.assigned[1]);
}

/// LP-19: verifiers that disagree become one fix assignment; after the rounds a person decides.
#[test]
fn disagreement_is_bounded() {
    let split = |tree| Attempt::judged(tree, &[says("pass", "AC1"), says("fail", "AC1")]);
    let attempts: Vec<Attempt> = (3..9).map(split).collect();
    let (run, outcome) = world(&attempts).drive(opened(&["claude"], &["claude", "codex"], 20));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Disagreement)));
    assert_eq!(run.rulings.iter().filter(|ruling| ruling.is_split).count(), 3);
}

/// LP-19: a disagreement is a round, and none of the failures that go to a person; where both are against
/// it, it is a failure and no round. The rounds are those that were fixed when the run was opened.
#[test]
fn rounds_and_failures_are_counted_apart() {
    let split = |tree| Attempt::judged(tree, &[says("pass", "AC1"), says("fail", "AC1")]);
    let both = |tree| Attempt::judged(tree, &[says("fail", "AC1"), says("fail", "AC2")]);
    let with_rounds = |rounds| {
        let mut opened = opened(&["claude"], &["claude", "codex"], 30);
        opened.crew.as_mut().unwrap().policy.rounds = rounds;
        opened
    };
    // More rounds than failures would be allowed, and the same criterion every time.
    for rounds in [1, 2, 8] {
        let attempts: Vec<Attempt> = (3..20).map(split).collect();
        let (run, _) = world(&attempts).drive(with_rounds(rounds));
        assert_eq!((asked(&run), run.attempt), (Some(AskFor::Disagreement), rounds));
        let numbers: Vec<u32> =
            run.rulings.iter().filter_map(|one| Some(one.round.as_ref()?.number)).collect();
        assert_eq!(numbers, (1..=rounds).collect::<Vec<_>>());
        let said = format!("round {rounds} of {rounds}: verifier 1 passed, verifier 2 objects");
        assert_eq!(run.round().unwrap().to_string(), said);
    }
    let mixed = [split(3), both(4), both(5), split(6), both(7), both(8), split(9)];
    let (run, _) = world(&mixed).drive(with_rounds(3));
    assert_eq!((asked(&run), run.attempt), (Some(AskFor::Disagreement), 7));
    let failing: Vec<Attempt> = [split(3), split(4)].into_iter().chain((5..12).map(both)).collect();
    let (run, _) = world(&failing).drive(with_rounds(3));
    assert_eq!((asked(&run), run.attempt), (Some(AskFor::Escalation), 8), "six failures");
}

/// LP-19, D1.3: the rounds begin again when a person has answered, and are the same when the journal is read
/// anew; the worker is told in which round it is and what both sides say, and so is the person.
#[test]
fn rounds_are_told_and_begin_again_after_an_answer() {
    let split = |tree| Attempt::judged(tree, &[says("pass", "AC1"), says("fail", "AC1")]);
    let attempts: Vec<Attempt> = (3..12).map(split).collect();
    let mut world = world(&attempts);
    world.answers.push_back(key::SEND_BACK);
    let (run, _) = world.drive(opened(&["claude"], &["claude", "codex"], 9));
    assert_eq!((asked(&run), run.questions, run.attempt), (Some(AskFor::Disagreement), 2, 6));
    let told = &world.assigned[2];
    assert!(told.contains("(round 2 of 3: verifier 1 passed, verifier 2 objects)"), "{told}");
    assert!(told.contains("major, AC1: it is wrong"), "{told}");
    let account = countersign_domain::run::escalation(&run, AskFor::Disagreement);
    for side in ["verifier 1 (codex) passes it: s", "verifier 2 (codex) objects: s"] {
        assert!(account.contains(side), "{account}");
    }
    assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run);
}

/// LP-19: where attempts run out first, a split verdict is a person's to decide, and no end.
#[test]
fn a_split_at_the_last_attempt_is_asked_about() {
    let split = Attempt::judged(3, &[says("pass", "AC1"), says("fail", "AC1")]);
    let (run, _) = world(&[split]).drive(opened(&["claude"], &["claude", "codex"], 1));
    assert_eq!(asked(&run), Some(AskFor::Disagreement));
}

/// LP-11: who could not judge is asked again, if a person says so.
#[test]
fn an_unjudgeable_verdict_is_asked_for_again() {
    let blocked = says("blocked", "AC1");
    let mut world = world(&[Attempt::judged(3, &[blocked]), Attempt::good(3)]);
    world.answers.push_back(key::RETRY);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
}

/// A question of a verifier is no failure, and is answered by the next attempt.
#[test]
fn a_question_moves_no_counter() {
    let asks = |tree| Attempt::judged(tree, &[says("request_info", "AC1")]);
    let attempts = [asks(3), asks(4), asks(5), Attempt::good(6)];
    let (run, outcome) = world(&attempts).drive(opened(&["claude"], &["codex"], 9));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    assert!(run.rulings.iter().all(|ruling| !ruling.is_failure()), "{:?}", run.rulings);
}

/// LP-11: a verdict that can't be used is asked for again, and then a person decides.
#[test]
fn rubbish_is_no_verdict() {
    let rubbish = Attempt::judged(3, &["looks good to me".into()]);
    let (run, outcome) = world(&vec![rubbish; 6]).drive(opened(&["claude"], &["codex"], 3));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::NoVerdict)));
    assert_eq!(run.restarts, 3);
}

/// LP-16: work that was handed in as done before its worker was stopped at its budget is examined and judged as
/// any other. What was not asks for a raise, and the same attempt goes on from what was left.
#[test]
fn what_was_handed_in_before_the_budget_ended_it_is_judged() {
    let capped =
        |tree, claim| Attempt { end: AgentEnd::BudgetReached, claim, ..Attempt::good(tree) };
    let mut done = world(&[capped(3, CLAIM)]);
    let (run, outcome) = done.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!(count(&done, |event| matches!(event, RunEvent::Launched { .. })), 1);
    // It is examined as any other.
    let wrong = Attempt { end: AgentEnd::BudgetReached, ..Attempt::failing(3, "make test") };
    let (run, _) = world(&[wrong, Attempt::good(4)]).drive(opened(&["claude"], &["codex"], 3));
    assert_eq!(run.rulings[0].decision, Decision::Revise, "{:?}", run.rulings);
    let partly = r#"{"us_id": "US-001", "status": "partial", "verified_acs": ["AC1"], "deferred_acs": ["AC2"],
        "because": "no time", "execution_steps": [{"step": "implement"}]}"#;
    for claim in ["", "no claim", partly] {
        let mut left = world(&[capped(3, claim), Attempt::good(4)]);
        left.answers.push_back(key::RAISE);
        let (run, outcome) = left.drive(opened(&["claude"], &["codex"], 3));
        assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{claim}: {:?}", run.rulings);
        let asked = Decision::Ask { ask_for: AskFor::Budget };
        assert_eq!((&run.rulings[0].decision, run.attempt), (&asked, 1), "{claim}");
        let from: Vec<u32> = left
            .journal
            .iter()
            .filter_map(|event| match event {
                RunEvent::Prepared { tree, .. } => Some(u32::from(*tree == object(3))),
                _ => None,
            })
            .collect();
        assert_eq!(from, [0, 1], "{claim}: it goes on from what was left");
        assert_eq!(count(&left, |event| matches!(event, RunEvent::Examined(_))), 1, "{claim}");
    }
}

/// CO-05: a start that can't be paid for asks before anything is spent.
#[test]
fn a_budget_asks_before_the_start() {
    let mut run = Run::open(opened(&["claude"], &[], 3));
    let mut world = world(&[Attempt::good(3)]);
    for _ in 0..2 {
        let Next::Perform(effect) = run.next() else { panic!() };
        let event = world.perform(&run, effect);
        run.apply(event).unwrap();
    }
    let caps = RunCaps::default();
    let books = countersign_domain::budget::Books {
        today: countersign_domain::budget::Day::new("2026-11-16".parse().unwrap()),
        others: Vec::new(),
        caps: countersign_domain::budget::Caps {
            of_run: caps,
            day: countersign_domain::budget::Limit { money: Some(Money(0)), tokens: None },
        },
    };
    let id = countersign_domain::budget::ReservationId {
        run: run.id(),
        attempt: 1,
        role: countersign_domain::agent::Role::Worker,
        start: 1,
    };
    let over: OverBudget = books.grant(&countersign_domain::budget::Want::of(id)).unwrap_err();
    assert_eq!(over.left.scope, Scope::Day);
    run.apply(RunEvent::Ruled(Ruling::over_budget(&run, &over))).unwrap();
    assert!(matches!(run.next(), Next::Perform(Effect::Ask { ask_for: AskFor::Budget, .. })));
}

/// LP-17: the account is about what is asked: no word of fixes that don't hold where nothing was tried.
#[test]
fn the_account_fits_the_question() {
    let rubbish = Attempt::judged(3, &["looks good to me".into()]);
    let (run, _) = world(&vec![rubbish; 6]).drive(opened(&["claude"], &["codex"], 3));
    let account = escalation(&run, AskFor::NoVerdict);
    for untrue in ["kept failing", "whatever is changed", "Each fix", "split"] {
        assert!(!account.contains(untrue), "{untrue}: {account}");
    }
    assert!(account.contains("Nothing that is about the work"), "{account}");
    assert!(account.contains("try again: The same step is done once more."), "{account}");

    let blocked = Attempt {
        claim: r#"{"us_id": "US-001", "status": "blocked", "because": "AC1 excludes AC2"}"#,
        ..Attempt::good(2)
    };
    let (run, _) = world(&[blocked]).drive(opened(&["claude"], &[], 3));
    let account = escalation(&run, AskFor::Impossible);
    assert!(account.contains("The worker says itself") && account.contains("insist"), "{account}");

    let fails = |(criterion, tree)| Attempt::judged(tree, &[says("fail", criterion)]);
    let attempts: Vec<Attempt> = ["AC1", "AC2", "AC3"].into_iter().zip(3..).map(fails).collect();
    let (run, _) = world(&attempts).drive(opened(&["claude"], &["codex"], 9));
    let account = escalation(&run, AskFor::Escalation);
    assert!(account.contains("Each fix breaks something else"), "{account}");
    for option in ["split the story", "simplify the story", "refactor first", "block the story"] {
        assert!(account.contains(option), "{option}: {account}");
    }
    let once = Run { rulings: run.rulings[..1].to_vec(), ..run };
    let account = escalation(&once, AskFor::Escalation);
    assert!(account.contains("Only one attempt was made"), "{account}");
}

/// CO-12: only what the run can carry out is offered, with what it costs at most and how long it took.
#[test]
fn options_fit_the_run() {
    let most = Most { attempt: Some(Money(7)), judging: Some(Money(5)) };
    let keys = |run: &Run, ask_for| {
        let options = choices(run, ask_for, &Offer::default(), most).options;
        options.into_iter().map(|choice| choice.key).collect::<Vec<_>>().join(" ")
    };
    let run = Run::open(opened(&["claude"], &["codex"], 3));
    assert_eq!(keys(&run, AskFor::Agent), "retry skip stop");
    let mut alone = run.clone();
    alone.opened.crew.as_mut().unwrap().story = None;
    assert_eq!(keys(&alone, AskFor::Agent), "retry stop", "nothing goes on without the only goal");
    let options = choices(&run, AskFor::Info, &Offer::default(), most).options;
    let costs: Vec<Option<Money>> = options.iter().map(|choice| choice.cost).collect();
    assert_eq!(costs, [Some(Money(7)), Some(Money(7)), None, None], "only who starts agents costs");
    let (judged, _) = world(&[Attempt::judged(3, &[says("request_info", "AC1")])]).drive(opened(
        &["claude"],
        &["codex"],
        1,
    ));
    let options = choices(&judged, AskFor::Info, &Offer::default(), most).options;
    let costs: Vec<Option<Money>> = options.iter().map(|choice| choice.cost).collect();
    assert_eq!(costs, [Some(Money(5)), Some(Money(7)), None, None], "to judge again costs less");
    let split =
        choices(&run, AskFor::Escalation, &Offer::default(), Most::default()).options.remove(0);
    assert!(split.key == key::SPLIT && split.is_reason_needed, "{split:?}");
    for ask_for in [AskFor::Escalation, AskFor::Findings, AskFor::Info, AskFor::Budget] {
        assert!(!ask_for.risk().is_empty());
    }
}

/// LP-14, CO-12: where nobody works, to send the work back is to take its stories up again, which is what
/// the end of that run leads to; to stop is a person's word, and is not done again.
#[test]
fn what_nobody_works_on_is_sent_back_by_its_end() {
    let odd = Attempt { verdict: Verdict::Human, ..Attempt::good(3) };
    for (answer, because) in [
        (key::SEND_BACK, RefusedBecause::AttemptsExhausted),
        (key::STOP, RefusedBecause::FindingsRejected),
    ] {
        let mut world = world(std::slice::from_ref(&odd));
        world.answers.push_back(answer);
        let (run, outcome) = world.drive(handed(&["codex"]));
        assert_eq!(outcome, Some(Outcome::Refused { because }), "{:?}", run.rulings);
        let options = choices(&run, AskFor::Findings, &Offer::default(), Most::default()).options;
        let back = options.iter().find(|choice| choice.key == key::SEND_BACK).unwrap();
        assert!(back.description.contains("taken up again"), "{}", back.description);
    }
}
