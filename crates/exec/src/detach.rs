//! Starting a program that nobody waits for: it does what can wait, after we are gone.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts `argv` in `cwd`, in a process group of its own and with nothing to read from or write
/// to. What becomes of it is its own affair; whoever needs to know looks at what it did.
pub fn detach(
    argv: &[OsString],
    cwd: &Path,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> io::Result<()> {
    let (program, words) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program)
        .args(words)
        .env_clear()
        .envs(environment)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    Ok(())
}
