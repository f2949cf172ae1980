//! How Goose is started.

use crate::agents::start::{Launch, Permissions, Start, Unfit};

/// Hints are taken from these.
pub(crate) const HIDES: &[&str] = &[".goosehints", "AGENTS.md", ".goose"];

pub(crate) fn launch(start: &Start<'_>) -> Result<Launch, Unfit> {
    if start.permissions == Permissions::ReadOnly {
        return Err(Unfit::Permissions {
            agent: "goose",
            wanted: start.permissions.name(),
            why: "its tools change files or there are none",
        });
    }
    let mut launch = Launch::of(start, start.program);
    launch.args(["run", "--no-session", "--no-profile", "--with-builtin", "developer"]);
    launch.args(["--output-format", "stream-json", "--instructions", "-"]);
    launch.option("--model", start.spec.model.as_deref());
    let turns = start.max_turns.map(|most| most.to_string());
    launch.option("--max-turns", turns.as_deref());
    launch.env.set("GOOSE_MODE", "auto");
    launch.env.set("GOOSE_TELEMETRY_ENABLED", "false");
    launch.switches(["GOOSE_TELEMETRY_OFF"]);
    if start.judges() {
        launch.env.set("CONTEXT_FILE_NAMES", "[]");
    }
    if start.spec.effort.is_some() {
        launch.note("Goose can't be told how hard to think");
    }
    launch.note("Goose has no sandbox: it may do all that its user may");
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    Ok(launch)
}
