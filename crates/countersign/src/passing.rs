//! Bytes of others on their way to standard output: as they are for programs, and made visible where a
//! terminal could be steered by them.

use std::io::{self, ErrorKind, IsTerminal as _, Write};

use crate::ui;

/// Standard output for what others wrote.
#[derive(Debug)]
pub struct Passing {
    is_terminal: bool,
    /// The beginning of a letter whose rest has not come yet.
    rest: Vec<u8>,
    ends_line: bool,
    is_closed: bool,
}

impl Passing {
    pub fn new() -> Self {
        let is_terminal = io::stdout().is_terminal();
        Self { is_terminal, rest: Vec::new(), ends_line: true, is_closed: false }
    }

    /// Whether nobody reads any more.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Ends a line that was not ended, so that what follows begins its own.
    pub fn end_line(&mut self) -> io::Result<()> {
        if !self.rest.is_empty() {
            let rest = std::mem::take(&mut self.rest);
            self.put(ui::visible(&String::from_utf8_lossy(&rest)).as_bytes())?;
        }
        if self.ends_line { Ok(()) } else { self.put(b"\n") }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = io::stdout().lock().write_all(bytes);
        if let Some(last) = bytes.last() {
            self.ends_line = *last == b'\n';
        }
        if let Err(error) = &written {
            self.is_closed = error.kind() == ErrorKind::BrokenPipe;
        }
        written
    }
}

impl Write for Passing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            self.put(bytes)?;
            return Ok(bytes.len());
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let whole = whole_letters(&all);
        self.rest = all.split_off(whole);
        self.put(ui::visible(&String::from_utf8_lossy(&all)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush()
    }
}

/// How many of `bytes` are whole letters: a letter at the end whose rest may still come is left out.
fn whole_letters(bytes: &[u8]) -> usize {
    for (back, byte) in (1..=3).zip(bytes.iter().rev()) {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xff => 4,
            _ => 1,
        };
        return if needed > back { bytes.len() - back } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_not_cut_in_two() {
        assert_eq!(whole_letters(b"abc"), 3);
        assert_eq!(whole_letters("ab\u{e9}".as_bytes()), 4);
        assert_eq!(whole_letters(&"abc\u{20ac}".as_bytes()[..5]), 3);
        assert_eq!(whole_letters(&"abcdef\u{1f600}".as_bytes()[..9]), 6);
        assert_eq!(whole_letters(b"a\x80\x80\x80\x80"), 5);
        assert_eq!(whole_letters(b""), 0);
    }
}
