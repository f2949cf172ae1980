//! Checks that this machine can't run: what they need is not installed, or would have to be fetched.
//!
//! Such a run says nothing about the work. It is only believed where the base, which the work did
//! not make, can't be run for such a reason either.

use super::evidence::{Checked, Ground, Ran};
use crate::qa::Outcome;
use crate::receipt::Ended;

/// What programs say when something would have to be fetched or is not installed, in small letters.
const WORDS: &[&str] = &[
    // cargo
    "but --offline was specified",
    "failed to get `",
    "failed to download",
    "unable to update registry",
    "no matching package named",
    // whatever looks for a name
    "could not resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "enotfound",
    "eai_again",
    "enotcached",
    // go
    "module lookup disabled by goproxy=off",
    "dial tcp",
    // python
    "no module named pytest",
    "no module named 'pytest'",
    "no module named tox",
    "no module named nox",
    // shells
    "command not found",
];

/// Why `check` can't be run here, in one line; `None` if it can, or if only what was handed over
/// can't.
pub(super) fn unequipped(check: &Checked) -> Option<String> {
    let base = check.on(Ground::Base)?;
    why(base)?;
    why(check.on(Ground::Handed)?)
}

fn why(ran: &Ran) -> Option<String> {
    match &ran.ended {
        Ended::NotStarted { reason } => return Some(reason.clone()),
        Ended::Exited { code: 127 } => return Some("its program is not installed".to_owned()),
        Ended::Exited { code: 126 } => return Some("its program can't be started".to_owned()),
        Ended::Exited { code: 0 } => return None,
        _ => {}
    }
    // A test that ran is one that could.
    let ran_none = ran.report.cases.iter().all(|case| case.outcome == Outcome::Errored);
    let said = ran.report.cases.iter().filter_map(|case| case.message.as_deref());
    let mut lines = said.filter(|_| ran_none).flat_map(str::lines);
    let line = lines.find(|line| {
        let line = line.to_lowercase();
        WORDS.iter().any(|words| line.contains(words))
    })?;
    Some(line.trim().to_owned())
}
