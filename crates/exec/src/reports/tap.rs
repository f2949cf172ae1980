//! The Test Anything Protocol, versions 12 to 14, as node, vitest and many others write it.
//!
//! A plan says how many points there are; with another number, nobody knows which are real.
//! Points with points below them are sums, and are not counted.

mod level;
mod lines;

use countersign_domain::qa::{
    Certainty, DoubtKind, Draft, Ending, Format, Outcome, Report, Suite, Totals,
};

use super::node::Counts;
use super::text::Line;
use super::words::is_script;
use level::{Below, Level, Point};
use lines::Said;

/// Deeper points are not followed.
const MAX_DEPTH: usize = 32;

pub(super) fn is_own(line: &str) -> bool {
    matches!(lines::read(line), Said::Plan { .. } | Said::Point { .. } | Said::BailOut(_))
}

#[derive(Debug)]
pub(super) struct Reader {
    draft: Draft,
    /// The outermost level first.
    levels: Vec<Level>,
    /// How far the diagnostics of a point are indented, while they are being read.
    yaml: Option<usize>,
    /// Points that are sums of others and passed, any of which node may count.
    groups: u64,
    scripts: u64,
    counts: Counts,
    has_version: bool,
    has_point: bool,
    last: u64,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self {
            draft: Draft::new(Format::Tap),
            levels: vec![Level::default()],
            yaml: None,
            groups: 0,
            scripts: 0,
            counts: Counts::default(),
            has_version: false,
            has_point: false,
            last: 0,
        }
    }

    pub(super) fn evidence(&self) -> Option<Certainty> {
        let has_plan = self.levels[0].plan.is_some();
        match (self.has_version, has_plan && self.has_point) {
            (true, _) => Some(Certainty::Sure),
            (_, true) => Some(Certainty::Likely),
            _ => None,
        }
    }

    pub(super) fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        self.last = line.number;
        let indent = line.indent();
        let text = line.trimmed().trim_start_matches(' ');
        if let Some(at) = self.yaml {
            self.diagnose(text, indent, at);
            return;
        }
        if text == "---" {
            let depth = self.levels.len() - 1;
            let is_below = |level: &Level| level.last.is_some();
            if indent > 0 && self.levels[..=depth].iter().any(is_below) {
                self.yaml = Some(indent);
            }
            return;
        }
        if !indent.is_multiple_of(4) {
            return;
        }
        let depth = indent / 4;
        match lines::read(text) {
            Said::Version if indent == 0 => self.version(line),
            Said::Plan { count } => self.plan(depth, count, line),
            Said::Point { is_ok, number, name, directive, opens } => {
                let point = Point::new(is_ok, name, directive, line);
                self.point(depth, point, number, opens);
            }
            Said::Subtest(name) => {
                if let Some(level) = self.levels.get_mut(depth) {
                    level.next = Some(name);
                }
            }
            Said::Close => self.close_braces(depth),
            Said::BailOut(why) => self.draft.doubt(DoubtKind::Stopped, line.at(), why),
            Said::Count { name, count } if indent == 0 && self.levels[0].plan.is_some() => {
                self.counts.take(name, count);
            }
            Said::Nothing | Said::Version | Said::Count { .. } => {}
        }
    }

    fn version(&mut self, line: &Line<'_>) {
        if self.has_version || self.has_point {
            self.end_run();
            self.draft.doubt(DoubtKind::SeveralRuns, line.at(), "another run begins here");
        }
        self.has_version = true;
    }

    fn plan(&mut self, depth: usize, count: u64, line: &Line<'_>) {
        if depth == self.levels.len() && depth <= MAX_DEPTH {
            self.levels.push(Level::default());
        }
        let Some(level) = self.levels.get_mut(depth) else { return };
        if level.plan.is_some() {
            level.is_odd = true;
            self.draft.doubt(DoubtKind::Contradiction, line.at(), "there is a second plan");
            return;
        }
        level.plan = Some(count);
    }

    fn point(&mut self, depth: usize, point: Point, number: Option<u64>, opens: bool) {
        if depth > self.levels.len() || depth > MAX_DEPTH {
            return;
        }
        if depth == self.levels.len() {
            self.levels.push(Level::default());
        }
        self.has_point = true;
        let below = self.fold_to(depth);
        self.end_point(depth);
        let level = &mut self.levels[depth];
        level.seen += 1;
        level.is_odd |= number.is_some_and(|number| number != level.seen);
        level.next = None;
        level.last = Some(point.named(level.seen));
        if let Some(below) = below {
            level.take_below(below);
        }
        if opens {
            self.levels.push(Level { is_braced: true, ..Level::default() });
        }
    }

    /// Ends all levels below this one; what was in the first of them belongs to the next point.
    fn fold_to(&mut self, depth: usize) -> Option<Level> {
        while self.levels.len() > depth + 2 {
            let at = self.levels.len() - 1;
            self.settle_level(at);
            let below = self.levels.pop()?;
            self.levels[at - 1].is_odd = true;
            self.levels[at - 1].append("", below.cases);
        }
        if self.levels.len() == depth + 2 {
            self.settle_level(depth + 1);
            return self.levels.pop();
        }
        None
    }

    /// `}`: what is in braces belongs to the point before them.
    fn close_braces(&mut self, depth: usize) {
        if self.levels.len() < depth + 2 || !self.levels[depth + 1].is_braced {
            return;
        }
        if let Some(below) = self.fold_to(depth) {
            self.levels[depth].take_below(below);
        }
    }

    /// Compares what was seen on a level with its plan.
    fn settle_level(&mut self, depth: usize) {
        self.end_point(depth);
        let level = &mut self.levels[depth];
        let is_sound = level.plan == Some(level.seen) && !level.is_odd;
        if !is_sound && level.seen > 0 {
            let planned = level.plan.map_or("no plan".to_owned(), |n| format!("a plan of {n}"));
            let words = format!("{planned}, and {} points are listed", level.seen);
            level.demote();
            self.draft.doubt(DoubtKind::Contradiction, Some(self.last), words);
        }
    }

    /// The last point of a level is complete: its diagnostics are read.
    fn end_point(&mut self, depth: usize) {
        let level = &mut self.levels[depth];
        let Some(point) = level.last.take() else { return };
        if point.below != Below::Nothing {
            self.groups += u64::from(point.outcome == Outcome::Passed && !point.is_suite);
        }
        let is_alone = depth == 0 && point.below == Below::Nothing;
        let is_file = is_alone && is_script(&point.name);
        if is_file && point.outcome == Outcome::Passed {
            self.scripts += 1;
            let (outcome, unnamed) = (Outcome::Passed, Totals::default());
            self.draft.suite(Suite { id: point.name, outcome, unnamed });
            return;
        }
        level.add(point);
    }

    fn diagnose(&mut self, text: &str, indent: usize, at: usize) {
        if text == "..." && indent == at {
            self.yaml = None;
            return;
        }
        let depth = (at / 4).min(self.levels.len() - 1);
        let point = self.levels[..=depth].iter_mut().rev().find_map(|level| level.last.as_mut());
        if let Some(point) = point {
            point.diagnose(text, indent.saturating_sub(at));
        }
    }

    fn end_run(&mut self) -> bool {
        let is_open = self.levels.len() > 1 || self.yaml.is_some();
        while self.levels.len() > 1 {
            let at = self.levels.len() - 1;
            self.end_point(at);
            let Some(below) = self.levels.pop() else { break };
            self.levels[at - 1].take_open(below);
        }
        self.end_point(0);
        let mut level = std::mem::take(&mut self.levels[0]);
        let is_short = level.plan.is_none_or(|plan| level.seen < plan);
        let is_cut = is_open || is_short;
        if is_cut {
            let planned = level.plan.map_or("no plan".to_owned(), |n| format!("a plan of {n}"));
            let words = format!("{planned}, and {} points", level.seen);
            self.draft.doubt(DoubtKind::Cut, Some(self.last), words);
            level.demote();
        }
        self.levels[0] = level;
        if !is_cut {
            self.settle_level(0);
        }
        let mut level = std::mem::take(&mut self.levels[0]);
        let listed = level.cases.count();
        if self.counts.tests.is_some() {
            let contradiction = self.counts.contradiction(listed, self.scripts, self.groups);
            if let Some(words) = contradiction.filter(|_| !is_cut) {
                level.demote();
                self.draft.doubt(DoubtKind::Contradiction, Some(self.last), words);
            }
            let passed = self.counts.totals.passed.saturating_sub(self.scripts);
            self.draft.claim(Totals { passed, ..self.counts.totals });
        }
        self.draft.add_all(level.cases);
        (self.counts, self.groups, self.scripts, self.yaml) = (Counts::default(), 0, 0, None);
        is_cut
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>) -> Report {
        let ending = if self.end_run() { Ending::Cut } else { Ending::Closed };
        self.draft.finish(ending, exit_code)
    }
}
