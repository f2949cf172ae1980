//! The bridge between an agent that speaks ACP and everything here that runs programs: it gets
//! the prompt on its standard input, talks with the agent, and prints one line for every moment.
//!
//! The protocol is newline-delimited JSON-RPC, of which five methods are needed. The crate that
//! has all of it is asynchronous and brings a runtime; this is a few hundred lines on
//! `serde_json`, in a process that waits for one thing at a time.

mod answers;
pub(crate) mod told;
mod wire;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

use super::super::start::Permissions;
use answers::{Answerer, choice};
use wire::{Frame, Peer};

/// The longest prompt that is taken.
const MAX_PROMPT: u64 = 64 * 1024 * 1024;

/// The version of the protocol that is spoken.
const VERSION: u64 = 1;

/// What the bridge was told to do.
#[derive(Debug)]
struct Asked {
    permissions: Permissions,
    command: Vec<OsString>,
}

/// The whole life of a bridge, from the words after its subcommand.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(asked) = parse(words) else {
        let _ = writeln!(io::stderr(), "countersign starts this command itself");
        return ExitCode::from(2);
    };
    match converse(&asked, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let line = json!({told::KIND: told::FAILED, "text": error});
            let _ = writeln!(io::stdout(), "{line}");
            ExitCode::FAILURE
        }
    }
}

/// `--permissions NAME -- PROGRAM ARGUMENT…`
fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Asked> {
    (words.next()? == "--permissions").then_some(())?;
    let name = words.next()?;
    let all = [Permissions::ReadOnly, Permissions::Edit, Permissions::Full];
    let permissions = all.into_iter().find(|one| name == one.name())?;
    (words.next()? == "--").then_some(())?;
    let command: Vec<OsString> = words.collect();
    (!command.is_empty()).then_some(Asked { permissions, command })
}

fn converse(asked: &Asked, out: &mut dyn Write) -> Result<(), String> {
    let mut prompt = String::new();
    let read = io::stdin().lock().take(MAX_PROMPT).read_to_string(&mut prompt);
    read.map_err(|error| format!("the prompt can't be read: {error}"))?;
    let folder =
        std::env::current_dir().map_err(|error| format!("no folder to work in: {error}"))?;
    // Before any thread is started, so that all of them leave the signal to the one that waits.
    let ending = wire::hold_back_termination();
    let name = asked.command[0].display().to_string();
    let mut child = Command::new(&asked.command[0])
        .args(&asked.command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("'{name}' can't be started: {error}"))?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (input, output) = pipes.ok_or("the agent has no pipes")?;
    let peer = Peer::new(input, output, ending);
    let answerer = Answerer::new(asked.permissions, folder.clone());
    let mut talk = Talk { peer, answerer, out, known: BTreeSet::new() };
    let result = talk.whole(&folder, &prompt);
    // An agent that still waits sees the end of its input; the supervisor ends one that does not.
    drop(talk);
    result
}

/// One conversation.
struct Talk<'a> {
    peer: Peer,
    answerer: Answerer,
    out: &'a mut dyn Write,
    /// The calls of tools that were told.
    known: BTreeSet<String>,
}

impl Talk<'_> {
    fn whole(&mut self, folder: &Path, prompt: &str) -> Result<(), String> {
        let capabilities = json!({
            "fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false,
        });
        let client = json!({"name": "countersign", "version": env!("CARGO_PKG_VERSION")});
        self.call("initialize", &json!({
            "protocolVersion": VERSION, "clientInfo": client, "clientCapabilities": capabilities,
        }))?;
        let folder = folder.to_str().ok_or("the folder's name is not UTF-8")?;
        let session = self.call("session/new", &json!({"cwd": folder, "mcpServers": []}))?;
        let id = session["sessionId"].as_str().ok_or("it opened no session")?.to_owned();
        let model = session["models"]["currentModelId"].as_str();
        self.tell(&json!({told::KIND: told::BEGAN, "session": id, "model": model}))?;
        self.peer.set_session(&id);
        if let Some(mode) = self.answerer.mode(&session["modes"]) {
            self.call("session/set_mode", &json!({"sessionId": id, "modeId": mode}))?;
        }
        let prompt = json!([{"type": "text", "text": prompt}]);
        let result = self.call("session/prompt", &json!({"sessionId": id, "prompt": prompt}))?;
        self.tell_use(&result["usage"])?;
        let stop = result["stopReason"].as_str().unwrap_or("nothing");
        self.tell(&json!({told::KIND: told::ENDED, "text": stop}))
    }

    /// Calls a method and does all that is asked until it is answered.
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.peer.send_call(method, params)?;
        loop {
            match self.peer.next(method)? {
                Frame::Answer { id: answered, result } if answered == id => {
                    return result.map_err(|error| format!("{method}: {error}"));
                }
                Frame::Told { method, params } if method == "session/update" => {
                    self.update(&params["update"])?;
                }
                Frame::Told { .. } | Frame::Answer { .. } => {}
                Frame::Asked { id, method, params } => self.answer(&id, &method, &params)?,
            }
        }
    }

    fn answer(&mut self, id: &Value, method: &str, params: &Value) -> Result<(), String> {
        if method != "session/request_permission" {
            let answer = self.answerer.file(method, params);
            return self.peer.send_answer(id, answer);
        }
        let call = &params["toolCall"];
        // Some agents announce a call only by asking for it.
        self.called(call)?;
        let is_allowed = self.answerer.allows(call);
        if !is_allowed {
            let title = call["title"].as_str().or(call["toolCallId"].as_str()).unwrap_or("a tool");
            self.tell(&json!({told::KIND: told::DENIED, "text": title}))?;
        }
        self.peer.send_answer(id, Ok(choice(&params["options"], is_allowed)))
    }

    fn update(&mut self, update: &Value) -> Result<(), String> {
        match update["sessionUpdate"].as_str().unwrap_or_default() {
            "agent_message_chunk" => {
                let text = &update["content"]["text"];
                self.tell(&json!({told::KIND: told::SAID, "text": text}))
            }
            "tool_call" => self.called(update).and_then(|()| self.got(update)),
            "tool_call_update" => self.got(update),
            "usage_update" => {
                let cost = &update["cost"];
                if cost["currency"] == "USD" {
                    self.tell(&json!({told::KIND: told::USED, "cost": cost["amount"]}))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Tells a call, once.
    fn called(&mut self, call: &Value) -> Result<(), String> {
        let id = call["toolCallId"].as_str().unwrap_or_default().to_owned();
        if id.is_empty() || !self.known.insert(id.clone()) {
            return Ok(());
        }
        let tool = [&call["title"], &call["kind"]].into_iter().find_map(Value::as_str);
        let input = &call["rawInput"];
        self.tell(&json!({told::KIND: told::CALLED, "id": id, "tool": tool, "input": input}))
    }

    fn got(&mut self, call: &Value) -> Result<(), String> {
        let failed = match call["status"].as_str() {
            Some("completed") => false,
            Some("failed") => true,
            _ => return Ok(()),
        };
        self.called(call)?;
        let bytes = call["content"].to_string().len() + call["rawOutput"].to_string().len();
        let id = &call["toolCallId"];
        self.tell(&json!({told::KIND: told::GOT, "id": id, "failed": failed, "bytes": bytes}))
    }

    fn tell_use(&mut self, usage: &Value) -> Result<(), String> {
        if !usage.is_object() {
            return Ok(());
        }
        self.tell(&json!({
            told::KIND: told::USED,
            "input": usage["inputTokens"],
            "output": usage["outputTokens"],
            "cached": usage["cachedReadTokens"],
            "written": usage["cachedWriteTokens"],
        }))
    }

    fn tell(&mut self, line: &Value) -> Result<(), String> {
        let told = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        told.map_err(|error| format!("nobody listens: {error}"))
    }
}
