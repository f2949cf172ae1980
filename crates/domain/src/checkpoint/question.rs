//! What a person is asked: where things stand, the question, and the answers to choose from.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CheckpointId, Trigger, Urgency};
use crate::agent::Money;
use crate::stamp::Stamp;

/// The longest text of a question, in characters: a person reads it.
const MOST_LETTERS: usize = 20_000;
/// As many options as a person can weigh.
const MOST_OPTIONS: usize = 12;

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    pub run: Stamp,
    /// The attempt that it came up in; 0 before the first.
    pub attempt: u32,
    /// Which of the run's questions it is, from one.
    pub number: u32,
}

/// One answer to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The word that stands for it, such as `send-back`.
    pub key: String,
    /// A few words for a person.
    pub label: String,
    /// What happens then.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pros: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cons: Vec<String>,
    /// What it may cost at most; for a raise, by how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// The same in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// How long it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// What may go wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub risk: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_recommended: bool,
    /// Whether it takes words of a person as well: a reason, or what to change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_reason_needed: bool,
}

/// A question, as it is put on the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub trigger: Trigger,
    pub subject: Subject,
    /// What led to it.
    pub context: String,
    /// What is done, and what is left.
    pub progress: String,
    /// What may go wrong.
    pub risk: String,
    pub question: String,
    pub options: Vec<Choice>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why_recommended: String,
    pub urgency: Urgency,
    /// When it becomes more urgent. It never answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// Why something is no question that a person could answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text names none of the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoChoice {
    said: String,
    /// What it could be, or all there is.
    could_be: Vec<String>,
    is_unclear: bool,
}

impl fmt::Display for NoChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let could_be = self.could_be.join(", ");
        if self.is_unclear {
            write!(f, "'{}' could be any of: {could_be}", self.said)
        } else {
            write!(f, "'{}' is none of the answers: {could_be}", self.said)
        }
    }
}

impl Question {
    pub fn id(&self) -> CheckpointId {
        CheckpointId { run: self.subject.run, number: self.subject.number }
    }

    /// The option with exactly this key.
    pub fn option(&self, key: &str) -> Option<&Choice> {
        self.options.iter().find(|choice| choice.key == key)
    }

    pub fn recommended(&self) -> Option<&Choice> {
        self.options.iter().find(|choice| choice.is_recommended)
    }

    /// The option that a person means: its number from one, its key, or the beginning of its key or
    /// label that no other option shares.
    pub fn choose(&self, said: &str) -> Result<&Choice, NoChoice> {
        let wanted = said.trim().to_lowercase();
        let numbered = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(choice) = numbered.and_then(|at| self.options.get(at)) {
            return Ok(choice);
        }
        if let Some(choice) = self.options.iter().find(|one| one.key.to_lowercase() == wanted) {
            return Ok(choice);
        }
        let begins = |choice: &&Choice| {
            let is_begun = |text: &str| text.to_lowercase().starts_with(&wanted);
            !wanted.is_empty() && (is_begun(&choice.key) || is_begun(&choice.label))
        };
        let found: Vec<&Choice> = self.options.iter().filter(begins).collect();
        if let [choice] = found.as_slice() {
            return Ok(choice);
        }
        let is_unclear = !found.is_empty();
        let all = if is_unclear { found } else { self.options.iter().collect() };
        let could_be = all.into_iter().map(|choice| choice.key.clone()).collect();
        Err(NoChoice { said: said.trim().chars().take(80).collect(), could_be, is_unclear })
    }

    /// Whether a person could answer it.
    pub fn check(&self) -> Result<(), Unfit> {
        let unfit = |what: String| Err(Unfit(what));
        if self.subject.number == 0 {
            return unfit("the questions of a run are counted from 1".to_owned());
        }
        if self.question.trim().is_empty() {
            return unfit("it asks nothing".to_owned());
        }
        if self.options.is_empty() || self.options.len() > MOST_OPTIONS {
            return unfit(format!(
                "it has {} options, not 1 to {MOST_OPTIONS}",
                self.options.len()
            ));
        }
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        for (at, choice) in self.options.iter().enumerate() {
            let key = &choice.key;
            let is_key = key.starts_with(|c: char| c.is_ascii_lowercase()) && key.len() <= 40;
            if !is_key || !key.bytes().all(plain) || choice.label.trim().is_empty() {
                return unfit(format!("'{key}' is no key of an option, or has no label"));
            }
            if self.options[..at].iter().any(|other| other.key == *key) {
                return unfit(format!("two options have the key '{key}'"));
            }
        }
        if self.options.iter().filter(|choice| choice.is_recommended).count() > 1 {
            return unfit("it recommends more than one option".to_owned());
        }
        Ok(())
    }

    /// The same with every text of others changed by `change`, and cut to what a person reads.
    pub fn with_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        let bound = |text: &mut String| *text = cut(&change(text));
        let Self { context, progress, risk, question, why_recommended, .. } = &mut self;
        for text in [context, progress, risk, question, why_recommended] {
            bound(text);
        }
        for choice in &mut self.options {
            let Choice { label, description, risk, pros, cons, .. } = choice;
            for text in [label, description, risk].into_iter().chain(pros).chain(cons) {
                bound(text);
            }
        }
        self
    }
}

/// A text that a person reads: the beginning of one that is longer.
fn cut(text: &str) -> String {
    const MARK: &str = "\n[cut here]";
    match text.char_indices().nth(MOST_LETTERS) {
        // What was cut once is cut alike the second time.
        Some((end, _)) if !text.ends_with(MARK) => format!("{}{MARK}", &text[..end]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::checkpoint::{Offer, Standard};

    pub(in crate::checkpoint) fn question(trigger: Trigger) -> Question {
        let Standard { options, why } = Standard::of(trigger, &Offer::default());
        Question {
            trigger,
            subject: Subject { run: "20261116_101500_001".parse().unwrap(), attempt: 2, number: 1 },
            context: "Three fixes failed.".into(),
            progress: "2 of 5 stories are accepted.".into(),
            risk: "Another attempt may fail alike.".into(),
            question: "How should it go on?".into(),
            options,
            why_recommended: why,
            urgency: Urgency::Normal,
            expires_at: None,
        }
    }

    #[track_caller]
    fn check(said: &str, expected: Result<&str, &str>) {
        let question = question(Trigger::Gaming);
        let found = question.choose(said).map(|choice| choice.key.clone());
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{said:?}");
    }

    /// CO-12: answers are given by number, key, or the beginning of a label.
    #[test]
    fn options_are_chosen() {
        check("1", Ok("accept"));
        check(" 2 ", Ok("send-back"));
        check("STOP", Ok("stop"));
        check("send", Ok("send-back"));
        check("Accept it", Ok("accept"));
        check("s", Err("'s' could be any of: send-back, stop"));
        for none in ["0", "4", "", "yes", "-1", "99999999999999999999999", "accept, please"] {
            let words = format!("'{none}' is none of the answers: accept, send-back, stop");
            check(none, Err(&words));
        }
    }

    /// CO-12: what nobody could answer is not asked.
    #[test]
    fn unfit_questions_are_told() {
        let check = |change: &dyn Fn(&mut Question), words: &str| {
            let mut question = question(Trigger::Breaker);
            change(&mut question);
            let said = question.check().map_err(|error| error.to_string());
            assert_eq!(said.err().unwrap_or_default(), words);
        };
        check(&|_| {}, "");
        check(&|q| q.subject.number = 0, "the questions of a run are counted from 1");
        check(&|q| q.question = " \n".into(), "it asks nothing");
        check(&|q| q.options.clear(), "it has 0 options, not 1 to 12");
        check(
            &|q| q.options[0].key = "A b".into(),
            "'A b' is no key of an option, or has no label",
        );
        check(
            &|q| q.options[0].label = String::new(),
            "'change-plan' is no key of an option, or has no label",
        );
        check(
            &|q| q.options[1].key = "change-plan".into(),
            "two options have the key 'change-plan'",
        );
        check(&|q| q.options[1].is_recommended = true, "it recommends more than one option");
    }

    /// CO-12: texts of any length and language are cut between letters, and only once.
    #[test]
    fn long_texts_are_cut() {
        let long = Question { context: "ä".repeat(30_000), ..question(Trigger::Hiccup) };
        let once = long.with_texts(str::to_owned);
        assert_eq!(once.context.chars().filter(|letter| *letter == 'ä').count(), MOST_LETTERS);
        assert!(once.context.ends_with("[cut here]"));
        assert_eq!(once.clone().with_texts(str::to_owned), once);
    }
}
