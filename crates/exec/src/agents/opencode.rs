//! What is known about OpenCode.

pub(crate) mod hook;
pub(crate) mod launch;
pub mod settings;
pub(crate) mod stream;
pub(crate) mod tools;
