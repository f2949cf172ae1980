//! Questions to a person, as agents may read them.

use std::collections::BTreeMap;

use countersign_domain::checkpoint::{Offer, Question, Standard, Subject, Trigger, Urgency};
use countersign_engine::{Clock, Engine, Host};
use serde_json::json;

use crate::{call_tools, project, text};

/// CO-12: agents read what waits and what was answered; no tool answers.
#[test]
fn agents_read_and_do_not_answer() {
    let project = project();
    let mut environment: BTreeMap<_, _> =
        project.environment().into_iter().map(|(name, value)| (name.into(), value)).collect();
    environment.insert("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    let (clock, cwd, supervisor) = (Clock::System, project.root(), Vec::new());
    let mut engine = Engine::open(Host { clock, environment, cwd, supervisor }).unwrap();
    let results = call_tools(&project, &[("checkpoint_list", json!({}))]);
    assert_eq!(text(&results[0], false), "no question waits for a person");
    let Standard { options, why } = Standard::of(Trigger::Hiccup, &Offer::default());
    let run = "20261116_101500_001".parse().unwrap();
    let question = Question {
        trigger: Trigger::Hiccup,
        subject: Subject { run, attempt: 1, number: 1 },
        context: "The network is gone.".into(),
        progress: String::new(),
        risk: String::new(),
        question: "Try again?".into(),
        options,
        why_recommended: why,
        urgency: Urgency::Low,
        expires_at: None,
    };
    let id = engine.ask(&question).unwrap();
    let calls = [
        ("checkpoint_list", json!({})),
        ("checkpoint_show", json!({})),
        ("checkpoint_show", json!({ "checkpoint": "nothing" })),
        ("checkpoint_answer", json!({ "checkpoint": id.to_string(), "choice": "retry" })),
    ];
    let results = call_tools(&project, &calls);
    let listed = text(&results[0], false);
    assert_eq!(listed, format!("{id} [waits] something got in the way: Try again?"));
    let shown = text(&results[1], false);
    assert!(shown.contains("The network is gone.") && shown.contains("1  Try again"), "{shown}");
    assert!(!shown.contains("To answer") && !shown.contains('\u{1b}'), "{shown}");
    assert!(text(&results[2], true).contains("no checkpoint 'nothing'"));
    assert!(text(&results[3], true).contains("there is no tool 'checkpoint_answer'"));
    engine.answer(id, "retry", "", "alice").unwrap();
    let results = call_tools(&project, &[("checkpoint_list", json!({ "all": true }))]);
    assert!(text(&results[0], false).contains("[answered: retry]"));
}
