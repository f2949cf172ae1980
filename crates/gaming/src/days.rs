//! Days of the calendar that are written down in code.

use std::ops::Range;

/// A year, a month as it is written, and a day.
pub(crate) type Day = (u32, String, u32);

/// The days that a line names: `2024-03-28`, `20240328`, `date(2024, 3, 28)`, `time.Date(2024, time.March, 28, …)`.
pub(crate) fn days(line: &str) -> Vec<Day> {
    written(line).into_iter().map(|(_, day)| day).filter(|day| !is_everyones(day)).collect()
}

/// Where the days of a line stand.
pub(crate) fn places(line: &str) -> Vec<Range<usize>> {
    written(line).into_iter().map(|(place, _)| place).collect()
}

fn written(line: &str) -> Vec<(Range<usize>, Day)> {
    let mut found = Vec::new();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = line;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let is_inside = rest[..at].ends_with(is_word);
        let length = rest[at..].find(|letter: char| !letter.is_ascii_digit());
        let (digits, after) = rest[at..].split_at(length.unwrap_or(rest.len() - at));
        let start = line.len() - after.len() - digits.len();
        let day = compact(digits).map(|day| (day, after));
        let day = day.or_else(|| year(digits).and_then(|year| spread(year, after)));
        if let Some((day, after)) = day.filter(|_| !is_inside) {
            found.push((start..line.len() - after.len(), day));
        }
        rest = after;
    }
    found
}

/// Whether a text names a day as people do: `26 April`, `April 26th`, `26. Apr`.
pub(crate) fn is_said(text: &str, (_, month, day): &Day) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let month = month.to_lowercase();
    let name = match month.parse::<usize>() {
        Ok(number) => number.checked_sub(1).and_then(|at| MONTHS.get(at)).copied(),
        Err(_) => MONTHS.iter().find(|name| month.starts_with(**name)).copied(),
    };
    let Some(name) = name else { return false };
    let is_day = |word: &str| {
        let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        digits.parse() == Ok(*day)
    };
    words.windows(2).any(|pair| {
        is_day(pair[0]) && pair[1].starts_with(name) || pair[0].starts_with(name) && is_day(pair[1])
    })
}

/// How Go writes a format, and where clocks begin.
fn is_everyones((year, month, day): &Day) -> bool {
    matches!((year, month.as_str(), day), (2006, "1", 2) | (1970, "1" | "january", 1))
}

fn year(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|year| digits.len() == 4 && (1900..2200).contains(year))
}

/// `20240328`.
fn compact(digits: &str) -> Option<Day> {
    let (year_digits, rest) = digits.split_at_checked(4).filter(|_| digits.len() == 8)?;
    let (month, day) = rest.split_at(2);
    checked(year(year_digits)?, month, day.parse().ok()?)
}

/// A month and a day behind their year, each behind a dash, a slash or a comma, and what follows them.
fn spread(year: u32, after: &str) -> Option<(Day, &str)> {
    let mut rest = after;
    let mut next = |is_part: fn(char) -> bool| {
        let piece = rest.strip_prefix(['-', '/', ','])?.trim_start();
        let length = piece.find(|letter: char| !is_part(letter)).unwrap_or(piece.len());
        let (part, after) = piece.split_at(length);
        rest = after;
        (!part.is_empty()).then_some(part)
    };
    let month = next(|letter| letter.is_alphanumeric() || matches!(letter, '.' | ':' | '_'))?;
    let day = next(|letter| letter.is_ascii_digit())?;
    checked(year, month, day.parse().ok()?).map(|day| (day, rest))
}

fn checked(year: u32, month: &str, day: u32) -> Option<Day> {
    let month = month.rsplit(['.', ':']).next().unwrap_or(month).trim_start_matches('0');
    let is_month = month.parse::<u32>().map_or_else(
        |_| month.starts_with(char::is_uppercase) && month.len() > 2,
        |month| month <= 12,
    );
    // January is 0 in some languages.
    let month = if month.is_empty() { "0" } else { month };
    (is_month || month == "0")
        .then(|| (year, month.to_lowercase(), day))
        .filter(|_| (1..32).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_days_end_behind_the_day() {
        let line = "plan(date(2024, 3, 28), 4, \"2024-04-01\")";
        let found: Vec<&str> = places(line).into_iter().map(|place| &line[place]).collect();
        assert_eq!(found, ["2024, 3, 28", "2024-04-01"]);
        assert!(places("port 2024").is_empty());
        // Where clocks begin is nobody's own day, and a day all the same.
        assert_eq!(places("on('1970-01-01')").first(), Some(&(4..14)));
        assert!(days("on('1970-01-01')").is_empty());
    }

    #[test]
    fn days_are_found_however_they_are_written() {
        for (line, day) in [
            ("  '2024-03-28',", (2024, "3", 28)),
            ("DTSTART:20240328\n", (2024, "3", 28)),
            ("REFERENCE = Date.UTC(2024, 2, 12, 10, 0, 0)", (2024, "2", 12)),
            ("new Date(2024, 0, 5)", (2024, "0", 5)),
            ("time.Date(2024, time.March, 12, 0, 0, 0, 0, time.UTC)", (2024, "march", 12)),
            ("date(2024, 12, 1)", (2024, "12", 1)),
        ] {
            assert_eq!(days(line), [(day.0, day.1.to_owned(), day.2)], "{line}");
        }
        for line in
            ["2024", "port 2024, 99, 5", "id_2024-03-28", "12.5, 7, 3", "1234-56-78", "2024-03"]
        {
            assert_eq!(days(line), [], "{line}");
        }
    }
}
