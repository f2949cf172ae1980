//! What part the changed files have in what a program does.

use countersign_gaming::{Role, is_same_code, settings};

use super::super::open::is_code;
use super::File;

/// How many of the changed files can change what a program does.
#[derive(Debug, Default)]
pub(in crate::verify) struct Roles {
    pub code: usize,
    /// Those that are neither tests nor settings, and differ in more than comments.
    pub product: usize,
    /// Those of the product that are settings of the build.
    pub built: usize,
    /// Those of the product that only lost lines.
    pub cut: usize,
    /// Those that are neither tests nor settings.
    pub touched: usize,
}

impl Roles {
    /// Counts a file. Whether it was there, and differs only in what a runner of tests reads.
    pub(super) fn take(&mut self, file: &File) -> bool {
        self.code += usize::from(is_code(&file.path));
        if !matches!(
            file.role,
            Role::Product | Role::Vendored | Role::Generated | Role::BuildConfig
        ) {
            return false;
        }
        let empty = Vec::new();
        let (before, after) =
            (file.before.as_ref().unwrap_or(&empty), file.after.as_ref().unwrap_or(&empty));
        self.touched += 1;
        if file.role == Role::BuildConfig && rest(&file.path, before) == rest(&file.path, after) {
            return file.before.is_some();
        }
        // Types that are only declared are no part of what runs.
        let is_declared = [".d.ts", ".pyi"].iter().any(|end| file.path.ends_with(end));
        let differs = !is_declared && !is_same_code(&file.path, before, after);
        self.product += usize::from(differs);
        self.built += usize::from(differs && file.role == Role::BuildConfig);
        self.cut += usize::from(differs && is_cut(before, after));
        false
    }
}

/// Whether the lines of a file are among those it had, in the same order.
fn is_cut(before: &[u8], after: &[u8]) -> bool {
    let lines = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        let full = text.lines().map(str::trim).filter(|line| !line.is_empty());
        full.map(str::to_owned).collect()
    };
    let before = lines(before);
    let mut old = before.iter();
    lines(after).iter().all(|line| old.any(|other| other == line))
}

/// A manifest without what only the runner of tests reads in it.
fn rest(path: &str, bytes: &[u8]) -> String {
    settings::without(path, &String::from_utf8_lossy(bytes))
}
