//! The machine of a plan: its stories go from hand to hand, each a run of its own, until all of them
//! together hold.
//!
//! A relay is the fold of its journal, as a run is. [`Relay::next`] says what may be done now, which
//! may be several things at once: stories that touch no common file may be worked on side by side.
//! What a story's run did is on that run's own record.

mod continued;
mod event;
mod follow;
mod state;

pub use event::{
    Blocked, Continued, LandedBefore, Leg, Opened, RelayEvent, RelayOutcome, StoryTerms,
};
pub use state::{Move, Next, Refusal, Relay, Standing, may_overlap};
