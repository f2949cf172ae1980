//! How Goose is started.

use crate::agents::start::{Launch, Permissions, Start};

/// Hints are switched off by a variable.
pub(crate) const HIDES: &[&str] = &[];

pub(crate) fn launch(start: &Start<'_>) -> Launch {
    let mut launch = Launch::of(start, start.program);
    launch.args(["run", "--no-session", "--no-profile"]);
    launch.args(["--output-format", "stream-json", "--instructions", "-"]);
    launch.option("--model", start.spec.model.as_deref());
    let turns = start.max_turns.map(|most| most.to_string());
    launch.option("--max-turns", turns.as_deref());
    if start.permissions == Permissions::ReadOnly {
        // It can't tell a command that reads from one that writes.
        launch.env.set("GOOSE_MODE", "chat");
        launch.note("Goose has no tools when it only reads: it knows what its prompt says");
    } else {
        launch.args(["--with-builtin", "developer"]);
        launch.env.set("GOOSE_MODE", "auto");
        launch.note("Goose has no sandbox: it may do all that its user may");
    }
    launch.env.set("GOOSE_TELEMETRY_ENABLED", "false");
    launch.switches(["GOOSE_TELEMETRY_OFF"]);
    launch.env.set("CONTEXT_FILE_NAMES", "[]");
    if start.spec.effort.is_some() {
        launch.note("Goose can't be told how hard to think");
    }
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    launch
}
