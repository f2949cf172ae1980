//! The programs of a run or relay, known by what all of them bear. When a leader and its supervisors were
//! killed at once, they are still at work: who takes over ends them before anything else.

use std::os::unix::ffi::OsStrExt as _;

use countersign_domain::{Digest, Stamp};
use countersign_exec::{Kin, end_kin};

use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// What is started from now on belongs to this run or relay.
    pub(crate) fn lead(&mut self, whom: Stamp) {
        self.kin = Some(self.kin_of(whom));
    }

    /// The same run in another repository is another.
    fn kin_of(&self, whom: Stamp) -> Kin {
        let place = self.state.as_os_str().as_bytes();
        Kin::of(&Digest::of(&[place, b"\0", whom.to_string().as_bytes()].concat()))
    }

    /// Ends what an earlier leader of these left at work; what a person should know of it. For who holds
    /// their leases: nobody else leads them then.
    pub(crate) fn end_abandoned(&self, whose: &[Stamp]) -> Result<Option<String>> {
        let mut ended = 0;
        for whom in whose {
            let found = end_kin(&self.kin_of(*whom));
            if found.left > 0 {
                let message =
                    format!("{} processes of {whom} are left that can't be ended", found.left);
                return Err(Error::new(Kind::Unavailable, message)
                    .hint(format!("end them, then: countersign resume {whom}")));
            }
            ended += found.ended;
        }
        let words = match ended {
            0 => return Ok(None),
            1 => "one process that the last leader had left at work was ended".to_owned(),
            ended => format!("{ended} processes that the last leader had left at work were ended"),
        };
        Ok(Some(words))
    }
}
