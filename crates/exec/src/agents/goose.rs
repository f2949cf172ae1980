//! What is known about Goose.

pub(crate) mod launch;
pub(crate) mod stream;
