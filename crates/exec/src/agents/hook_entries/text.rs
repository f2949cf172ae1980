//! A settings file as text with places: one insertion or removal at a time, and no other byte
//! changes. What was inserted is removed again without a trace.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde::de::IgnoredAny;

use super::Leniency;
use crate::agents::plan::Broken;

const MARK: &str = "\u{feff}";

/// A text without its byte order mark, which [`Text::finish`] puts back.
pub(super) struct Text {
    pub(super) json: String,
    mark: &'static str,
}

impl Text {
    /// Takes a text that the agent can read, and refuses all others: the agent would ignore the
    /// whole file. A text without content counts as an empty object.
    pub(super) fn new(text: &str, leniency: Leniency) -> Result<Self, Broken> {
        let (mark, json) = match text.strip_prefix(MARK) {
            Some(rest) if leniency.byte_order_mark => (MARK, rest),
            Some(_) => {
                let why = "the agent ignores a file that begins with a byte order mark";
                return Err(Broken::at(text, 0, why));
            }
            None => ("", text),
        };
        if json.trim().is_empty() {
            return Ok(Self { json: "{}\n".into(), mark });
        }
        if !leniency.comments {
            serde_json::from_str::<IgnoredAny>(json).map_err(|error| Broken {
                line: error.line(),
                column: error.column().max(1),
                why: words_of(&error),
            })?;
        }
        let text = Self { json: json.to_owned(), mark };
        text.top()?;
        Ok(text)
    }

    pub(super) fn finish(self) -> String {
        format!("{}{}", self.mark, self.json)
    }

    /// The object that the file is.
    pub(super) fn top(&self) -> Result<Object<'_>, Broken> {
        let parsed = parse_to_ast(&self.json, &CollectOptions::default(), &OPTIONS);
        let parsed = parsed.map_err(|error| Broken {
            line: error.line_display(),
            column: error.column_display(),
            why: error.kind().to_string(),
        })?;
        match parsed.value {
            Some(Value::Object(top)) => Ok(top),
            Some(other) => Err(self.broken(&other, "settings must be an object")),
            None => Err(Broken::at(&self.json, 0, "settings must be an object")),
        }
    }

    pub(super) fn broken(&self, at: &impl Ranged, why: &str) -> Broken {
        Broken::at(&self.json, at.range().start, why)
    }

    pub(super) fn replace(&self, range: Range<usize>, with: &str) -> String {
        format!("{}{with}{}", &self.json[..range.start], &self.json[range.end..])
    }

    /// The text with a property more at the end of `object`.
    pub(super) fn insert(&self, object: &Object<'_>, name: &str, value: &impl Serialize) -> String {
        let last =
            object.properties.last().map(|property| property.range().start..property.range().end);
        let whole = object.range().start..object.range().end;
        self.grow(whole, last.as_ref(), |render| format!("{}: {}", json_of(name), render(value)))
    }

    /// The text with an element more at the end of `list`.
    pub(super) fn push(&self, list: &Array<'_>, value: &impl Serialize) -> String {
        let end = list.elements.last().map(|element| element.range().start..element.range().end);
        self.grow(list.range().start..list.range().end, end.as_ref(), |render| render(value))
    }

    fn grow<S: Serialize>(
        &self,
        whole: Range<usize>,
        last: Option<&Range<usize>>,
        write: impl FnOnce(&dyn Fn(&S) -> String) -> String,
    ) -> String {
        let json = &self.json;
        let line = if json.contains("\r\n") { "\r\n" } else { "\n" };
        let outer = indent_at(json, whole.start);
        let from = last.map_or(whole.start + 1, |last| last.end);
        // Comments after the last sibling stay with it.
        let at = from + json[from..whole.end - 1].trim_end().len();
        let closes_below = json[at..whole.end].contains('\n');
        // Beside siblings on one line it stays on that line: what is inserted must be all that
        // has to be removed again.
        let sibling = last.and_then(|last| own_line(json, last.start));
        let inner = match (sibling, last) {
            (Some(indent), _) => indent.to_owned(),
            (None, Some(_)) if !closes_below => outer.to_owned(),
            _ => format!("{outer}{}", self.unit()),
        };
        let new = write(&|value| self.render(value, &inner, line));
        let (comma, start, end) = match last {
            Some(_) if closes_below => (",", format!("{line}{inner}"), String::new()),
            Some(_) => (",", " ".to_owned(), String::new()),
            None if closes_below => ("", format!("{line}{inner}"), String::new()),
            None => ("", format!("{line}{inner}"), format!("{line}{outer}")),
        };
        format!("{}{comma}{}{start}{new}{end}{}", &json[..from], &json[from..at], &json[at..])
    }

    fn render(&self, value: &impl Serialize, indent: &str, line: &str) -> String {
        let unit = self.unit();
        let format = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, format);
        // Strings, numbers and lists of ours: nothing that JSON can't say.
        let _ = value.serialize(&mut serializer);
        String::from_utf8_lossy(&out).replace('\n', &format!("{line}{indent}"))
    }

    /// What one step of indentation is in this file.
    fn unit(&self) -> String {
        let lines = self.json.lines().filter(|line| !line.trim().is_empty());
        let indents = lines.map(|line| &line[..line.len() - line.trim_start().len()]);
        let shortest = indents.filter(|indent| !indent.is_empty()).min_by_key(|it| it.len());
        shortest.unwrap_or("  ").to_owned()
    }

    /// The text without the `index`th property of `object`.
    pub(super) fn remove_property(&self, object: &Object<'_>, index: usize) -> String {
        let ranges: Vec<_> = object.properties.iter().map(range_of_property).collect();
        self.shrink(object.range().start..object.range().end, &ranges, index)
    }

    /// The text without the `index`th element of `list`.
    pub(super) fn remove_element(&self, list: &Array<'_>, index: usize) -> String {
        let ranges: Vec<_> =
            list.elements.iter().map(|it| it.range().start..it.range().end).collect();
        self.shrink(list.range().start..list.range().end, &ranges, index)
    }

    fn shrink(&self, whole: Range<usize>, children: &[Range<usize>], index: usize) -> String {
        let json = &self.json;
        let gone = children[index].clone();
        let rest = &json[gone.end..whole.end - 1];
        // Without a line break of its own, what follows would end up in a comment before it.
        let breaks = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let trimmed = json[..gone.start].trim_end().len();
        let from = index.checked_sub(1).map_or(whole.start + 1, |before| children[before].end);
        let is_safe = breaks || !json[from..gone.start].contains("//");
        let start = if is_safe { trimmed } else { gone.start };
        match (index.checked_sub(1), children.get(index + 1)) {
            // The next one takes its place.
            (_, Some(next)) => {
                let comma = gone.end + comma_in(&json[gone.end..next.start]);
                format!("{}{}", &json[..gone.start], json[comma + 1..].trim_start())
            }
            // The comma before it goes, what stands after the comma stays.
            (Some(before), None) => {
                let comma = children[before].end + comma_in(&json[children[before].end..start]);
                let between = &json[comma + 1..start];
                format!("{}{between}{}", &json[..comma], &json[gone.end..])
            }
            (None, None) => {
                let inner = &json[whole.start + 1..start];
                let is_bare = inner.trim().is_empty() && rest.trim().is_empty();
                let rest = if is_bare { "" } else { rest };
                format!("{}{rest}{}", &json[..start], &json[whole.end - 1..])
            }
        }
    }
}

/// Plain JSON; comments only where they were let through before.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn range_of_property(property: &ObjectProp<'_>) -> Range<usize> {
    property.range().start..property.range().end
}

/// A message without the place, which we say ourselves.
fn words_of(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or(&words).to_owned()
}

pub(super) fn json_of(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The white space that the line at `at` begins with.
fn indent_at(json: &str, at: usize) -> &str {
    let line = &json[json[..at].rfind('\n').map_or(0, |end| end + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The same, if nothing else is before `at` on its line, and it isn't the first.
fn own_line(json: &str, at: usize) -> Option<&str> {
    let start = json[..at].rfind('\n')? + 1;
    let before = &json[start..at];
    before.trim().is_empty().then_some(before)
}

/// Where the comma is between two siblings, past any comments.
fn comma_in(between: &str) -> usize {
    let mut rest = between;
    loop {
        let at = between.len() - rest.len();
        let trimmed = rest.trim_start();
        let skipped = rest.len() - trimmed.len();
        let comment = if trimmed.starts_with("//") {
            trimmed.find('\n')
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map(|end| end + 2)
        } else {
            return at + skipped;
        };
        rest = &trimmed[comment.unwrap_or(trimmed.len())..];
    }
}
