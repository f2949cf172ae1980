//! Answering a question: choose, say why, confirm. Each step can be gone back on, and nothing is
//! answered before the last one.

use countersign_domain::checkpoint::{Checkpoint, Choice};
use countersign_engine::relay::Undertaking;

use super::{Ask, Model, Overlay};
use crate::tui::input::Key;

/// The longest note, in characters.
const NOTE: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Choosing,
    Noting,
    Confirming,
}

/// An answer that is being made.
#[derive(Debug)]
pub struct Answering {
    pub question: Checkpoint,
    /// Which option.
    pub at: usize,
    pub stage: Stage,
    pub note: String,
    /// How many lines of the question are scrolled past.
    pub down: usize,
}

impl Answering {
    fn new(question: Checkpoint) -> Self {
        let best = question.question.options.iter().position(|choice| choice.is_recommended);
        let (at, stage) = (best.unwrap_or(0), Stage::Choosing);
        Self { question, at, stage, note: String::new(), down: 0 }
    }

    pub fn choice(&self) -> Option<&Choice> {
        self.question.question.options.get(self.at)
    }

    /// Whether the note is all that is missing.
    pub fn lacks_note(&self) -> bool {
        self.note.trim().is_empty() && self.choice().is_some_and(|choice| choice.is_reason_needed)
    }

    fn choose(&mut self, key: &Key) {
        let last = self.question.question.options.len().saturating_sub(1);
        match key {
            Key::Up | Key::Letter('k') => self.at = self.at.saturating_sub(1),
            Key::Down | Key::Letter('j') => self.at = (self.at + 1).min(last),
            Key::PageUp => self.down = self.down.saturating_sub(5),
            Key::PageDown => self.down += 5,
            Key::Letter(digit @ '1'..='9') => {
                let number = digit.to_digit(10).map_or(0, |digit| digit as usize);
                if number <= last + 1 {
                    self.at = number.saturating_sub(1);
                }
            }
            Key::Enter => self.stage = Stage::Noting,
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        let room = NOTE.saturating_sub(self.note.chars().count());
        self.note.extend(crate::tui::text::clean(text).chars().take(room));
    }
}

impl Model {
    /// The question of the selected row, or the one that has waited longest.
    pub(super) fn begin_answering(&mut self) {
        let of_selected = self.sight.questions.iter().find(|known| match self.selected {
            Some(Undertaking::Run(run)) => known.id.run == run,
            Some(Undertaking::Relay(relay)) => self.is_in(known, relay),
            None => false,
        });
        let Some(question) = of_selected.or(self.sight.questions.first()).cloned() else {
            self.told = Some("no question waits".to_owned());
            return;
        };
        self.overlay = Some(Overlay::Answering(Box::new(Answering::new(question))));
    }

    fn is_in(&self, question: &Checkpoint, relay: countersign_domain::Stamp) -> bool {
        self.sight.runs.iter().any(|run| {
            run.run == question.id.run && run.leg.as_ref().is_some_and(|(id, _)| *id == relay)
        })
    }

    /// Goes to the next run that waits for an answer.
    pub(super) fn next_question(&mut self) -> Vec<Ask> {
        let rows: Vec<Undertaking> = self.rows().iter().map(super::Row::of).collect();
        let waits = |one: &&Undertaking| {
            self.sight.questions.iter().any(|known| **one == Undertaking::Run(known.id.run))
        };
        let from = self.place().map_or(0, |place| place + 1);
        let next = rows.iter().cycle().skip(from).take(rows.len()).find(waits).copied();
        match next {
            Some(next) => self.select(next),
            None => {
                self.told = Some("no question waits".to_owned());
                Vec::new()
            }
        }
    }

    pub(super) fn press_answering(&mut self, mut answering: Answering, key: Key) -> Vec<Ask> {
        match (answering.stage, key) {
            (Stage::Choosing, Key::Escape | Key::Letter('q')) => return Vec::new(),
            (Stage::Choosing, key) => answering.choose(&key),
            (Stage::Noting, Key::Escape) => answering.stage = Stage::Choosing,
            (Stage::Noting, Key::Enter) if answering.lacks_note() => {
                self.told = Some("this answer takes a reason".to_owned());
            }
            (Stage::Noting, Key::Enter) => answering.stage = Stage::Confirming,
            (Stage::Noting, Key::Backspace) => {
                answering.note.pop();
            }
            (Stage::Noting, Key::Letter(letter)) => answering.add(letter.encode_utf8(&mut [0; 4])),
            (Stage::Noting, Key::Pasted(text)) => answering.add(&text),
            (Stage::Noting, _) => {}
            (Stage::Confirming, Key::Letter('y' | 'Y')) => {
                let Some(choice) = answering.choice() else { return Vec::new() };
                let (id, choice) = (answering.question.id, choice.key.clone());
                self.told = Some(format!("answering {id} with {choice} …"));
                return vec![Ask::Answer { id, choice, words: answering.note.trim().to_owned() }];
            }
            (Stage::Confirming, _) => answering.stage = Stage::Noting,
        }
        self.overlay = Some(Overlay::Answering(Box::new(answering)));
        Vec::new()
    }
}
