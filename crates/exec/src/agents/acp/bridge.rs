//! The bridge between an agent that speaks ACP and everything here that runs programs.

pub(crate) mod told;
