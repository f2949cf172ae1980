//! The words and rules of Countersign.
//!
//! Everything here is pure: no clock, environment, file, process, network or randomness.
//! What happens in the world is done by other crates, which hand the facts in as arguments.

pub mod acceptance;
pub mod agent;
pub mod budget;
pub mod canonical;
pub mod checkpoint;
pub mod claim;
pub mod classify;
pub mod context;
pub mod contract;
pub mod gaming;
pub mod id;
pub mod ledger;
pub mod memory;
pub mod mistake;
pub mod normal;
pub mod plan;
pub mod project;
pub mod qa;
pub mod quotes;
pub mod receipt;
pub mod relay;
pub mod report;
pub mod run;
pub mod scope;
pub mod secret;
pub mod snapshot;
pub mod stamp;
pub mod standards;
pub mod task;
pub mod verdict;
pub mod verify;
pub mod worklog;
mod yaml;

pub use id::{Digest, ObjectId};
pub use stamp::Stamp;
