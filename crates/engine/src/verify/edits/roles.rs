//! What part the changed files have in what a program does.

use std::borrow::Cow;

use countersign_domain::verify::is_labelled;
use countersign_gaming::{Role, is_same_code, outline, plain_code, settings};

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
    /// Those of the product that are manifests, and say of their package what the task asks for.
    pub labelled: usize,
    /// Those that are neither tests nor settings.
    pub touched: usize,
}

impl Roles {
    /// Counts a file. Whether it was there, and differs only in what a runner of tests reads.
    pub(super) fn take(&mut self, file: &File, task: &str) -> bool {
        self.code += usize::from(is_code(&file.path));
        if !matches!(
            file.role,
            Role::Product | Role::Vendored | Role::Generated | Role::BuildConfig
        ) {
            return false;
        }
        let (was, is) = (side(file, file.before.as_ref()), side(file, file.after.as_ref()));
        let (before, after) = (&*was.code, &*is.code);
        // Only tests differ that stand in a file of the product.
        if (was.has_tests || is.has_tests) && is_same_text(before, after) {
            return was.has_tests;
        }
        self.touched += 1;
        if file.role == Role::BuildConfig && rest(&file.path, before) == rest(&file.path, after) {
            return file.before.is_some();
        }
        // Types that are only declared are no part of what runs.
        let is_declared = [".d.ts", ".pyi"].iter().any(|end| file.path.ends_with(end));
        let is_same =
            is_same_code(&file.path, before, after) || is_heading(&file.path, before, after);
        let differs = !is_declared && !is_same;
        self.product += usize::from(differs);
        self.built += usize::from(differs && file.role == Role::BuildConfig);
        let is_cut = match file.role {
            Role::BuildConfig => is_cut(&unversioned(before), &unversioned(after)),
            _ => is_cut(before, after),
        };
        self.cut += usize::from(differs && is_cut);
        let texts = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
        let is_labelled = differs && is_labelled(task, &file.path, (&texts.0, &texts.1));
        self.labelled += usize::from(is_labelled);
        false
    }
}

/// Whether a file of Go that came or went says nothing but to which package it belongs: it is there for
/// its comment.
fn is_heading(path: &str, before: &[u8], after: &[u8]) -> bool {
    let is_bare = |bytes: &[u8]| {
        let code = plain_code(path, bytes);
        let mut lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.all(|line| line.starts_with("package "))
    };
    path.strip_suffix(".go").is_some()
        && (before.is_empty() || after.is_empty())
        && is_bare(before)
        && is_bare(after)
}

/// One side of a file.
struct Content<'f> {
    /// Without the tests that stand in it.
    code: Cow<'f, [u8]>,
    has_tests: bool,
}

fn side<'f>(file: &'f File, bytes: Option<&'f Vec<u8>>) -> Content<'f> {
    let bytes: &[u8] = bytes.map_or(&[], |bytes| bytes);
    // Only Rust has tests in the code itself.
    if file.path.strip_suffix(".rs").is_none() {
        return Content { code: Cow::Borrowed(bytes), has_tests: false };
    }
    let tests = outline(&file.path, bytes).inline;
    let mut code = Vec::new();
    let mut from = 0;
    for range in &tests {
        code.extend_from_slice(bytes.get(from..range.start).unwrap_or_default());
        from = from.max(range.end);
    }
    code.extend_from_slice(bytes.get(from..).unwrap_or_default());
    Content { code: Cow::Owned(code), has_tests: !tests.is_empty() }
}

/// Whether two texts are the same but for white space.
fn is_same_text(one: &[u8], other: &[u8]) -> bool {
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    text(one) == text(other)
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

/// A manifest without the version of its package: what goes asks for another one.
fn unversioned(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let is_version = |line: &&str| {
        let line = line.trim_start().trim_start_matches('"');
        line.strip_prefix("version")
            .is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(['=', ':']))
    };
    let own = text.lines().find(is_version);
    let mut rest = text.lines();
    let before: Vec<&str> = rest.by_ref().take_while(|line| Some(*line) != own).collect();
    before.into_iter().chain(rest).collect::<Vec<_>>().join("\n").into_bytes()
}

/// A manifest without what only the runner of tests reads in it.
fn rest(path: &str, bytes: &[u8]) -> String {
    settings::without(path, &String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(before: &str, after: &str) -> (Roles, bool) {
        let file = File {
            path: "src/lib.rs".into(),
            role: Role::Product,
            before: Some(before.as_bytes().to_vec()),
            after: Some(after.as_bytes().to_vec()),
        };
        let mut roles = Roles::default();
        let reverted = roles.take(&file, "Fix add");
        (roles, reverted)
    }

    /// VC-05: a file for the comment of a package is no code.
    #[test]
    fn a_file_for_a_comment() {
        let doc = b"// Package conf reads files.\npackage conf\n";
        assert!(is_heading("conf/doc.go", b"", doc) && is_heading("doc.go", doc, b""));
        assert!(!is_heading("doc.go", b"", b"package conf\n\nvar x = 1\n"));
        assert!(!is_heading("doc.rs", b"", doc));
    }

    /// LP-12: a new version beside what was taken away adds nothing.
    #[test]
    fn a_manifest_but_for_its_version() {
        let check = |before: &str, after: &str, is: bool| {
            let (before, after) = (unversioned(before.as_bytes()), unversioned(after.as_bytes()));
            assert_eq!(is_cut(&before, &after), is);
        };
        check("[package]\nversion = \"1.0\"\nx = 1\n", "[package]\nversion = \"2.0\"\n", true);
        check("{\n  \"version\": \"1.0\",\n  \"a\": 1\n}", "{\n  \"version\": \"2\",\n}", true);
        check("[package]\nversion = \"1.0\"\n", "[package]\nversion = \"1.0\"\nx = 1\n", false);
        check(
            "[d]\nversion = \"1\"\n[e]\nversion = \"1\"",
            "[d]\nversion = \"1\"\n[e]\nversion = \"2\"",
            false,
        );
    }

    /// LP-12: tests in a file of the product are tests.
    #[test]
    fn tests_in_the_code_are_no_code() {
        let code = "pub fn add(a: u8) -> u8 { a }\n";
        let tests = |body: &str| format!("#[cfg(test)]\nmod tests {{\n{body}}}\n");
        let one = "    #[test]\n    fn one() { assert_eq!(super::add(1), 1); }\n";
        let (roles, reverted) =
            take(&(code.to_owned() + &tests("")), &(code.to_owned() + &tests(one)));
        assert_eq!((roles.code, roles.touched, roles.product, reverted), (1, 0, 0, true));
        let (roles, reverted) = take(code, &(code.to_owned() + &tests(one)));
        assert_eq!((roles.touched, roles.product, reverted), (0, 0, false));
        let other = code.replace("{ a }", "{ a + 1 }");
        let (roles, _) = take(&(code.to_owned() + &tests("")), &(other + &tests(one)));
        assert_eq!((roles.touched, roles.product), (1, 1));
    }
}
