//! Finds what looks like gaming in a change: two versions of files in, findings out.
//!
//! Everything here is pure: no clock, environment, file or process. What is found by reading
//! explains and warns; what is executed decides. `docs/design/gaming.md` says why.

mod args;
mod compare;
mod config;
mod detect;
mod language;
mod lines;
mod literals;
mod mask;
mod outline;
mod product;
mod prose;
mod role;
mod similar;
mod suppressed;
mod syntax;

pub use detect::{Changed, File, Task, detect};
pub use language::Language;
pub use outline::{Assertion, Fault, Marker, Outline, Test, outline};
pub use role::{Role, role};
