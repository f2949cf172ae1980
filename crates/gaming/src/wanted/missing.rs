//! A single thing that a task asks to be added by its exact name, and that is in no code at all.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::absent::ENDS;
use super::clauses::sentences;
use super::wished::{last, names, paths, variants};
use crate::args::has_word;
use crate::detect::{Change, File};
use crate::mask;
use crate::role::Role;

/// Names that the task wants to be there, and that nothing but documents has.
pub(super) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    if !changes.iter().any(|one| one.after.is_some()) {
        return Vec::new();
    }
    let mut code: Option<Code> = None;
    for sentence in sentences(task) {
        if ENDS.iter().any(|word| has_word(&sentence.to_lowercase(), word)) {
            continue;
        }
        let (names, paths) = (names(sentence), paths(sentence));
        let variants = variants(sentence);
        if names.is_empty() && paths.is_empty() && variants.is_empty() {
            continue;
        }
        let code = code.get_or_insert_with(|| Code::of(changes, tests));
        let name = names.into_iter().find(|name| !code.has(last(name)));
        let variant = variants.into_iter().find(|(of, name)| code.declares(of) && !code.has(name));
        let path = paths.into_iter().find(|path| !code.has_path(path));
        let variant = variant.map(|(of, name)| format!("{of}::{name}"));
        if let Some(what) = name.map(str::to_owned).or(variant).or(path.map(str::to_owned)) {
            let message = format!("The task asks for {what}, and nothing of that name is there.");
            return vec![Finding::new(Rule::G63, Basis::Text, message)];
        }
    }
    Vec::new()
}

/// All that was changed and is no document, and what tests there are.
struct Code {
    /// In small letters and without low lines: `mergeVaults` may be `merge_vaults`.
    text: String,
    /// The product as it is.
    product: String,
    paths: Vec<String>,
}

impl Code {
    fn of(changes: &[Change<'_>], tests: &[File<'_>]) -> Self {
        let mut text = String::new();
        let mut product = String::new();
        for change in changes.iter().filter(|one| one.role != Role::Docs) {
            let plain = |text: &str| {
                if change.language.is_code() {
                    mask::without_comments(text, change.language)
                } else {
                    text.to_owned()
                }
            };
            text.push_str(&plain(change.old()));
            text.push_str(&plain(change.current()));
            if change.role == Role::Product {
                product.push_str(&plain(change.current()));
            }
        }
        for file in tests {
            text.push_str(&String::from_utf8_lossy(file.bytes));
        }
        let mut paths: Vec<String> = changes.iter().map(|one| one.path.to_owned()).collect();
        paths.extend(tests.iter().map(|file| file.path.to_owned()));
        Self { text: bare(&text), product, paths }
    }

    fn has(&self, name: &str) -> bool {
        has_word(&self.text, &bare(name))
    }

    /// Whether the variants of a type are written down in what was changed.
    fn declares(&self, name: &str) -> bool {
        let head = format!("enum {name}");
        self.product.match_indices(&head).any(|(at, _)| {
            !self.product[at + head.len()..].starts_with(|it: char| it.is_alphanumeric())
        })
    }

    fn has_path(&self, path: &str) -> bool {
        let is_folder = |rest: &str| rest.is_empty() || rest.ends_with('/');
        self.paths.iter().any(|one| one.strip_suffix(path).is_some_and(is_folder))
    }
}

fn bare(text: &str) -> String {
    text.to_lowercase().replace('_', "")
}
