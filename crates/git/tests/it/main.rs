//! Tests of the git crate against the real git, each in a directory of its own.
//!
//! One binary, so that it is linked once; a module per topic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod adopt;
mod anchor;
mod between_large;
mod checkout;
mod checkout_hostile;
mod commit;
mod common;
mod compose;
mod diff;
mod discard;
mod discover;
mod drift;
mod drift_benign;
mod drift_history;
mod drift_inside;
mod drift_random;
mod drift_settings;
mod fingerprint;
mod forged;
mod history;
mod isolation;
mod keep;
mod merge;
mod record;
mod record_first;
mod record_odd;
mod repository;
mod scene;
mod snapshot;
mod snapshot_foreign;
mod snapshot_index;
mod snapshot_repositories;
mod snapshot_safety;
mod snapshot_times;
mod spare;
mod spare_loose;
mod standing;
mod untouched;
