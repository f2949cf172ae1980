//! What is compiled when it is first asked. There are dozens of expressions in the shipped rules, and
//! a task asks few of them.

use std::sync::OnceLock;

/// A text, and what is made of it.
#[derive(Debug, Clone)]
pub(super) struct Late<T> {
    text: String,
    make: fn(&str) -> Option<T>,
    made: OnceLock<Option<T>>,
}

impl<T> Late<T> {
    pub(super) fn new(text: &str, make: fn(&str) -> Option<T>) -> Self {
        Self { text: text.to_owned(), make, made: OnceLock::new() }
    }

    /// What the text comes to. Nothing, if it is unsound: that is told when it is read.
    pub(super) fn get(&self) -> Option<&T> {
        self.made.get_or_init(|| (self.make)(&self.text)).as_ref()
    }
}
