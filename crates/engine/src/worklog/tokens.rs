//! What our words cost an agent. A tokenizer's tables would be most of the program's size, so the
//! bound of the domain is used, which a test holds against a real one.

use countersign_domain::classify::Tier;
use countersign_domain::worklog::tokens;

/// The most tokens that a session of this tier may be told.
pub(crate) fn bound(tier: Tier) -> u32 {
    match tier {
        Tier::Strict => 250,
        Tier::Standard => 100,
        Tier::Light => 20,
        Tier::Exempt => 0,
    }
}

/// How many tokens `text` has at most.
pub(crate) fn count(text: &str) -> u32 {
    u32::try_from(tokens::tokens(text)).unwrap_or(u32::MAX)
}
