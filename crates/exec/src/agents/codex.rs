//! What is known about Codex CLI.

pub mod app_server;
pub(crate) mod hook;
pub(crate) mod launch;
pub mod settings;
pub(crate) mod stream;
pub(crate) mod tools;
pub(crate) mod transcript;
