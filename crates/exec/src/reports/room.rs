//! How much a reader remembers: hostile texts are larger than any memory.

/// What one run may take up, in bytes of names.
const MAX_BYTES: usize = 16 << 20;
/// What an entry takes up besides its name.
const ENTRY: usize = 100;

#[derive(Debug, Clone)]
pub(super) struct Room {
    left: usize,
    /// Whether something found no room.
    pub(super) is_full: bool,
}

impl Default for Room {
    fn default() -> Self {
        Self { left: MAX_BYTES, is_full: false }
    }
}

impl Room {
    /// Whether one more entry with this name fits; it has its room then.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let needed = name.len() + ENTRY;
        if self.is_full || needed > self.left {
            self.is_full = true;
            return false;
        }
        self.left -= needed;
        true
    }
}
