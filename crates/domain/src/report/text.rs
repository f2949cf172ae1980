//! Texts of others in reports: bounded, in one line, and unable to steer anything.

/// The most letters of a text that is quoted in one line.
pub(super) const MOST: usize = 400;
/// The most letters of an output that is quoted.
pub(super) const MOST_QUOTED: usize = 2_000;

/// `text` in one line of at most `most` letters.
pub(super) fn short(text: &str, most: usize) -> String {
    let words = text.split_whitespace();
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(most.saturating_mul(2)));
        if line.chars().nth(most).is_some() {
            let cut: String = line.chars().take(most).collect();
            return clean(&cut) + "…";
        }
    }
    clean(&line)
}

/// The end of an output, which says most: at most so many letters of it, in its own lines.
pub(super) fn tail(text: &str) -> String {
    let count = text.chars().count();
    let cut: String = text.chars().skip(count.saturating_sub(MOST_QUOTED)).collect();
    let cut = clean(cut.trim_end());
    if count > MOST_QUOTED { format!("…{cut}") } else { cut }
}

/// Without what could steer a terminal or turn the order of letters around.
pub(super) fn clean(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// Milliseconds as a person says them.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// What was spent, as far as it is known.
pub(super) fn spent(used: &crate::agent::Usage) -> String {
    let tokens = match used.tokens() {
        0 => String::new(),
        tokens => format!("{} tokens", grouped(tokens)),
    };
    let cost = used.cost.map_or_else(String::new, |cost| {
        let about = if used.is_priced_by_us { "about " } else { "" };
        let more = if used.is_partial { " or more" } else { "" };
        format!("{about}{cost}{more}")
    });
    match (cost.is_empty(), tokens.is_empty()) {
        (true, true) => "not told".to_owned(),
        (true, false) => format!("{tokens}, price not known"),
        (false, true) => cost,
        (false, false) => format!("{cost}, {tokens}"),
    }
}

/// A number that can be read: 1 234 567.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-22: whatever an agent wrote, it is bounded, one line, and steers nothing.
    #[test]
    fn texts_are_bounded_and_harmless() {
        assert_eq!(short("a\n b\x1b[31m\u{202e}c", 10), "a b\u{fffd}[31m\u{fffd}c");
        assert_eq!(short("abcdef", 3), "abc…");
        assert!(short(&"x".repeat(1 << 20), 5).chars().count() == 6);
        assert!(tail(&"y\n".repeat(1 << 20)).chars().count() <= MOST_QUOTED + 1);
        assert_eq!((grouped(7), grouped(1_234_567)), ("7".into(), "1\u{a0}234\u{a0}567".into()));
        assert_eq!(duration(3_725_000), "1 h 2 min");
    }
}
