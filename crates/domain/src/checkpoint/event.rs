//! What can happen to a checkpoint.

use serde::{Deserialize, Serialize};

use super::{CheckpointId, Question};
use crate::ledger::{PublicKey, Signature, Stored, signed_bytes};

/// One fact about a checkpoint. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum CheckpointEvent {
    /// The question is put, once.
    Asked(Box<Question>),
    /// Somebody said something about it that is no answer.
    Discussed { words: String, by: String },
    /// A person chose. The first answer stands.
    Answered {
        choice: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
        by: String,
        /// Ours: who can write the ledger and has no key can't answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<Signature>,
    },
    /// The answer was used by what it was asked for, and can't be used again.
    Consumed { by: String },
    /// Nobody needs an answer any more.
    Withdrawn { why: String },
}

impl Stored for CheckpointEvent {
    const PREFIX: &'static str = "checkpoint.";
}

/// What the signature of an answer is over: it can't be moved to another question.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Answering<'a> {
    pub checkpoint: CheckpointId,
    pub question: crate::Digest,
    pub choice: &'a str,
    pub words: &'a str,
    pub by: &'a str,
}

impl Answering<'_> {
    pub const PURPOSE: &'static str = "answer";

    pub fn is_signed_by(&self, key: &PublicKey, signature: Option<&Signature>) -> bool {
        signature.is_some_and(|it| key.verifies(&signed_bytes(Self::PURPOSE, self), it))
    }
}

#[cfg(test)]
mod tests {
    use super::super::question::tests::question;
    use super::super::{Choice, Trigger, Urgency};
    use super::*;
    use crate::agent::Money;

    #[track_caller]
    fn check(event: &CheckpointEvent, kind: &str, body: &str) {
        assert_eq!(event.encode().unwrap(), (kind.to_owned(), body.to_owned()));
        assert_eq!(&CheckpointEvent::decode(kind, body).unwrap(), event);
    }

    /// PL-01, CO-12: what is stored reads and writes as it always did.
    #[test]
    fn the_stored_form_is_fixed() {
        let full = Choice {
            key: "raise".into(),
            label: "Raise it".into(),
            description: "Then it goes on.".into(),
            pros: vec!["p".into()],
            cons: vec!["c".into()],
            cost: Some(Money(5_000_000)),
            tokens: Some(9),
            seconds: Some(60),
            risk: "r".into(),
            is_recommended: true,
            is_reason_needed: true,
        };
        let short = Choice { key: "stop".into(), label: "Stop".into(), ..Choice::default() };
        let asked = Question {
            options: vec![full, short],
            why_recommended: "cheap".into(),
            urgency: Urgency::High,
            expires_at: Some("2026-11-17T10:00:00Z".parse().unwrap()),
            ..question(Trigger::BudgetReached)
        };
        check(
            &CheckpointEvent::Asked(Box::new(asked)),
            "checkpoint.asked",
            "{\"context\":\"Three fixes failed.\",\"expires_at\":\"2026-11-17T10:00:00Z\",\"options\":[\
             {\"cons\":[\"c\"],\"cost\":5000000,\"description\":\"Then it goes on.\",\
             \"is_reason_needed\":true,\"is_recommended\":true,\"key\":\"raise\",\"label\":\"Raise it\",\
             \"pros\":[\"p\"],\"risk\":\"r\",\"seconds\":60,\"tokens\":9},\
             {\"key\":\"stop\",\"label\":\"Stop\"}],\"progress\":\"2 of 5 stories are accepted.\",\
             \"question\":\"How should it go on?\",\"risk\":\"Another attempt may fail alike.\",\
             \"subject\":{\"attempt\":2,\"number\":1,\"run\":\"20261116_101500_001\"},\
             \"trigger\":\"budget_reached\",\"urgency\":\"high\",\"why_recommended\":\"cheap\"}",
        );
        let (words, by) = (|| "w\u{1b}[31m".to_owned(), || "alice".to_owned());
        check(
            &CheckpointEvent::Discussed { words: words(), by: by() },
            "checkpoint.discussed",
            r#"{"by":"alice","words":"w\u001b[31m"}"#,
        );
        let (choice, words) = ("stop".to_owned(), String::new());
        check(
            &CheckpointEvent::Answered { choice, words, by: by(), signature: None },
            "checkpoint.answered",
            r#"{"by":"alice","choice":"stop"}"#,
        );
        let signature = Some(Signature([7; 64]));
        let (choice, words) = ("stop".to_owned(), "w".to_owned());
        check(
            &CheckpointEvent::Answered { choice, words, by: by(), signature },
            "checkpoint.answered",
            &format!(
                r#"{{"by":"alice","choice":"stop","signature":"{}","words":"w"}}"#,
                "07".repeat(64)
            ),
        );
        check(
            &CheckpointEvent::Consumed { by: "run x".into() },
            "checkpoint.consumed",
            r#"{"by":"run x"}"#,
        );
        check(
            &CheckpointEvent::Withdrawn { why: "cancelled".into() },
            "checkpoint.withdrawn",
            r#"{"why":"cancelled"}"#,
        );
    }
}
