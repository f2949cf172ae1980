//! What real test runners wrote, what was made of it, and what must never be made of it.

// Clippy allows these inside `#[test]` only, and what the tests share is not inside.
#![allow(clippy::unwrap_used)]

mod detection;
mod hostile;
mod lies;
mod mutated;
mod recorded;
mod support;
mod truth;
mod written;
