//! Texts without what only a terminal shows.

use std::borrow::Cow;

/// The text without escape sequences. One that doesn't end is left as text: it must not swallow
/// what the runner writes after it.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}']) {
        kept.push_str(&rest[..at]);
        rest = after_sequence(&rest[at..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// No line that is meant for people is longer. To look for the end of each sequence in a longer one takes too long.
const MOST_LINE: usize = 16 << 10;

/// A text of many lines without escape sequences. None of them goes on behind the end of its line.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let plain = |line| match line {
        line if str::len(line) > MOST_LINE => Cow::Borrowed(line),
        line => without_colours(line),
    };
    Cow::Owned(text.split_inclusive('\n').map(plain).collect())
}

/// What follows the escape sequence at the beginning of `text`.
fn after_sequence(text: &str) -> &str {
    let mut letters = text.char_indices();
    let introducer = match letters.next() {
        Some((_, '\u{9b}')) => '[',
        _ => letters.next().map_or('\0', |(_, letter)| letter),
    };
    let body = letters.as_str();
    match introducer {
        '[' => {
            let end = body.find(|letter| !(' '..='?').contains(&letter));
            match end.map(|at| (at, body[at..].chars().next().unwrap_or_default())) {
                Some((at, last)) if ('@'..='~').contains(&last) => &body[at + 1..],
                _ => body,
            }
        }
        ']' | 'P' | 'X' | '^' | '_' => {
            let bell = body.find('\u{7}').map(|at| at + 1);
            let string = body.find("\u{1b}\\").map(|at| at + 2);
            let end = [bell, string].into_iter().flatten().min();
            end.map_or(body, |end| &body[end..])
        }
        // Two-letter sequences; some have letters between the two.
        ' '..='/' => body.char_indices().nth(1).map_or("", |(at, _)| &body[at..]),
        '0'..='~' => body,
        _ => text.char_indices().nth(1).map_or("", |(at, _)| &text[at..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-12: a sequence that does not end takes no other line with it.
    #[test]
    fn lines_are_plain_one_by_one() {
        assert_eq!(plain_lines("a\nb\n"), "a\nb\n");
        assert_eq!(plain_lines("\u{1b}[1ma\u{1b}]0;\nb\u{7}\n"), "a0;\nb\u{7}\n");
        let long = "\u{1b}]".repeat(MOST_LINE);
        assert_eq!(plain_lines(&long), long);
    }

    /// CX-12: colours, links and titles go; what doesn't end stays.
    #[test]
    fn escape_sequences() {
        let check = |text: &str, expected: &str| assert_eq!(without_colours(text), expected);
        check("plain", "plain");
        check("\u{1b}[1m\u{1b}[32m3 passed\u{1b}[0m in 1s", "3 passed in 1s");
        check("\u{1b}[38;5;10mgreen\u{1b}[m", "green");
        check("\u{9b}32mgreen", "green");
        check("\u{1b}]8;;http://a/\u{1b}\\link\u{1b}]8;;\u{1b}\\!", "link!");
        check("\u{1b}]0;title\u{7}text", "text");
        check("\u{1b}]0;test a ... FAILED", "0;test a ... FAILED");
        check("\u{1b}[31", "31");
        check("\u{1b}[31é", "31é");
        check("\u{1b}(Btext\u{1b}=", "text");
        check("\u{1b}", "");
        check("\u{1b}é", "é");
        check("a\u{1b}[2K\u{1b}[1Gb", "ab");
    }
}
