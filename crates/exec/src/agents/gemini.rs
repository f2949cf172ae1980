//! What is known about Gemini CLI.

pub(crate) mod hook;
pub mod settings;
pub(crate) mod tools;
pub(crate) mod transcript;
