//! Where the workspace is.
//!
//! The answer is looked up when the program runs, never built into it: a build cache shared by
//! several clones would otherwise send the tasks of one clone to the files of another.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The root of the workspace that this program was started for.
pub(crate) fn find() -> anyhow::Result<PathBuf> {
    let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_dir().context("the current directory can't be read")?,
    };
    above(&start).with_context(|| {
        format!(
            "{} is not inside the workspace; start this with `cargo xtask` from the repository",
            start.display()
        )
    })
}

/// The nearest directory, from `start` upwards, that looks like our workspace.
fn above(start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .find(|path| path.join("Cargo.toml").is_file() && path.join("xtask/Cargo.toml").is_file())
        .map(Path::to_path_buf)
}

/// The Cargo that started us, so that every step uses the same toolchain.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_from_inside_and_not_from_outside() {
        let root = find().expect("tests run inside the workspace");
        assert_eq!(above(&root.join("xtask/src")), Some(root.clone()));
        assert_eq!(above(Path::new("/")), None);
    }
}
