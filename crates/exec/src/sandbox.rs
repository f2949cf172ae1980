//! What this machine offers to confine a program. Facts for `doctor`; nothing is confined here.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::find::find_program;

/// Whether something can be used, as far as can be told without using it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Available {
    Yes,
    No { reason: String },
    Unknown { reason: String },
}

/// Everything `doctor` says about sandboxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxFacts {
    /// The bubblewrap program.
    pub bwrap: Option<PathBuf>,
    pub landlock: Available,
    /// Whether a user who is not root may create user namespaces, which bubblewrap needs.
    pub user_namespaces: Available,
}

/// Reads the kernel's own statements; starts nothing.
pub fn probe_sandbox(path_var: &OsStr) -> SandboxFacts {
    let read = |path: &str| fs::read_to_string(path).ok();
    SandboxFacts {
        bwrap: find_program("bwrap", path_var),
        landlock: landlock(read("/sys/kernel/security/lsm").as_deref()),
        user_namespaces: user_namespaces(&read),
    }
}

fn landlock(modules: Option<&str>) -> Available {
    match modules {
        _ if !cfg!(target_os = "linux") => no("Landlock is part of Linux"),
        Some(modules) if modules.trim().split(',').any(|module| module == "landlock") => {
            Available::Yes
        }
        Some(modules) => no(&format!("the kernel runs only: {}", modules.trim())),
        None => Available::Unknown {
            reason: "/sys/kernel/security/lsm can't be read, so the kernel doesn't say".to_owned(),
        },
    }
}

/// Each of these files can forbid; a file that is missing forbids nothing.
fn user_namespaces(read: &dyn Fn(&str) -> Option<String>) -> Available {
    let number = |path: &str| read(path).and_then(|text| text.trim().parse::<u64>().ok());
    if !cfg!(target_os = "linux") {
        return no("user namespaces are part of Linux");
    }
    let Some(max) = number("/proc/sys/user/max_user_namespaces") else {
        return no("the kernel has no user namespaces");
    };
    if max == 0 {
        return no("/proc/sys/user/max_user_namespaces is 0");
    }
    if number("/proc/sys/kernel/unprivileged_userns_clone") == Some(0) {
        return no("/proc/sys/kernel/unprivileged_userns_clone is 0");
    }
    if number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == Some(1) {
        return Available::Unknown {
            reason: "AppArmor allows them only to programs with a profile of their own".to_owned(),
        };
    }
    Available::Yes
}

fn no(reason: &str) -> Available {
    Available::No { reason: reason.to_owned() }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn landlock_is_what_the_kernel_lists() {
        assert_eq!(landlock(Some("capability,landlock,yama\n")), Available::Yes);
        assert!(matches!(landlock(Some("capability,yama\n")), Available::No { .. }));
        assert!(matches!(landlock(None), Available::Unknown { .. }));
    }

    #[test]
    fn any_switch_can_forbid_user_namespaces() {
        let facts = |files: &'static [(&str, &str)]| {
            user_namespaces(&move |path| {
                let found = files.iter().find(|(name, _)| path.ends_with(name));
                found.map(|(_, text)| (*text).to_owned())
            })
        };
        assert_eq!(facts(&[("max_user_namespaces", "100\n")]), Available::Yes);
        assert!(matches!(facts(&[]), Available::No { .. }));
        assert!(matches!(facts(&[("max_user_namespaces", "0\n")]), Available::No { .. }));
        assert!(matches!(
            facts(&[("max_user_namespaces", "9"), ("unprivileged_userns_clone", "0")]),
            Available::No { .. }
        ));
        assert!(matches!(
            facts(&[("max_user_namespaces", "9"), ("apparmor_restrict_unprivileged_userns", "1")]),
            Available::Unknown { .. }
        ));
    }

    #[test]
    fn probing_this_machine_works() {
        let facts = probe_sandbox(OsStr::new("/nowhere"));
        assert_eq!(facts.bwrap, None);
    }
}
