//! The transcript that an agent's program would have written: everything that the agent really
//! did, as Claude Code puts it down.

use std::fs;

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::agent::{Agent, shown};

/// Before and after everything that happens in a test, whatever the clock says.
pub const LONG_AGO: &str = "2001-01-01T00:00:00.000Z";
pub const FAR_AHEAD: &str = "2999-01-01T00:00:00.000Z";

impl Agent<'_> {
    fn note(&self, kind: &str, content: &Value) -> usize {
        let line = json!({
            "type": kind, "sessionId": self.name, "timestamp": LONG_AGO,
            "message": { "role": kind, "content": content },
        });
        self.lines.borrow_mut().push(line);
        self.lines.borrow().len() - 1
    }

    pub fn note_prompt(&self, text: &str) {
        self.note("user", &json!(text));
    }

    pub fn note_call(&self, id: &str, tool: &str, input: &Value) {
        self.note(
            "assistant",
            &json!([
                { "type": "tool_use", "id": id, "name": tool, "input": input }
            ]),
        );
    }

    pub fn note_result(&self, id: &str, response: &Value, error: Option<&str>) {
        let text = error.unwrap_or("ok");
        let block = json!([{
            "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error.is_some(),
        }]);
        let at = self.note("user", &block);
        self.lines.borrow_mut()[at]["toolUseResult"] = response.clone();
    }

    /// What `forge` does is told to hooks alone.
    pub fn forging<T>(&self, forge: impl FnOnce(&Self) -> T) -> T {
        let before = self.lines.borrow().clone();
        let done = forge(self);
        *self.lines.borrow_mut() = before;
        done
    }

    /// Writes the transcript, with a last message of that time.
    pub fn write_down(&self, last: &str) {
        let mut lines = self.lines.borrow().clone();
        let text = json!([{ "type": "text", "text": "Done!" }]);
        lines.push(json!({
            "type": "assistant", "sessionId": self.name, "timestamp": last,
            "message": { "role": "assistant", "content": text },
        }));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let path = self.transcript();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
}

/// Stops: the words with which it is kept from that, or none.
#[track_caller]
pub fn stop(agent: &Agent<'_>) -> String {
    agent.write_down(FAR_AHEAD);
    let answer: Value = serde_json::from_str(&agent.stop().out()).unwrap_or_default();
    answer["reason"].as_str().unwrap_or_default().to_owned()
}

/// How it ended, and why.
#[track_caller]
pub fn ended(project: &Project) -> (String, String) {
    let ended = shown(project)["ended"].clone();
    let word = |name: &str| ended[name].as_str().unwrap_or_default().to_owned();
    (word("outcome"), word("because"))
}

#[track_caller]
pub fn expect_doubt(project: &Project, doubt: &str) {
    let account = shown(project);
    let why = account["incomplete"].as_str().unwrap_or_default();
    assert!(why.contains(doubt), "{why:?} has no {doubt:?}");
}

#[track_caller]
pub fn expect_no_doubt(project: &Project) {
    let account = shown(project);
    assert!(account["incomplete"].is_null(), "{}", account["incomplete"]);
    assert!(account["unconfirmed"].is_null(), "{}", account["unconfirmed"]);
}

pub const NOT_MADE: &str = "the transcript doesn't have 1 call that hooks told of";
