//! What a program did: its output, its end, and a program that is still at it.

use std::io::Read;
use std::process::{Child, Output};
use std::thread::JoinHandle;

use serde_json::Value;

/// A program that has ended.
#[derive(Debug)]
pub struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
}

impl Ran {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Expects the exit code `code`.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "\nstandard output:\n{}\nstandard error:\n{}",
            self.out(),
            self.err()
        );
        self
    }

    /// Expects `text` on standard error.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.err().contains(text), "'{text}' is not in:\n{}", self.err());
        self
    }

    /// Expects `text` on standard output.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert!(self.out().contains(text), "'{text}' is not in:\n{}", self.out());
        self
    }

    /// The whole of standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("{error}:\n{}\n{}", self.out(), self.err()),
        }
    }

    /// What a reply holds; a run that was refused has something to show as well.
    #[track_caller]
    pub fn data(&self) -> Value {
        let mut reply = self.json();
        assert!(!reply["data"].is_null(), "{reply}");
        reply["data"].take()
    }

    /// The error of a reply that holds one.
    #[track_caller]
    pub fn error(&self) -> Value {
        let mut reply = self.json();
        assert_eq!(reply["success"], false, "{reply}");
        reply["error"].take()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self { stdout: output.stdout, stderr: output.stderr, code: output.status.code() }
    }
}

/// A program that runs; killed and collected when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

impl Running {
    pub(crate) fn new(mut child: Child) -> Self {
        let stdout = child.stdout.take().map(read_all);
        let stderr = child.stderr.take().map(read_all);
        Self { child, stdout, stderr }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it with SIGKILL, as a crash would.
    pub fn kill(mut self) -> Ran {
        // It may have ended by itself meanwhile.
        let _ = self.child.kill();
        self.collect()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Ran {
        self.collect()
    }

    fn collect(&mut self) -> Ran {
        let status = self.child.wait().ok();
        let text = |reader: &mut Option<JoinHandle<Vec<u8>>>| {
            reader.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
        };
        Ran {
            stdout: text(&mut self.stdout),
            stderr: text(&mut self.stderr),
            code: status.and_then(|status| status.code()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_all(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What can't be read is not there; the test then says what it missed.
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}
