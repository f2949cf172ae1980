//! Makes a recording say the same wherever and whenever it is made: no path of this machine, ids
//! and times by the order in which they first appear, and nothing long.

use std::collections::HashMap;

use serde_json::Value;

/// What was replaced so far; one for a whole tour, so that the same id stays the same.
#[derive(Debug)]
pub(super) struct Normal {
    /// What is replaced by what, in this order.
    words: Vec<(String, &'static str)>,
    seen: HashMap<String, String>,
}

/// Shapes of what differs from time to time: `x` is a hexadecimal digit, `9` a decimal one.
const ID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
const MOMENT: &str = "9999-99-99T99:99:99.999Z";
const MOMENT_IN_NAME: &str = "9999-99-99T99-99-99";
const DAY_IN_PATH: &str = "sessions/9999/99/99/";

impl Normal {
    /// For a project with everything of it below `outside`.
    pub(super) fn new(outside: &str) -> Self {
        // Claude names the folder of a project after its path.
        let slug: String = format!("{outside}/project")
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
            .collect();
        let words = vec![
            (slug, "-home-alice-project"),
            (format!("{outside}/project"), "/home/alice/project"),
            (format!("{outside}/home"), "/home/alice"),
            (format!("{outside}/tmp"), "/tmp"),
            (outside.to_owned(), "/home"),
            (system_release(), "6.1.0"),
        ];
        Self { words, seen: HashMap::new() }
    }

    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (from, to) in &self.words {
            text = text.replace(from, to);
        }
        let mut normal = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(letter) = rest.chars().next() {
            let found = [ID, MOMENT, MOMENT_IN_NAME, DAY_IN_PATH]
                .into_iter()
                .find(|shape| has_shape(rest, shape));
            if let Some(shape) = found {
                normal += &self.stand_in(&rest[..shape.len()], shape);
                rest = &rest[shape.len()..];
            } else {
                normal.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
        normal
    }

    fn stand_in(&mut self, found: &str, shape: &str) -> String {
        let count = 1 + self.seen.values().filter(|known| has_shape(known, shape)).count();
        let made = match shape {
            ID => format!("00000000-0000-7000-8000-{count:012x}"),
            MOMENT => format!("2026-01-01T00:{:02}:{:02}.000Z", count / 60 % 60, count % 60),
            MOMENT_IN_NAME => "2026-01-01T00-00-00".to_owned(),
            _ => "sessions/2026/01/01/".to_owned(),
        };
        self.seen.entry(found.to_owned()).or_insert(made).clone()
    }
}

/// The version of the system's kernel, which agents like to know.
fn system_release() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // Something must be replaced; what never occurs is as good as nothing.
    if text.trim().is_empty() { "\0".to_owned() } else { text.trim().to_owned() }
}

fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(letter, wanted): (u8, u8)| match wanted {
        b'x' => letter.is_ascii_hexdigit(),
        b'9' => letter.is_ascii_digit(),
        _ => letter == wanted,
    };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

/// Leaves the middle out of every text that is longer than `max_length`.
pub(super) fn shorten(value: &mut Value, max_length: usize) {
    match value {
        Value::String(text) => {
            let count = text.chars().count();
            if count > max_length {
                let head: String = text.chars().take(max_length * 3 / 4).collect();
                let tail: String = text.chars().skip(count - max_length / 4).collect();
                let left_out = count - max_length;
                *text = format!("{head}[{left_out} characters left out]{tail}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, max_length)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten(field, max_length)),
        _ => {}
    }
}

/// Leaves out all but the first items of every list.
pub(super) fn thin_out(value: &mut Value, max_items: usize) {
    match value {
        Value::Array(items) => {
            items.truncate(max_items);
            for item in items {
                thin_out(item, max_items);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| thin_out(field, max_items)),
        _ => {}
    }
}

/// When something was and how long it took is different every time, and so is its process.
pub(super) fn without_clocks(value: &mut Value) {
    const CLOCKS: &[&str] = &[
        "duration_ms",
        "durationMs",
        "totalDurationMs",
        "time_to_first_token_ms",
        "started_at",
        "started_at_ms",
        "completed_at",
        "completed_at_ms",
        "create_time",
        "nanos",
    ];
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_clocks),
        Value::Object(fields) => {
            for (name, field) in fields {
                if CLOCKS.contains(&name.as_str()) && field.is_number() {
                    *field = 1.into();
                }
                without_clocks(field);
            }
        }
        _ => {}
    }
}
