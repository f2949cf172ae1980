//! JSON-RPC over the pipes of one agent.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nix::sys::signal::{SigSet, Signal};
use serde_json::{Value, json};

/// A longer line ends the conversation: nobody could say what was in it.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// What an agent sends.
#[derive(Debug)]
pub(super) enum Frame {
    /// To a call of ours.
    Answer { id: u64, result: Result<Value, String> },
    /// Something that needs no answer.
    Told { method: String, params: Value },
    /// Something that needs one.
    Asked { id: Value, method: String, params: Value },
}

/// The agent at the other end.
pub(super) struct Peer {
    input: Arc<Mutex<Option<ChildStdin>>>,
    frames: Receiver<Result<Value, String>>,
    session: Arc<OnceLock<String>>,
    calls: u64,
}

/// Keeps the wish to end from ending us at once: the agent is asked to stop first, so that it can
/// tell what it used. Whoever sent the signal kills us if that takes too long.
pub(super) fn hold_back_termination() -> Option<SigSet> {
    let mut ending = SigSet::empty();
    ending.add(Signal::SIGTERM);
    ending.add(Signal::SIGINT);
    ending.thread_block().ok().map(|()| ending)
}

impl Peer {
    pub(super) fn new(input: ChildStdin, output: ChildStdout, ending: Option<SigSet>) -> Self {
        let (sender, frames) = sync_channel(64);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let frame = read(&mut output);
                let is_last = !matches!(frame, Some(Ok(_)));
                if frame.is_some_and(|frame| sender.send(frame).is_err()) || is_last {
                    return;
                }
            }
        });
        let input = Arc::new(Mutex::new(Some(input)));
        let session = Arc::new(OnceLock::new());
        if let Some(ending) = ending {
            let (input, session) = (Arc::clone(&input), Arc::clone(&session));
            std::thread::spawn(move || cancel_at(&ending, &input, &session));
        }
        Self { input, frames, session, calls: 0 }
    }

    /// The session to cancel when we are to end.
    pub(super) fn set_session(&self, id: &str) {
        // There is only one.
        let _ = self.session.set(id.to_owned());
    }

    /// Sends a call; its answer has this number.
    pub(super) fn send_call(&mut self, method: &str, params: &Value) -> Result<u64, String> {
        self.calls += 1;
        send(
            &self.input,
            &json!({
                "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params,
            }),
        )?;
        Ok(self.calls)
    }

    pub(super) fn send_answer(
        &self,
        id: &Value,
        answer: Result<Value, Value>,
    ) -> Result<(), String> {
        send(
            &self.input,
            &match answer {
                Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            },
        )
    }

    /// The next frame; what is none, such as a greeting, is passed over.
    pub(super) fn next(&self, awaited: &str) -> Result<Frame, String> {
        loop {
            let closed = |_| format!("{awaited}: the agent ended without an answer");
            let mut frame = self.frames.recv().map_err(closed)??;
            let [id, method, params] = ["id", "method", "params"].map(|name| frame[name].take());
            match (method, id) {
                (Value::String(method), Value::Null) => return Ok(Frame::Told { method, params }),
                (Value::String(method), id) => return Ok(Frame::Asked { id, method, params }),
                (_, Value::Number(id)) if id.is_u64() => {
                    let error = &frame["error"];
                    let result = if error.is_null() {
                        Ok(frame["result"].take())
                    } else {
                        Err(words_of(error))
                    };
                    return Ok(Frame::Answer { id: id.as_u64().unwrap_or_default(), result });
                }
                _ => {}
            }
        }
    }
}

/// An error in words; its data often says more than its message.
fn words_of(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or("an error");
    let data = &error["data"];
    let details = data.as_str().or(data["details"].as_str()).or(data["message"].as_str());
    let more = match details {
        Some(details) => details.to_owned(),
        None if data.is_null() => String::new(),
        None => data.to_string(),
    };
    format!("{message} {more} (code {})", error["code"]).replace("  ", " ")
}

fn send(input: &Mutex<Option<ChildStdin>>, frame: &Value) -> Result<(), String> {
    let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
    let input = input.as_mut().ok_or("the agent is gone")?;
    let sent = writeln!(input, "{frame}").and_then(|()| input.flush());
    sent.map_err(|error| format!("the agent is gone: {error}"))
}

/// One frame; nothing at the end, or for what is no JSON.
fn read(output: &mut BufReader<ChildStdout>) -> Option<Result<Value, String>> {
    loop {
        let mut line = Vec::new();
        let count = output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).ok()?;
        if count == 0 {
            return None;
        }
        if count as u64 == MAX_LINE {
            return Some(Err("the agent sent a line that is too long".to_owned()));
        }
        if let Ok(frame) = serde_json::from_slice::<Value>(&line)
            && frame.is_object()
        {
            return Some(Ok(frame));
        }
    }
}

fn cancel_at(ending: &SigSet, input: &Mutex<Option<ChildStdin>>, session: &OnceLock<String>) {
    loop {
        if ending.wait().is_err() {
            return;
        }
        match session.get() {
            Some(id) => {
                let params = json!({"sessionId": id});
                let frame = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params});
                // An agent that is gone needs no telling.
                let _ = send(input, &frame);
            }
            None => std::process::exit(1),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
