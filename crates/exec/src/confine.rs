//! Confinement of a program with bubblewrap: it sees the whole machine read-only, writes only where
//! it is told to, has a home and temporary folder of its own, and no network unless it is given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::filter;

/// What a confined program may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// The bubblewrap program.
    pub program: PathBuf,
    /// The only folders that it can change, each with where it sees it; absolute.
    pub writable: Vec<(PathBuf, PathBuf)>,
    /// Folders that it sees elsewhere than they are, or over what it would see there; absolute. They come
    /// after everything else, so they may lie in what is writable.
    pub lent: Vec<(PathBuf, PathBuf)>,
    /// Folders that it finds empty; absolute. What is writable inside of them is seen.
    pub hidden: Vec<PathBuf>,
    pub network: bool,
    /// Whether it may not ask for what changes a file without a trace: see [`can_filter`].
    pub filtered: bool,
}

impl Confinement {
    /// What receipts say about it.
    pub fn words(&self) -> String {
        let network = if self.network { "network" } else { "no network" };
        format!("bubblewrap: {network}, everything read-only but the checkout")
    }

    /// `argv` inside of it; `cwd` is where the program sees its folder.
    pub fn around(&self, argv: &[OsString], cwd: &Path) -> Vec<OsString> {
        let mut all: Vec<OsString> = vec![self.program.clone().into()];
        let mut add = |words: &[&dyn AsRef<std::ffi::OsStr>]| {
            all.extend(words.iter().map(|word| word.as_ref().to_owned()));
        };
        add(&[&"--die-with-parent", &"--unshare-pid", &"--unshare-ipc", &"--unshare-uts"]);
        // Root could take the walls down again.
        add(&[&"--cap-drop", &"ALL"]);
        if self.filtered {
            add(&[&"--seccomp", &filter::PLACE]);
        }
        if !self.network {
            add(&[&"--unshare-net"]);
        }
        add(&[&"--ro-bind", &"/", &"/", &"--dev", &"/dev", &"--proc", &"/proc"]);
        for folder in &self.hidden {
            add(&[&"--tmpfs", folder]);
        }
        for (folder, seen) in &self.writable {
            add(&[&"--bind", folder, seen]);
        }
        for (folder, seen) in &self.lent {
            add(&[&"--ro-bind", folder, seen]);
        }
        add(&[&"--chdir", &cwd, &"--"]);
        all.extend_from_slice(argv);
        all
    }
}

/// The bubblewrap that was seen to do its work, by this process.
static SEEN: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Whether `program`, bubblewrap, may do its work here: containers often forbid it.
pub fn can_confine(program: &Path) -> bool {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.as_deref() == Some(program) {
        return true;
    }
    let can = try_out(program, false);
    if can {
        *seen = Some(program.to_owned());
    }
    can
}

/// The bubblewrap that was seen to put a filter before the kernel, by this process.
static FILTERS: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Whether `program`, bubblewrap, can keep others from exchanging the blocks of two files.
pub fn can_filter(program: &Path) -> bool {
    let mut seen = FILTERS.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.as_deref() != Some(program) && filter::is_known() && try_out(program, true) {
        *seen = Some(program.to_owned());
    }
    seen.as_deref() == Some(program)
}

fn try_out(program: &Path, filtered: bool) -> bool {
    let walls = ["--ro-bind", "/", "/", "--unshare-net", "--unshare-pid", "--cap-drop", "ALL"];
    let mut argv: Vec<OsString> = walls.iter().map(OsString::from).collect();
    if filtered {
        argv.extend(["--seccomp", filter::PLACE].map(OsString::from));
    }
    let Ok(_open) = filter::place(&mut argv) else { return false };
    let mut command = Command::new(program);
    command
        .args(argv)
        .args(["--proc", "/proc", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is hidden comes before what is writable, which may lie inside of it.
    #[test]
    fn the_order_lets_the_checkout_be_seen() {
        let confinement = Confinement {
            program: "/usr/bin/bwrap".into(),
            writable: vec![("/home/alice/.cache/c/tree".into(), "/srv/tree".into())],
            lent: vec![("/home/alice/p/.venv".into(), "/srv/tree/.venv".into())],
            hidden: vec!["/home/alice".into()],
            network: false,
            filtered: true,
        };
        let argv = confinement.around(&["true".into()], Path::new("/home/alice/.cache/c/tree"));
        let at = |word: &str| argv.iter().position(|one| one == word).unwrap();
        assert!(at("--tmpfs") < at("--bind"));
        assert_eq!(argv[at("--bind") + 2], "/srv/tree");
        let lent = argv.iter().rposition(|one| one == "--ro-bind").unwrap();
        assert!(lent > at("--bind") && argv[lent + 2] == "/srv/tree/.venv");
        assert!(argv.iter().any(|one| one == "--unshare-net"));
        assert_eq!(argv[at("--cap-drop") + 1], "ALL");
        assert_eq!(argv[at("--seccomp") + 1], filter::PLACE);
        assert_eq!(argv.last().unwrap(), "true");
        assert!(confinement.words().contains("no network"));
    }
}
