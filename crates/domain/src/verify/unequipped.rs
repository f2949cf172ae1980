//! Checks that this machine can't run: what they need is not installed, or would have to be fetched.
//!
//! Such a run says nothing about the work. It is only believed where the base, which the work did
//! not make, can't be run for such a reason either.

use super::evidence::{Checked, Ground, Ran};
use super::said::{Lack, lack};
use crate::qa::{Basis, Format, Outcome};
use crate::receipt::Ended;

/// Why `check` can't be run here, in one line; `None` if it can, or if only what was handed over
/// can't.
pub(super) fn unequipped(check: &Checked) -> Option<String> {
    let base = check.on(Ground::Base)?;
    why(base, &check.command)?;
    why(check.on(Ground::Handed)?, &check.command)
}

/// Whether a run has a test that passed, as far as tests were counted.
pub(super) fn has_passes(ran: &Ran) -> bool {
    ran.report.conclusion().basis != Basis::ExitCode
}

fn why(ran: &Ran, command: &str) -> Option<String> {
    let said = ran.said.as_ref().and_then(|said| said.lacks.as_ref());
    let told = |lack: &Lack| {
        // Programs of a package are installed with it.
        let is_node =
            ["npm ", "pnpm ", "yarn ", "bun ", "npx "].iter().any(|one| command.starts_with(one));
        let mend = if is_node && lack.mend == "install it" {
            "`npm install` brings it"
        } else {
            &lack.mend
        };
        format!("{}; {mend}", lack.line)
    };
    match &ran.ended {
        Ended::NotStarted { reason } => return Some(reason.clone()),
        Ended::Exited { code: 127 } => {
            return Some(said.map_or_else(|| "its program is not installed".to_owned(), told));
        }
        Ended::Exited { code: 126 } => return Some("its program can't be started".to_owned()),
        Ended::Exited { code: 0 } => return None,
        _ => {}
    }
    // A test that ran is one that could.
    if has_passes(ran) {
        return None;
    }
    // Where tests are not counted, only what was said last is why it failed.
    if let Some(lack) = said.filter(|lack| lack.is_last || ran.report.format != Format::Plain) {
        return Some(told(lack));
    }
    let ran_none = ran.report.cases.iter().all(|case| case.outcome == Outcome::Errored);
    let messages = ran.report.cases.iter().filter_map(|case| case.message.as_deref());
    let mut lines = messages.filter(|_| ran_none).flat_map(str::lines);
    // Whoever read the output knows better which modules could be installed.
    let (line, mend) = lines.find_map(|line| lack(line, &|_| ran.said.is_some()))?;
    Some(format!("{line}; {mend}"))
}
