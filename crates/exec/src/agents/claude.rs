//! What is known about Claude Code.

pub(crate) mod hook;
pub mod settings;
pub(crate) mod tools;
pub(crate) mod transcript;
