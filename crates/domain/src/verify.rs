//! Verification: which commands ran on which trees, what that shows about the work, and what
//! follows from it.
//!
//! The engine makes the evidence by running things; everything here only weighs it. What is not
//! known never speaks for the work: a test nobody saw pass did not pass.

mod aim;
mod asks;
mod checks;
mod demand;
mod event;
mod evidence;
mod heeded;
mod judge;
mod labels;
mod level;
mod moved;
mod said;
mod stated;
mod tests_run;
mod told;
mod unequipped;
mod unexpected;
mod unsteady;
mod upkeep;
mod verdict;

pub use aim::{Aim, aim, is_about_speed, speaks_of_speed};
pub use asks::{
    asks_for_change, goes, gone_words, is_about_races, is_about_removal, names_check, only_adds,
    plainly,
};
pub use checks::{
    Noticed, answers_as_before, hangs_on_names, is_red, race_found, said_the_same, still_short,
};
pub use demand::{Reached, demanded, falls_short, has_protected};
pub use event::{Answer, Due, PlantedOn, Terms, VerifyEvent};
pub use evidence::{
    Answered, Checked, Evidence, Example, Ground, Mutants, Place, Planted, Ran, TestEdits,
};
pub use heeded::{MOST_HEEDED, heeded};
pub use judge::judge;
pub use labels::is_labelled;
pub use level::Level;
pub use said::{Lack, Said};
pub use stated::{Bearing, Heard, Stated, is_error, stated, value};
pub use tests_run::{bare, passes_unnamed};
pub use told::{
    codes, is_exchanged, is_reordered, is_respaced, is_spoken, is_taken_out, is_told, is_widened,
};
pub use unexpected::{SpecRow, Unexpected};
pub use upkeep::{Files, Sides, definitions, named, removals, renames, undone};
pub use verdict::{Judgement, Mark, NotRun, Reason, Result, Verdict, Weight};
