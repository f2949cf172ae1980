//! Compares without the stat cache: records the tree once more, and compares the two records.

use std::collections::BTreeMap;

use countersign_domain::snapshot::{How, Recorded, State};

use super::{Differing, Differs};
use crate::diff::Side;
use crate::error::Error;
use crate::record::{Record, Session};
use crate::tree::table::join;

/// What is known of paths, by path.
type States = BTreeMap<Vec<u8>, State>;

impl Session<'_> {
    pub(crate) fn compare_whole(
        &self,
        recorded: &Recorded,
        record: &Record<'_>,
    ) -> Result<(Differing, How), Error> {
        // What lies at the place of the cache may be of use to who looks into its loss.
        let cache = self.scratch.join("cache");
        let now = self.record(&Record { cache: &cache, ..*record })?;
        let mut differing = Differing { beyond: now.beyond.clone(), ..Differing::default() };
        let mut how = None;
        for ground in &recorded.grounds {
            let Some(same) = now.grounds.iter().find(|other| other.path == ground.path) else {
                continue;
            };
            let changes = match self.repository.diff_plain(&ground.tree, &same.tree) {
                Err(Error::Failed { .. }) if self.repository.is_lost(&ground.tree)? => {
                    how = Some(How::TreeLost);
                    continue;
                }
                changes => changes?,
            };
            for change in changes {
                let path = change.path.as_os_str().as_encoded_bytes();
                let differs = Differs::new(state(change.old), state(change.new));
                // Repositories are told by themselves.
                let states = [&differs.before, &differs.after].into_iter().flatten();
                if !states.into_iter().any(|state| matches!(state, State::Repository { .. })) {
                    differing.add(join(ground.path.as_bytes(), path), differs);
                }
            }
        }
        let (mut before, mut after) = (others(recorded), others(&now));
        before.retain(|path, state| after.get(path) != Some(state) || after.remove(path).is_none());
        for (path, state) in before {
            differing.add(path, Differs::new(Some(state), None));
        }
        for (path, state) in after {
            differing.add(path, Differs::new(None, Some(state)));
        }
        let beside_same = recorded.beside == now.beside;
        Ok((differing, how.unwrap_or(How::CacheLost { beside_same })))
    }
}

/// What is not in the trees: repositories, ignored files, pipes and the like.
fn others(recorded: &Recorded) -> States {
    let mut states = States::new();
    for ground in recorded.grounds.iter().filter(|ground| !ground.path.is_empty()) {
        let state =
            State::Repository { head: ground.head.clone(), is_submodule: ground.is_submodule };
        states.insert(ground.path.as_bytes().to_vec(), state);
    }
    for watched in &recorded.watched {
        let (digest, size, mode) = (watched.digest, watched.size, watched.mode & 0o7777);
        let state = State::Ignored { digest, size, mode };
        states.insert(watched.path.as_bytes().to_vec(), state);
    }
    for special in &recorded.special {
        let state = State::Special { kind: special.kind };
        states.insert(special.path.as_bytes().to_vec(), state);
    }
    states
}

fn state(side: Option<Side>) -> Option<State> {
    let side = side?;
    Some(match side.mode {
        0o120_000 => State::Link { object: side.object },
        0o160_000 => State::Repository { head: Some(side.object), is_submodule: true },
        mode => State::File { object: side.object, mode: mode & 0o777 },
    })
}
