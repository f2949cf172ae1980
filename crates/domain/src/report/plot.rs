//! Plots as SVG: bars that need no script, no font and no other file.

use std::fmt::Write as _;

use super::figures::{Figures, Point};
use super::html::escaped;
use super::text::duration;
use crate::agent::Money;

const WIDTH: u64 = 480;
const HEIGHT: u64 = 190;
/// Where the bars stand, and how high they may be.
const FLOOR: u64 = 160;
const ROOM: u64 = 135;
const LEFT: u64 = 8;

/// One bar: its parts from the bottom, each with the class that colours it.
struct Bar<'a> {
    label: &'a str,
    parts: Vec<(&'static str, u64)>,
    /// What is told about it.
    title: String,
}

/// The three plots, in a grid.
pub(super) fn plots(figures: &Figures) -> String {
    let points = &figures.points;
    if points.is_empty() {
        return String::new();
    }
    let mut text = String::from("<div class=\"plots\">\n");
    text += &figure(
        "Time of each iteration",
        &times(points),
        duration,
        &[("worker", "worker"), ("checks", "checks"), ("verifiers", "verifiers")],
    );
    let cost = |micros: u64| Money(micros).to_string();
    text += &figure(
        "Cost of each iteration",
        &costs(points),
        cost,
        &[("worker", "worker"), ("verifiers", "verifiers")],
    );
    text += &figure(
        "Checks of each iteration",
        &rates(points),
        |all| if all == 1 { "1 check".to_owned() } else { format!("{all} checks") },
        &[("passed", "passed"), ("failed", "did not pass")],
    );
    text += "</div>\n";
    if figures.left_out > 0 {
        let _ = writeln!(
            text,
            "<p class=\"key\">{} older iterations are not shown.</p>",
            figures.left_out
        );
    }
    text
}

fn times(points: &[Point]) -> Vec<Bar<'_>> {
    let bar = |point: &'_ Point| {
        let Point { worker_ms, checks_ms, verifiers_ms, .. } = *point;
        let all = [("worker", worker_ms), ("checks", checks_ms), ("verifiers", verifiers_ms)];
        let told = all.iter().map(|(name, ms)| format!("{name} {}", duration(*ms)));
        (all.to_vec(), told.collect::<Vec<_>>().join(", "))
    };
    points
        .iter()
        .map(|point| {
            let (parts, title) = bar(point);
            Bar { label: &point.label, parts, title }
        })
        .collect()
}

fn costs(points: &[Point]) -> Vec<Bar<'_>> {
    let bar = |point: &Point| {
        let told = |cost: Option<Money>| cost.map_or("not known".to_owned(), |one| one.to_string());
        let title =
            format!("worker {}, verifiers {}", told(point.worker_cost), told(point.verifiers_cost));
        let micros = |cost: Option<Money>| cost.map_or(0, |cost| cost.0);
        let parts = vec![
            ("worker", micros(point.worker_cost)),
            ("verifiers", micros(point.verifiers_cost)),
        ];
        (parts, title)
    };
    points
        .iter()
        .map(|point| {
            let (parts, title) = bar(point);
            Bar { label: &point.label, parts, title }
        })
        .collect()
}

fn rates(points: &[Point]) -> Vec<Bar<'_>> {
    points
        .iter()
        .map(|point| {
            let failed = point.checks.saturating_sub(point.passed);
            let accepted = if point.is_accepted { ", accepted" } else { "" };
            Bar {
                label: &point.label,
                parts: vec![("passed", point.passed), ("failed", failed)],
                title: format!("{} of {} passed{accepted}", point.passed, point.checks),
            }
        })
        .collect()
}

fn figure(
    caption: &str,
    bars: &[Bar<'_>],
    told: impl Fn(u64) -> String,
    key: &[(&str, &str)],
) -> String {
    let height = |bar: &Bar<'_>| bar.parts.iter().map(|(_, value)| value).sum::<u64>();
    let most = bars.iter().map(height).max().unwrap_or(0);
    let mut text = format!("<figure>\n<figcaption>{caption}</figcaption>\n");
    if most == 0 {
        text += "<p class=\"key\">Nothing of it is on the record.</p>\n</figure>\n";
        return text;
    }
    let _ = writeln!(
        text,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{caption}, at most {}\">",
        escaped(&told(most))
    );
    let top = FLOOR - ROOM;
    let right = WIDTH - LEFT;
    let _ = writeln!(
        text,
        "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{top}\" x2=\"{right}\" y2=\"{top}\" \
         stroke-dasharray=\"3 3\"/><text x=\"{LEFT}\" y=\"{}\">{}</text>",
        top - 5,
        escaped(&told(most))
    );
    let step = (WIDTH - 2 * LEFT) / bars.len() as u64;
    let width = (step * 7 / 10).clamp(3, 64);
    // Labels need room: with many bars only some have one.
    let every = (bars.len() as u64).div_ceil(8);
    for (at, bar) in (0_u64..).zip(bars) {
        let x = LEFT + at * step + (step - width.min(step)) / 2;
        let _ = write!(text, "<g><title>{}: {}</title>", escaped(bar.label), escaped(&bar.title));
        let mut floor = FLOOR;
        for (class, value) in &bar.parts {
            let size = scaled(*value, most);
            floor = floor.saturating_sub(size);
            if size > 0 {
                let _ = write!(
                    text,
                    "<rect class=\"{class}\" x=\"{x}\" y=\"{floor}\" width=\"{width}\" height=\"{size}\"/>"
                );
            }
        }
        if at % every == 0 {
            let label: String = bar.label.chars().take(12).collect();
            let _ = write!(
                text,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                x + width / 2,
                FLOOR + 16,
                escaped(&label)
            );
        }
        text += "</g>\n";
    }
    let _ = writeln!(
        text,
        "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{FLOOR}\" x2=\"{right}\" y2=\"{FLOOR}\"/>\n</svg>"
    );
    text += "<p class=\"key\">";
    for (class, words) in key {
        let _ = write!(
            text,
            "<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"{class}\" width=\"10\" \
             height=\"10\"/></svg>{words}"
        );
    }
    text += "</p>\n</figure>\n";
    text
}

/// A value in the room that there is; what is there at all is to be seen.
fn scaled(value: u64, most: u64) -> u64 {
    if value == 0 {
        return 0;
    }
    let size = u128::from(value) * u128::from(ROOM) / u128::from(most.max(1));
    u64::try_from(size).unwrap_or(ROOM).clamp(1, ROOM)
}
