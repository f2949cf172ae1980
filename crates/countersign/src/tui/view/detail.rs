//! The selected run or relay: how it stands, what its agent is doing, and its journal below, the
//! newest line last.

use countersign_domain::agent::Usage;
use countersign_domain::relay::Standing;
use countersign_domain::run::Step;
use countersign_engine::relay::Undertaking;
use countersign_engine::watch::{OperationSeen, RelaySeen, RunSeen};
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::list::step_word;
use super::{Pane, STRONG, Theme};
use crate::narrate;
use crate::tui::pages::{Told, Tone, operation};
use crate::tui::state::{Model, Row};
use crate::tui::text::{clean, elapsed, fit, wrap};

/// As many lines of the last words.
const LAST_WORDS: usize = 2;
/// The room for how long ago an operation was.
const AGO: usize = 9;
/// The room for the time of an event, since its run was opened.
const CLOCK: usize = 8;

pub(super) fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme, area: Rect) {
    let width = usize::from(area.width);
    let rows = model.rows();
    let selected = rows.iter().find(|row| Some(row.of()) == model.selected);
    let Some(row) = selected else { return };
    let (opened, mut head) = match row {
        Row::Relay(relay) => (relay.opened_at, relay_head(relay, model.now)),
        Row::Run(run) | Row::Leg(run) => (run.opened_at, run_head(run, model)),
    };
    let detail = model.detail.as_ref();
    let mut lines = vec![Line::styled(rule(row.of(), model, width), STRONG)];
    let height = usize::from(area.height);
    // The journal has a third at least, however much there is to say above it.
    let most = (height * 2 / 3).max(2);
    let seen = detail.map_or(&[][..], |detail| &detail.operations);
    // What is said first matters most; but however much it is, the last operations are to be seen.
    let kept = if seen.is_empty() { 0 } else { (seen.len() + 1).min(most / 3) };
    head.truncate(most - kept);
    head.extend(operations(seen, model.now, most.saturating_sub(head.len())));
    let head =
        head.into_iter().map(|(text, tone)| Line::styled(fit(&text, width), theme.toned(tone)));
    lines.extend(head);
    let room = height.saturating_sub(lines.len());
    let pages = detail.map_or(&[][..], |detail| &detail.pages);
    lines.extend(journal(pages, (width, room), model.back, (opened, theme)));
    frame.render_widget(Paragraph::new(lines), area);
}

/// The last operations that fit, the newest last, with how long ago they were.
fn operations(seen: &[OperationSeen], now: Timestamp, room: usize) -> Vec<(String, Tone)> {
    let shown = &seen[seen.len().saturating_sub(room.saturating_sub(1))..];
    if shown.is_empty() {
        return Vec::new();
    }
    let line = |one: &OperationSeen| {
        let told = operation(one);
        let ago = told.at.map_or_else(String::new, |at| format!("{} ago", since(now, at)));
        let gap = if ago.is_empty() { "  ".to_owned() } else { format!("  {ago:>AGO$} ") };
        (format!("{gap}{}", told.text), told.tone)
    };
    let head = (format!("operations (last {}):", shown.len()), Tone::Plain);
    std::iter::once(head).chain(shown.iter().map(line)).collect()
}

fn rule(of: Undertaking, model: &Model, width: usize) -> String {
    let what = match of {
        Undertaking::Run(run) => format!("run {run}"),
        Undertaking::Relay(relay) => format!("relay {relay}"),
    };
    let back = match model.back {
        0 => String::new(),
        back => format!(" ({back} back)"),
    };
    let mark = if model.pane == Pane::Detail { '━' } else { '─' };
    let mut text = format!("{mark} {what}{back} ");
    let missing = width.saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n(mark, missing));
    fit(&text, width)
}

fn since(now: Timestamp, then: Timestamp) -> String {
    elapsed(now.as_second() - then.as_second())
}

fn used(used: &Usage) -> String {
    let mut parts = Vec::new();
    if let Some(cost) = used.cost {
        let about = if used.is_priced_by_us { "about " } else { "" };
        parts.push(format!("{about}{cost}"));
    }
    if used.tokens() > 0 {
        parts.push(format!("{} tokens", used.tokens()));
    }
    let more = if used.is_partial { ", and what could not be counted" } else { "" };
    if parts.is_empty() { String::new() } else { format!("used {}{more}", parts.join(", ")) }
}

/// What is told elsewhere in colours, without them.
fn plain(told: &str) -> String {
    clean(&anstream::adapter::strip_str(told).to_string())
}

fn run_head(run: &RunSeen, model: &Model) -> Vec<(String, Tone)> {
    let now = model.now;
    let mut head = Vec::new();
    let mut add = |text: String| head.push((text, Tone::Plain));
    let of = match &run.leg {
        Some((relay, leg)) => format!(" ({leg} of relay {relay})"),
        None => String::new(),
    };
    add(clean(&format!("{}{of}", run.goal)));
    let (word, tries) = (step_word(&run.step), format!("{} of {}", run.attempt, run.attempts));
    let (last, opened) = (since(now, run.since), since(now, run.opened_at));
    add(match run.outcome() {
        Some(_) => format!("{word} {last} ago, attempt {tries}; opened {opened} ago"),
        None => format!("{word} for {last}, attempt {tries}; opened {opened} ago"),
    });
    if let Some(round) = run.round.as_ref().filter(|_| run.outcome().is_none()) {
        add(format!("the verifiers disagreed, {round}"));
    }
    if let Some(live) = &run.live {
        add(clean(&format!(
            "{} at work for {}, {} calls, last heard {} ago: {}",
            live.role,
            elapsed(i64::try_from(live.seconds).unwrap_or(i64::MAX)),
            live.calls,
            elapsed(i64::try_from(live.silent_seconds).unwrap_or(i64::MAX)),
            live.agent
        )));
        live.doing.iter().for_each(|doing| add(clean(&format!("  using {doing}"))));
        live.said.iter().for_each(|said| add(clean(&format!("  says {said}"))));
    } else if let (Some(who), Step::Launched { .. } | Step::VerifierLaunched { .. }) =
        (&run.who, &run.step)
    {
        add(clean(&format!("at work: {who}")));
    }
    let spent = used(&run.used);
    if !spent.is_empty() {
        add(spent);
    }
    let whole = run.leg.as_ref().map_or(run.run, |(relay, _)| *relay);
    let question = model.sight.questions.iter().find(|known| known.id.run == run.run);
    if let Some(question) = question {
        let words = clean(question.question.question.trim());
        head.push((format!("asks: {words} (a answers)"), Tone::Asking));
    } else if run.waits_for.is_some() {
        let go_on = format!("answered; go on with: countersign resume {whole}");
        head.push((go_on, Tone::Good));
    } else if run.is_driven == Some(false) && run.outcome().is_none() {
        let left = format!("nobody drives it; go on with: countersign resume {whole}");
        head.push((left, Tone::Bad));
    }
    if let Some(fault) = &run.fault {
        head.push((clean(&format!("its journal can't be read on: {fault}")), Tone::Bad));
    }
    if let Some(outcome) = run.outcome() {
        head.push((plain(&narrate::ended(outcome, run.lands())), Tone::Plain));
    }
    let words: Vec<&str> =
        run.last_words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &words[words.len().saturating_sub(LAST_WORDS)..];
    if !last.is_empty() {
        head.push((clean(&format!("last words: {}", last.join(" / "))), Tone::Plain));
    }
    head
}

fn relay_head(relay: &RelaySeen, now: Timestamp) -> Vec<(String, Tone)> {
    let mut head = vec![(clean(&relay.objective), Tone::Plain)];
    let (last, opened) = (since(now, relay.since), since(now, relay.opened_at));
    head.push((format!("{}, last event {last} ago; opened {opened} ago", relay.slug), Tone::Plain));
    let spent = used(&relay.used);
    if !spent.is_empty() {
        head.push((spent, Tone::Plain));
    }
    if relay.is_driven == Some(false) && relay.outcome.is_none() {
        let left = format!("nobody drives it; go on with: countersign resume {}", relay.relay);
        head.push((left, Tone::Bad));
    }
    if let Some(fault) = &relay.fault {
        head.push((clean(&format!("its journal can't be read on: {fault}")), Tone::Bad));
    }
    if let Some(outcome) = &relay.outcome {
        head.push((plain(&narrate::relay_ended(outcome)), Tone::Plain));
    }
    for story in &relay.stories {
        let (word, tone) = standing(&story.standing);
        let again = match story.reopened {
            0 => String::new(),
            times => format!(", reopened {times} times"),
        };
        head.push((clean(&format!("  {} {word}{again}: {}", story.id, story.title)), tone));
    }
    if let Some(release) = &relay.release {
        let (word, tone) = standing(release);
        head.push((format!("  ALL {word}"), tone));
    }
    head
}

fn standing(standing: &Standing) -> (&'static str, Tone) {
    match standing {
        Standing::Open => ("open", Tone::Plain),
        Standing::Running { .. } => ("running", Tone::Plain),
        Standing::Accepted { .. } => ("accepted", Tone::Good),
        Standing::Landed { .. } => ("landed", Tone::Good),
        Standing::Refused { .. } => ("refused", Tone::Bad),
    }
}

/// The last lines that fit, `back` lines before the end.
fn journal(
    pages: &[Told],
    (width, room): (usize, usize),
    back: usize,
    (opened, theme): (Timestamp, Theme),
) -> Vec<Line<'static>> {
    let shown = &pages[..pages.len().saturating_sub(back).max(pages.len().min(1))];
    let mut lines: Vec<Line<'static>> = Vec::new();
    // Where there is little room, words come before times.
    let indent = if width < 40 { 0 } else { CLOCK };
    // Only what can be seen is laid out: a journal may be long.
    for told in shown.iter().rev().take(room) {
        let clock = told.at.map_or_else(String::new, |at| {
            format!("+{}", elapsed(at.as_second() - opened.as_second()))
        });
        let wrapped = wrap(&told.text, width.saturating_sub(indent));
        for (number, line) in wrapped.iter().enumerate().rev() {
            let gap = if number == 0 && indent > 0 { clock.as_str() } else { "" };
            let line = fit(&format!("{gap:<indent$}{line}"), width);
            lines.push(Line::styled(line, theme.toned(told.tone)));
        }
        if lines.len() >= room {
            break;
        }
    }
    lines.truncate(room);
    lines.reverse();
    lines
}
