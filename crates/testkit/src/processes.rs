//! The process table, as far as it concerns one project.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The processes that were started for the project at `root` and are still there: those that
/// carry the mark of a launch and name the project in their environment, and those that stand
/// in one of its folders. Each as `pid: command line`.
///
/// Empty where there is no `/proc`.
pub fn survivors(root: &Path) -> Vec<String> {
    let own = std::process::id().to_string();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()))
        .filter(|entry| entry.file_name().to_string_lossy() != own)
        .filter(|entry| belongs(&entry.path(), root))
        .map(|entry| {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            format!("{}: {words}", entry.file_name().to_string_lossy())
        })
        .collect()
}

fn belongs(process: &Path, root: &Path) -> bool {
    // A process that has ended and waits to be collected has no environment any more.
    let environment = fs::read(process.join("environ")).unwrap_or_default();
    let root_bytes = root.as_os_str().as_bytes();
    let marked = contains(&environment, b"INVOCATION_ID=");
    let stands = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(root));
    marked && contains(&environment, root_bytes) || stands
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
