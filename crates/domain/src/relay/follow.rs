//! Which event may follow on a relay's journal.

use super::event::{Leg, RelayEvent};
use super::state::{Move, Next, Relay, Standing};

impl Relay {
    pub(super) fn can_follow(&self, event: &RelayEvent) -> bool {
        if self.outcome.is_some() {
            return false;
        }
        // Who waits for a person is on the runs' own journals: what is begun meanwhile may be one more.
        let running = self.runs.iter().map(|(_, run)| *run).collect();
        let Next::Moves(moves) = self.next_while(&running) else { return false };
        let is_due = |due: &Move| moves.contains(due);
        match event {
            RelayEvent::Opened(_) => false,
            RelayEvent::CancelRequested { .. } => !self.is_cancelled,
            RelayEvent::Started { leg, base, .. } => {
                is_due(&Move::Start(leg.clone())) && *base == self.tip
            }
            RelayEvent::Ended { leg, run, .. } => {
                is_due(&Move::Drive { leg: leg.clone(), run: *run })
            }
            RelayEvent::Landed { story, run, .. } | RelayEvent::Collided { story, run, .. } => {
                is_due(&Move::Land { story: story.clone(), run: *run })
            }
            RelayEvent::Reopened { story, .. } => {
                let is_broken = moves.iter().any(|due| matches!(due, Move::Reopen { .. }));
                let known = self.stories.get(story);
                (is_broken || self.is_reopening) && matches!(known, Some(Standing::Landed { .. }))
            }
            RelayEvent::Closed(outcome) => moves.iter().any(|due| match due {
                Move::Close(end) => end == outcome,
                // Nobody could be found who is to blame, or it was taken up too often.
                Move::Reopen { .. } => true,
                _ => false,
            }),
        }
    }

    /// The run of a leg that is under way.
    pub fn running(&self, leg: &Leg) -> Option<crate::stamp::Stamp> {
        let standing = match leg {
            Leg::Story(story) => self.stories.get(story),
            Leg::Release => self.release.as_ref(),
        };
        match standing {
            Some(Standing::Running { run }) => Some(*run),
            _ => None,
        }
    }
}
