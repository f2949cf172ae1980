//! The lines of TAP, one at a time.

use crate::reports::words::{duration, number};

#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Nothing,
    /// `TAP version 13`
    Version,
    /// `1..7`
    Plan {
        count: u64,
    },
    /// `not ok 2 - name # SKIP why`; with `{` at its end, its points follow.
    Point {
        is_ok: bool,
        number: Option<u64>,
        name: String,
        directive: Directive,
        opens: bool,
    },
    /// `# Subtest: name`
    Subtest(String),
    /// `}`
    Close,
    BailOut(String),
    /// `# pass 7`, as node sums up.
    Count {
        name: &'a str,
        count: u64,
    },
}

#[derive(Debug, PartialEq)]
pub(super) enum Directive {
    None {
        duration_ms: Option<u64>,
    },
    /// Skipped, or still to do.
    Skipped(Option<String>),
}

pub(super) fn read(text: &str) -> Said<'_> {
    if let Some(rest) = text.strip_prefix("ok") {
        return point(true, rest).unwrap_or(Said::Nothing);
    }
    if let Some(rest) = text.strip_prefix("not ok") {
        return point(false, rest).unwrap_or(Said::Nothing);
    }
    if let Some(rest) = text.strip_prefix("1..") {
        return plan(rest).unwrap_or(Said::Nothing);
    }
    if let Some(name) = text.strip_prefix("# Subtest: ") {
        return Said::Subtest(unescaped(name));
    }
    if let Some(rest) = text.strip_prefix("# ") {
        let (name, count) = rest.split_once(' ').unwrap_or((rest, ""));
        return crate::reports::words::whole_number(count)
            .map_or(Said::Nothing, |count| Said::Count { name, count });
    }
    if text.strip_prefix("TAP version ").is_some_and(|rest| number(rest).is_some()) {
        return Said::Version;
    }
    if let Some(why) = text.strip_prefix("Bail out!") {
        return Said::BailOut(format!("Bail out!{why}"));
    }
    if text == "}" { Said::Close } else { Said::Nothing }
}

fn plan(text: &str) -> Option<Said<'static>> {
    let (count, rest) = number(text)?;
    let rest = rest.trim_start();
    (rest.is_empty() || rest.starts_with('#')).then_some(Said::Plan { count })
}

fn point(is_ok: bool, text: &str) -> Option<Said<'static>> {
    if text.is_empty() {
        let directive = Directive::None { duration_ms: None };
        let name = String::new();
        return Some(Said::Point { is_ok, number: None, name, directive, opens: false });
    }
    let text = text.strip_prefix(' ')?;
    let (number, rest) = number(text).map_or((None, text), |(count, rest)| (Some(count), rest));
    // `ok 1st try` is no point.
    if number.is_some() && !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let (rest, opens) = rest.strip_suffix(" {").map_or((rest, false), |rest| (rest, true));
    let (name, directive) = directive(rest);
    let name = name.trim();
    let name = name.strip_prefix("- ").unwrap_or(name.strip_prefix('-').unwrap_or(name));
    let name = if name.is_empty() {
        number.map_or_else(String::new, |number| format!("#{number}"))
    } else {
        unescaped(name.trim())
    };
    Some(Said::Point { is_ok, number, name, directive, opens })
}

/// What stands behind the last `#` that is not escaped.
fn directive(text: &str) -> (&str, Directive) {
    let none = Directive::None { duration_ms: None };
    let mut at = text.len();
    while let Some(found) = text[..at].rfind('#') {
        at = found;
        let before = &text[..at];
        let escapes = before.len() - before.trim_end_matches('\\').len();
        if escapes % 2 == 1 {
            continue;
        }
        let said = text[at + 1..].trim();
        if let Some(time) = said.strip_prefix("time=") {
            return (before, Directive::None { duration_ms: duration(time) });
        }
        let (word, why) = said.split_once(' ').unwrap_or((said, ""));
        let word = word.trim_end_matches(':').to_ascii_lowercase();
        if word.starts_with("skip") || word == "todo" {
            let why = (!why.is_empty()).then(|| unescaped(why));
            return (before, Directive::Skipped(why));
        }
        if word.is_empty() {
            return (before, none);
        }
    }
    (text, none)
}

/// `\#` is a sign, `\\` a slash.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escapes = letter == '\\' && matches!(letters.peek(), Some('#' | '\\'));
        plain.push(if escapes { letters.next().unwrap_or(letter) } else { letter });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(is_ok: bool, number: Option<u64>, name: &str, skipped: Option<&str>) -> Said<'static> {
        let directive = match skipped {
            Some("") => Directive::Skipped(None),
            Some(why) => Directive::Skipped(Some(why.to_owned())),
            None => Directive::None { duration_ms: None },
        };
        Said::Point { is_ok, number, name: name.to_owned(), directive, opens: false }
    }

    /// CX-12: the lines of TAP, and lines that only look like them.
    #[test]
    fn lines_of_tap() {
        let check = |line: &str, expected: Said<'_>| assert_eq!(read(line), expected, "{line}");
        check("TAP version 13", Said::Version);
        check("1..7", Said::Plan { count: 7 });
        check("1..0 # SKIP nothing", Said::Plan { count: 0 });
        check("1..7 of them", Said::Nothing);
        check("1..", Said::Nothing);
        check("ok", said(true, None, "", None));
        check("ok 1", said(true, Some(1), "#1", None));
        check("ok 1 - adds", said(true, Some(1), "adds", None));
        check("ok 1 adds", said(true, Some(1), "adds", None));
        check("not ok 2 - adds", said(false, Some(2), "adds", None));
        check("ok 3 - adds # SKIP not today", said(true, Some(3), "adds", Some("not today")));
        check("ok 3 - adds # skipped", said(true, Some(3), "adds", Some("")));
        check("not ok 3 - adds # TODO", said(false, Some(3), "adds", Some("")));
        check(r"ok 4 - a \# sign \\ slash", said(true, Some(4), r"a # sign \ slash", None));
        check(r"ok 4 - a \# SKIP not", said(true, Some(4), "a # SKIP not", None));
        check(r"ok 4 - a \\# SKIP not", said(true, Some(4), r"a \", Some("not")));
        check("ok 4 - issue #12 is fixed", said(true, Some(4), "issue #12 is fixed", None));
        check("okay 4 - a", Said::Nothing);
        check("ok 1st try", Said::Nothing);
        check("not okay", Said::Nothing);
        check("# Subtest: a", Said::Subtest("a".to_owned()));
        check("# pass 7", Said::Count { name: "pass", count: 7 });
        check(r"# \# pass 7", Said::Nothing);
        check("Bail out! no disk", Said::BailOut("Bail out! no disk".to_owned()));
        let directive = Directive::None { duration_ms: Some(3) };
        check(
            "ok 1 - a.js # time=3.2ms {",
            Said::Point {
                is_ok: true,
                number: Some(1),
                name: "a.js".to_owned(),
                directive,
                opens: true,
            },
        );
    }
}
