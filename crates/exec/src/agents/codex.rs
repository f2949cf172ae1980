//! What is known about Codex CLI.

pub mod app_server;
pub(crate) mod hook;
pub mod settings;
pub(crate) mod tools;
pub(crate) mod transcript;
