//! Where the program's output goes: to the caller in full, to the excerpt in part.

use std::io::{self, PipeReader, Read, Write};

use crate::control::is_passing;
use crate::excerpt::Excerpt;

const CHUNK: usize = 64 * 1024;

/// Counts, keeps and bounds the output. Memory does not grow with it.
pub(crate) struct Sink<'a> {
    output: &'a mut dyn Write,
    buffer: Vec<u8>,
    pub(crate) excerpt: Excerpt,
    pub(crate) bytes: u64,
    max: u64,
    /// Once full or failed, the rest is read and dropped, so that nobody blocks on a full pipe.
    closed: bool,
}

/// What one read brought.
#[derive(Debug)]
pub(crate) enum Poured {
    More(usize),
    End,
    /// More bytes came than are allowed; said once.
    Full,
    /// The caller's output refused; said once.
    Failed(io::Error),
}

impl<'a> Sink<'a> {
    pub(crate) fn new(output: &'a mut dyn Write, max: u64) -> Self {
        let buffer = vec![0; CHUNK];
        Self { output, buffer, excerpt: Excerpt::default(), bytes: 0, max, closed: false }
    }

    /// Reads once; only to be called when the pipe is known to be readable.
    pub(crate) fn pour(&mut self, pipe: &mut PipeReader) -> Poured {
        let count = match pipe.read(&mut self.buffer) {
            Ok(0) => return Poured::End,
            Ok(count) => count,
            Err(error) if is_passing(&error) => return Poured::More(0),
            Err(_) => return Poured::End,
        };
        if self.closed {
            return Poured::More(count);
        }
        let room = usize::try_from(self.max - self.bytes).unwrap_or(usize::MAX);
        let kept = &self.buffer[..count.min(room)];
        if let Err(error) = self.output.write_all(kept) {
            self.closed = true;
            return Poured::Failed(error);
        }
        self.excerpt.push(kept);
        self.bytes += kept.len() as u64;
        if count > room {
            self.closed = true;
            return Poured::Full;
        }
        Poured::More(count)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.closed { Ok(()) } else { self.output.flush() }
    }
}
