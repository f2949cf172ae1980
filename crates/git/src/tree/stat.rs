//! What the system says about a file without reading it.

use std::sync::LazyLock;
use std::time::SystemTime;

use rustix::fs::{FileType, Stat as System};

/// Finer than this, a file system may not tell two changes apart.
const FINE_TICK: i128 = 100_000_000;
/// Some keep only whole seconds, or every second one.
const COARSE_TICK: i128 = 2_000_000_000;

/// Twice what the slowest clock of a local file system needs.
const SLOWEST_TICK: i128 = 20_000_000;

const SECOND: i128 = 1_000_000_000;

/// Twice what the clock needs that this system gives files their times by.
static CLOCK_TICK: LazyLock<i128> = LazyLock::new(clock_tick);

#[cfg(target_os = "linux")]
fn clock_tick() -> i128 {
    let tick = rustix::time::clock_getres(rustix::time::ClockId::RealtimeCoarse);
    let tick = i128::from(tick.tv_sec) * SECOND + i128::from(tick.tv_nsec);
    if tick > 0 { (2 * tick).min(SLOWEST_TICK) } else { SLOWEST_TICK }
}

#[cfg(not(target_os = "linux"))]
fn clock_tick() -> i128 {
    SLOWEST_TICK
}

/// A moment of the file system's clock: seconds and nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
}

/// What the system says about a file, as far as a change of the file changes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    /// When the inode last changed; programs can't set it.
    pub(crate) changed: Moment,
    /// When the content was last modified; programs can set it.
    pub(crate) modified: Moment,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// The type and the permission bits.
    pub(crate) mode: u32,
}

impl Moment {
    fn nanoseconds(self) -> i128 {
        i128::from(self.seconds) * SECOND + i128::from(self.nanos)
    }

    /// A time that the file system gave. Before 1970 is never.
    pub(crate) fn of(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        Self { seconds, nanos: since.subsec_nanos() }
    }

    /// Whether the clock of this system, or a slower one where it shows no more than seconds, may have
    /// shown both of them in one tick.
    pub(crate) fn ticks_with(self, later: Self) -> bool {
        let tick = if self.nanos == 0 { COARSE_TICK } else { *CLOCK_TICK };
        self.nanoseconds() >= later.nanoseconds() - tick
    }

    /// Whether a change at or after `start` might carry this very moment.
    pub(crate) fn is_racy(self, start: Self) -> bool {
        let tick = if self.nanos == 0 { COARSE_TICK } else { FINE_TICK };
        self.nanoseconds() >= start.nanoseconds() - tick
    }
}

impl Stat {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "the types of these fields differ between systems; the values fit"
    )]
    pub(crate) fn of(found: &System) -> Self {
        let moment = |seconds: i64, nanos: u32| Moment { seconds, nanos };
        Self {
            changed: moment(found.st_ctime as i64, found.st_ctime_nsec as u32),
            modified: moment(found.st_mtime as i64, found.st_mtime_nsec as u32),
            inode: found.st_ino as u64,
            size: found.st_size as u64,
            mode: found.st_mode as u32,
        }
    }

    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    pub(crate) fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// The mode that git would give it; 0 for what git does not record.
    pub(crate) fn git_mode(&self) -> u32 {
        match self.kind() {
            FileType::RegularFile if self.mode & 0o100 != 0 => 0o100_755,
            FileType::RegularFile => 0o100_644,
            FileType::Symlink => 0o120_000,
            FileType::Directory => 0o040_000,
            _ => 0,
        }
    }

    /// The same file, as far as git's index tells: it keeps 32 bits of everything.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "so does git")]
    pub(crate) fn narrow(&self) -> Self {
        let moment = |at: Moment| Moment { seconds: i64::from(at.seconds as u32), nanos: at.nanos };
        Self {
            changed: moment(self.changed),
            modified: moment(self.modified),
            inode: u64::from(self.inode as u32),
            size: u64::from(self.size as u32),
            mode: self.git_mode(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: u32) -> Moment {
        Moment { seconds, nanos }
    }

    /// CX-10: what was changed just before the look may have changed again unseen.
    #[test]
    fn young_files_are_racy() {
        assert!(at(10, 5).is_racy(at(10, 5)));
        assert!(at(10, 5).is_racy(at(10, 90_000_000)));
        assert!(!at(10, 5).is_racy(at(10, 200_000_000)));
        assert!(at(11, 5).is_racy(at(10, 5)));
        // A clock of whole seconds.
        assert!(at(10, 0).is_racy(at(11, 900_000_000)));
        assert!(!at(10, 0).is_racy(at(12, 1)));
    }

    #[test]
    fn git_knows_few_modes() {
        let check = |mode, expected| {
            assert_eq!(Stat { mode, ..Stat::default() }.git_mode(), expected, "{mode:o}");
        };
        check(0o100_600, 0o100_644);
        check(0o100_700, 0o100_755);
        check(0o100_654, 0o100_644);
        check(0o120_777, 0o120_000);
        check(0o010_644, 0);
    }
}
