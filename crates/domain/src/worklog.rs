//! Worklogs: what an agent did in a session, as it told us and as we know better.
//!
//! A dialect (in `exec`) turns an agent's own words into a [`Report`]; everything after that is
//! the same for all agents. A session is the fold of its events, as a run is.

pub mod breaker;
pub mod budget;
pub mod command;
pub mod deviation;
pub mod ended;
pub mod entry;
pub mod event;
pub mod flags;
pub mod opened;
pub mod operation;
pub mod phase;
pub mod plan;
pub mod report;
pub mod session;
pub mod significance;
pub mod summary;
pub mod todo;
pub mod todos;
pub mod tokens;
pub mod verification;

pub use ended::{Ended, Outcome, Totals, VerificationCounts};
pub use event::{Listener, Logged, SessionEvent, Subject};
pub use opened::{AgentProcess, Judgement, Opened, Place};
pub use operation::{Deed, End, FileChange, FileFate, Operation, Seen};
pub use report::{Agent, Answer, Decision, Finished, Lane, News, Report, Source};
pub use session::Session;
pub use summary::Summary;
pub use todo::{Todo, TodoStatus, TodoUpdate};
pub use verification::Resolution;
