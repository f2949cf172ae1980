//! The model as a frame. Nothing is decided here, and everything fits, however small the terminal is.

mod detail;
mod list;
mod overlay;

use countersign_engine::Host;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::pages::Tone;
use super::state::{Model, Overlay, Pane};
use super::text::{clean, fit};
use crate::ui::count;

/// From so many rows on there is room for the list and the details.
const BOTH: u16 = 14;

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// The row or option that keys act on.
const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    has_color: bool,
}

impl Theme {
    pub const PLAIN: Self = Self { has_color: false };

    /// What the person wants (<https://no-color.org>).
    pub fn of(host: &Host) -> Self {
        Self { has_color: host.variable("NO_COLOR").is_none() }
    }

    fn colored(self, color: Color) -> Style {
        if self.has_color { Style::new().fg(color) } else { Style::new() }
    }

    fn good(self) -> Style {
        self.colored(Color::Green)
    }

    fn bad(self) -> Style {
        self.colored(Color::Red).add_modifier(Modifier::BOLD)
    }

    fn asking(self) -> Style {
        self.colored(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    fn toned(self, tone: Tone) -> Style {
        match tone {
            Tone::Plain => Style::new(),
            Tone::Good => self.good(),
            Tone::Bad => self.colored(Color::Red),
            Tone::Asking => self.asking(),
        }
    }
}

/// Draws all of it.
pub fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme) {
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)])
            .areas(frame.area());
    frame.render_widget(heading(model, theme, top.width), top);
    match &model.overlay {
        Some(Overlay::Help) => overlay::help(frame, middle),
        Some(Overlay::Answering(answering)) => {
            overlay::answering(frame, middle, (answering, model.now), theme);
        }
        Some(Overlay::Ending(one)) => {
            panes(frame, model, theme, middle);
            overlay::ending(frame, middle, *one);
        }
        None => panes(frame, model, theme, middle),
    }
    frame.render_widget(footing(model, theme, bottom.width), bottom);
}

fn panes(frame: &mut Frame<'_>, model: &Model, theme: Theme, area: Rect) {
    if area.height < BOTH {
        match model.pane {
            Pane::List => list::draw(frame, model, theme, area),
            Pane::Detail => detail::draw(frame, model, theme, area),
        }
        return;
    }
    // The list takes the rows that it needs, and no more than two fifths.
    let rows = u16::try_from(model.rows().len() + 1).unwrap_or(u16::MAX);
    let upper = rows.max(3).min(area.height * 2 / 5);
    let [above, below] =
        Layout::vertical([Constraint::Length(upper), Constraint::Min(0)]).areas(area);
    list::draw(frame, model, theme, above);
    detail::draw(frame, model, theme, below);
}

fn heading(model: &Model, theme: Theme, width: u16) -> Paragraph<'static> {
    let sight = &model.sight;
    let open = sight.runs.iter().filter(|run| run.outcome().is_none()).count();
    let waiting = sight.questions.len() as u64;
    let mut words = vec![count(sight.runs.len() as u64, "run")];
    if open > 0 {
        words.push(format!("{open} open"));
    }
    if sight.left_out > 0 {
        words.push(format!("{} older not shown", sight.left_out));
    }
    let mut text = format!("watch: {}", words.join(", "));
    let mut style = STRONG;
    if waiting > 0 {
        let waits = if waiting == 1 { "waits" } else { "wait" };
        // First, as a small terminal shows no more.
        text = format!("{} {waits} (a) · {text}", count(waiting, "question"));
        style = theme.asking();
    }
    Paragraph::new(Line::styled(fit(&text, width.into()), style))
}

fn footing(model: &Model, theme: Theme, width: u16) -> Paragraph<'static> {
    let (text, style) = match (&model.told, &model.fault) {
        (Some(told), _) => (clean(told), STRONG),
        (None, Some(fault)) => (format!("! {}", clean(fault)), theme.bad()),
        (None, None) => (keys(model).to_owned(), DIM),
    };
    Paragraph::new(Line::styled(fit(&text, width.into()), style))
}

fn keys(model: &Model) -> &'static str {
    match (&model.overlay, model.pane) {
        (Some(_), _) => "",
        (None, Pane::List) => "? help  q quit  ↑↓ select  Enter details  a answer  c cancel",
        (None, Pane::Detail) => "? help  q quit  ↑↓ scroll  Esc list  a answer  c cancel",
    }
}

#[cfg(test)]
mod tests;
