//! Exit codes: part of the interface, and documented in the help.

use countersign_domain::run::Outcome;

/// Done.
pub const DONE: u8 = 0;
/// Refused, not found, unavailable, or found to be tampered with.
pub const REFUSED: u8 = 1;
/// The command line or the configuration is wrong.
pub const USAGE: u8 = 2;
/// A run ended without acceptance.
pub const NOT_ACCEPTED: u8 = 3;

/// Ended with Ctrl-C, as shells count it.
pub const INTERRUPTED: i32 = 130;

/// The end of the help text.
pub const HELP: &str = "\
Exit codes:
   0  done
   1  refused, not found, not available, or tampered with
   2  wrong usage or configuration
   3  a run ended without acceptance
   4  waiting for a human
   5  an agent or tool is missing
  70  a mistake of ours
 130  ended with Ctrl-C; a run can go on with `countersign resume`";

pub fn of_outcome(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Accepted { .. } => DONE,
        Outcome::Refused { .. } => NOT_ACCEPTED,
    }
}
