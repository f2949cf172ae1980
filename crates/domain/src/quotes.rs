//! Quotes in what people write. Apostrophes and inches are none.

/// Where the text ends that a quote at `at` opens: at its other half. Nothing if no quote opens there.
///
/// In "it's", "the runners' watches" and "27\" screens" no text begins.
pub fn end(text: &str, at: usize) -> Option<usize> {
    let open = text.get(at..)?.chars().next()?;
    let before = text[..at].chars().next_back();
    let start = at + open.len_utf8();
    // Nobody quotes over an empty line: there a quote was forgotten.
    let inside = text.get(start..)?.split("\n\n").next()?;
    match open {
        '`' => inside.find('`').map(|end| start + end),
        '“' => inside.find('”').map(|end| start + end),
        '"' if before.is_some_and(|letter| letter.is_ascii_digit() || letter == '\\') => None,
        '"' => inside.find('"').map(|end| start + end),
        '\'' | '‘' if !before.is_some_and(char::is_alphanumeric) => single(inside, start),
        _ => None,
    }
}

/// The end of a text in single quotes that begins at `start`, on the same line.
fn single(inside: &str, start: usize) -> Option<usize> {
    let line = inside.split('\n').next().unwrap_or(inside);
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let ends = line.char_indices().filter(|(_, letter)| matches!(letter, '\'' | '’'));
    ends.map(|(at, letter)| (at, at + letter.len_utf8()))
        // "don't" goes on behind it, and nothing ends behind a space.
        .find(|(at, behind)| {
            !line[*behind..].starts_with(char::is_alphanumeric)
                && !line[..*at].ends_with(char::is_whitespace)
        })
        .map(|(at, _)| start + at)
}

/// The texts in quotes, each with where it begins and ends; what stands inside of others is not taken out.
pub fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut behind = 0;
    for (at, letter) in text.char_indices() {
        if at < behind {
            continue;
        }
        if let Some(end) = end(text, at) {
            found.push((at + letter.len_utf8(), end));
            behind = end + text[end..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The text with apostrophes that nobody takes for quotes.
pub fn without_apostrophes(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut closes = None;
    for (at, letter) in text.char_indices() {
        if letter == '\'' && closes != Some(at) {
            closes = end(text, at);
            found.push(if closes.is_some() { letter } else { '’' });
        } else {
            found.push(letter);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{spans, without_apostrophes};

    #[test]
    fn apostrophes_are_told_from_quotes() {
        let check = |text: &str, expected: &str| assert_eq!(without_apostrophes(text), expected);
        check("it's 'a' and the runners' list", "it’s 'a' and the runners’ list");
        check("don't, they're", "don’t, they’re");
    }

    /// G63: what is in quotes, and what only looks like it.
    #[test]
    fn quotes_and_apostrophes() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> =
                spans(text).into_iter().map(|(from, to)| &text[from..to]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("say that it's too heavy, like any parcel that's over", &[]);
        check("the runners' watches and the carriers' labels", &[]);
        check("don't write 'a b', it's \"c\" or `d` or “e”", &["a b", "c", "d", "e"]);
        check("call it 'don't know' then", &["don't know"]);
        check("screens of 27\" and 32\" are \"large\"", &["large"]);
        check("a quote that's \"never closed", &[]);
        check("`A=\"two words\"` must give", &["A=\"two words\""]);
        check("rock 'n roll and it's", &[]);
    }
}
