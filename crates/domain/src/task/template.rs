//! A new task's file, to be filled in.

use super::{Priority, TaskId};

/// What the template says where a person should.
const UNFILLED: &str = "Say what is to be done and why, in Markdown.";

/// The file of a new task, with comments on what goes where.
pub fn template(id: &TaskId, title: &str, priority: Priority, area: &str) -> String {
    let (title, area, priority) = (quoted(title), quoted(area), priority.name());
    format!(
        r"# A task. Lines that begin with '#' are comments, except inside of texts.
version: 1
id: {id}
title: {title}
# P0 (now) to P3 (some day)
priority: {priority}
# The part of the project; the standards that hold are chosen by it.
area: {area}
# todo, in_progress, blocked, done or cancelled
status: todo

# Markdown: paragraphs, lists, headings and code are kept as they are.
description: |
  {UNFILLED}

scope:
  # Files, folders, globs (src/**/*.rs) and macros (:name); or words, which are only shown.
  in: []
  # What must not be changed, although it is inside of the above.
  out: []

# What must hold when the task is done, each so that it can be checked.
acceptance_criteria: []

qa:
  # Commands, such as
  #   - cargo test
  #   - {{command: npm test, cwd: web, timeout: 5m}}
  commands: []

# Sections of standards besides those for the area: standards/global.md#governance
standards: []

# Who takes part, one after the other; without this key it is as the project's settings say.
# roles: [implementer, reviewer, validator]

# Tasks that must be done first
depends_on: []
tags: []
links: []
"
    )
}

/// Whether a text is still that of the template.
pub fn is_unfilled(text: &str) -> bool {
    text.trim() == UNFILLED
}

/// A text of one line as YAML and JSON write it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // Some are no YAML as they are, and a person could not see them.
            _ if letter.is_control() || "\u{2028}\u{2029}\u{feff}".contains(letter) => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            '\u{fffe}' | '\u{ffff}' => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
