//! The list: one line for each run and relay, in as many columns as there is room for.

use countersign_domain::agent::Usage;
use countersign_domain::relay::Standing;
use countersign_domain::run::{Outcome, Step};
use countersign_engine::watch::{RelaySeen, RunSeen};
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{CHOSEN, DIM, STRONG, Theme};
use crate::tui::state::{Model, Row};
use crate::tui::text::{clean, cost, elapsed, fit, tokens};

/// A column, by what it holds; its width is in [`columns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Mark,
    Id,
    State,
    Attempt,
    Who,
    Since,
    Cost,
    Tokens,
    Goal,
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Mark => "",
            Self::Id => "RUN",
            Self::State => "STATE",
            Self::Attempt => "TRY",
            Self::Who => "WHO",
            Self::Since => "SINCE",
            Self::Cost => "COST",
            Self::Tokens => "TOKENS",
            Self::Goal => "GOAL",
        }
    }
}

/// The columns that `width` has room for. The last one takes what is left.
fn columns(width: usize) -> &'static [(Column, usize)] {
    use Column::{Attempt, Cost, Goal, Id, Mark, Since, State, Tokens, Who};
    match width {
        110.. => &[
            (Mark, 1),
            (Id, 19),
            (State, 10),
            (Attempt, 5),
            (Who, 18),
            (Since, 6),
            (Cost, 8),
            (Tokens, 6),
            (Goal, 0),
        ],
        76..110 => &[
            (Mark, 1),
            (State, 10),
            (Attempt, 5),
            (Who, 14),
            (Since, 6),
            (Cost, 7),
            (Tokens, 6),
            (Goal, 0),
        ],
        46..76 => &[(Mark, 1), (State, 10), (Since, 6), (Cost, 7), (Goal, 0)],
        30..46 => &[(Mark, 1), (State, 10), (Goal, 0)],
        _ => &[(Mark, 1), (Goal, 0)],
    }
}

pub(super) fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme, area: Rect) {
    let width = usize::from(area.width);
    let columns = columns(width);
    let mut lines = Vec::new();
    let title = |column: Column| column.title().to_owned();
    if area.height > 2 {
        lines.push(Line::styled(laid_out(columns, width, title), DIM));
    }
    let rows = model.rows();
    if rows.is_empty() {
        lines.push(Line::raw(fit(empty(model), width)));
    }
    let room = usize::from(area.height).saturating_sub(lines.len()).max(1);
    let place = model.place().unwrap_or(0);
    let first = (place + 1).saturating_sub(room);
    for (number, row) in rows.iter().enumerate().skip(first).take(room) {
        let shown = Shown::of(row, model.now);
        let text = laid_out(columns, width, |column| shown.cell(column));
        // The mark alone has the colour, so that a selected row is to be read.
        let cut = text.char_indices().nth(1).map_or(text.len(), |(at, _)| at);
        let line = Line::from(vec![
            Span::styled(text[..cut].to_owned(), shown.style(theme)),
            Span::raw(text[cut..].to_owned()),
        ]);
        lines.push(if number == place { line.style(CHOSEN) } else { line });
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn empty(model: &Model) -> &'static str {
    if !model.has_looked {
        "looking …"
    } else if model.sight.is_ledger {
        "no run yet; countersign run starts one"
    } else {
        "nothing is on record here yet; countersign run starts something"
    }
}

/// A row in columns, exactly `width` wide.
fn laid_out(columns: &[(Column, usize)], width: usize, cell: impl Fn(Column) -> String) -> String {
    let mut text = String::new();
    let mut used = 0;
    for (column, room) in columns {
        let room = if *room == 0 { width.saturating_sub(used) } else { *room };
        let words = fit(&cell(*column), room);
        let missing = room.saturating_sub(Span::raw(words.as_str()).width());
        let is_figure = matches!(column, Column::Cost | Column::Tokens | Column::Since);
        let (before, after) = if is_figure { (missing, 0) } else { (0, missing) };
        text.extend(std::iter::repeat_n(' ', before));
        text.push_str(&words);
        text.extend(std::iter::repeat_n(' ', after + 1));
        used += room + 1;
    }
    text
}

/// How something is doing, by its mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Working,
    Asking,
    Good,
    Bad,
    /// Nobody drives it.
    Idle,
}

/// What a row shows.
struct Shown<'a> {
    row: &'a Row<'a>,
    mark: Mark,
    state: String,
    now: Timestamp,
}

impl<'a> Shown<'a> {
    fn of(row: &'a Row<'a>, now: Timestamp) -> Self {
        let (mark, state) = match row {
            Row::Relay(relay) => of_relay(relay),
            Row::Run(run) | Row::Leg(run) => of_run(run),
        };
        Self { row, mark, state, now }
    }

    fn style(&self, theme: Theme) -> Style {
        match self.mark {
            Mark::Working => STRONG,
            Mark::Asking => theme.asking(),
            Mark::Good => theme.good(),
            Mark::Bad => theme.bad(),
            Mark::Idle => DIM,
        }
    }

    fn cell(&self, column: Column) -> String {
        match column {
            Column::Mark => match self.mark {
                Mark::Working => "●",
                Mark::Asking => "?",
                Mark::Good => "✓",
                Mark::Bad => "✗",
                Mark::Idle => "○",
            }
            .to_owned(),
            Column::Id => self.row.of().id().to_string(),
            Column::State => self.state.clone(),
            Column::Attempt => self.attempt(),
            Column::Who => self.who(),
            Column::Since => elapsed(self.now.as_second() - self.since().as_second()),
            Column::Cost => cost(&self.used()),
            Column::Tokens => tokens(self.used().tokens()),
            Column::Goal => self.goal(),
        }
    }

    fn attempt(&self) -> String {
        match self.row {
            Row::Relay(relay) => {
                let landed = |standing: &Standing| matches!(standing, Standing::Landed { .. });
                let done = relay.stories.iter().filter(|story| landed(&story.standing)).count();
                format!("{done}/{}", relay.stories.len())
            }
            Row::Run(run) | Row::Leg(run) => format!("{}/{}", run.attempt, run.attempts),
        }
    }

    fn who(&self) -> String {
        match self.row {
            Row::Relay(_) => String::new(),
            Row::Run(run) | Row::Leg(run) => {
                clean(run.who.as_deref().filter(|_| run.outcome().is_none()).unwrap_or_default())
            }
        }
    }

    fn since(&self) -> Timestamp {
        match self.row {
            Row::Relay(relay) => relay.since,
            Row::Run(run) | Row::Leg(run) => run.since,
        }
    }

    fn used(&self) -> Usage {
        match self.row {
            Row::Relay(relay) => relay.used,
            Row::Run(run) | Row::Leg(run) => run.used,
        }
    }

    fn goal(&self) -> String {
        match self.row {
            Row::Relay(relay) => clean(&format!("{}: {}", relay.slug, relay.objective)),
            Row::Run(run) => clean(&named(run)),
            Row::Leg(run) => clean(&format!("└ {}", named(run))),
        }
    }
}

/// The goal of a run, with the name of its story once.
fn named(run: &RunSeen) -> String {
    match &run.leg {
        Some((_, leg)) if !run.goal.starts_with(&leg.to_string()) => {
            format!("{leg}: {}", run.goal)
        }
        _ => run.goal.clone(),
    }
}

fn of_relay(relay: &RelaySeen) -> (Mark, String) {
    use countersign_domain::relay::RelayOutcome;
    let (mark, word) = match &relay.outcome {
        Some(RelayOutcome::Complete { .. }) => (Mark::Good, "complete"),
        Some(RelayOutcome::Blocked { .. }) => (Mark::Bad, "blocked"),
        None if relay.is_cancelled => (Mark::Working, "cancelling"),
        None if relay.is_driven == Some(false) => (Mark::Idle, "idle"),
        None => (Mark::Working, "running"),
    };
    (mark, word.to_owned())
}

fn of_run(run: &RunSeen) -> (Mark, String) {
    let word = step_word(&run.step);
    let mark = match &run.step {
        Step::Closed { outcome: Outcome::Accepted { .. } } => Mark::Good,
        Step::Closed { outcome: Outcome::Refused { .. } } => Mark::Bad,
        Step::Asked { .. } => Mark::Asking,
        _ if run.is_driven == Some(false) => return (Mark::Idle, "idle".to_owned()),
        _ => Mark::Working,
    };
    (mark, word.to_owned())
}

/// What a run is doing, in a word.
pub(super) fn step_word(step: &Step) -> &'static str {
    match step {
        Step::Opened | Step::Reviewed => "starting",
        Step::Prepared => "preparing",
        Step::Launched { .. } => "working",
        Step::Worked | Step::Claimed => "handing over",
        Step::Snapshotted { .. } => "checking",
        Step::VerifierLaunched { .. } => "verifying",
        Step::Ruled { .. } => "ruled",
        Step::Asked { .. } => "asking",
        Step::Committed { .. } => "committing",
        Step::Cancelling => "cancelling",
        Step::Stopping { .. } => "stopping",
        Step::Closed { outcome: Outcome::Accepted { .. } } => "accepted",
        Step::Closed { outcome: Outcome::Refused { .. } } => "refused",
    }
}
