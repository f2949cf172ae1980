//! Finds what looks like gaming in a change: two versions of files in, findings out.
//!
//! Everything here is pure: no clock, environment, file or process. What is found by reading
//! explains and warns; what is executed decides. `docs/design/gaming.md` says why.

#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names are compared as runners compare them, or were made lower case before"
)]

mod agreed;
mod altered;
mod args;
mod compare;
mod config;
mod copies;
mod cut;
mod data;
mod days;
mod detect;
mod documented;
pub mod expectation;
mod granted;
mod hooks;
mod language;
mod learnt;
mod lines;
mod literals;
mod mask;
pub mod mutant;
mod outline;
pub mod probe;
mod product;
mod prose;
mod role;
pub mod settings;
mod similar;
mod suppressed;
mod syntax;
mod trailers;
mod uncalled;
pub mod variation;
mod wanted;

pub use cut::{Cut, cut};
pub use detect::{Changed, File, Task, detect};
pub use documented::documented;
pub use language::Language;
pub use outline::{Assertion, Fault, Marker, Outline, Test, outline};
pub use role::{Role, role};

/// The code of a file of the product: without comments, and without the tests that lie in it.
pub fn plain_code(path: &str, bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for range in outline::read(path, &text).inline.into_iter().rev() {
        text.replace_range(range, "");
    }
    mask::without_comments(&text, Language::of(path))
}

/// The same without what Python writes into texts to say what something is for.
pub fn bare_code(path: &str, bytes: &[u8]) -> String {
    let code = plain_code(path, bytes);
    if Language::of(path) == Language::Python { mask::without_docstrings(&code) } else { code }
}

/// Whether two versions of a file differ in comments and layout at most.
pub fn is_same_code(path: &str, before: &[u8], after: &[u8]) -> bool {
    let language = Language::of(path);
    if !language.is_code() {
        return before == after;
    }
    let code = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let plain = mask::without_comments(&text, language);
        let plain =
            if language == Language::Python { mask::without_docstrings(&plain) } else { plain };
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    code(before) == code(after)
}
