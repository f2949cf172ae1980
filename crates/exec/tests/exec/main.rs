//! Runs of real programs. One executable for all, because linking is what takes time here.

// Clippy allows these inside `#[test]` only, and what the tests share is not inside.
#![allow(clippy::unwrap_used)]
// They look into `/proc` for anybody left behind.
#![cfg(target_os = "linux")]

mod bounds;
mod codex_toml;
mod endings;
mod hook_entries;
mod hook_entries_properties;
mod lost;
mod output;
mod parallel;
mod probes;
mod starting;
mod support;
mod trees;
