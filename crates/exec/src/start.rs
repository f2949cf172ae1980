//! Starting the program itself, inside the supervisor, with a clear reason if that fails.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::control::Order;
use crate::filter;
use crate::find::find_program;

/// Where programs are looked for when the given environment has no `PATH`.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Starts the program in a process group of its own, or says why not.
///
/// Output goes where ours goes; input never does, because ours is the control channel.
pub(crate) fn start(order: Order) -> Result<Child, String> {
    let cwd = PathBuf::from(order.cwd.into_os_string());
    let argv = order.argv.into_iter().map(crate::control::Bytes::into_os_string);
    let mut argv: Vec<OsString> = argv.collect();
    let _open = filter::place(&mut argv).map_err(|error| format!("no filter: {error}"))?;
    let mut argv = argv.into_iter();
    let name = argv.next().ok_or("there is no program to start")?;
    let environment: Vec<(OsString, OsString)> = order
        .env
        .into_iter()
        .map(|(name, value)| (name.into_os_string(), value.into_os_string()))
        .collect();
    check_names(&environment)?;
    check_directory(&cwd)?;
    let program = resolve(&name, &cwd, &environment)?;

    let mut command = Command::new(&program);
    command
        .arg0(&name)
        .args(argv)
        .env_clear()
        .envs(environment)
        .current_dir(&cwd)
        .stdin(input(order.stdin.map(crate::control::Bytes::into_os_string))?)
        .process_group(0);
    command.spawn().map_err(|error| refusal(&program, &error))
}

/// A name with `=` would silently become another variable.
fn check_names(environment: &[(OsString, OsString)]) -> Result<(), String> {
    let wrong = |name: &OsString| name.is_empty() || name.as_bytes().contains(&b'=');
    match environment.iter().find(|(name, _)| wrong(name)) {
        Some((name, _)) => Err(format!("'{}' can't name a variable", name.display())),
        None => Ok(()),
    }
}

/// Checked first, because the system reports a missing directory and a missing program alike.
fn check_directory(cwd: &Path) -> Result<(), String> {
    match fs::metadata(cwd) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(format!("the working directory '{}' is not a directory", cwd.display())),
        Err(error) => Err(format!("the working directory '{}': {error}", cwd.display())),
    }
}

fn resolve(
    name: &OsStr,
    cwd: &Path,
    environment: &[(OsString, OsString)],
) -> Result<PathBuf, String> {
    if name.as_bytes().contains(&b'/') {
        return Ok(cwd.join(name));
    }
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new(USUAL_PATH), |(_, value)| value);
    find_program(name, path).ok_or_else(|| {
        format!("the program '{}' was not found in PATH ({})", name.display(), path.display())
    })
}

fn input(path: Option<OsString>) -> Result<Stdio, String> {
    let Some(path) = path else {
        return Ok(Stdio::null());
    };
    match File::open(&path) {
        Ok(file) => Ok(file.into()),
        Err(error) => Err(format!("the input file '{}': {error}", path.display())),
    }
}

fn refusal(program: &Path, error: &io::Error) -> String {
    let shown = program.display();
    if error.kind() == io::ErrorKind::NotFound && program.exists() {
        return format!("'{shown}' exists, but the interpreter it names does not");
    }
    format!("'{shown}' can't be started: {error}")
}
