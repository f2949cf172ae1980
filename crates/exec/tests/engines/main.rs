//! Agents as engines: how they are started, how what they print is read, and both with the real
//! ones, driven by a scripted model.
//!
//! `cargo xtask agents` installs them. Without one, a test of it says NOT TESTED and passes.

#![allow(clippy::unwrap_used)]

mod bridge;
mod heard;
mod hostile;
mod launches;
mod live;
mod live_faults;
mod scene;
