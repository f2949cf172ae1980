//! Standard input, line by line, before the SDK reads it. The SDK passes over a line that is no
//! JSON; a client that waits for an answer then waits for ever, so such a line is replaced by a
//! request that we answer with the protocol's own error.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, ReadBuf};

/// The method that stands for a line that is no JSON.
pub(super) const NO_JSON: &str = "countersign/no-json";

/// What comes from `inner`, with whole lines of JSON in it and nothing else.
pub(super) struct Lines<R> {
    inner: R,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// What is ready to be read, up to where it was read.
    ready: Vec<u8>,
    read: usize,
    /// The line is longer than anybody reads, and goes on as it is.
    is_passing: bool,
    max_line: usize,
}

impl<R> Lines<R> {
    pub(super) fn new(inner: R, max_line: usize) -> Self {
        let (line, ready) = (Vec::new(), Vec::new());
        Self { inner, line, ready, read: 0, is_passing: false, max_line }
    }

    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_end = part.ends_with(b"\n");
            self.line.extend_from_slice(part);
            self.is_passing |= self.line.len() > self.max_line;
            if self.is_passing {
                self.ready.append(&mut self.line);
                self.is_passing = !is_end;
            } else if is_end {
                let line = std::mem::take(&mut self.line);
                self.ready.extend(if is_json(&line) { line } else { stand_in() });
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.read == this.ready.len() {
            this.ready.clear();
            this.read = 0;
            let mut chunk = [0; 8192];
            let mut chunk = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut chunk))?;
            if chunk.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.take(chunk.filled());
        }
        let some = (this.ready.len() - this.read).min(buffer.remaining());
        buffer.put_slice(&this.ready[this.read..this.read + some]);
        this.read += some;
        Poll::Ready(Ok(()))
    }
}

/// Whether the SDK has something to read in a line, or knows that there is nothing.
fn is_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    line.is_empty() || serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

fn stand_in() -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"{NO_JSON}\"}}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-04: lines that are no JSON are replaced, however they are cut; all others stay.
    #[test]
    fn only_lines_of_json_come_through() {
        let stand_in = String::from_utf8(stand_in()).unwrap();
        let long = "x".repeat(50);
        let text = format!("{{}}\nhello\n\n[1]\r\n{long}\n\"a\"\nrest");
        let expected = format!("{{}}\n{stand_in}\n[1]\r\n{long}\n\"a\"\n");
        for size in [1, 3, 1000] {
            let mut lines = Lines::new((), 40);
            text.as_bytes().chunks(size).for_each(|chunk| lines.take(chunk));
            assert_eq!(String::from_utf8_lossy(&lines.ready), expected);
        }
    }
}
