//! Commands as texts for a shell, and the folder in which they are pasted.

use std::path::{Component, Path};

use crate::snapshot::PathText;

/// How the top of the working tree is reached from where commands are pasted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Here {
    /// The top, by its whole path; empty where nobody asked.
    top: PathText,
    /// What leads there: nothing, `../..` or the whole path.
    way: PathText,
}

impl Here {
    /// For a shell that stands in `folder`, and a working tree with its top at `top`. Both are
    /// whole paths without links in them.
    pub fn new(top: &Path, folder: &Path) -> Self {
        let way = match folder.strip_prefix(top) {
            Ok(below) => {
                let up = |part: Component<'_>| matches!(part, Component::Normal(_)).then_some("..");
                PathText::new(below.components().filter_map(up).collect::<Vec<_>>().join("/"))
            }
            Err(_) => PathText::from(top),
        };
        Self { top: PathText::from(top), way }
    }

    /// For a shell that stands anywhere.
    pub fn anywhere(top: &Path) -> Self {
        Self { top: PathText::from(top), way: PathText::from(top) }
    }

    /// Git, as if started at the top.
    pub(super) fn git(&self) -> String {
        if self.way.is_empty() {
            return "git".to_owned();
        }
        format!("git -C {}", quoted(&self.way))
    }

    /// Our own program, as if started at the top.
    pub(super) fn countersign(&self) -> String {
        if self.way.is_empty() {
            return "countersign".to_owned();
        }
        format!("countersign -C {}", quoted(&self.way))
    }

    /// A folder from the top, as a word of the shell that can be nothing but a folder.
    pub(super) fn folder(&self, path: &PathText) -> String {
        match self.joined(path).as_bytes() {
            [] => "./".to_owned(),
            [.., b'/'] => self.path(path),
            folder => quoted(&PathText::new([folder, b"/"].concat())),
        }
    }

    /// A path from the top, as a word of the shell.
    pub(super) fn path(&self, path: &PathText) -> String {
        quoted(&self.joined(path))
    }

    /// The same of several, one after the other.
    pub(super) fn paths(&self, paths: &[PathText]) -> String {
        paths.iter().map(|path| self.path(path)).collect::<Vec<_>>().join(" ")
    }

    /// A path that may lie outside of the working tree, as a word of the shell.
    pub(super) fn file(&self, path: &PathText) -> String {
        match self.below_top(path) {
            Some(below) => self.path(&below),
            None => quoted(path),
        }
    }

    fn joined(&self, path: &PathText) -> PathText {
        match self.way.as_bytes() {
            [] => path.clone(),
            way => PathText::new([way, b"/", path.as_bytes()].concat()),
        }
    }

    fn below_top(&self, path: &PathText) -> Option<PathText> {
        let below = path.as_bytes().strip_prefix(self.top.as_bytes())?.strip_prefix(b"/")?;
        (!self.top.is_empty()).then(|| PathText::new(below))
    }
}

/// Paths from the top of a repository, as words for git. To git, some letters in a path mean more
/// than themselves.
pub(super) fn pathspecs(paths: &[PathText]) -> (&'static str, String) {
    let is_plain = |path: &PathText| !path.as_bytes().iter().any(|byte| b"*?[:\\".contains(byte));
    let literal = if paths.iter().all(is_plain) { "" } else { " --literal-pathspecs" };
    (literal, paths.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// A path as one word of a shell.
pub(super) fn quoted(path: &PathText) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/+@%,=".contains(byte);
    let bytes = path.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return path.to_string();
    }
    if str::from_utf8(bytes).is_ok() && !bytes.iter().any(u8::is_ascii_control) {
        return format!("'{}'", String::from_utf8_lossy(bytes).replace('\'', "'\\''"));
    }
    // Escapes as PathText writes them mean the same to a shell that knows $'…'.
    format!("$'{}'", path.to_string().replace('\'', "\\'"))
}
