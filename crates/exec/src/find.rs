//! Finding a program by name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The first executable file called `name` in the directories of `path_var`.
///
/// A name with a `/` is taken as a path. Entries of `path_var` that are empty or relative are
/// passed over: a checkout must not be able to put its own `cargo` before the real one.
pub fn find_program(name: impl AsRef<OsStr>, path_var: &OsStr) -> Option<PathBuf> {
    let name = name.as_ref();
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return is_executable(&path).then_some(path);
    }
    if name.is_empty() {
        return None;
    }
    std::env::split_paths(path_var)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|path| is_executable(path))
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn finds_only_executable_files_in_absolute_directories() {
        let root = tempfile::tempdir().unwrap();
        let (one, two) = (root.path().join("one"), root.path().join("two"));
        fs::create_dir_all(one.join("folder")).unwrap();
        fs::create_dir(&two).unwrap();
        for (path, mode) in [(one.join("plain"), 0o644), (two.join("plain"), 0o755)] {
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        let both = std::env::join_paths([&one, &two]).unwrap();
        assert_eq!(find_program("plain", &both), Some(two.join("plain")));
        assert_eq!(find_program("folder", &both), None);
        assert_eq!(find_program("", &both), None);
        assert_eq!(find_program("plain", one.as_os_str()), None);
        assert_eq!(find_program(two.join("plain"), OsStr::new("")), Some(two.join("plain")));
        assert_eq!(find_program("Cargo.toml", OsStr::new(":.:")), None);
        assert!(find_program("sh", OsStr::new("/nowhere:/bin")).is_some());
    }
}
