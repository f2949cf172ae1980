//! Any shell command as an agent.

pub(crate) mod launch;
pub(crate) mod stream;
