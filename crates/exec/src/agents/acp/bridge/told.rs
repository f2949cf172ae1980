//! What the bridge prints, one line of JSON for every moment.

/// The field that says what a line is about.
pub(crate) const KIND: &str = "acp";

pub(crate) const BEGAN: &str = "began";
pub(crate) const SAID: &str = "said";
pub(crate) const CALLED: &str = "called";
pub(crate) const GOT: &str = "got";
pub(crate) const USED: &str = "used";
pub(crate) const DENIED: &str = "denied";
pub(crate) const ENDED: &str = "ended";
pub(crate) const FAILED: &str = "failed";
