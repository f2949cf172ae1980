//! A command line, cut into its simple commands as a shell would: quotes, lists, pipes,
//! substitutions, redirections, here-documents, comments. Nothing is expanded or run.
//!
//! One pass without recursion, so that no text takes longer than its length or overflows a stack.

mod lexer;
mod redirection;

use lexer::Lexer;

/// More simple commands than this are not looked at, nor deeper nesting.
const MAX_COMMANDS: usize = 4096;
const MAX_DEPTH: usize = 64;

/// What stands after a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    And,
    Or,
    /// `;` or a new line.
    Next,
    Pipe,
    Background,
    /// The end of the text or of a group.
    End,
}

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple<'a> {
    pub words: Vec<String>,
    pub after: After,
    /// It runs inside of `$( )` or the like, so that its exit code is lost.
    pub substituted: bool,
    /// In how many groups it stands.
    pub depth: usize,
    /// The text of its here-document.
    pub document: Option<&'a str>,
}

/// Stands for a group that has ended, so that what follows the group is known.
pub(super) const CLOSE: &str = ")";

/// The simple commands of a text, in the order in which they end.
pub(super) fn commands(text: &str) -> Vec<Simple<'_>> {
    let mut lexer = Lexer::new(text);
    while lexer.at < text.len() && lexer.found.len() < MAX_COMMANDS {
        lexer.step();
    }
    while !lexer.frames.is_empty() {
        lexer.end_command(After::End);
        lexer.frames.pop();
    }
    let Lexer { mut found, documents, .. } = lexer;
    for (simple, document) in &mut found {
        simple.document = document.and_then(|at| documents.get(at)).map(|document| document.text);
    }
    found.into_iter().map(|(simple, _)| simple).collect()
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
