//! How much of a long task is read for what it asks, explains and states.
//!
//! Its readers go over the words many times, against every test and every file, and a person who
//! writes a task never needs as many words as a log that was pasted below it.

/// The most characters that are read.
pub const MOST_HEEDED: usize = 20_000;

/// A commit's message without the kind of commit before it, where what follows says itself what is asked for:
/// "feat: remove the bot" asks to remove it. A kind such as `docs` or `refactor` says more than that.
fn without_kind(task: &str) -> &str {
    const KINDS: &[&str] = &["feat", "chore", "build", "perf", "style", "feature"];
    const VERBS: &[&str] = &[
        "add",
        "remove",
        "delete",
        "drop",
        "rename",
        "move",
        "support",
        "allow",
        "use",
        "replace",
        "refactor",
        "update",
        "bump",
        "switch",
        "extract",
        "document",
        "implement",
        "introduce",
        "make",
        "fix",
        "deprecate",
    ];
    let Some((kind, rest)) = task.trim_start().split_once(": ") else { return task };
    let kind = kind.trim_end_matches('!');
    let kind = kind.split('(').next().unwrap_or(kind);
    let first = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    if KINDS.contains(&kind) && VERBS.contains(&first.as_str()) { rest } else { task }
}

/// The beginning of a task that its readers read: all of it, or what ends with a line, a sentence or
/// at least a word within the bound.
pub fn heeded(task: &str) -> &str {
    let task = without_kind(task);
    let Some((most, _)) = task.char_indices().nth(MOST_HEEDED) else { return task };
    let within = &task[..most];
    // Half of a sentence can say the opposite of the whole one.
    let ends = [
        within.rfind('\n').map(|at| at + 1),
        [". ", "! ", "? "].iter().filter_map(|end| within.rfind(end)).max().map(|at| at + 2),
        within.rfind(char::is_whitespace),
    ];
    // An end that leaves little is the end of something else.
    let end = ends.into_iter().flatten().find(|end| *end >= most / 2).unwrap_or(most);
    &within[..end]
}

#[cfg(test)]
mod tests {
    use super::{MOST_HEEDED, heeded};

    /// VC-08: a task of a usual length is read whole.
    #[test]
    fn a_task_of_a_usual_length_is_read_whole() {
        for task in ["", "Fix add.", &"ä".repeat(MOST_HEEDED)] {
            assert_eq!(heeded(task), task);
        }
    }

    /// VC-08: what is read of a long task ends with a line, a sentence or a word, whatever the task is.
    #[test]
    fn a_long_task_is_read_up_to_an_end_within_the_bound() {
        let lines = "fix add so that it adds.\n".repeat(40_000);
        let sentences = "Fix add. ".repeat(40_000);
        let words = "fix ".repeat(40_000);
        for (task, end) in [(&lines, "adds.\n"), (&sentences, "add. "), (&words, "fix")] {
            let read = heeded(task);
            assert!(read.ends_with(end), "{:?}", &read[read.len() - 20..]);
            let length = read.chars().count();
            assert!((MOST_HEEDED - 30..=MOST_HEEDED).contains(&length), "{length}");
        }
        for word in ["x", "ä", "("] {
            assert_eq!(heeded(&word.repeat(1_000_000)).chars().count(), MOST_HEEDED);
        }
        let late = format!("Fix add.\n{}", "x".repeat(1_000_000));
        assert_eq!(heeded(&late).chars().count(), MOST_HEEDED, "a line that leaves little");
    }
}
