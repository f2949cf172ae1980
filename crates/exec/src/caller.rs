//! Who called us: the process of the agent, and whether it is still there.

#[cfg(target_os = "linux")]
use crate::process_table::process;

/// Programs that agents start hooks with.
#[cfg(target_os = "linux")]
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "fish"];

/// The process id and the birth of the program that started this one, shells left out. `told`
/// is the id if somebody said it.
#[cfg(target_os = "linux")]
pub fn caller(told: Option<i32>) -> Option<(i32, u64)> {
    let found = match told.and_then(process) {
        Some(found) => found,
        None => {
            let mut parent = process(i32::try_from(std::os::unix::process::parent_id()).ok()?)?;
            while is_shell(parent.pid) && parent.parent > 1 {
                parent = process(parent.parent)?;
            }
            parent
        }
    };
    Some((found.pid, found.born))
}

/// Whether that very process still runs.
#[cfg(target_os = "linux")]
pub fn is_alive(pid: i32, born: u64) -> bool {
    process(pid).is_some_and(|found| found.born == born && !found.zombie)
}

/// Whether that very process is among those that led to this one. The first of all is an
/// ancestor of everybody, which says nothing.
#[cfg(target_os = "linux")]
pub fn descends_from(pid: i32, born: u64) -> bool {
    let parent = std::os::unix::process::parent_id();
    let mut next = i32::try_from(parent).ok().and_then(process);
    while let Some(found) = next.filter(|found| found.pid > 1) {
        if found.pid == pid && found.born == born {
            return true;
        }
        next = process(found.parent);
    }
    false
}

#[cfg(target_os = "linux")]
fn is_shell(pid: i32) -> bool {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    SHELLS.contains(&name.trim_end())
}

/// Elsewhere nobody is known.
#[cfg(not(target_os = "linux"))]
pub fn caller(_told: Option<i32>) -> Option<(i32, u64)> {
    None
}

/// Elsewhere nobody is known.
#[cfg(not(target_os = "linux"))]
pub fn descends_from(_pid: i32, _born: u64) -> bool {
    false
}

/// Elsewhere nobody is known to be there.
#[cfg(not(target_os = "linux"))]
pub fn is_alive(_pid: i32, _born: u64) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn our_caller_is_alive_and_another_birth_is_another_process() {
        let (pid, born) = caller(None).unwrap();
        assert!(is_alive(pid, born));
        assert!(!is_alive(pid, born + 1));
        assert!(descends_from(pid, born) && !descends_from(pid, born + 1));
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(caller(Some(own)).unwrap().0, own);
    }
}
