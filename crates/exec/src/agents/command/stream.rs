//! What a command prints: anything. Its exit code says how it ended, and its last lines are its
//! last words.

use countersign_domain::agent::AgentEnd;
use countersign_domain::receipt::Ended;

use crate::agents::json::Json;
use crate::agents::stream::ear::Ear;
use crate::agents::stream::{Dialect, Listener, Moment};
use crate::agents::words::{MAX_RESULT, brief};

#[derive(Debug)]
pub(crate) struct Stream;

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        self.noise(event.raw(), ear, on);
    }

    fn noise(&mut self, line: &[u8], ear: &mut Ear, on: &mut Listener<'_>) {
        ear.noise(line);
        let told = brief(&String::from_utf8_lossy(&line[..line.len().min(MAX_RESULT)]));
        if !told.is_empty() {
            on(Moment::Printed(told));
        }
    }

    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd {
        if ended.passed() {
            return AgentEnd::Finished;
        }
        let noise = ear.noise_text();
        let last = noise.lines().last().unwrap_or_default();
        let detail =
            if last.is_empty() { ended.to_string() } else { format!("{ended}: {}", brief(last)) };
        AgentEnd::Failed { detail }
    }

    fn last_words(&self, ear: &Ear) -> String {
        ear.noise_text()
    }
}
