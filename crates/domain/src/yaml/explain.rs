//! What the parser found wrong, in the words of somebody who writes a task.

use granit_parser::{ErrorKind, ScanError};

use super::build::Part;
use crate::mistake::{Mistake, Place};

/// A mistake that says what to do.
pub(super) fn explain(part: &Part<'_>, error: &ScanError) -> Mistake {
    let at = error.marker();
    let byte = at.byte_offset().unwrap_or_default().min(part.text.len());
    let rest = part.text.get(byte..).unwrap_or_default();
    let mut place = part.place(at);
    // The parser may tell a tab where the text begins that has it.
    if let Some(tab) = rest.find('\t').filter(|_| is_tab(error.kind())) {
        let found = Place::of(part.text.as_bytes(), byte + tab);
        place = Place { line: found.line + part.line, ..found };
    }
    let (what, fix) = words(error.kind(), rest);
    Mistake::new((part.file, place), "", what, fix)
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabAtBlockScalarStart
    )
}

fn words(kind: &ErrorKind, rest: &str) -> (String, &'static str) {
    let own = |what: &str, fix| (what.to_owned(), fix);
    match kind {
        kind if is_tab(kind) => {
            own("a tab stands where YAML allows only spaces", "indent with spaces")
        }
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            own("a quote is opened and not closed", "close it at the end of the text")
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar => own(
            "text follows after the closing quote",
            "write a quote inside of the text twice ('')",
        ),
        ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            own("text follows after the closing quote", "write a quote inside of the text as \\\"")
        }
        ErrorKind::UnknownQuotedScalarEscape => own(
            "there is no such escape in a text with double quotes",
            "write the backslash twice, or use single quotes",
        ),
        ErrorKind::UnclosedFlowCollection { open } => {
            (format!("'{open}' is opened and not closed"), "close it, or put the text in quotes")
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            (format!("'{open}' is closed by '{close}'"), "close it with its own bracket")
        }
        ErrorKind::MappingValueNotAllowed => own(
            "': ' begins a value where none can be",
            "put a text with ': ' in quotes, or check the indentation",
        ),
        ErrorKind::MissingAnchorOrAliasName if rest.starts_with('*') => {
            own("'*' alone is an alias without a name", "put it in quotes: \"*\"")
        }
        ErrorKind::MissingAnchorOrAliasName => {
            own("'*' or '&' begins a name, and none follows", "put the text in quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => (
            format!("a text can't begin with '{}'", character.escape_default()),
            "put it in quotes",
        ),
        ErrorKind::SimpleKeyExpected
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::InvalidSimpleKey => own(
            "this is no 'key: value', and it doesn't belong to the line above",
            "put ': ' after the key, or indent the line",
        ),
        ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidIndentation
        | ErrorKind::InvalidBlockScalarIndent
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::InvalidFlowScalarIndent
        | ErrorKind::BlockSequenceEntryNotAllowed => own(
            "this doesn't fit the indentation of the lines above",
            "give lines that belong together the same indentation",
        ),
        ErrorKind::RecursionLimitExceeded => {
            own("values are nested deeper than any task needs", "take levels out")
        }
        other => (format!("this is no YAML ({other})"), "put the text in quotes"),
    }
}
