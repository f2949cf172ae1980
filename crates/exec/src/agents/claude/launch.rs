//! How Claude Code is started.

use serde_json::{Map, Value, json};

use crate::agents::start::{Launch, Permissions, Start};

/// Everything of the project's is switched off by arguments and variables.
pub(crate) const HIDES: &[&str] = &[];

/// The tools of an agent that only reads. Bash is one of them: Claude Code knows which commands
/// only read, and refuses the others when nobody can be asked.
const READING: &str = "Bash,Read,Grep,Glob";

/// What is run without a question when files may be changed.
const EDITING: &str =
    "Bash,Edit,Write,NotebookEdit,Read,Grep,Glob,TodoWrite,TaskCreate,TaskUpdate,TaskList,TaskGet";

pub(crate) fn launch(start: &Start<'_>) -> Launch {
    let mut launch = Launch::of(start, start.program);
    launch.args(["-p", "--output-format", "stream-json", "--verbose"]);
    let settings = start.home.join("claude-settings.json");
    // No file of the user's or the project's, neither now nor when one is changed meanwhile.
    launch.args(["--setting-sources", "", "--strict-mcp-config", "--settings"]);
    launch.arg(&settings);
    launch.files.push((settings, format!("{:#}\n", self::settings(start)).into_bytes()));
    launch.option("--model", start.spec.model.as_deref());
    launch.option("--effort", start.spec.effort.as_deref());
    let budget = start.max_cost.map(|most| format!("{:.6}", most.dollars()));
    launch.option("--max-budget-usd", budget.as_deref());
    let turns = start.max_turns.map(|most| most.to_string());
    launch.option("--max-turns", turns.as_deref());
    match start.permissions {
        Permissions::ReadOnly => {
            launch.args(["--permission-mode", "dontAsk", "--tools", READING]);
        }
        Permissions::Edit => {
            launch.args(["--permission-mode", "acceptEdits", "--allowedTools", EDITING]);
        }
        Permissions::Full => {
            launch.args(["--permission-mode", "bypassPermissions"]);
            // Without it root is refused; who asks for everything has said so already.
            launch.env.set("IS_SANDBOX", "1");
        }
    }
    launch.switches([
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        // What it remembers is written where a worker may write as well.
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        // Work that goes on in the background would be cut off at the end.
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
    ]);
    if start.judges() {
        launch.args(["--disable-slash-commands", "--no-session-persistence"]);
        launch.switches(["CLAUDE_CODE_DISABLE_CLAUDE_MDS"]);
    }
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    launch
}

/// Our own settings: how to log in, and whether there are hooks. A worker's are left on, in so
/// many words: a settings file that it writes can't switch off what is set for it here.
fn settings(start: &Start<'_>) -> Value {
    let mut settings: Map<String, Value> = start.login.claude.clone();
    settings.insert("disableAllHooks".into(), json!(start.judges()));
    Value::Object(settings)
}
