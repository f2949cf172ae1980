//! Asking Codex itself, over the protocol that editors use, which hooks it sees.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::settings::trust::{Listed, answer, question};
use crate::cancel::Cancel;
use crate::environment::Environment;
use crate::leader::run;
use crate::spec::{Spec, Supervisor};

/// Hands over the question, and keeps the input open until the answer is there: Codex leaves at
/// the end of its input, answered or not.
const SCRIPT: &str = "{ cat \"$1\"; while [ ! -e \"$2\" ]; do sleep 0.05; done; } \
    | exec \"$0\" app-server 2>/dev/null";

const DEADLINE: Duration = Duration::from_secs(20);

/// The hooks that count in `folder`, as `program` sees them. `scratch` is an empty folder.
pub fn hooks(
    supervisor: &Supervisor,
    program: &Path,
    environment: &Environment,
    folder: &Path,
    scratch: &Path,
) -> Result<Vec<Listed>, String> {
    let (input, done) = (scratch.join("question"), scratch.join("answered"));
    fs::write(&input, question(&folder.to_string_lossy())).map_err(|error| error.to_string())?;
    let word = |path: &Path| path.as_os_str().to_owned();
    let spec = Spec {
        argv: vec![
            OsString::from("/bin/sh"),
            OsString::from("-c"),
            OsString::from(SCRIPT),
            word(program),
            word(&input),
            word(&done),
        ],
        cwd: folder.to_owned(),
        env: environment.clone(),
        stdin: None,
        deadline: DEADLINE,
        grace: Duration::from_secs(2),
        max_output: 16 * 1024 * 1024,
    };
    let mut listener = Listener { line: Vec::new(), heard: None, done };
    let finished = run(supervisor, &spec, &Cancel::new(), &mut listener);
    let finished = finished.map_err(|error| error.to_string())?;
    listener.heard.unwrap_or_else(|| Err(format!("no answer; it ended with {}", finished.ended)))
}

/// Waits for the line with the answer, and says when it came.
struct Listener {
    line: Vec<u8>,
    heard: Option<Result<Vec<Listed>, String>>,
    done: PathBuf,
}

impl Write for Listener {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if self.heard.is_none() {
                self.heard = answer(&String::from_utf8_lossy(&line));
                if self.heard.is_some() {
                    File::create(&self.done)?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
