//! What agents are offered. The names and arguments of the memory tools are those of Serena, so
//! that an agent that knows one knows the other.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// All tools, in the order in which they are listed.
pub(super) fn all() -> Vec<Tool> {
    let name = || json!({ "type": "string", "description": "Name, such as design/api." });
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let writes = || ToolAnnotations::new().destructive(false).idempotent(true).open_world(false);
    vec![
        tool(
            "list_memories",
            "List the memories of this repository by name. Names beginning with '_' are kept by \
             Countersign: _worklog/SESSION, _worklog_summary/DAY, _progress/TASK, \
             _checkpoint/SESSION/N.",
            &json!({ "topic": {
                "type": "string",
                "description": "Only names that begin with this.",
            } }),
            &[],
        )
        .annotate(reads()),
        tool(
            "read_memory",
            "Read a memory: something noted earlier about this repository, or a worklog.",
            &json!({ "memory_name": name() }),
            &["memory_name"],
        )
        .annotate(reads()),
        tool(
            "write_memory",
            "Remember a text under a name, for later sessions and other agents. Replaces what is \
             under that name; at most 1 MiB. Names beginning with '_' are read-only.",
            &json!({
                "memory_name": name(),
                "content": { "type": "string", "description": "The whole text." },
            }),
            &["memory_name", "content"],
        )
        .annotate(writes()),
        tool(
            "delete_memory",
            "Delete a memory. Its text stays on the ledger's record.",
            &json!({ "memory_name": name() }),
            &["memory_name"],
        )
        .annotate(writes().destructive(true)),
        tool(
            "worklog_current",
            "The session that is open now in this repository: tier, task, todos, last summary.",
            &json!({}),
            &[],
        )
        .annotate(reads()),
        tool(
            "worklog_note_todo",
            "Record a todo of yours, or its new status, in the worklog. Only if you have no todo \
             or task tool of your own. The same content means the same todo.",
            &json!({
                "content": { "type": "string", "description": "What is to be done." },
                "status": {
                    "type": "string",
                    "enum": ["pending", "in_progress", "completed", "cancelled"],
                    "default": "pending",
                },
            }),
            &["content"],
        )
        .annotate(writes()),
    ]
    .into_iter()
    .chain(super::contexts::tools())
    .chain(super::checkpoints::tools())
    .collect()
}

pub(super) fn tool(
    name: &'static str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), properties.clone());
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    Tool::new(name, description, Arc::new(schema))
}
