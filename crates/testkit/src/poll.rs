//! Waiting for something that another process does and nobody announces.

use std::time::{Duration, Instant};

/// How long anything may take on a busy machine before a test gives up on it.
const LIMIT: Duration = Duration::from_mins(1);

/// Asks again and again until there is an answer.
///
/// # Panics
/// When `what` has not come after a minute.
pub fn wait_until<T>(what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = answer() {
            return found;
        }
        assert!(begun.elapsed() < LIMIT, "waited a minute for: {what}");
        // tidy: polling, since another process tells nobody when it is done
        std::thread::sleep(Duration::from_millis(5));
    }
}
