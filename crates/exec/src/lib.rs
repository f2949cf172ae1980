//! Starts other programs, bounds them and ends them: time, output, and the whole process tree.
//!
//! Every program runs under a supervisor: our own executable, entered again through a hidden
//! subcommand that calls [`supervise()`]. The supervisor adopts every orphan the program leaves,
//! so that when it reports the end, no process of that run is left. If the leader (the process
//! that called [`run`]) dies in any way, the supervisor sees its control channel close and ends
//! the tree; if the supervisor dies, the leader does.
//!
//! What this crate never does: decide what a result means, read a clock that can be set, or
//! hand on an environment variable that nobody allowed.

pub mod agents;
mod caller;
mod cancel;
mod confine;
mod control;
mod detach;
mod environment;
mod excerpt;
mod exit_watch;
mod filter;
mod find;
mod launch;
mod leader;
#[cfg(target_os = "linux")]
mod process_table;
pub mod reports;
pub mod runners;
mod sandbox;
mod sink;
mod spec;
mod start;
mod strays;
mod supervise;
mod tree;
mod used;

pub use caller::{caller, descends_from, is_alive};
pub use cancel::Cancel;
pub use confine::{Confinement, can_confine, can_filter};
pub use detach::detach;
pub use environment::Environment;
pub use excerpt::Excerpt;
pub use find::find_program;
pub use launch::LAUNCH_MARKER;
pub use leader::run;
pub use sandbox::{Available, SandboxFacts, probe_sandbox};
pub use spec::{Ended, Error, Finished, Kin, Spec, Supervisor, Used};
pub use strays::{EndedKin, end_kin};
pub use supervise::supervise;
