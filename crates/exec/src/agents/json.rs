//! Reads JSON that may be cut off or damaged anywhere, and copies only what is asked for.
//!
//! Agents send whole files along, and whoever reads for us cuts what is too long. A parser for
//! whole documents would copy the former and give nothing of the latter. Here a value is the
//! place where it stands; looking into it never fails, it only finds less. Whether a document is
//! whole is for serde_json to say ([`Document::trouble`]).

mod escapes;
mod scan;

use std::cell::RefCell;

use serde::de::IgnoredAny;

use escapes::unescape;
use scan::{after_comma, after_space, nest_end, value_at};

/// Bytes that should be JSON.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    bytes: &'a [u8],
    long: Long,
}

/// The strings that are long: where they begin and how far they go, in their order. To find the
/// end of a file's content is most of the work, and is done once.
pub(crate) type Long = RefCell<Vec<(usize, usize)>>;

/// One value: where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Json<'a> {
    text: &'a [u8],
    /// Whether its end was there.
    whole: bool,
    long: Option<&'a Long>,
}

impl<'a> Document<'a> {
    /// Documents up to this size are checked throughout.
    const MAX_CHECKED: usize = 256 * 1024;

    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, long: Long::default() }
    }

    pub(crate) fn root(&'a self) -> Json<'a> {
        Json { long: Some(&self.long), ..Json::document(self.bytes) }
    }

    /// What is wrong with it, in words. Of a long one, whose length is that of a few strings,
    /// only its outline is looked at.
    pub(crate) fn trouble(&self) -> Option<String> {
        let bytes = self.bytes;
        if bytes.trim_ascii().is_empty() {
            return Some("nothing was said".to_owned());
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            return Some(format!("not UTF-8 from byte {} on", error.valid_up_to()));
        }
        let cut_off = || Some(format!("cut off after {} bytes", bytes.len()));
        let root = Json::document(bytes).text;
        if bytes.len() > Self::MAX_CHECKED && matches!(root.first(), Some(b'{' | b'[')) {
            return match nest_end(root, Some(&self.long)) {
                (_, false) => cut_off(),
                (end, true) if end < root.len() => Some(format!("it goes on after byte {end}")),
                _ => None,
            };
        }
        match serde_json::from_slice::<IgnoredAny>(bytes) {
            Ok(_) => None,
            Err(error) if error.is_eof() => cut_off(),
            Err(error) => Some(format!("not JSON: {error}")),
        }
    }
}

impl<'a> Json<'a> {
    /// What stands where nothing does.
    pub(crate) const NONE: Self = Self { text: b"", whole: true, long: None };

    /// The value in these bytes. Where an object ends is seen when it is looked into.
    pub(crate) fn document(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
        match bytes.first() {
            Some(b'{' | b'[') => Self { text: bytes, whole: false, long: None },
            _ => Self::at(bytes, 0, None).0,
        }
    }

    /// The value that begins at `at`, and where it ends.
    fn at(text: &'a [u8], at: usize, long: Option<&'a Long>) -> (Self, usize) {
        let (len, whole) = value_at(text, at, long);
        let value = text.get(at..at + len).unwrap_or_default();
        (Self { text: value, whole, long }, at + len)
    }

    pub(crate) fn is_some(self) -> bool {
        !self.text.is_empty() && self.text != b"null"
    }

    pub(crate) fn is_object(self) -> bool {
        self.text.first() == Some(&b'{')
    }

    pub(crate) fn is_text(self) -> bool {
        self.text.first() == Some(&b'"')
    }

    /// The bytes of the value as they stand there.
    pub(crate) fn raw(self) -> &'a [u8] {
        self.text
    }

    /// The named fields of an object, in one walk over it; the last one of a name counts.
    pub(crate) fn pick<const N: usize>(self, names: [&str; N]) -> [Self; N] {
        let mut found = [Self::NONE; N];
        for (key, value) in self.fields() {
            if let Some(at) = names.iter().position(|name| name.as_bytes() == key) {
                found[at] = value;
            }
        }
        found
    }

    pub(crate) fn field(self, name: &str) -> Self {
        let [found] = self.pick([name]);
        found
    }

    /// The fields of an object, by their names as they stand there.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'a [u8], Self)> {
        let text = if self.is_object() { self.text } else { b"" };
        let mut at = 1;
        std::iter::from_fn(move || {
            let (key, after) = Self::at(text, after_comma(text, at), self.long);
            let key = key.whole.then(|| key.inside()).flatten()?;
            let colon = after_space(text, after);
            let (value, after) = Self::at(text, after_space(text, colon + 1), self.long);
            at = after;
            (text.get(colon) == Some(&b':') && !value.text.is_empty()).then_some((key, value))
        })
    }

    /// What an array holds.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> {
        let text = if self.text.first() == Some(&b'[') { self.text } else { b"" };
        let mut at = 1;
        std::iter::from_fn(move || {
            let (value, after) = Self::at(text, after_comma(text, at), self.long);
            at = after;
            (!value.text.is_empty()).then_some(value)
        })
    }

    /// A whole string. One that was cut off is none: half an id is another id.
    pub(crate) fn text(self) -> Option<String> {
        self.whole.then(|| self.text_up_to(usize::MAX)).flatten()
    }

    /// A string, or as much of it as is there and wanted.
    pub(crate) fn text_up_to(self, max: usize) -> Option<String> {
        let inside = self.inside()?;
        if inside.len() <= max {
            return Some(unescape(inside).into_owned());
        }
        let mut text = unescape(&inside[..max]).into_owned();
        text.push('…');
        Some(text)
    }

    /// The last bytes of a string, for what stands at its end.
    pub(crate) fn text_from_end(self, max: usize) -> Option<String> {
        let inside = self.inside()?;
        Some(unescape(&inside[inside.len().saturating_sub(max)..]).into_owned())
    }

    /// A whole string, or a number written as one: ids come as both.
    pub(crate) fn id(self) -> Option<String> {
        let id = self.text().or_else(|| self.number().map(|number| number.to_string()));
        id.filter(|id| !id.is_empty())
    }

    pub(crate) fn number(self) -> Option<i64> {
        let text =
            self.whole.then_some(self.text).and_then(|text| std::str::from_utf8(text).ok())?;
        text.parse().ok()
    }

    /// A number that may have a fraction.
    pub(crate) fn decimal(self) -> Option<f64> {
        let text =
            self.whole.then_some(self.text).and_then(|text| std::str::from_utf8(text).ok())?;
        // What is also a number in Rust but not in JSON is none.
        text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            .then(|| text.parse().ok())
            .flatten()
    }

    /// How many there are of something. Less than none is none, and there is a most: sums of what
    /// somebody made up must not run over.
    pub(crate) fn count(self) -> u64 {
        let whole = self.number().and_then(|number| u64::try_from(number).ok());
        whole.unwrap_or_default().min(1 << 40)
    }

    pub(crate) fn is_true(self) -> bool {
        self.text == b"true"
    }

    /// What stands between a string's quotes; the closing one may be missing.
    fn inside(self) -> Option<&'a [u8]> {
        let inside = self.text.strip_prefix(b"\"")?;
        if self.whole { inside.strip_suffix(b"\"") } else { Some(inside) }
    }

    /// How many lines a string has, counted where it stands.
    pub(crate) fn lines(self) -> u32 {
        let Some(inside) = self.inside() else { return 0 };
        let mut breaks = 0_u32;
        let mut is_ended = inside.is_empty();
        let mut next = 0;
        for escape in memchr::memchr_iter(b'\\', inside) {
            // The second of two backslashes belongs to the first.
            if escape >= next {
                let is_break = inside.get(escape + 1) == Some(&b'n');
                breaks = breaks.saturating_add(u32::from(is_break));
                next = escape + 2;
                is_ended = is_break && next == inside.len();
            }
        }
        breaks.saturating_add(u32::from(!is_ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Json<'_> {
        Json::document(text.as_bytes())
    }

    #[test]
    fn strings_are_read_as_serde_json_reads_them() {
        let check = |raw: &str| {
            let expected: String = serde_json::from_str(raw).unwrap();
            assert_eq!(of(raw).text().as_deref(), Some(expected.as_str()), "{raw}");
            let lines = u32::try_from(expected.lines().count()).unwrap();
            assert_eq!(of(raw).lines(), lines, "{raw}");
        };
        check(r#""""#);
        check(r#""plain ä""#);
        check(r#""a\nb""#);
        check(r#""a\nb\n""#);
        check(r#""\n""#);
        check(r#""\\n\\""#);
        check(r#""a\\\nb\\""#);
        check(r#""\"q\" \/ \b\f\n\r\t A \u00e4 \ud83d\ude00""#);
    }

    #[test]
    fn what_is_broken_in_a_string_is_marked() {
        let check = |raw: &str, expected: &str| {
            assert_eq!(of(raw).text_up_to(99).as_deref(), Some(expected), "{raw}");
        };
        check(r#""half \ud83d""#, "half \u{fffd}");
        check(r#""half \ud83d\n""#, "half \u{fffd}\n");
        check(r#""\uzz""#, "\u{fffd}");
        check(r#""cut"#, "cut");
        check(r#""cut\"#, "cut\u{fffd}");
        check(r#""cut\u00"#, "cut\u{fffd}");
        assert_eq!(of("\"cut").text(), None);
        assert_eq!(of("\"abcdef\"").text_up_to(3).as_deref(), Some("abc…"));
        assert_eq!(of("\"abcdef\"").text_from_end(3).as_deref(), Some("def"));
    }

    #[test]
    fn fields_before_a_damage_are_found() {
        let check = |text: &str, names: &[&str]| {
            let found: Vec<_> = of(text).fields().map(|(key, _)| key).collect();
            let names: Vec<_> = names.iter().map(|name| name.as_bytes()).collect();
            assert_eq!(found, names, "{text}");
        };
        check(r#"{"a":1,"b":{"c":[1,2]},"d":"}"}"#, &["a", "b", "d"]);
        check(r#"{"a":1,"b":{"c":[1,"#, &["a", "b"]);
        check(r#"{"a":1,"b"#, &["a"]);
        check(r#"{"a":1,"b":"#, &["a"]);
        check(r#"{"a":1 "b":2}"#, &["a", "b"]);
        check(r#"{"a":1, b:2}"#, &["a"]);
        check(r#"{"a" 1}"#, &[]);
        check("[1]", &[]);
        check("", &[]);
        check("{", &[]);
        check("}", &[]);
        assert_eq!(of("[1, [2], {}, \"x\"").items().count(), 4);
        assert_eq!(of(r#"{"n": 12"#).field("n").number(), None, "it may go on");
        assert_eq!(of(r#"{"n": 12}"#).field("n").number(), Some(12));
    }

    #[test]
    fn trouble_is_told_in_words() {
        let check = |bytes: &[u8], expected: Option<&str>| {
            assert_eq!(Document::of(bytes).trouble().as_deref(), expected);
        };
        check(b"{\"a\": 1}\n", None);
        check(b" \n", Some("nothing was said"));
        check(b"{\"a\": \"\xff\"}", Some("not UTF-8 from byte 7 on"));
        check(b"{\"a\": [1, 2", Some("cut off after 11 bytes"));
        check(b"{\"a\": x}", Some("not JSON: expected value at line 1 column 7"));
        check(&vec![b'['; 100_000], Some("cut off after 100000 bytes"));
        let long = format!("{{\"a\": \"{}\"", "x".repeat(Document::MAX_CHECKED));
        check(long.as_bytes(), Some("cut off after 262152 bytes"));
        check(format!("{long}}}").as_bytes(), None);
        check(format!("{long}}} x").as_bytes(), Some("it goes on after byte 262153"));
    }
}
