//! What is worth a word when a role hands over, and stops nobody.

use countersign_domain::context::FileRecord;
use countersign_git::Patch;

/// A diff that is larger than this is worth a word.
const LARGE_DIFF: usize = 10 * 1024 * 1024;
/// How many warnings of one kind are given.
const MOST_WARNINGS: usize = 30;

/// What a reader of `patch` and `files` should know.
pub(super) fn warnings_about(patch: &Patch, files: &[FileRecord]) -> Vec<String> {
    let mut warnings = Vec::new();
    if patch.bytes.len() > LARGE_DIFF {
        let size = patch.bytes.len() / (1024 * 1024);
        warnings.push(format!("the diff has {size} MiB: are there files that don't belong?"));
    }
    let large = patch.left_out.iter();
    warnings.extend(few(large.map(|path| format!("{path} is too large for the diff"))));
    let outside = files.iter().filter(|file| file.is_out_of_scope);
    let outside = outside.map(|file| format!("{} is outside of the task's scope", file.path));
    warnings.extend(few(outside));
    warnings.extend(few(super::screen::added_secrets(&patch.bytes)));
    warnings
}

/// The first of many warnings of a kind, and how many there are.
fn few(warnings: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = warnings.into_iter().collect();
    let more = all.len().saturating_sub(MOST_WARNINGS);
    if let Some(last) = all.get(MOST_WARNINGS).filter(|_| more > 1) {
        let last = format!("{last}, and so it is with {} more", more - 1);
        all.truncate(MOST_WARNINGS);
        all.push(last);
    }
    all
}
