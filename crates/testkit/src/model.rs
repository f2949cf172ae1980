//! A model that says what a test tells it to, on a port of this machine.
//!
//! Real agents are pointed at it with a key that is no key. A [`Script`] decides which tools the
//! model calls, what it says and how it fails; every [`Request`] is kept, so that a test can read
//! what reached the model. Nothing here ever opens a connection.

mod anthropic;
mod gemini;
mod request;
mod responses;
mod script;
mod server;
#[cfg(test)]
mod tests;

pub use request::{Protocol, Request};
pub use script::{Fault, Script, ToolCall, Turn};
pub use server::Model;

/// One event of a stream: its name, if the protocol has names, and its data.
type Event = (Option<&'static str>, serde_json::Value);

/// An answer in both forms that an agent may ask for.
#[derive(Debug)]
struct Answer {
    events: Vec<Event>,
    whole: serde_json::Value,
}

/// Ids in the order in which they are needed, so that two recordings of a tour are alike.
#[derive(Debug, Default)]
struct Ids(u32);

impl Ids {
    fn next(&mut self, prefix: &str) -> String {
        self.0 += 1;
        format!("{prefix}{:04}", self.0)
    }
}
