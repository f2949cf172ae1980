//! Questions to a person as people and programs see them.

mod terminal;

use countersign_domain::checkpoint::{Checkpoint, Choice, State, Urgency};
use countersign_engine::checkpoint::{CheckpointRow, Precedents};
use countersign_engine::{Engine, Error};
use jiff::Timestamp;
use serde::Serialize;

pub use terminal::ask_in_terminal;

use crate::ui;

/// A checkpoint with all that there is to say about it.
#[derive(Debug, Serialize)]
pub struct Asked {
    #[serde(flatten)]
    pub checkpoint: Checkpoint,
    pub state: State,
    /// As it is by now.
    pub urgency: Urgency,
    pub precedents: Precedents,
    #[serde(skip)]
    now: Timestamp,
}

impl Asked {
    pub fn of(engine: &Engine, checkpoint: Checkpoint) -> Result<Self, Error> {
        let precedents = engine.precedents(&checkpoint)?;
        let question = &checkpoint.question;
        let now = engine.host().now();
        let urgency = question.urgency.at(question.expires_at, now);
        Ok(Self { state: checkpoint.state(), urgency, precedents, now, checkpoint })
    }

    /// All of it.
    pub fn text(&self) -> String {
        let Self { checkpoint, state, urgency, .. } = self;
        let question = &checkpoint.question;
        let head = format!("checkpoint {}: {}", checkpoint.id, question.trigger);
        let mut text = ui::paint(ui::BOLD, head) + "\n";
        let mut rows = vec![
            vec!["state".to_owned(), state.to_string()],
            vec!["urgency".to_owned(), urgency.to_string()],
            vec!["asked".to_owned(), format!("{}{}", checkpoint.asked_at, self.age())],
        ];
        rows.extend(self.wanted_by());
        rows.push(vec!["attempt".to_owned(), question.subject.attempt.to_string()]);
        text += &ui::table(&rows);
        for (name, words) in [
            ("What led to it", &question.context),
            ("Progress", &question.progress),
            ("Risk", &question.risk),
        ] {
            if !words.trim().is_empty() {
                text += &format!("\n{name}\n{}\n", indented(words));
            }
        }
        text += &format!("\n{}\n", ui::paint(ui::BOLD, ui::printable(question.question.trim())));
        for (number, choice) in (1..).zip(&question.options) {
            text += &option(number, choice);
        }
        if let Some(best) = question.recommended() {
            let why = ui::printable(question.why_recommended.trim());
            text += &format!("\nRecommended: {}, because {why}\n", ui::printable(&best.key));
        }
        text + &self.precedents_text() + &self.what_was_said()
    }

    /// How long it has been waiting.
    fn age(&self) -> String {
        let then = self.checkpoint.asked_at.parse();
        then.map_or_else(|_| String::new(), |then| format!(" ({})", ui::ago(then, self.now)))
    }

    /// When an answer is wanted, and what happens then.
    fn wanted_by(&self) -> Option<Vec<String>> {
        let at = self.checkpoint.question.expires_at?;
        let then = match self.state {
            State::Open if at <= self.now => "; that is past: it is urgent, and goes on waiting",
            State::Open => "; it is urgent then, and goes on waiting: no time decides it",
            _ => "",
        };
        Some(vec!["wanted by".to_owned(), format!("{at}{then}")])
    }

    fn precedents_text(&self) -> String {
        let Precedents { chosen, newest } = &self.precedents;
        if chosen.is_empty() {
            return String::new();
        }
        let times = |(choice, count): &(String, u32)| {
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            format!("{} {times}", ui::printable(choice))
        };
        let all: Vec<String> = chosen.iter().map(times).collect();
        let mut text = format!("\nEarlier answers to this sort of question: {}\n", all.join(", "));
        for one in newest.iter().filter(|one| !one.words.is_empty()) {
            let (choice, words) = (ui::printable(&one.choice), ui::printable(&one.words));
            text += &format!("  {}: {choice}: {words}\n", one.id);
        }
        text
    }

    fn what_was_said(&self) -> String {
        let checkpoint = &self.checkpoint;
        let mut text = String::new();
        for said in &checkpoint.discussed {
            let by = ui::printable(&said.by);
            text += &format!("\n{by} at {}:\n{}\n", said.at, indented(&said.words));
        }
        if let Some(answer) = &checkpoint.answer {
            let (choice, by) = (ui::printable(&answer.choice), ui::printable(&answer.by));
            text += &format!("\nanswered with {choice} by {by} at {}\n", answer.at);
            if !answer.words.is_empty() {
                text += &format!("{}\n", indented(&answer.words));
            }
        }
        if let Some(used) = &checkpoint.consumed {
            text += &format!("used by {} at {}\n", ui::printable(&used.by), used.at);
        }
        if let Some(withdrawn) = &checkpoint.withdrawn {
            let why = ui::printable(&withdrawn.why);
            text += &format!("\ntaken back at {}: {why}\n", withdrawn.at);
        }
        text
    }

    /// How a person answers, if there is something to answer.
    pub fn invitation(&self) -> String {
        if self.state != State::Open {
            return String::new();
        }
        let id = self.checkpoint.id;
        format!("\nTo answer: countersign checkpoint answer {id} CHOICE --note WORDS\n")
    }
}

/// Words of others, moved in so that they can't be taken for ours.
fn indented(words: &str) -> String {
    let lines = ui::printable(words.trim());
    lines.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// The few words of an option: its number, label and price.
fn label(number: usize, choice: &Choice) -> String {
    let mut text = format!("  {number}  {} ({})", ui::printable(&choice.label), choice.key);
    let cost = choice.cost.map(|cost| format!("up to {cost}"));
    let tokens = choice.tokens.map(|tokens| format!("up to {tokens} tokens"));
    let time = choice.seconds.map(|seconds| format!("about {}", ui::duration(seconds * 1000)));
    let figures: Vec<String> = [cost, tokens, time].into_iter().flatten().collect();
    if !figures.is_empty() {
        text += &format!(", {}", figures.join(", "));
    }
    if choice.is_recommended {
        text += &format!(" {}", ui::paint(ui::GOOD, "recommended"));
    }
    text + "\n"
}

fn option(number: usize, choice: &Choice) -> String {
    let mut text = label(number, choice);
    let mut line = |mark: &str, words: &str| {
        if !words.trim().is_empty() {
            text += &format!("     {mark}{}\n", ui::printable(words.trim()));
        }
    };
    line("", &choice.description);
    choice.pros.iter().for_each(|words| line("+ ", words));
    choice.cons.iter().for_each(|words| line("- ", words));
    line("risk: ", &choice.risk);
    if choice.is_reason_needed {
        line("", "(takes a reason)");
    }
    text
}

/// A checkpoint in a list, as old as it is `now`.
pub fn row(row: &CheckpointRow, now: Timestamp) -> Vec<String> {
    let state = match &row.answer {
        Some(answer) if row.state != State::Withdrawn => {
            let (choice, by) = (ui::printable(&answer.choice), ui::printable(&answer.by));
            format!("{}: {choice} by {by}", row.state)
        }
        _ => row.state.to_string(),
    };
    let urgency = match (row.state, row.urgency) {
        (State::Open, Urgency::High) => ui::paint(ui::BAD, "urgent"),
        _ => String::new(),
    };
    let words = format!("{}: {}", row.trigger, ui::printable(&row.question));
    let age = row.asked_at.parse().map_or_else(|_| String::new(), |then| ui::ago(then, now));
    vec![row.id.to_string(), state, urgency, age, words]
}
