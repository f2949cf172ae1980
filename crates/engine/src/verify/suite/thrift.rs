//! How much time is spent on runs that only look closer. What decides is always run: the base, what was handed
//! over, the clean room, the old code, wrong expectations and canaries.

use std::time::Duration;

use countersign_domain::verify::Ground;

use super::Suite;

/// All runs that look closer may take so many times what the longest of the others took, and this besides.
const TIMES: u32 = 6;
const BESIDE: Duration = Duration::from_mins(1);

impl Suite<'_, '_> {
    /// Whether there is time for so many more runs that look closer, of which the first is on `ground`. If not,
    /// it is noted that it was left out. Runs that an accusation hangs on don't ask.
    pub(super) fn has_time(&mut self, ground: Ground, runs: u32) -> bool {
        let fits = fits(self.longest, self.closer, runs);
        if !fits {
            self.left_out.insert(ground);
        }
        fits
    }

    /// Takes the time of a run, if it is one that looks closer.
    pub(super) fn spend(&mut self, ground: Ground, time: Duration) {
        if looks_closer(ground) {
            self.closer = self.closer.saturating_add(time);
        }
    }
}

/// Whether so many runs more fit into the time, each as long as the longest that is known.
fn fits(longest: Duration, spent: Duration, runs: u32) -> bool {
    let needed = spent.saturating_add(longest.saturating_mul(runs));
    needed <= BESIDE.saturating_add(longest.saturating_mul(TIMES))
}

fn looks_closer(ground: Ground) -> bool {
    match ground {
        Ground::Varied
        | Ground::VariedBase
        | Ground::Single
        | Ground::SingleHanded
        | Ground::Probed
        | Ground::ProbedBase
        | Ground::Worded
        | Ground::WordedBase
        | Ground::Renamed
        | Ground::RenamedBase
        | Ground::Mutated => true,
        Ground::Handed
        | Ground::Base
        | Ground::Room
        | Ground::Red
        | Ground::Planted
        | Ground::PlantedBase
        | Ground::Wrong
        | Ground::Raced
        | Ground::RacedBase
        | Ground::Again
        | Ground::RedAgain => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: a suite that takes seconds is looked at from all sides, one that takes minutes only from some.
    #[test]
    fn how_much_fits() {
        let check = |longest: u64, spent: u64, runs: u32, is: bool| {
            let [longest, spent] = [longest, spent].map(Duration::from_secs);
            assert_eq!(fits(longest, spent, runs), is, "{longest:?} {spent:?} {runs}");
        };
        check(1, 0, 2, true);
        check(1, 60, 2, true);
        check(1, 65, 2, false);
        check(20, 60, 2, true);
        check(20, 160, 2, false);
        check(300, 0, 5, true);
        check(300, 1600, 2, false);
        check(u64::MAX, u64::MAX, 2, true);
    }

    /// What decides costs no time of what looks closer.
    #[test]
    fn what_decides_is_always_run() {
        for ground in [Ground::Base, Ground::Handed, Ground::Room, Ground::Red, Ground::Planted] {
            assert!(!looks_closer(ground), "{ground}");
        }
        assert!(!looks_closer(Ground::Wrong));
    }
}
