//! What is to be registered with an agent, and how we know our own entries again.

use std::path::PathBuf;

/// One event that we want to hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    pub event: &'static str,
    /// Which tools it is about, for events that are about tools.
    pub matcher: Option<&'static str>,
    /// In the agent's own unit.
    pub timeout: u32,
    /// Whether a hook that fails stops the agent's call.
    pub fails_closed: bool,
}

impl Hook {
    pub(super) fn new(event: &'static str, is_about_tools: bool, timeout: u32) -> Self {
        let matcher = is_about_tools.then_some("*");
        Self { event, matcher, timeout, fails_closed: false }
    }
}

/// Everything that is to be in one settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub agent: &'static str,
    /// What the agent hands to the shell.
    pub command: String,
    pub hooks: Vec<Hook>,
    /// Whether hooks are to be switched on explicitly, where nobody said otherwise.
    pub switched_on: bool,
}

/// An entry of ours that was found in settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    pub event: String,
    /// The program that is started.
    pub program: PathBuf,
    /// Which group of its event it is in, and where in it, from zero.
    pub group: usize,
    pub position: usize,
    /// Whether it hears of all tools.
    pub hears_all: bool,
    pub fails_closed: bool,
}

/// Settings that can't be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {why}")]
pub struct Broken {
    pub line: usize,
    pub column: usize,
    pub why: String,
}

impl Broken {
    pub(super) fn at(text: &str, offset: usize, why: impl Into<String>) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { line, column, why: why.into() }
    }

    /// Reads bytes as text, or says where they are none.
    pub fn text_of(bytes: &[u8]) -> Result<&str, Self> {
        std::str::from_utf8(bytes).map_err(|error| {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            Self::at(&good, good.len(), "this is not UTF-8 text")
        })
    }
}

/// The command that agents are to run: `program` in quotes that any shell takes off again.
pub fn command(program: &str, agent: &str) -> String {
    format!("'{}' hook {agent}", program.replace('\'', r"'\''"))
}

/// The program that `command` starts, if it is one of ours for `agent`, wherever it lies.
pub fn program_in(command: &str, agent: &str) -> Option<PathBuf> {
    let words = shell_words::split(command).ok()?;
    let [program, hook, name] = words.as_slice() else { return None };
    let program = PathBuf::from(program);
    let ours = program.file_name()?.to_str()?.starts_with("countersign");
    (ours && hook == "hook" && name == agent).then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-03: a path that means something to a shell arrives as it is.
    #[test]
    fn commands_are_known_again() {
        for program in ["/bin/countersign", "/a b/it's $HOME \"x\"/countersign", "/ü/countersign"]
        {
            assert_eq!(program_in(&command(program, "claude"), "claude"), Some(program.into()));
            assert_eq!(program_in(&command(program, "claude"), "codex"), None);
        }
        assert_eq!(program_in("countersign hook codex", "codex"), Some("countersign".into()));
        for other in ["", "'", "/bin/other hook codex", "countersign hook codex --x", "a b c"] {
            assert_eq!(program_in(other, "codex"), None, "{other}");
        }
    }

    #[test]
    fn places_are_counted_as_editors_do() {
        let check = |text: &str, offset, expected| {
            let broken = Broken::at(text, offset, "");
            assert_eq!((broken.line, broken.column), expected);
        };
        check("", 0, (1, 1));
        check("ab\ncd", 4, (2, 2));
        check("ü\r\nx", 5, (2, 2));
        let broken = Broken::text_of(b"a\nb\xff").unwrap_err();
        assert_eq!((broken.line, broken.column), (2, 2));
    }
}
