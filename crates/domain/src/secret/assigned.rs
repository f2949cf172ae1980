//! Reads `name = "value"` in the many ways in which languages, settings, headers and commands
//! write it, around a place where a name was found.

use std::ops::Range;

use super::shape::set::Set;

/// A name with the value that it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assigned {
    pub(crate) name: Range<usize>,
    pub(crate) value: Range<usize>,
    pub(crate) quoted: bool,
}

/// A name that is longer is none; a value that is longer is no single secret.
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 1024;
const MAX_BARE: usize = 256;
/// Values are aligned, but not by more than this.
const MAX_GAP: usize = 40;

/// The assignment whose name is around `at`. With `spaced`, more words may follow the name:
/// `Datadog API key: …`
pub(crate) fn read(text: &[u8], at: usize, spaced: bool) -> Option<Assigned> {
    let name = name_around(text, at);
    let mut cursor = Cursor { text, at: name.end };
    if spaced {
        cursor.words();
    }
    let whole = name.start..cursor.at;
    let dashed = text[..name.start].ends_with(b"-") || text[name.clone()].starts_with(b"-");
    let quoted = cursor.closers();
    // `<password>` goes on as `"password",` does not.
    let mark = match (text[..name.start].last(), quoted) {
        (Some(b'<'), _) => Mark::Tag,
        (_, true) => Mark::Quote,
        _ => Mark::None,
    };
    if !cursor.hop_to_value() {
        let gap = cursor.skip(b" \t", MAX_GAP);
        let start = cursor.at;
        let op = cursor.operator(mark).or_else(|| {
            cursor.at = start;
            (gap > 0).then_some(Op::Gap)
        })?;
        cursor.skip(b" \t", MAX_GAP);
        if op == Op::Colon {
            cursor.skip_type();
        }
        let quote = cursor.opening();
        // In prose, a word is followed by `code`.
        let prose = op == Op::Gap && quote == Some(b"`");
        let needs_quote = op == Op::Call || (op == Op::Gap && !dashed);
        if prose || (quote.is_none() && needs_quote) {
            return None;
        }
    }
    cursor.wrapper();
    let (value, quoted) = cursor.value()?;
    // `KEY: Type = 1`: that was a type.
    cursor.at = value.end;
    cursor.skip(b" ", 2);
    if !quoted && cursor.at > value.end && cursor.take(b"=") {
        return None;
    }
    (!value.is_empty()).then_some(Assigned { name: whole, value, quoted })
}

/// What names are made of.
const NAME: Set = Set::WORD.and_ranges(&[(b'-', b'.')]);

const fn is_name(byte: u8) -> bool {
    NAME.has(byte)
}

/// The name that `at` is inside of.
pub(crate) fn name_around(text: &[u8], at: usize) -> Range<usize> {
    let before = text[..at].iter().rev().take(MAX_NAME).take_while(|byte| is_name(**byte)).count();
    let after = text[at..].iter().take(MAX_NAME).take_while(|byte| is_name(**byte)).count();
    let mut name = at - before..at + after;
    // `\nTOKEN=`: the letter belongs to the escape.
    if text[..name.start].ends_with(b"\\") && b"nrt".contains(&text[name.start]) && before > 0 {
        name.start += 1;
    }
    name
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Colon,
    Call,
    /// Nothing but space: `--token abc`, `PASSWORD 'abc'`
    Gap,
    Other,
}

/// What the name stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Tag,
    Quote,
    None,
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

/// What ends a value without quotes.
const ENDS: Set = Set::SPACE.and_ranges(&[
    (0, 0),
    (b'"', b'"'),
    (b'&', b'\''),
    (b')', b')'),
    (b',', b','),
    (b';', b'<'),
    (b'>', b'>'),
    (b'\\', b']'),
    (b'`', b'`'),
    (b'|', b'}'),
]);

/// A quote as it is written: in text, escaped in text, or in HTML.
const QUOTES: &[&[u8]] =
    &[b"\"", b"'", b"`", b"\\\"", b"\\'", b"\\\\\"", b"&quot;", b"&#34;", b"&#39;"];

impl Cursor<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, set: &[u8], most: usize) -> usize {
        let count = self.rest().iter().take(most).take_while(|byte| set.contains(byte)).count();
        self.at += count;
        count
    }

    fn take(&mut self, word: &[u8]) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn opening(&self) -> Option<&'static [u8]> {
        QUOTES.iter().rev().find(|quote| self.rest().starts_with(quote)).copied()
    }

    /// A few more words of the name: ` API key`
    fn words(&mut self) {
        let words = |byte: &u8| is_name(*byte) || *byte == b' ';
        let count = self.rest().iter().take(24).take_while(|byte| words(byte)).count();
        let trailing = self.rest()[..count].iter().rev().take_while(|byte| **byte == b' ').count();
        self.at += count - trailing;
    }

    /// What closes the name: `"token"`, `env["token"]`. Whether there was a quote.
    fn closers(&mut self) -> bool {
        let mut quoted = false;
        for _ in 0..3 {
            match self.opening() {
                Some(quote) => {
                    self.at += quote.len();
                    quoted = true;
                }
                None if quoted && (self.take(b"]") || self.take(b")")) => {}
                None => break,
            }
        }
        quoted
    }

    /// `name: DB_PASSWORD\n value: …`, `key="Password" value="…"`
    fn hop_to_value(&mut self) -> bool {
        let start = self.at;
        self.skip(b" \t\r\n,", MAX_GAP);
        let quoted = self.closers();
        let found = self.at > start
            && (self.take(b"value") || self.take(b"Value"))
            && (!quoted || self.closers())
            && {
                self.skip(b" \t", 4);
                self.skip(b":=", 1) == 1
            };
        if found {
            self.skip(b" \t", MAX_GAP);
        } else {
            self.at = start;
        }
        found
    }

    fn operator(&mut self, mark: Mark) -> Option<Op> {
        let first = *self.rest().first()?;
        match first {
            b':' => {
                self.at += 1;
                let more = self.skip(b":=", 2);
                Some(if more == 0 { Op::Colon } else { Op::Other })
            }
            b'=' | b'!' | b'?' | b'|' | b'+' | b'~' => {
                let count = self.skip(b"=!?|+~", 3);
                let last = self.text[self.at - 1];
                let arrow = last == b'=' && self.take(b">");
                (last == b'=' || arrow || (count == 2 && last == b'|')).then_some(Op::Other)
            }
            b'-' => self.take(b"->").then_some(Op::Other),
            b',' if mark == Mark::Quote => {
                self.at += 1;
                Some(Op::Call)
            }
            b'(' => {
                self.at += 1;
                Some(Op::Call)
            }
            b'>' if mark == Mark::Tag => {
                self.at += 1;
                Some(Op::Other)
            }
            _ => None,
        }
    }

    /// `token: String = "…"`: the type is passed over.
    fn skip_type(&mut self) {
        let of_types = |byte: &u8| is_name(*byte) || b"&<>[]'|: ?*".contains(byte);
        let count = self.rest().iter().take(MAX_GAP).take_while(|byte| of_types(byte)).count();
        let mut ahead = Cursor { text: self.text, at: self.at + count };
        let typed = count > 0 && ahead.take(b"=") && !ahead.take(b"=");
        ahead.skip(b" ", 4);
        ahead.wrapper();
        if typed && ahead.opening().is_some() {
            self.at = ahead.at;
        }
    }

    /// `String::from("…")`, `b"…"`: what only stands around the value.
    fn wrapper(&mut self) {
        let start = self.at;
        let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:@$ ".contains(byte);
        let count = self.rest().iter().take(32).take_while(|byte| is_path(byte)).count();
        let path = &self.rest()[..count];
        let known = [&b"from"[..], b"Some", b"String", b"new", b"str", b"bytes", b"Secret"];
        let wraps = known.iter().any(|word| path.ends_with(word));
        let marked =
            count <= 2 && count > 0 && path.iter().all(|byte| b"bBrRfFuUL@$".contains(byte));
        self.at += count;
        if !(marked || (wraps && self.take(b"("))) || self.opening().is_none() {
            self.at = start;
        }
    }

    fn value(&mut self) -> Option<(Range<usize>, bool)> {
        if let Some(quote) = self.opening() {
            // `"""`: a text of several lines, and no single value.
            let start = self.at + quote.len();
            let end = self.closing(start, quote)?;
            return Some((start..end, true));
        }
        let rest = self.rest();
        let goes_on = |at: &usize| match (rest.get(*at), rest.get(at + 1)) {
            // `token=key=value`: a `=` that does not end the value begins another.
            (Some(b'='), Some(next)) => *next == b'=' || ENDS.has(*next),
            (Some(byte), _) => !ENDS.has(*byte),
            (None, _) => false,
        };
        let count = (0..=MAX_BARE).take_while(goes_on).count();
        (count <= MAX_BARE).then_some((self.at..self.at + count, false))
    }

    /// Where the value that began with `quote` ends. A quote that isn't closed is none.
    fn closing(&self, start: usize, quote: &[u8]) -> Option<usize> {
        let limit = self.text.len().min(start + MAX_VALUE);
        let mut at = start;
        while at < limit {
            let rest = &self.text[at..];
            match rest[0] {
                _ if rest.starts_with(quote) => return Some(at),
                b'\n' | b'\r' => return None,
                b'\\' if quote.len() == 1 => at += 2,
                _ => at += 1,
            }
        }
        None
    }
}

#[cfg(test)]
#[path = "assigned_tests.rs"]
mod tests;
