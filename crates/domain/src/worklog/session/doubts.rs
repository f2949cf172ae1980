//! Why a session may not be what its record says.

use super::Session;

/// Reasons that are longer in all than this say enough.
const MOST_DOUBTS: usize = 600;

impl Session {
    /// One more reason why the record may have holes; each is told once.
    pub(super) fn doubt(&mut self, why: String) {
        let length: usize = self.doubts.iter().map(String::len).sum();
        if length <= MOST_DOUBTS && !self.doubts.contains(&why) {
            self.doubts.push(why);
        }
        self.tell_doubts();
    }

    pub(super) fn tell_doubts(&mut self) {
        let unmade = match self.unmade.len() {
            0 => None,
            1 => Some("the transcript doesn't have 1 call that hooks told of".to_owned()),
            many => Some(format!("the transcript doesn't have {many} calls that hooks told of")),
        };
        let all: Vec<String> = self.doubts.iter().cloned().chain(unmade).collect();
        self.incomplete = (!all.is_empty()).then(|| all.join("; "));
    }
}
