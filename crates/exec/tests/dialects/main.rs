//! The dialects of the agents, against recordings of what the real agents said.

// Clippy allows these inside `#[test]` only, and what the tests share is not inside.
#![allow(clippy::unwrap_used)]

mod answers;
mod capture;
mod edges;
mod hooks;
mod hostile;
mod support;
mod transcripts;
