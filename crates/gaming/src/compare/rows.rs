//! Rows of a test with cases that stand in another test now: they have moved, and are not gone.

use super::Place;
use crate::args::{has_word, split};
use crate::detect::Change;
use crate::language::Language;
use crate::outline::Marker;

/// Longer tests are compared by the number of their rows alone.
const MAX_BYTES: usize = 200_000;

/// Whether each row of a test still stands in it, whatever else is counted now.
pub(super) fn are_kept(before: &Place<'_>, after: &Place<'_>) -> bool {
    let Some(count) = before.test.cases.filter(|count| *count > 1) else { return false };
    let (was, is) = (whole(before, before.change.old()), whole(after, after.change.current()));
    if was.len() > MAX_BYTES {
        return false;
    }
    let is = close(&is);
    let is_row = |row: &&str| row.trim_start().starts_with(['{', '(', '[']);
    let opens = was.match_indices(['[', '{', '(']).map(|(at, _)| at + 1).take(2_000);
    let mut tables = opens.map(|at| split(inner(&was[at..])));
    let table = tables.find(|table| table.len() == count && table.iter().all(is_row));
    // One after the other, as they stood: words of rows may stand anywhere.
    let rows: Vec<String> = table.unwrap_or_default().into_iter().map(core).collect();
    rows.len() == count && is.contains(&rows.join(","))
}

/// How many rows that `before` had, and `after` no longer has, stand in other tests that run.
pub(super) fn moved(before: &Place<'_>, after: &Place<'_>, changes: &[Change<'_>]) -> usize {
    let Some(count) = before.test.cases else { return 0 };
    let (was, is) = (whole(before, before.change.old()), whole(after, after.change.current()));
    if was.len() > MAX_BYTES {
        return 0;
    }
    let is = close(&is);
    let mut lost: Vec<String> = rows(&was, count).into_iter().map(core).collect();
    lost.retain(|row| !row.is_empty() && !has_word(&is, row));
    if lost.is_empty() {
        return 0;
    }
    let is_skipped = |place: &Place<'_>| {
        let stops = |marker: &Marker| !matches!(marker, Marker::Slow | Marker::Focus);
        place.test.markers.iter().any(stops)
    };
    let others: Vec<String> = changes
        .iter()
        .flat_map(|change| change.is.tests.iter().map(move |test| Place { change, test }))
        .filter(|place| !std::ptr::eq(place.test, after.test) && !is_skipped(place))
        .map(|place| close(&whole(&place, place.change.current())))
        .collect();
    lost.iter().filter(|row| others.iter().any(|other| has_word(other, row))).count()
}

/// The text of a test, with the attributes above it where rows are attributes.
fn whole(place: &Place<'_>, file: &str) -> String {
    if place.change.language != Language::Rust {
        return place.test.text.clone();
    }
    let line = usize::try_from(place.test.line).unwrap_or(1);
    let above: Vec<&str> = file.lines().take(line.saturating_sub(1)).collect();
    let is_above = |text: &&&str| text.trim_start().starts_with("#[");
    let attributes: Vec<&str> = above.iter().rev().take_while(is_above).copied().collect();
    format!("{}\n{}", attributes.join("\n"), place.test.text)
}

/// The rows of the table with so many of them.
fn rows(text: &str, count: usize) -> Vec<&str> {
    let attributes: Vec<&str> =
        text.lines().map(str::trim).filter(|line| line.starts_with("#[case")).collect();
    if attributes.len() == count {
        return attributes;
    }
    let opens = text.match_indices(['[', '{', '(']).map(|(at, _)| at + 1).take(2_000);
    let tables = opens.map(|at| split(inner(&text[at..])));
    tables.into_iter().find(|table| table.len() == count).unwrap_or_default()
}

/// What stands before the bracket that closes.
fn inner(text: &str) -> &str {
    let (mut depth, mut quote) = (0_usize, None);
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (quote, letter) {
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '`') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth == 0 => return &text[..at],
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    ""
}

/// A row without layout, and without the name of its type.
fn core(row: &str) -> String {
    let name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '&' | '#');
    let bare = row.trim_start_matches("#[case").trim_start_matches(name);
    let bare = if bare.starts_with(['{', '(', '[']) { bare } else { row };
    let bare = if row.starts_with("#[case") { bare.trim_end_matches(']') } else { bare };
    close(bare)
}

fn close(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",}", "}").replace(",)", ")").replace(",]", "]")
}
