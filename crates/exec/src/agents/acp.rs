//! Any agent that speaks the Agent Client Protocol.
//!
//! Such an agent wants to be talked with, while everything here runs programs that get a file and
//! print: our own executable stands between ([`bridge`]), started like any other agent.

pub mod bridge;
pub(crate) mod launch;
pub(crate) mod stream;

pub use launch::SUBCOMMAND;
