//! Divides what is printed into lines, in bounded memory.

/// A longer line is left out. Agents print whole files on one line.
const MAX_LINE: usize = 8 * 1024 * 1024;

/// A buffer that grew beyond this is given back after its line.
const KEPT: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The line that has no end yet.
    begun: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    pub(super) fn feed(&mut self, bytes: &[u8], on: &mut dyn FnMut(&[u8])) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            // Most lines come in one piece, and are read where they are.
            if self.begun.is_empty() && !self.is_too_long {
                on(line);
                continue;
            }
            self.add(line);
            self.end(on);
        }
        self.add(rest);
    }

    /// The last line, which may lack its end.
    pub(super) fn finish(&mut self, on: &mut dyn FnMut(&[u8])) {
        self.end(on);
    }

    fn end(&mut self, on: &mut dyn FnMut(&[u8])) {
        if !self.is_too_long && !self.begun.is_empty() {
            on(&self.begun);
        }
        self.begun.clear();
        self.begun.shrink_to(KEPT);
        self.is_too_long = false;
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.is_too_long {
            return;
        }
        if self.begun.len() + bytes.len() > MAX_LINE {
            self.begun = Vec::new();
            self.is_too_long = true;
            return;
        }
        self.begun.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-18: lines come out whole, however they are cut.
    #[test]
    fn lines_are_whole_however_they_come() {
        let text = b"one\n\ntwo\r\nthree";
        for size in 1..=text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            let mut keep = |line: &[u8]| found.push(String::from_utf8_lossy(line).into_owned());
            for piece in text.chunks(size) {
                lines.feed(piece, &mut keep);
            }
            lines.finish(&mut keep);
            found.retain(|line| !line.is_empty());
            assert_eq!(found, ["one", "two\r", "three"], "in pieces of {size}");
        }
    }

    /// LP-18: a line without an end takes no more memory than is allowed, and hides no other.
    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let mut keep = |line: &[u8]| found.push(line.len());
        let long = vec![b'x'; 1024 * 1024];
        for _ in 0..100 {
            lines.feed(&long, &mut keep);
            assert!(lines.begun.capacity() <= 2 * MAX_LINE);
        }
        lines.feed(b"\nshort\n", &mut keep);
        lines.finish(&mut keep);
        assert_eq!(found, [5]);
    }
}
