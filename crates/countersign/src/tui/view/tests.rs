//! Frames as they are drawn, in all sizes.

use super::super::screen::printed;
use super::super::state::tests::{RELAY, WORKING, model, press, sight, stamp};
use super::*;
use crate::tui::input::Key;
use crate::tui::pages::Detail;
use crate::tui::state::Input;
use countersign_domain::agent::Role;
use countersign_engine::relay::Undertaking;
use countersign_engine::run::{Operation, Went};
use countersign_engine::watch::OperationSeen;

fn drawn(model: &Model, size: (u16, u16)) -> String {
    printed(size, |frame| draw(frame, model, Theme { has_color: true })).unwrap()
}

/// LP-24: who works on what, since when, at what cost; and the selected one closely.
#[test]
fn a_frame_shows_it_all() {
    let model = model();
    insta::assert_snapshot!("wide", drawn(&model, (120, 40)));
    insta::assert_snapshot!("usual", drawn(&model, (80, 24)));
    insta::assert_snapshot!("tiny", drawn(&model, (20, 10)));
}

/// LP-24: a worker is seen with what it does and says; a relay with its stories.
#[test]
fn details_of_a_worker_and_a_relay() {
    let mut model = model();
    model.selected = Some(Undertaking::Run(stamp(WORKING)));
    model.detail = None;
    insta::assert_snapshot!("worker", drawn(&model, (80, 24)));
    model.selected = Some(Undertaking::Relay(stamp(RELAY)));
    insta::assert_snapshot!("relay", drawn(&model, (80, 24)));
}

fn operation(story: Option<&str>, at: Option<&str>, went: Went, what: &str) -> OperationSeen {
    OperationSeen {
        run: stamp(WORKING),
        story: story.map(Into::into),
        by: Role::Worker,
        verifier: None,
        operation: Operation { at: at.map(|at| at.parse().unwrap()), went, what: what.into() },
    }
}

/// LP-24: what an agent did last is told with how long ago and how it went, the newest last; what it
/// wrote steers no terminal, and where there is little room the oldest go first.
#[test]
fn the_last_operations_are_shown() {
    let mut model = model();
    let of = Undertaking::Run(stamp(WORKING));
    model.selected = Some(of);
    let mut detail = Detail::new(of);
    detail.operations = vec![
        operation(None, Some("2026-11-17T08:07:00Z"), Went::Done, "Read src/greet.rs"),
        operation(None, Some("2026-11-17T09:08:00Z"), Went::Failed, "Bash cargo test"),
        operation(None, Some("2026-11-17T09:09:10Z"), Went::Told, "One test\u{1b}[2J fails."),
        operation(None, Some("2026-11-17T09:09:57Z"), Went::Going, "Edit src/greet.rs"),
    ];
    model.detail = Some(detail.clone());
    insta::assert_snapshot!("operations", drawn(&model, (80, 30)));
    insta::assert_snapshot!("operations_small", drawn(&model, (80, 24)));
    for one in &mut detail.operations {
        one.operation.at = None;
    }
    model.detail = Some(detail);
    insta::assert_snapshot!("operations_ended", drawn(&model, (80, 30)));
}

/// LP-24: a relay is told with what is done for its stories, each by its name.
#[test]
fn operations_of_a_relay_name_their_stories() {
    let mut model = model();
    let of = Undertaking::Relay(stamp(RELAY));
    model.selected = Some(of);
    let mut detail = Detail::new(of);
    let at = Some("2026-11-17T09:09:00Z");
    detail.operations = vec![
        operation(Some("US-002"), at, Went::Done, "Bash ls"),
        operation(Some("US-003"), at, Went::Going, "Edit nobody.rs"),
    ];
    model.detail = Some(detail);
    insta::assert_snapshot!("operations_relay", drawn(&model, (80, 30)));
}

/// LP-24, CO-12: a question with its options, the note, and the last word.
#[test]
fn questions_are_answered_on_the_screen() {
    let mut model = model();
    press(&mut model, &[Key::Letter('a')]);
    insta::assert_snapshot!("choosing", drawn(&model, (80, 24)));
    insta::assert_snapshot!("choosing_tiny", drawn(&model, (20, 10)));
    press(&mut model, &[Key::Enter, Key::Pasted("Only for names of one word".into())]);
    insta::assert_snapshot!("noting", drawn(&model, (80, 24)));
    press(&mut model, &[Key::Enter]);
    insta::assert_snapshot!("confirming", drawn(&model, (80, 24)));
}

/// LP-24: help, the question before an end, an empty list and a fault.
#[test]
fn what_else_there_is() {
    let mut model = model();
    press(&mut model, &[Key::Letter('?')]);
    insta::assert_snapshot!("help", drawn(&model, (80, 24)));
    insta::assert_snapshot!("help_tiny", drawn(&model, (20, 10)));
    press(&mut model, &[Key::Escape, Key::Letter('c')]);
    insta::assert_snapshot!("ending", drawn(&model, (80, 24)));
    let mut empty = Model::new(model.now, None);
    assert!(drawn(&empty, (80, 24)).contains("looking …"));
    empty.update(Input::Sight(Box::default()));
    empty.update(Input::Fault("the ledger is busy\x1b[2J".into()));
    insta::assert_snapshot!("empty", drawn(&empty, (80, 24)));
}

/// LP-24: every size is drawn, with every overlay, and no control character reaches the screen.
#[test]
fn every_size_is_drawn() {
    let stages: [&[Key]; 6] = [
        &[],
        &[Key::Enter],
        &[Key::Letter('?')],
        &[Key::Letter('c')],
        &[Key::Letter('a')],
        &[Key::Letter('a'), Key::Enter, Key::Enter],
    ];
    for keys in stages {
        let mut model = model();
        press(&mut model, keys);
        for columns in (1..26).chain([30, 46, 76, 110, 300]) {
            for rows in (1..17).chain([50]) {
                let text = drawn(&model, (columns, rows));
                assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
            }
        }
    }
}

/// LP-24: NO_COLOR leaves weights, and no colour.
#[test]
fn without_colour_there_is_none() {
    let colors = |theme: Theme| {
        let mut found = Vec::new();
        let model = model();
        let mut terminal =
            ratatui::Terminal::new(ratatui::backend::TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw(frame, &model, theme)).unwrap();
        for cell in terminal.backend().buffer().content() {
            if cell.fg != Color::Reset || cell.bg != Color::Reset {
                found.push(cell.fg);
            }
        }
        found
    };
    assert!(colors(Theme::PLAIN).is_empty());
    assert!(colors(Theme { has_color: true }).contains(&Color::Yellow));
}

/// LP-24: a list that is longer than its room keeps the selected row in sight.
#[test]
fn the_selected_row_is_in_sight() {
    let mut model = model();
    let mut many = sight();
    let last = many.runs.pop().unwrap();
    for number in 2..200_u32 {
        let run = format!("20261110_120000_{number:03}").parse().unwrap();
        many.runs.push(countersign_engine::watch::RunSeen {
            run,
            goal: format!("goal {number}"),
            ..last.clone()
        });
    }
    model.update(Input::Sight(Box::new(many)));
    for _ in 0..60 {
        press(&mut model, &[Key::Down]);
        let selected = model.selected.unwrap().id().to_string();
        let text = drawn(&model, (120, 24));
        assert!(text.contains(&selected), "{selected}\n{text}");
    }
}
