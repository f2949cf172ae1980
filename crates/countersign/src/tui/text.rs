//! Words of others and figures, as they fit into a terminal: nothing that steers it, nothing that is
//! wider than its place.

use countersign_domain::agent::{Money, Usage};
use ratatui::text::Span;

use crate::ui::printable;

/// `text` in one line, without anything that could steer a terminal.
pub fn clean(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// `text` in at most `room` columns; what is cut is marked.
pub fn fit(text: &str, room: usize) -> String {
    let mut short: String = text.chars().take(room + 1).collect();
    if short.len() == text.len() && width(&short) <= room {
        return short;
    }
    while width(&short) + 1 > room && short.pop().is_some() {}
    if room > 0 {
        short.push('…');
    }
    short
}

/// `text` in lines of at most `room` columns, broken between words where that can be done.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = Vec::new();
    for line in printable(text).lines() {
        let mut current = String::new();
        for word in line.split_whitespace() {
            let gap = usize::from(!current.is_empty());
            if width(&current) + gap + width(word) > room && !current.is_empty() {
                lines.push(std::mem::take(&mut current));
            }
            if !current.is_empty() {
                current.push(' ');
            }
            for letter in word.chars() {
                if width(&current) >= room {
                    lines.push(std::mem::take(&mut current));
                }
                current.push(letter);
            }
        }
        lines.push(current);
    }
    lines
}

/// How long something has been going on.
pub fn elapsed(seconds: i64) -> String {
    let seconds = seconds.max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// A number of tokens in a few letters.
pub fn tokens(number: u64) -> String {
    match number {
        0 => String::new(),
        1..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// What was spent, to the cent; a mark says if it is less than all, or worked out by us.
pub fn cost(used: &Usage) -> String {
    let Some(Money(micros)) = used.cost else { return String::new() };
    let about = if used.is_priced_by_us { "~" } else { "" };
    let more = if used.is_partial { "+" } else { "" };
    if micros > 0 && micros < 5_000 {
        return "<$0.01".to_owned();
    }
    let cents = micros.saturating_add(5_000) / 10_000;
    format!("{about}${}.{:02}{more}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-24: words of agents can't steer the terminal, and take no more room than they have.
    #[test]
    fn words_of_others_fit_and_steer_nothing() {
        assert_eq!(clean("a\x1b[2Jb\nc\td\u{202e}e"), "a\u{fffd}[2Jb c d\u{fffd}e");
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 5), "abcd…");
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(fit("abc", 1), "…");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("x\x1b]0;y\x07", 20), ["x\u{fffd}]0;y\u{fffd}"]);
        assert_eq!(wrap("a", 0), ["a"]);
    }

    #[test]
    fn figures_are_short() {
        let said: Vec<String> = [-5, 59, 61, 3_700, 200_000].into_iter().map(elapsed).collect();
        assert_eq!(said, ["0s", "59s", "1m01s", "1h01m", "2d"]);
        let said: Vec<String> = [0, 950, 12_345, 98_765_432].into_iter().map(tokens).collect();
        assert_eq!(said, ["", "950", "12k", "98M"]);
        let spent = |micros: u64| Usage { cost: Some(Money(micros)), ..Usage::default() };
        assert_eq!(cost(&spent(1_234_567)), "$1.23");
        assert_eq!(cost(&spent(1)), "<$0.01");
        assert_eq!(cost(&Usage { is_partial: true, ..spent(20_000) }), "$0.02+");
        assert_eq!(cost(&Usage::default()), "");
    }
}
