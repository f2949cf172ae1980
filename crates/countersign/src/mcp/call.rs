//! One call of a tool. Whatever goes wrong is an answer that the agent can read, with what to
//! do about it; the connection never suffers from it.

use countersign_domain::worklog::TodoStatus;
use countersign_engine::memory::{Changed, CurrentSession, MemorySummary, TodoNote};
use countersign_engine::{Engine, Error, Host, Kind};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{checkpoints, contexts};
use crate::cli::tell_notices;

/// As many names as are listed in one answer.
const MAX_LISTED: usize = 500;

#[derive(Deserialize)]
struct Topic {
    #[serde(default)]
    topic: String,
}

#[derive(Deserialize)]
struct Named {
    memory_name: String,
}

#[derive(Deserialize)]
struct Written {
    memory_name: String,
    content: String,
}

#[derive(Deserialize)]
struct NotedTodo {
    content: String,
    #[serde(default = "pending")]
    status: String,
}

fn pending() -> String {
    "pending".to_owned()
}

/// The text for the agent, and the same as data where it has a shape. Claude Code and Codex show
/// a model only the data if there is any, so it is as short as the text, and a text that is the
/// answer has none.
pub(super) type Answer = (String, Option<Value>);

/// Performs the call of `tool`.
pub(super) fn call(host: &Host, actor: &str, tool: &str, arguments: JsonObject) -> CallToolResult {
    match perform(host, actor, tool, arguments) {
        Ok((text, data)) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = data;
            result
        }
        Err(error) => {
            let hint = error.hint.as_ref().map(|hint| format!("\nhint: {hint}"));
            let text = format!("{}{}", error.message, hint.unwrap_or_default());
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
    }
}

/// Who a client is on the record. What it calls itself proves nothing, so it can't call itself
/// the user.
pub(super) fn actor(client: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name: String = client.chars().filter(plain).take(60).collect();
    format!("mcp:{}", if name.is_empty() { "unnamed" } else { &name })
}

fn perform(host: &Host, actor: &str, tool: &str, given: JsonObject) -> Result<Answer, Error> {
    match tool {
        "list_memories" => {
            let Topic { topic } = parse(tool, given)?;
            Ok(list(&open(host)?.memories(&topic)?))
        }
        "read_memory" => {
            let Named { memory_name } = parse(tool, given)?;
            Ok((open(host)?.read_memory(&memory_name)?.text, None))
        }
        "write_memory" => {
            let Written { memory_name, content } = parse(tool, given)?;
            Ok(changed(&open(host)?.write_memory(&memory_name, &content, actor)?, "written"))
        }
        "delete_memory" => {
            let Named { memory_name } = parse(tool, given)?;
            Ok(changed(&open(host)?.delete_memory(&memory_name, actor)?, "deleted"))
        }
        "worklog_current" => {
            let session = open(host)?.current_session()?;
            Ok((describe(&session), Some(serde_json::to_value(&session)?)))
        }
        "worklog_note_todo" => {
            let NotedTodo { content, status } = parse(tool, given)?;
            let status = TodoStatus::parse(&status).ok_or_else(|| {
                Error::new(Kind::Usage, format!("'{status}' is not a status"))
                    .hint("pending, in_progress, completed or cancelled")
            })?;
            let note = TodoNote { content: &content, status, actor };
            let session = open(host)?.note_todo(&note)?.session;
            Ok((format!("noted in {session}"), Some(json!({ "noted_in": session }))))
        }
        tool if checkpoints::is_known(tool) => checkpoints::perform(&open(host)?, tool, given),
        tool if contexts::is_known(tool) => {
            let mut engine = open(host)?;
            let answer = contexts::perform(&mut engine, actor, tool, given);
            tell_notices(&mut engine);
            answer
        }
        _ => Err(Error::new(Kind::NotFound, format!("there is no tool '{tool}'"))
            .hint("tools/list names the tools")),
    }
}

fn open(host: &Host) -> Result<Engine, Error> {
    let mut engine = Engine::open(host.clone())?;
    tell_notices(&mut engine);
    Ok(engine)
}

pub(super) fn parse<T: DeserializeOwned>(tool: &str, given: JsonObject) -> Result<T, Error> {
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        Error::new(Kind::Usage, format!("the arguments of {tool}: {error}"))
            .hint("tools/list has the schema")
    })
}

fn list(memories: &[MemorySummary]) -> Answer {
    let names = memories.iter().take(MAX_LISTED).map(|memory| memory.name.as_str());
    let names: Vec<&str> = names.collect();
    let more = memories.len() - names.len();
    let mut text = match names.as_slice() {
        [] => "nothing is remembered here".to_owned(),
        names => names.join("\n"),
    };
    let mut data = json!({ "memories": names });
    if more > 0 {
        text.push_str(&format!("\nand {more} more: give a topic"));
        data["more"] = more.into();
    }
    (text, Some(data))
}

fn changed(change: &Changed, what: &str) -> Answer {
    let waits = change.spooled.as_ref().map(|why| format!(" (in the spool for now: {why})"));
    let text = format!("{what}: {}{}", change.name, waits.unwrap_or_default());
    let mut data = json!({ what: change.name });
    if let Some(why) = &change.spooled {
        data["spooled"] = json!(why);
    }
    (text, Some(data))
}

/// A session in a few words.
fn describe(session: &CurrentSession) -> String {
    let tier = serde_json::to_value(session.tier).unwrap_or_default();
    let tier = tier.as_str().unwrap_or_default().to_owned();
    let mut text = format!("{} {tier}: {}", session.session, session.task);
    for todo in &session.todos {
        let mark = match todo.status {
            TodoStatus::Pending => ' ',
            TodoStatus::InProgress => '>',
            TodoStatus::Completed => 'x',
            TodoStatus::Cancelled => '-',
        };
        text.push_str(&format!("\n[{mark}] {}", todo.content));
    }
    if let Some(summary) = &session.summary {
        text.push_str(&format!("\n{summary}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-04: a client has its name on the record, and nobody else's.
    #[test]
    fn clients_have_plain_names() {
        assert_eq!(actor("claude-code"), "mcp:claude-code");
        assert_eq!(actor("user"), "mcp:user");
        assert_eq!(actor("\u{1b}[31m x\n"), "mcp:31mx");
        assert_eq!(actor(""), "mcp:unnamed");
        assert!(actor(&"x".repeat(1000)).len() < 100);
    }
}
