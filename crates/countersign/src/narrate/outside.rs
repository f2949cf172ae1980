//! What changed in the user's own repository while an agent was at work, in words.

use countersign_domain::run::Outside;

use super::one_line;
use crate::ui::{BAD, DIM, paint};

/// A line for each, after a line about something else. What a person is asked about stands out.
pub fn outside_lines(outside: &[Outside]) -> String {
    let line = |one: &Outside| {
        let style = if one.sort.is_asked_about() { BAD } else { DIM };
        let words = one_line(&one.to_string());
        format!("\n  {}: {words}", paint(style, "meanwhile, in your own repository"))
    };
    outside.iter().map(line).collect()
}
