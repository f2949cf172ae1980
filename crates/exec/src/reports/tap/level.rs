//! Points of one indentation.

use countersign_domain::qa::{Case, Listed, Outcome};

use super::lines::Directive;
use crate::reports::text::Line;
use crate::reports::words::{INSIDE, milliseconds};

#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) plan: Option<u64>,
    pub(super) seen: u64,
    /// Whether something else is wrong with its points.
    pub(super) is_odd: bool,
    pub(super) is_braced: bool,
    pub(super) cases: Listed,
    /// The last point, whose diagnostics may follow.
    pub(super) last: Option<Point>,
    /// The name of the point that the level below will belong to.
    pub(super) next: Option<String>,
}

/// What a point is the sum of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Below {
    Nothing,
    Good,
    Bad,
}

#[derive(Debug)]
pub(super) struct Point {
    pub(super) outcome: Outcome,
    pub(super) name: String,
    pub(super) is_suite: bool,
    pub(super) below: Below,
    message: Option<String>,
    duration_ms: Option<u64>,
    line: Option<u64>,
    /// Whether the message goes on, further indented.
    is_telling: bool,
}

impl Point {
    pub(super) fn new(is_ok: bool, name: String, directive: Directive, line: &Line<'_>) -> Self {
        let (outcome, message, duration_ms) = match directive {
            Directive::Skipped(why) => (Outcome::Skipped, why, None),
            Directive::None { duration_ms } if is_ok => {
                (line.believe(Outcome::Passed), None, duration_ms)
            }
            Directive::None { duration_ms } => (Outcome::Failed, None, duration_ms),
        };
        Self {
            outcome,
            name,
            is_suite: false,
            below: Below::Nothing,
            message,
            duration_ms,
            line: line.at(),
            is_telling: false,
        }
    }

    /// A point without a name is known by its number.
    pub(super) fn named(mut self, number: u64) -> Self {
        if self.name.is_empty() {
            self.name = format!("#{number}");
        }
        self
    }

    /// One line of diagnostics.
    pub(super) fn diagnose(&mut self, text: &str, indent: usize) {
        if indent > 0 {
            let told = text.strip_prefix("message: ").map_or(text, unquoted);
            if self.is_telling && self.message.is_none() && !text.starts_with("name: ") {
                self.message = Some(told.to_owned());
            }
            return;
        }
        let (key, value) = text.split_once(':').unwrap_or((text, ""));
        let value = unquoted(value.trim());
        self.is_telling =
            matches!(key, "error" | "message") && matches!(value, "" | "|-" | "|" | ">-");
        match key {
            "type" => self.is_suite = value == "suite",
            "duration_ms" => {
                self.duration_ms = value.parse().ok().and_then(milliseconds).or(self.duration_ms);
            }
            "error" | "message" if !self.is_telling && self.outcome.is_bad() => {
                self.message.get_or_insert(value.to_owned());
            }
            _ => {}
        }
    }
}

impl Level {
    /// The level below belongs to the last point.
    pub(super) fn take_below(&mut self, below: Level) {
        let Some(point) = &mut self.last else {
            self.is_odd = true;
            return;
        };
        if below.seen == 0 {
            return;
        }
        point.below = if below.cases.count().bad() > 0 { Below::Bad } else { Below::Good };
        let prefix = point.name.clone();
        self.append(&prefix, below.cases);
    }

    /// The level below was cut off before its point, or its point was told first.
    pub(super) fn take_open(&mut self, below: Level) {
        if below.is_braced {
            self.take_below(below);
            return;
        }
        let prefix = self.next.take().unwrap_or_default();
        self.append(&prefix, below.cases);
    }

    pub(super) fn append(&mut self, prefix: &str, cases: Listed) {
        self.is_odd |= !cases.has_room();
        for (mut case, line) in cases.into_cases() {
            if !prefix.is_empty() {
                case.id = format!("{prefix}{INSIDE}{}", case.id);
            }
            self.cases.push(case, line);
        }
    }

    /// A point is complete. A sum is no test, unless it failed on its own.
    pub(super) fn add(&mut self, point: Point) {
        match point.below {
            Below::Nothing => {}
            Below::Good if point.outcome.is_bad() => {}
            Below::Good | Below::Bad => return,
        }
        let mut case = Case::new(point.name, point.outcome);
        (case.message, case.duration_ms) = (point.message, point.duration_ms);
        self.cases.push(case, point.line);
    }

    pub(super) fn demote(&mut self) {
        self.cases.demote();
    }
}

fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).unwrap_or(text)
}
