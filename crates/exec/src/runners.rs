//! Test runners: how each is started so that it says what every test did, and what is planted
//! beside its tests to find out whether it tells the truth.
//!
//! The command is the one that the base's files name; only its way of reporting is ours. Reports go
//! to a folder outside of the checkout where the runner can write files, else to standard output.

mod asked;
mod canary;
mod drawn;
mod start;

pub use asked::{Question, answer, asked};
pub use canary::{Canary, canary};
pub use drawn::Drawn;
pub use start::{Start, is_added_to, raced, start};
