//! What lies over the panes: the keys, a question that is being answered, and the last word before an
//! end is asked for.

use countersign_domain::checkpoint::Choice;
use countersign_engine::relay::Undertaking;
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

use super::{CHOSEN, DIM, STRONG, Theme};
use crate::tui::state::{Answering, Stage};
use crate::tui::text::{clean, fit, wrap};
use crate::ui;

const HELP: &str = "\
q Ctrl-C     quit; runs go on
a            answer the question
n            next that asks
c            cancel, after asking
Enter Tab    to the details
Esc          back to the list
↑ ↓ j k      select, or scroll
PgUp PgDn    the same by ten
Home End     first, last
? h          this help";

pub(super) fn help(frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    let lines = HELP.lines().map(|line| {
        // Where there is no room for columns, the gap between them is the first to go.
        let line = if width < 44 {
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            line.to_owned()
        };
        Line::raw(fit(&line, inner(width)))
    });
    boxed(frame, area, "keys", lines.collect());
}

pub(super) fn ending(frame: &mut Frame<'_>, area: Rect, one: Undertaking) {
    let what = match one {
        Undertaking::Run(run) => format!("run {run}"),
        Undertaking::Relay(relay) => format!("relay {relay} and its runs"),
    };
    let words =
        format!("Cancel {what}? Whatever it is doing is stopped; what was handed over is kept.");
    let room = inner(area.width.into()).min(60);
    let mut lines: Vec<Line<'_>> = wrap(&words, room).into_iter().map(Line::raw).collect();
    let keys = wrap("y cancels it; any other key goes back", room);
    lines.extend(keys.into_iter().map(|line| Line::styled(line, STRONG)));
    boxed(frame, area, "cancel", lines);
}

/// The room inside of a box that is as wide as it can be.
fn inner(width: usize) -> usize {
    if width < 24 { width } else { width - 4 }
}

/// A box around `lines` in the middle, or all of the room where there is too little.
fn boxed(frame: &mut Frame<'_>, area: Rect, title: &str, lines: Vec<Line<'_>>) {
    let longest = lines.iter().map(Line::width).max().unwrap_or(0);
    let width = u16::try_from(longest + 4).unwrap_or(u16::MAX);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    if width > area.width || height > area.height {
        frame.render_widget(Clear, area);
        frame.render_widget(Paragraph::new(lines), area);
        return;
    }
    let place = area.centered(Constraint::Length(width), Constraint::Length(height));
    frame.render_widget(Clear, place);
    let block = Block::bordered().title(title.to_owned()).title_style(STRONG);
    let inside = block.inner(place);
    frame.render_widget(block, place);
    let padded = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    frame.render_widget(Paragraph::new(lines), padded);
}

pub(super) fn answering(
    frame: &mut Frame<'_>,
    area: Rect,
    (answering, now): (&Answering, Timestamp),
    theme: Theme,
) {
    let width = usize::from(area.width);
    let options = &answering.question.question.options;
    let height = usize::from(area.height);
    // The options and what is typed are always to be seen; the rest scrolls.
    let below = below(answering, (width, height), theme);
    let lower = (below.len() + options.len()).min(height.saturating_sub(1));
    let [above, choices, last] = Layout::vertical([
        Constraint::Min(0),
        Constraint::Length(u16::try_from(lower.saturating_sub(below.len())).unwrap_or(0)),
        Constraint::Length(u16::try_from(below.len()).unwrap_or(0)),
    ])
    .areas(area);
    let text = question(answering, (width, now), theme);
    let down = answering.down.min(text.len().saturating_sub(usize::from(above.height)));
    let text: Vec<Line<'_>> = text.into_iter().skip(down).collect();
    frame.render_widget(Paragraph::new(text), above);
    let room = usize::from(choices.height).max(1);
    let first = (answering.at + 1).saturating_sub(room);
    let line = |(at, choice): (usize, &Choice)| {
        let line = Line::raw(fit(&option(at, choice), width));
        if at == answering.at { line.style(CHOSEN) } else { line }
    };
    let shown: Vec<Line<'_>> =
        options.iter().enumerate().skip(first).take(room).map(line).collect();
    frame.render_widget(Paragraph::new(shown), choices);
    frame.render_widget(Paragraph::new(below), last);
}

fn option(at: usize, choice: &Choice) -> String {
    let mut text = format!("{} {} ({})", at + 1, clean(&choice.label), choice.key);
    if let Some(cost) = choice.cost {
        text += &format!(", up to {cost}");
    }
    if let Some(tokens) = choice.tokens {
        text += &format!(", up to {tokens} tokens");
    }
    if choice.is_recommended {
        text += ", recommended";
    }
    text
}

/// What led to it, and the question itself.
fn question(
    answering: &Answering,
    (width, now): (usize, Timestamp),
    theme: Theme,
) -> Vec<Line<'static>> {
    let asked = &answering.question.question;
    let urgency = asked.urgency.at(asked.expires_at, now);
    let asked_at = answering.question.asked_at.parse();
    let age = asked_at.map_or_else(|_| String::new(), |at| format!(", asked {}", ui::ago(at, now)));
    let head = format!("{}: {} (urgency {urgency}{age})", answering.question.id, asked.trigger);
    let mut lines = Vec::new();
    let mut add = |text: String, style| {
        lines.extend(wrap(&text, width).into_iter().map(|line| Line::styled(line, style)));
    };
    add(asked.question.trim().to_owned(), theme.asking());
    add(head, STRONG);
    let plain = ratatui::style::Style::new();
    for (name, words) in
        [("", &asked.context), ("Progress: ", &asked.progress), ("Risk: ", &asked.risk)]
    {
        if !words.trim().is_empty() {
            add(format!("{name}{}", words.trim()), plain);
        }
    }
    for said in &answering.question.discussed {
        add(format!("{} said: {}", said.by, said.words.trim()), DIM);
    }
    lines
}

/// From so many rows on there is room to say what an option means.
const ROOMY: usize = 12;

/// What the chosen option means, and what is to be done next.
fn below(
    answering: &Answering,
    (width, height): (usize, usize),
    theme: Theme,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let key = answering.choice().map(|choice| choice.key.as_str()).unwrap_or_default();
    match answering.stage {
        Stage::Choosing => {
            // The question itself comes before what the options mean.
            if let Some(choice) = answering.choice().filter(|_| height >= ROOMY) {
                let meaning = [choice.description.trim(), choice.risk.trim()].join(" ");
                let meaning = wrap(meaning.trim(), width);
                lines.extend(meaning.into_iter().take(2).map(|line| Line::styled(line, DIM)));
            }
            let keys = "↑↓ choose  Enter go on  PgDn read on  Esc leave";
            lines.push(Line::styled(fit(keys, width), STRONG));
        }
        Stage::Noting => {
            let needed = if answering.lacks_note() { "needed" } else { "if you like" };
            let title = format!("A note on {key}, {needed}; Enter goes on, Esc goes back:");
            lines.push(Line::styled(fit(&title, width), STRONG));
            // The end of a long note is where it is typed.
            let note: Vec<char> = answering.note.chars().collect();
            let room = width.saturating_sub(4).max(1);
            let seen: String = note[note.len().saturating_sub(room)..].iter().collect();
            lines.push(Line::raw(format!("> {seen}█")));
        }
        Stage::Confirming => {
            let words = match answering.note.trim() {
                "" => "without a note".to_owned(),
                note => format!("with the note: {note}"),
            };
            let words = wrap(&format!("Answer with {key}, {words}"), width);
            lines.extend(words.into_iter().take(3).map(Line::raw));
            let keys = "y answers, once and for all; any other key goes back";
            lines.push(Line::styled(fit(keys, width), theme.asking()));
        }
    }
    lines
}
