//! Finding a checkpoint by what a person calls it.

use countersign_domain::checkpoint::{CheckpointId, State};

use super::CheckpointRow;
use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// The checkpoint that `text` names: its id, a beginning of it, or `latest`. Where several fit, the
    /// one that waits is meant, if there is one only.
    pub fn find_checkpoint(&self, text: &str) -> Result<CheckpointId> {
        let all = self.checkpoints(true)?;
        if text == "latest" {
            let newest = all.iter().find(|row| row.state == State::Open).or(all.first());
            return newest
                .map(|row| row.id)
                .ok_or_else(|| Error::new(Kind::NotFound, "nobody was asked anything yet"));
        }
        let fits = |row: &&CheckpointRow| row.id.to_string().starts_with(text);
        let found: Vec<&CheckpointRow> = all.iter().filter(fits).collect();
        if let Some(exact) = found.iter().find(|row| row.id.to_string() == text) {
            return Ok(exact.id);
        }
        let waiting: Vec<_> = found.iter().filter(|row| row.state == State::Open).collect();
        match (found.as_slice(), waiting.as_slice()) {
            ([one], _) => Ok(one.id),
            (_, [one]) => Ok(one.id),
            ([], _) => Err(Error::new(Kind::NotFound, format!("there is no checkpoint '{text}'"))
                .hint("`countersign checkpoint list --all` lists them")),
            ([one, other, ..], _) => {
                let message = format!("'{text}' could be {} or {}", other.id, one.id);
                Err(Error::new(Kind::Refused, message).hint("give more of the id"))
            }
        }
    }
}
