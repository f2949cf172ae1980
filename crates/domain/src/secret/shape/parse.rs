//! Reads a pattern. It is written as a regular expression, of which only this much is known:
//!
//! ```text
//! abc \. \x2d        these bytes
//! [A-Z_-] [^"\s]     one byte of a set; \w, \d and \s are sets too
//! x{4} x{4,9} x?     that often, and as often as it can be
//! (?:ab|cd)          one of these
//! (?&uuid)           a part with a name, from the section [parts]
//! (…)                the secret, if it is not all of it
//! ()                 where the key stands, if not at the beginning
//! $                  the end of the text
//! (?i)               at the beginning: small and capital letters are the same
//! ```
//!
//! There is no repetition without an end, and no repetition that could take what the next part
//! begins with. So a match never has to give anything back, and its time is that of its length.

use super::super::shipped;
use super::set::Set;

/// One part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    Set { set: Set, min: usize, max: usize },
    Any(Vec<Vec<Part>>),
    Times { parts: Vec<Part>, min: usize, max: usize },
    Secret(Vec<Part>),
    Key,
    End,
}

/// How often something may be repeated: a set of bytes, and a group.
const MAX_TIMES: usize = 1 << 16;
const MAX_GROUP_TIMES: usize = 8;
const MAX_DEPTH: usize = 6;
const MAX_PATTERN: usize = 600;

/// A pattern, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) parts: Vec<Part>,
    pub(crate) caseless: bool,
}

/// Takes a pattern apart, or says what is wrong and at which byte of it.
pub(crate) fn parse(pattern: &str) -> Result<Parsed, (usize, String)> {
    if pattern.len() > MAX_PATTERN {
        return Err((0, format!("the pattern has more than {MAX_PATTERN} letters; shorten it")));
    }
    if let Some(at) = pattern.bytes().position(|byte| !(b' '..=b'~').contains(&byte)) {
        return Err((at, "a letter is not plain ASCII; write its bytes as `\\xNN`".to_owned()));
    }
    let caseless = pattern.starts_with("(?i)");
    let at = if caseless { 4 } else { 0 };
    let parts = Reader { text: pattern.as_bytes(), at, depth: 0 }.all()?;
    Ok(Parsed { parts, caseless })
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, (usize, String)>;

impl Reader<'_> {
    fn wrong<T>(&self, what: &str) -> Read<T> {
        Err((self.at, what.to_owned()))
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.text[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn all(&mut self) -> Read<Vec<Part>> {
        let parts = self.sequence()?;
        match self.peek() {
            Some(b'|') => self.wrong("put alternatives into `(?:…|…)`; write `\\|` for the letter"),
            Some(_) => self.wrong("this `)` closes nothing; write `\\)` for the letter"),
            None => Ok(parts),
        }
    }

    /// Up to the end, a `|` or a `)`.
    fn sequence(&mut self) -> Read<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| !b"|)".contains(byte)) {
            let start = self.at;
            let part = match byte {
                b'(' => self.group()?,
                b'[' => Part::Set { set: self.class()?, min: 1, max: 1 },
                b'$' => {
                    self.at += 1;
                    Part::End
                }
                b'*' | b'+' => return self.wrong("a repetition needs an end: write `{1,40}`"),
                b'?' | b'{' => return self.wrong("there is nothing here to repeat"),
                b'.' | b'^' | b']' | b'}' => {
                    return self
                        .wrong("write `\\` before this letter, or say which bytes are meant");
                }
                _ => {
                    let set = self.byte_or_set()?;
                    Part::Set { set, min: 1, max: 1 }
                }
            };
            let part = self.repeated(part, start)?;
            push(&mut parts, part);
        }
        Ok(parts)
    }

    fn group(&mut self) -> Read<Part> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.wrong("groups are too deep; make it simpler");
        }
        let start = self.at;
        if self.take("()") {
            self.depth -= 1;
            return Ok(Part::Key);
        }
        if self.take("(?&") {
            return self.named_part(start);
        }
        let secret = !self.take("(?:") && self.take("(");
        if secret && self.peek() == Some(b'?') {
            return self.wrong("of groups that begin with `(?`, only `(?:` and `(?&` are known");
        }
        let mut choices = vec![self.sequence()?];
        while self.take("|") {
            choices.push(self.sequence()?);
        }
        if !self.take(")") {
            self.at = start;
            return self.wrong("this `(` is not closed");
        }
        self.depth -= 1;
        let parts = if choices.len() == 1 { choices.remove(0) } else { vec![Part::Any(choices)] };
        Ok(if secret { Part::Secret(parts) } else { Part::Times { parts, min: 1, max: 1 } })
    }

    fn named_part(&mut self, start: usize) -> Read<Part> {
        let rest = &self.text[self.at..];
        let name = rest.split(|byte| *byte == b')').next().unwrap_or_default();
        self.at += name.len() + 1;
        let name = std::str::from_utf8(name).unwrap_or("");
        let text = shipped::list(name).as_bytes();
        if text.is_empty() || self.at > self.text.len() {
            return Err((start, format!("no part is called {name:?}")));
        }
        let parts = Reader { text, at: 0, depth: self.depth }.all();
        self.depth -= 1;
        let parts = parts.map_err(|(_, what)| (start, what))?;
        Ok(Part::Times { parts, min: 1, max: 1 })
    }

    /// A part with what stands behind it: `?`, `{4}` or `{4,9}`.
    fn repeated(&mut self, part: Part, start: usize) -> Read<Part> {
        let (least, most) = if self.take("?") {
            (0, 1)
        } else if self.take("{") {
            let least = self.number()?;
            let most = if self.take(",") { self.number()? } else { least };
            if !self.take("}") || least > most || most == 0 {
                return self.wrong("a repetition is `{4}` or `{4,9}`, the smaller number first");
            }
            (least, most)
        } else {
            return Ok(part);
        };
        if self.peek().is_some_and(|byte| b"?*+{".contains(&byte)) {
            return self.wrong("a repetition can't be repeated");
        }
        let limit = if matches!(part, Part::Set { .. }) { MAX_TIMES } else { MAX_GROUP_TIMES };
        if most > limit {
            return self.wrong(&format!("this may be repeated up to {limit} times"));
        }
        match part {
            Part::Set { set, .. } => Ok(Part::Set { set, min: least, max: most }),
            Part::Times { parts, .. } => Ok(Part::Times { parts, min: least, max: most }),
            _ => {
                self.at = start;
                self.wrong("this can't be repeated; put it into `(?:…)`")
            }
        }
    }

    fn number(&mut self) -> Read<usize> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = self.text.get(self.at..self.at + digits.min(6)).unwrap_or_default();
        let number = text.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        if digits == 0 {
            return self.wrong("a number is missing: a repetition is `{4}` or `{4,9}`");
        }
        self.at += digits;
        Ok(number)
    }

    fn class(&mut self) -> Read<Set> {
        let start = self.at;
        self.at += 1;
        let inverted = self.take("^");
        let mut set = Set::default();
        while self.peek().is_some_and(|byte| byte != b']') {
            let from = self.at;
            let first = self.byte_or_set()?;
            let is_range = self.peek() == Some(b'-') && self.text.get(self.at + 1) != Some(&b']');
            if !is_range {
                set = set.or(first);
                continue;
            }
            self.at += 1;
            let last = self.byte_or_set()?;
            match (first.single(), last.single()) {
                (Some(first), Some(last)) if first <= last => {
                    set = set.or(Set::ranges(&[(first, last)]));
                }
                _ => return Err((from, "a range goes from a smaller byte to a larger".to_owned())),
            }
        }
        if !self.take("]") || set == Set::default() {
            self.at = start;
            return self.wrong("this `[` is not closed, or there is nothing in it");
        }
        Ok(if inverted { set.not() } else { set })
    }

    /// One byte as it is, or after a `\`.
    fn byte_or_set(&mut self) -> Read<Set> {
        let Some(byte) = self.peek() else { return self.wrong("the pattern ends too early") };
        self.at += 1;
        if byte != b'\\' {
            return Ok(Set::of(byte));
        }
        let Some(escaped) = self.peek() else { return self.wrong("there is nothing after `\\`") };
        self.at += 1;
        Ok(match escaped {
            b'w' => Set::WORD,
            b'd' => Set::DIGIT,
            b's' => Set::SPACE,
            b'n' => Set::of(b'\n'),
            b't' => Set::of(b'\t'),
            b'x' => {
                let digits = self.text.get(self.at..self.at + 2).unwrap_or_default();
                let number = std::str::from_utf8(digits).ok();
                let Some(byte) = number.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                else {
                    return self.wrong("`\\x` needs two hexadecimal digits");
                };
                self.at += 2;
                Set::of(byte)
            }
            other if other.is_ascii_alphanumeric() => {
                return self.wrong("of letters after `\\`, only w, d, s, n, t and x are known");
            }
            other => Set::of(other),
        })
    }
}

/// Adds a part; single bytes in a row become one.
fn push(parts: &mut Vec<Part>, part: Part) {
    let single = match &part {
        Part::Set { set, min: 1, max: 1 } => set.single(),
        _ => None,
    };
    match (single, parts.last_mut()) {
        (Some(byte), Some(Part::Bytes(bytes))) => bytes.push(byte),
        (Some(byte), _) => parts.push(Part::Bytes(vec![byte])),
        (None, _) => parts.push(part),
    }
}
