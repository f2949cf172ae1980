//! Whose doing a change is: a formatter that the user knows, or an agent whose session is on the
//! record.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use countersign_domain::context::Context;
use countersign_domain::receipt::Ended;
use countersign_domain::scope::is_match;
use countersign_domain::snapshot::{Drift, FileDrift, Kind as Change, State};
use countersign_domain::worklog::{Deed, Operation};
use countersign_exec::{Cancel, Environment, Spec};
use countersign_git::{Purpose, Scratch};

use crate::Engine;
use crate::error::{Error, Result};
use crate::run::supervisor;

/// How many of the newest sessions are asked.
const MOST_SESSIONS: u32 = 50;
/// How many files are laid out again to see whether a formatter made them.
const MOST_FORMATTED: usize = 200;
/// How long a formatter may take for one file.
const PATIENCE: Duration = Duration::from_secs(10);

impl Engine {
    /// Says of every drifted file who is known to have changed it since the last step.
    pub(super) fn attribute(&self, context: &Context, drift: &Drift) -> Result<Vec<String>> {
        let mut lines = self.laid_out(drift)?;
        lines.extend(self.edited_by_sessions(context, drift)?);
        Ok(lines)
    }

    fn edited_by_sessions(&self, context: &Context, drift: &Drift) -> Result<Vec<String>> {
        if drift.files.is_empty() {
            return Ok(Vec::new());
        }
        let since = context.last_step().at;
        let root = &self.repository.layout().worktree;
        let mut by_path: BTreeMap<String, String> = BTreeMap::new();
        // The newest come first, and the last hand is the one to name.
        for row in self.sessions(MOST_SESSIONS)? {
            if row.updated_at < format!("{since:.6}") {
                continue;
            }
            let Ok(session) = self.session(row.session) else { continue };
            for logged in session.operations.iter().rev().take_while(|logged| logged.time >= since)
            {
                let agent = session.opened.agent.name();
                for path in paths_of(&logged.what.operation) {
                    let whole = root.join(path);
                    let path = whole.strip_prefix(root).unwrap_or(&whole).to_string_lossy();
                    by_path.entry(path.into_owned()).or_insert_with(|| {
                        format!("by session {} ({agent}) at {:.0}", session.id, logged.time)
                    });
                }
            }
        }
        let named = |file: &FileDrift| {
            let path = file.path.to_string();
            by_path.get(&path).map(|who| format!("{path}: {} {who}", file.kind.name()))
        };
        Ok(drift.files.iter().filter_map(named).collect())
    }

    /// Names files that are exactly what one of the user's formatters makes of what was recorded.
    fn laid_out(&self, drift: &Drift) -> Result<Vec<String>> {
        let formatters = &self.settings.config.context.formatters;
        let (mut lines, mut asked, mut stuck) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        if formatters.is_empty() {
            return Ok(lines);
        }
        for file in drift.files.iter().take(MOST_FORMATTED) {
            let (Some(State::File { object: before, .. }), Some(State::File { object: after, .. })) =
                (&file.before, &file.after)
            else {
                continue;
            };
            let may_be = matches!(file.kind, Change::Edited | Change::Layout | Change::LineEndings);
            let path = file.path.to_string();
            let command = formatters.iter().find(|(glob, _)| is_match(glob, &path));
            let Some((_, command)) = command.filter(|_| may_be) else { continue };
            if stuck.contains(command) {
                continue;
            }
            let (before, after) =
                (self.repository.content(before)?, self.repository.content(after)?);
            if asked.insert(command) {
                let seconds = PATIENCE.as_secs();
                self.tell_wait(&format!(
                    "waiting for `{command}`, up to {seconds} seconds for a file, to see whether it \
                     made the change"
                ));
            }
            match self.format(command, &before)? {
                Made::Text(made) if made == after => {
                    lines
                        .push(format!("{path}: exactly what `{command}` makes of it, and no more"));
                }
                Made::Late => {
                    stuck.insert(command);
                    lines.push(format!("`{command}` did not end in time, and was not asked again"));
                }
                Made::Text(_) | Made::Failed => {}
            }
        }
        Ok(lines)
    }

    /// What `command` makes of `bytes`.
    fn format(&self, command: &str, bytes: &[u8]) -> Result<Made> {
        let scratch = Scratch::create(&self.scratch(), Purpose::Format)?;
        let input = scratch.path().join("input");
        fs::write(&input, bytes).map_err(|error| Error::io("write to", &input, &error))?;
        let allowed = &self.settings.config.exec.env;
        let argv = ["/bin/sh", "-c", &format!("{{ {command}\n}} 2>/dev/null")];
        let spec = Spec {
            argv: argv.iter().map(OsString::from).collect(),
            cwd: self.repository.layout().worktree.clone(),
            env: Environment::from_allow_list(self.host.variables(), allowed),
            stdin: Some(input),
            deadline: PATIENCE,
            grace: Duration::from_secs(1),
            max_output: 64 * 1024 * 1024,
        };
        let mut output = Vec::new();
        let ran = countersign_exec::run(&supervisor(self)?, &spec, &Cancel::new(), &mut output)?;
        Ok(match ran.ended {
            ended if ended.passed() => Made::Text(output),
            Ended::TimedOut => Made::Late,
            _ => Made::Failed,
        })
    }
}

/// What became of a file that a formatter was given.
enum Made {
    Text(Vec<u8>),
    Failed,
    /// It did not end in time.
    Late,
}

fn paths_of(operation: &Operation) -> Vec<&str> {
    match &operation.deed {
        Deed::Edit { files } | Deed::Write { files } if operation.end.ran() => {
            files.iter().map(|file| file.path.as_str()).collect()
        }
        _ => Vec::new(),
    }
}
