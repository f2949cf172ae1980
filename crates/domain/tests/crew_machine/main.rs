//! The run machine with a crew, driven by hand: agents that work, claim, judge and fail.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod breakers;
mod judging;
mod outside;
mod questions;
mod telling;
mod work;
mod world;
