//! The fold of a relay's journal, and what may be done next.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::event::{Blocked, Leg, Opened, RelayEvent, RelayOutcome, StoryTerms};
use crate::id::ObjectId;
use crate::run::{Outcome, RefusedBecause};
use crate::scope::relative_glob;
use crate::stamp::Stamp;

/// Where a story stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Standing {
    Open,
    Running {
        run: Stamp,
    },
    /// Its run accepted it; it has not landed yet.
    Accepted {
        run: Stamp,
        commit: ObjectId,
    },
    Landed {
        run: Stamp,
        commit: ObjectId,
    },
    Refused {
        run: Stamp,
        because: RefusedBecause,
    },
}

/// One thing to do for a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Open a run for a leg.
    Start(Leg),
    /// Drive the run of a leg to its end.
    Drive {
        leg: Leg,
        run: Stamp,
    },
    /// Put an accepted story on top.
    Land {
        story: String,
        run: Stamp,
    },
    /// Take up stories that the release showed to be broken, by what its run found.
    Reopen {
        run: Stamp,
    },
    Close(RelayOutcome),
}

/// What follows from the journal so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// All of these, at once if one likes; never empty.
    Moves(Vec<Move>),
    Done(RelayOutcome),
}

/// An event that can't follow on the journal so far.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {event} event can't follow in relay {relay}")]
pub struct Refusal {
    pub event: String,
    pub relay: Stamp,
}

/// A relay: the fold of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relay {
    pub opened: Opened,
    pub stories: BTreeMap<String, Standing>,
    /// Everything that has landed is below this.
    pub tip: ObjectId,
    pub tip_tree: ObjectId,
    pub release: Option<Standing>,
    /// Runs of each leg, oldest first.
    pub runs: Vec<(Leg, Stamp)>,
    pub reopened: BTreeMap<String, u32>,
    /// Why a story is done again, for its next worker.
    pub findings: BTreeMap<String, Vec<String>>,
    /// Whether the last thing that happened is that a story was taken up again: others may be as well.
    #[serde(skip)]
    pub(super) is_reopening: bool,
    pub is_cancelled: bool,
    pub outcome: Option<RelayOutcome>,
    /// Events taken in; the sequence that the next append expects.
    pub sequence: u64,
}

impl Relay {
    /// A relay from its first event.
    pub fn open(opened: Opened) -> Self {
        let mut stories: BTreeMap<String, Standing> =
            opened.stories.iter().map(|story| (story.id.clone(), Standing::Open)).collect();
        let continues = opened.continues.as_deref();
        for one in continues.iter().flat_map(|before| &before.landed) {
            let landed = Standing::Landed { run: one.run, commit: one.commit.clone() };
            stories.insert(one.story.clone(), landed);
        }
        let (tip, tip_tree) = match continues {
            Some(before) => (before.tip.clone(), before.tip_tree.clone()),
            None => (opened.base.commit.clone(), opened.base.tree.clone()),
        };
        Self {
            tip,
            tip_tree,
            findings: continues.map(|before| before.findings.clone()).unwrap_or_default(),
            opened,
            stories,
            release: None,
            runs: Vec::new(),
            reopened: BTreeMap::new(),
            is_reopening: false,
            is_cancelled: false,
            outcome: None,
            sequence: 1,
        }
    }

    /// The fold of a whole journal; `None` if it is empty.
    pub fn replay(events: impl IntoIterator<Item = RelayEvent>) -> Result<Option<Self>, Refusal> {
        let mut events = events.into_iter();
        let Some(RelayEvent::Opened(opened)) = events.next() else { return Ok(None) };
        let mut relay = Self::open(*opened);
        for event in events {
            relay.apply(event)?;
        }
        Ok(Some(relay))
    }

    pub fn id(&self) -> Stamp {
        self.opened.relay
    }

    /// The branch that its commits are on at the end.
    pub fn branch(&self) -> String {
        format!("countersign/{}", self.id())
    }

    pub fn terms(&self, story: &str) -> Option<&StoryTerms> {
        self.opened.stories.iter().find(|terms| terms.id == story)
    }

    /// The stories that a text names, as whole words: `US-001` is not in `US-0010`.
    pub fn named_in<'r>(&'r self, text: &str) -> impl Iterator<Item = &'r str> + Clone {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
        let ids = self.opened.stories.iter().map(|terms| terms.id.as_str());
        ids.filter(move |id| words.clone().any(|word| word == *id))
    }

    fn has_landed(&self, story: &str) -> bool {
        matches!(self.stories.get(story), Some(Standing::Landed { .. }))
    }

    /// What may be done now.
    pub fn next(&self) -> Next {
        self.next_while(&BTreeSet::new())
    }

    /// What may be done now, while these runs wait for a person: who waits keeps its files and no place.
    pub fn next_while(&self, waiting: &BTreeSet<Stamp>) -> Next {
        if let Some(outcome) = &self.outcome {
            return Next::Done(outcome.clone());
        }
        let mut moves = self.driving();
        if self.is_cancelled {
            if moves.is_empty() {
                moves.push(Move::Close(self.blocked(Blocked::Cancelled)));
            }
            return Next::Moves(moves);
        }
        for (story, standing) in &self.stories {
            if let Standing::Accepted { run, .. } = standing {
                moves.push(Move::Land { story: story.clone(), run: *run });
            }
        }
        let ready = self.ready(waiting);
        moves.extend(ready.into_iter().map(|story| Move::Start(Leg::Story(story))));
        if moves.is_empty() {
            moves.push(self.last_move());
        }
        Next::Moves(moves)
    }

    /// Runs that are under way.
    fn driving(&self) -> Vec<Move> {
        let stories = self.stories.iter().filter_map(|(story, standing)| match standing {
            Standing::Running { run } => {
                Some(Move::Drive { leg: Leg::Story(story.clone()), run: *run })
            }
            _ => None,
        });
        let release = match &self.release {
            Some(Standing::Running { run }) => Some(Move::Drive { leg: Leg::Release, run: *run }),
            _ => None,
        };
        stories.chain(release).collect()
    }

    /// Stories that may be begun: what they depend on has landed, nobody works on their files, and there
    /// is a place left.
    fn ready(&self, waiting: &BTreeSet<Stamp>) -> Vec<String> {
        let begun = |terms: &&StoryTerms| match self.stories.get(&terms.id) {
            Some(Standing::Running { run } | Standing::Accepted { run, .. }) => Some(*run),
            _ => None,
        };
        let mut working: Vec<&StoryTerms> =
            self.opened.stories.iter().filter(|terms| begun(terms).is_some()).collect();
        let idle = working.iter().filter_map(begun).filter(|run| waiting.contains(run)).count();
        let places = (self.opened.jobs.max(1) as usize).saturating_add(idle);
        let mut ready = Vec::new();
        for terms in &self.opened.stories {
            let is_open = self.stories.get(&terms.id) == Some(&Standing::Open);
            let is_free = terms.depends_on.iter().all(|story| self.has_landed(story))
                && working.iter().all(|other| !may_overlap(&terms.touches, &other.touches));
            if is_open && is_free && working.len() < places {
                working.push(terms);
                ready.push(terms.id.clone());
            }
        }
        ready
    }

    /// What is left when no story can be worked on.
    fn last_move(&self) -> Move {
        let refused =
            self.opened.stories.iter().find_map(|terms| match self.stories.get(&terms.id) {
                Some(Standing::Refused { run, because }) => Some((&terms.id, *run, *because)),
                _ => None,
            });
        if let Some((story, run, because)) = refused {
            let story = story.clone();
            return Move::Close(self.blocked(Blocked::Story { story, run, because }));
        }
        match &self.release {
            Some(Standing::Accepted { commit, .. } | Standing::Landed { commit, .. }) => {
                Move::Close(RelayOutcome::Complete {
                    commit: commit.clone(),
                    branch: self.branch(),
                })
            }
            Some(Standing::Refused { run, because }) => match because {
                // What a person decided is not asked again by doing it again.
                RefusedBecause::AttemptsExhausted => Move::Reopen { run: *run },
                _ => Move::Close(self.blocked(Blocked::Release { run: *run, because: *because })),
            },
            None | Some(Standing::Open | Standing::Running { .. }) => Move::Start(Leg::Release),
        }
    }

    /// The end without all stories. Those that wait for a failed one are named.
    pub fn blocked(&self, blocked: Blocked) -> RelayOutcome {
        let waiting = self
            .opened
            .stories
            .iter()
            .filter(|terms| self.stories.get(&terms.id) == Some(&Standing::Open));
        let waiting = waiting.map(|terms| terms.id.clone()).collect();
        let has_work = self.tip != self.opened.base.commit;
        RelayOutcome::Blocked { blocked, branch: has_work.then(|| self.branch()), waiting }
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: RelayEvent) -> Result<(), Refusal> {
        if !self.can_follow(&event) {
            let event = serde_json::to_value(&event).ok();
            let event = event.and_then(|event| event["kind"].as_str().map(str::to_owned));
            return Err(Refusal { event: event.unwrap_or_default(), relay: self.id() });
        }
        self.take(event);
        self.sequence += 1;
        Ok(())
    }

    fn take(&mut self, event: RelayEvent) {
        self.is_reopening = match event {
            RelayEvent::CancelRequested { .. } => self.is_reopening,
            _ => matches!(event, RelayEvent::Reopened { .. }),
        };
        match event {
            RelayEvent::Opened(_) => {}
            RelayEvent::Started { leg, run, .. } => {
                self.runs.push((leg.clone(), run));
                self.stand(leg, Standing::Running { run });
            }
            RelayEvent::Ended { leg, run, outcome } => {
                let standing = match outcome {
                    Outcome::Accepted { commit, .. } => Standing::Accepted { run, commit },
                    Outcome::Refused { because } => Standing::Refused { run, because },
                };
                self.stand(leg, standing);
            }
            RelayEvent::Landed { story, run, commit, tree, .. } => {
                self.tip = commit.clone();
                self.tip_tree = tree;
                self.findings.remove(&story);
                self.stand(Leg::Story(story), Standing::Landed { run, commit });
            }
            RelayEvent::Collided { story, reasons, .. } => {
                self.findings.insert(story.clone(), reasons);
                self.stand(Leg::Story(story), Standing::Open);
            }
            RelayEvent::Reopened { story, reasons } => {
                *self.reopened.entry(story.clone()).or_default() += 1;
                self.findings.insert(story.clone(), reasons);
                self.stand(Leg::Story(story), Standing::Open);
                self.release = None;
            }
            RelayEvent::CancelRequested { .. } => self.is_cancelled = true,
            RelayEvent::Closed(outcome) => self.outcome = Some(outcome),
        }
    }

    fn stand(&mut self, leg: Leg, standing: Standing) {
        match leg {
            Leg::Story(story) => {
                self.stories.insert(story, standing);
            }
            Leg::Release => self.release = Some(standing),
        }
    }
}

/// Whether two stories may touch a common file. Of one that says nothing, everything may be.
pub fn may_overlap(one: &[String], other: &[String]) -> bool {
    let fixed = |glob: &str| glob.split(['*', '?', '[', '{']).next().unwrap_or_default().to_owned();
    let meets = |a: &str, b: &str| {
        let (left, right) = (fixed(a), fixed(b));
        let both_plain = left.len() == a.len() && right.len() == b.len();
        let is_inside = |outer: &str, inner: &str| {
            inner.strip_prefix(outer.trim_end_matches('/')).is_some_and(|r| r.starts_with('/'))
        };
        if both_plain {
            return a == b || is_inside(a, b) || is_inside(b, a);
        }
        left.starts_with(&right) || right.starts_with(&left)
    };
    // What leads out may lead anywhere.
    let alike = |globs: &[String]| -> Option<Vec<String>> {
        globs.iter().map(|glob| relative_glob(glob).ok()).collect()
    };
    let (Some(one), Some(other)) = (alike(one), alike(other)) else { return true };
    one.is_empty() || other.is_empty() || one.iter().any(|a| other.iter().any(|b| meets(a, b)))
}
