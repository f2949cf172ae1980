//! What can happen when work is accepted.

use serde::{Deserialize, Serialize};

use crate::id::ObjectId;
use crate::ledger::Stored;
use crate::snapshot::PathText;
use crate::stamp::Stamp;
use crate::verify::Verdict;

/// How work comes into a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Its commits as they are, with one that joins them where the branch has others.
    Merge,
    /// One commit for all of it.
    Squash,
}

/// A person looked at what no check could decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    pub by: String,
    pub why: String,
}

/// What is about to happen to a branch, fixed before it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub way: Way,
    /// The branch that moves; `None` if a `HEAD` does that stands on none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Where it stood.
    pub head: ObjectId,
    /// The work that was countersigned.
    pub work: ObjectId,
    /// Where it will stand, and what that holds.
    pub to: ObjectId,
    pub tree: ObjectId,
    /// The verification of the work together with what the branch had meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Stamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<Looked>,
    pub by: String,
}

/// One fact about the acceptance of a run's or a relay's work. The serialised names are stored for
/// ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum AcceptanceEvent {
    /// The work does not go together with what the branch has meanwhile.
    Collided { head: ObjectId, paths: Vec<PathText> },
    /// The work together with what the branch has meanwhile was verified.
    Verified { head: ObjectId, tree: ObjectId, verification: Stamp, verdict: Verdict },
    /// Everything is ready, and the branch is about to move.
    Begun(Box<Begun>),
    /// It moved.
    Finished { to: ObjectId },
}

impl Stored for AcceptanceEvent {
    const PREFIX: &'static str = "accept.";
}

impl AcceptanceEvent {
    /// The stream of a run's or a relay's acceptance.
    pub fn stream(undertaking: Stamp) -> String {
        format!("accept/{undertaking}")
    }
}

/// The fold of such a stream, as far as somebody needs it who accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Verifications of the work on other heads: head, tree, verification.
    pub verified: Vec<(ObjectId, ObjectId, Stamp)>,
    /// What was begun and is not known to have come to its end.
    pub begun: Option<Begun>,
    /// Where branches were taken to.
    pub finished: Vec<ObjectId>,
    /// Events taken in; the sequence that the next append expects.
    pub sequence: u64,
}

impl Standing {
    pub fn replay(events: impl IntoIterator<Item = AcceptanceEvent>) -> Self {
        let mut standing = Self::default();
        for event in events {
            standing.apply(event);
        }
        standing
    }

    /// Takes in the next event. One that was begun and never finished was given up, or is done again.
    pub fn apply(&mut self, event: AcceptanceEvent) {
        self.sequence += 1;
        match event {
            AcceptanceEvent::Collided { .. } => {}
            AcceptanceEvent::Verified { head, tree, verification, .. } => {
                self.verified.push((head, tree, verification));
            }
            AcceptanceEvent::Begun(begun) => self.begun = Some(*begun),
            AcceptanceEvent::Finished { to } => {
                self.begun = None;
                self.finished.push(to);
            }
        }
    }

    /// The newest verification of this tree on this head.
    pub fn verification(&self, head: &ObjectId, tree: &ObjectId) -> Option<Stamp> {
        let mut newest = self.verified.iter().rev();
        newest.find(|(one, other, _)| (one, other) == (head, tree)).map(|(_, _, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(digit: char) -> ObjectId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    #[track_caller]
    fn check(event: &AcceptanceEvent, kind: &str, body: &str) {
        assert_eq!(event.encode().unwrap(), (kind.to_owned(), body.to_owned()));
        assert_eq!(&AcceptanceEvent::decode(kind, body).unwrap(), event);
    }

    fn begun() -> Begun {
        Begun {
            way: Way::Merge,
            branch: None,
            head: object('1'),
            work: object('2'),
            to: object('3'),
            tree: object('4'),
            verification: None,
            looked: None,
            by: "user".into(),
        }
    }

    /// PL-01, LP-14: what is stored reads and writes as it always did.
    #[test]
    fn the_stored_form_is_fixed() {
        let (one, two) = ("1".repeat(40), "4".repeat(40));
        check(
            &AcceptanceEvent::Collided { head: object('1'), paths: vec![PathText::new(b"a/b")] },
            "accept.collided",
            &format!(r#"{{"head":"{one}","paths":["a/b"]}}"#),
        );
        let verification: Stamp = "20261116_101500_001".parse().unwrap();
        for (verdict, word) in [
            (Verdict::Accepted, "accepted"),
            (Verdict::Human, "human"),
            (Verdict::Advisory, "advisory"),
            (Verdict::Refused, "refused"),
        ] {
            check(
                &AcceptanceEvent::Verified {
                    head: object('1'),
                    tree: object('4'),
                    verification,
                    verdict,
                },
                "accept.verified",
                &format!(
                    "{{\"head\":\"{one}\",\"tree\":\"{two}\",\"verdict\":\"{word}\",\
                     \"verification\":\"20261116_101500_001\"}}"
                ),
            );
        }
        let (work, to) = ("2".repeat(40), "3".repeat(40));
        check(
            &AcceptanceEvent::Begun(Box::new(begun())),
            "accept.begun",
            &format!(
                "{{\"by\":\"user\",\"head\":\"{one}\",\"to\":\"{to}\",\"tree\":\"{two}\",\
                 \"way\":\"merge\",\"work\":\"{work}\"}}"
            ),
        );
        let whole = Begun {
            way: Way::Squash,
            branch: Some("main".into()),
            verification: Some(verification),
            looked: Some(Looked { by: "Alice".into(), why: "read it".into() }),
            ..begun()
        };
        check(
            &AcceptanceEvent::Begun(Box::new(whole)),
            "accept.begun",
            &format!(
                "{{\"branch\":\"main\",\"by\":\"user\",\"head\":\"{one}\",\"looked\":{{\
                 \"by\":\"Alice\",\"why\":\"read it\"}},\"to\":\"{to}\",\"tree\":\"{two}\",\
                 \"verification\":\"20261116_101500_001\",\"way\":\"squash\",\"work\":\"{work}\"}}"
            ),
        );
        check(
            &AcceptanceEvent::Finished { to: object('3') },
            "accept.finished",
            &format!(r#"{{"to":"{to}"}}"#),
        );
        assert_eq!(AcceptanceEvent::stream(verification), "accept/20261116_101500_001");
    }

    /// LP-14: what was begun is known until it is finished, and a verification only for its own head and
    /// tree.
    #[test]
    fn the_fold_knows_what_is_open() {
        let id: Stamp = "20261116_101500_001".parse().unwrap();
        let (head, tree, verdict) = (object('1'), object('4'), Verdict::Human);
        let verified = AcceptanceEvent::Verified { head, tree, verification: id, verdict };
        let mut standing = Standing::replay([verified, AcceptanceEvent::Begun(Box::new(begun()))]);
        assert_eq!(standing.begun, Some(begun()));
        assert_eq!(standing.verification(&object('1'), &object('4')), Some(id));
        assert_eq!(standing.verification(&object('2'), &object('4')), None);
        standing.apply(AcceptanceEvent::Finished { to: object('3') });
        assert_eq!((standing.begun, standing.sequence), (None, 3));
        assert_eq!(standing.finished, [object('3')]);
    }
}
