//! What is known about OpenCode.

pub(crate) mod hook;
pub mod settings;
pub(crate) mod tools;
