//! The words that leader and supervisor exchange, one JSON object per line.
//!
//! The leader sends one [`Order`]; any byte after it asks for the end. The supervisor answers
//! with [`Report`]s. Arguments and paths are bytes, not text, and travel as base64.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use countersign_domain::receipt::Used;

use crate::spec::Spec;

/// No report is longer; whoever sends more is not our supervisor.
const MAX_REPORT: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn into_os_string(self) -> OsString {
        OsString::from_vec(self.0)
    }
}

impl From<&OsStr> for Bytes {
    fn from(text: &OsStr) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> Self {
        BASE64.encode(&bytes.0)
    }
}

impl TryFrom<String> for Bytes {
    type Error = data_encoding::DecodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        BASE64.decode(text.as_bytes()).map(Self)
    }
}

/// What the supervisor is to start.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) argv: Vec<Bytes>,
    pub(crate) cwd: Bytes,
    pub(crate) env: Vec<(Bytes, Bytes)>,
    pub(crate) stdin: Option<Bytes>,
    pub(crate) deadline: Duration,
    pub(crate) grace: Duration,
}

impl Order {
    pub(crate) fn new(spec: &Spec) -> Self {
        Self {
            argv: spec.argv.iter().map(|argument| argument.as_os_str().into()).collect(),
            cwd: whole(&spec.cwd),
            env: spec.env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            stdin: spec.stdin.as_deref().map(whole),
            deadline: spec.deadline,
            grace: spec.grace,
        }
    }
}

/// The supervisor runs in another directory than the leader, so relative paths end here.
fn whole(path: &Path) -> Bytes {
    match std::path::absolute(path) {
        Ok(whole) => whole.as_os_str().into(),
        Err(_) => path.as_os_str().into(),
    }
}

/// What the supervisor says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    Started { pid: i32 },
    NotStarted { reason: String },
    Ended { cause: Cause, duration: Duration, stragglers: u32, left: u32, used: Option<Used> },
}

/// Why the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    TimedOut,
    /// The leader asked for the end, or is gone.
    Asked,
}

/// Sends one message and its line end.
pub(crate) fn send(mut channel: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    channel.write_all(&line)
}

/// The leader's side of reading: whole lines out of whatever has arrived.
#[derive(Debug, Default)]
pub(crate) struct Reports(Vec<u8>);

/// What one look at the channel brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Reports(Vec<Report>),
    /// The supervisor is gone, or is not one.
    Silence,
}

impl Reports {
    /// Reads once; only to be called when the channel is known to be readable.
    pub(crate) fn read(&mut self, mut channel: &UnixStream) -> Heard {
        let mut chunk = [0; 4096];
        match channel.read(&mut chunk) {
            Ok(0) => Heard::Silence,
            Ok(count) => self.take(&chunk[..count]),
            Err(error) if is_passing(&error) => Heard::Reports(Vec::new()),
            Err(_) => Heard::Silence,
        }
    }

    fn take(&mut self, chunk: &[u8]) -> Heard {
        self.0.extend_from_slice(chunk);
        let mut reports = Vec::new();
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(report) => reports.push(report),
                Err(_) => return Heard::Silence,
            }
        }
        if self.0.len() > MAX_REPORT { Heard::Silence } else { Heard::Reports(reports) }
    }
}

/// Errors that mean "look again".
pub(crate) fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_travel() {
        let all: Vec<u8> = (0..=255).collect();
        let bytes = Bytes(all.clone());
        let line = serde_json::to_string(&bytes).unwrap();
        assert_eq!(serde_json::from_str::<Bytes>(&line).unwrap().into_os_string().into_vec(), all);
    }

    #[test]
    fn reports_arrive_in_any_pieces() {
        let line = b"{\"started\":{\"pid\":7}}\n{\"not_started\":{\"reason\":\"x\"}}\n";
        let expected =
            vec![Report::Started { pid: 7 }, Report::NotStarted { reason: "x".to_owned() }];
        for size in 1..=line.len() {
            let mut reports = Reports::default();
            let mut heard = Vec::new();
            for piece in line.chunks(size) {
                match reports.take(piece) {
                    Heard::Reports(more) => heard.extend(more),
                    Heard::Silence => panic!("silence at {size}"),
                }
            }
            assert_eq!(heard, expected);
        }
    }

    #[test]
    fn what_is_no_report_is_silence() {
        assert_eq!(Reports::default().take(b"hello\n"), Heard::Silence);
        assert_eq!(Reports::default().take(&vec![b'x'; MAX_REPORT + 1]), Heard::Silence);
    }
}
