//! Exit codes: part of the interface, and documented in the help.

/// Done.
pub const DONE: u8 = 0;
/// The command line is wrong.
pub const USAGE: u8 = 2;
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
