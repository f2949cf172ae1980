//! Runs of checks: what a test runner said, how far it can be believed, and how it compares with
//! an earlier run.
//!
//! Readers (in `exec`) put a [`Draft`] together; everything after that is the same for all
//! runners. Unknown is never a pass, and nothing here counts more passes than there were.

pub mod colours;
pub mod compare;
pub mod conclusion;
pub mod doubt;
pub mod draft;
pub mod format;
pub mod listed;
pub mod report;
pub mod together;

pub use colours::{plain_lines, without_colours};
pub use compare::{Change, Comparison, compare};
pub use conclusion::{Basis, Conclusion};
pub use doubt::{Doubt, DoubtKind};
pub use draft::{Draft, Ending};
pub use format::{Certainty, Detection, Format, UnknownFormat};
pub use listed::Listed;
pub use report::{Case, Outcome, Report, Suite, Totals};
pub use together::conclude;
