//! Scope: which files of the repository a task is about.
//!
//! An entry is a path, a folder, a glob, a macro, or words for people. Globs are matched against
//! whole paths: `*` and `?` stay inside of one folder, `**` doesn't, and the case counts.

mod digest;
mod entry;
mod expand;
mod globs;
mod path;
mod patterns;
mod relative;
mod tree;

pub use digest::{Found, Kind, digest};
pub use expand::Scope;
pub use globs::Globs;
pub use path::{from_quoted, quoted};
pub(crate) use relative::{FIX as RELATIVE, relative, relative_glob};

/// Whether `glob` means the file at `path`. One without a slash means files of that name in any
/// folder. What is no glob means nothing.
pub fn is_match(glob: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let against = if glob.contains('/') { path } else { name };
    let built = globset::GlobBuilder::new(glob).literal_separator(true).build();
    // A set says so where a single glob that is too large would panic.
    let set = built.and_then(|glob| globset::GlobSet::builder().add(glob).build());
    set.is_ok_and(|set| set.is_match(against))
}

#[cfg(test)]
mod tests {
    use super::is_match;

    #[test]
    fn globs_mean_files() {
        let check = |glob: &str, path: &str, expected: bool| {
            assert_eq!(is_match(glob, path), expected, "{glob} {path}");
        };
        check("*.rs", "src/a/b.rs", true);
        check("*.rs", "src/a.rsx", false);
        check("src/*.rs", "src/a.rs", true);
        check("src/*.rs", "src/a/b.rs", false);
        check("src/**/*.rs", "src/a/b.rs", true);
        check("[", "[", false);
    }
}
