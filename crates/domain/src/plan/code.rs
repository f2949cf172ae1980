//! Commands and globs in Markdown: code spans, and cells of a table.

/// The text as a code span, whatever backticks it has.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    // As many backticks as the text has in a row would end it.
    let fence = "`".repeat(if longest == 0 { 1 } else { longest + 1 });
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The text of a code span, if the whole of `text` is one; otherwise `text` as it is.
pub(super) fn uncode(text: &str) -> &str {
    spanned(text).unwrap_or(text.trim())
}

/// The text of a code span, if the whole of `text` is one.
pub(super) fn spanned(text: &str) -> Option<&str> {
    let text = text.trim();
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks == 0 || text.len() <= 2 * ticks {
        return None;
    }
    let inner = text.strip_suffix(&text[..ticks]).and_then(|rest| rest.get(ticks..))?;
    // Another run of the same length would have ended it earlier, or its end is no end.
    let runs = inner.split(|c| c != '`').map(str::len);
    if inner.ends_with('`') || runs.into_iter().any(|run| run == ticks) {
        return None;
    }
    let padded = inner.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' '));
    Some(padded.filter(|rest| !rest.trim().is_empty()).unwrap_or(inner))
}

/// A list of code spans, parted by commas.
pub(super) fn codes(texts: &[String]) -> String {
    texts.iter().map(|text| code(text)).collect::<Vec<_>>().join(", ")
}

/// The parts of such a list. Commas inside of code spans part nothing.
pub(super) fn uncodes(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let mut taken = letter.len_utf8();
        if letter == '`' {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            taken = span(rest, ticks).unwrap_or(ticks);
        }
        if letter == ',' {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push_str(&rest[..taken]);
        }
        rest = &rest[taken..];
    }
    parts.iter().map(|part| uncode(part).to_owned()).filter(|part| !part.is_empty()).collect()
}

/// How long the code span is that `text` begins with.
fn span(text: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return Some(at);
        }
    }
}

/// The text as a cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The cells of a line of a table.
pub(super) fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut before = ' ';
    for letter in line.chars() {
        if letter == '|' && before != '\\' {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            if letter == '|' {
                cell.pop();
            }
            cell.push(letter);
        }
        before = letter;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-04: a command comes back as it was, whatever characters it has.
    #[test]
    fn commands_survive_markdown() {
        for text in ["a", "a | b", "echo `date`", "`a`", "``", "a``b`c", "a \\| b", "a\\", "a, b"] {
            assert_eq!(uncode(&code(text)), text, "{text}");
            let row = format!("| x | {} | y |", cell(&code(text)));
            let cells = cells(&row);
            assert_eq!(cells.len(), 3, "{row}");
            assert_eq!(uncode(&cells[1]), text, "{row}");
            let list = [text.to_owned(), "z".to_owned()];
            assert_eq!(uncodes(&codes(&list)), list, "{text}");
        }
        assert_eq!(uncode("`a` and `b`"), "`a` and `b`");
        assert_eq!(uncode("plain"), "plain");
        assert_eq!(uncode("`"), "`");
        assert_eq!(uncodes("a, b ,, c"), ["a", "b", "c"]);
        assert_eq!(uncodes("`a"), ["`a"]);
    }
}
