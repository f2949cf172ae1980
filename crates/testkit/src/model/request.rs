//! A request to the model, read alike in all protocols.

use serde_json::Value;

/// The languages that agents speak to models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Messages of Anthropic.
    Messages,
    /// Responses of OpenAI.
    Responses,
    /// `generateContent` of Gemini.
    Contents,
}

/// What an agent asked the model.
#[derive(Debug, Clone)]
pub struct Request {
    pub protocol: Protocol,
    pub body: Value,
    /// Whether the answer is to be a stream.
    pub(super) streams: bool,
}

impl Request {
    /// Reads a request by the address it was sent to; `None` if that is no address of a model.
    pub(super) fn read(path: &str, body: Value) -> Option<Self> {
        let asked = body["stream"] == true;
        let (protocol, streams) = match path {
            path if path.ends_with("/messages") => (Protocol::Messages, asked),
            path if path.ends_with("/responses") => (Protocol::Responses, asked),
            path if path.ends_with(":generateContent") => (Protocol::Contents, false),
            path if path.ends_with(":streamGenerateContent") => (Protocol::Contents, true),
            _ => return None,
        };
        Some(Self { protocol, body, streams })
    }

    pub(super) fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or("scripted")
    }

    /// Whether the model may call anything.
    pub fn offers_tools(&self) -> bool {
        let listed = self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        // Codex gives some models their tools as a part of the conversation.
        listed || self.items().any(|item| item["type"] == "additional_tools")
    }

    /// What the user said, message by message, without the results of tools.
    pub fn user_texts(&self) -> Vec<String> {
        self.items().filter(|item| item["role"] == "user").map(spoken).collect()
    }

    /// What the tools gave back, one after the other.
    pub fn results(&self) -> Vec<String> {
        self.items().flat_map(results_of).collect()
    }

    /// Every text that the model gets to read, except for the descriptions of tools: what the
    /// user, the agent and its hooks say, and what tools gave back.
    pub fn texts(&self) -> Vec<String> {
        let mut found = Vec::new();
        for name in ["system", "instructions", "systemInstruction", "messages", "input", "contents"]
        {
            collect(&self.body[name], &mut found);
        }
        found
    }

    fn items(&self) -> impl Iterator<Item = &Value> {
        let name = match self.protocol {
            Protocol::Messages => "messages",
            Protocol::Responses => "input",
            Protocol::Contents => "contents",
        };
        self.body[name].as_array().into_iter().flatten()
    }
}

fn parts(item: &Value) -> impl Iterator<Item = &Value> {
    let content = if item["parts"].is_array() { &item["parts"] } else { &item["content"] };
    content.as_array().into_iter().flatten()
}

fn spoken(item: &Value) -> String {
    if let Some(text) = item["content"].as_str() {
        return text.to_owned();
    }
    let texts = parts(item).filter_map(|part| part["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

fn results_of(item: &Value) -> Vec<String> {
    let plain = |value: &Value| {
        value.as_str().map_or_else(
            || {
                let mut found = Vec::new();
                collect(value, &mut found);
                found.join("\n")
            },
            str::to_owned,
        )
    };
    // Responses: an item of its own. Messages and contents: parts of what the user says.
    if item["type"].as_str().is_some_and(|kind| kind.ends_with("_output")) {
        return vec![plain(&item["output"])];
    }
    let messages = parts(item).filter(|part| part["type"] == "tool_result");
    let contents = parts(item).filter(|part| part["functionResponse"].is_object());
    messages
        .map(|part| plain(&part["content"]))
        .chain(contents.map(|part| plain(&part["functionResponse"]["response"])))
        .collect()
}

/// All texts below `value`; names of fields that say what something is are no texts.
fn collect(value: &Value, found: &mut Vec<String>) {
    const LABELS: &[&str] = &["type", "role", "id", "call_id", "tool_use_id", "name", "tools"];
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !LABELS.contains(&name.as_str()))
            .for_each(|(_, field)| collect(field, found)),
        _ => {}
    }
}
